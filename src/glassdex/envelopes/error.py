"""`glassdex.error/1`: what went wrong, on standard error."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from glassdex.envelopes.base import Envelope
from glassdex.errors import GlassdexError


class ErrorAnswer(Envelope):
    """`code` is stable; `suggestion` says what to do, `candidates` what could have been meant."""

    schema_: Literal["glassdex.error/1"] = Field("glassdex.error/1", alias="schema")
    code: str
    message: str
    suggestion: str | None = None
    candidates: tuple[str, ...] | None = None


def error_answer(error: GlassdexError) -> ErrorAnswer:
    """The envelope of an error."""
    return ErrorAnswer(
        code=error.code,
        message=error.message,
        suggestion=error.suggestion or None,
        candidates=error.candidates or None,
    )
