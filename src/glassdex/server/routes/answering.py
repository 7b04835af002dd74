"""How an endpoint answers: with the bytes that the command line prints for the same question."""

from __future__ import annotations

from collections.abc import Mapping

from fastapi import Response

from glassdex.envelopes.base import Envelope
from glassdex.escaping import harmless_json

PREFIX = "/api/v1"


def answered(envelope: Envelope, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """The envelope as a response."""
    text = harmless_json(envelope.to_json()) + "\n"
    return Response(text, status, headers=headers, media_type="application/json")
