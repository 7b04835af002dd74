"""`glassdex.passage/1`: what a pointer leads to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from glassdex.envelopes.base import Envelope
from glassdex.envelopes.shared import LocatorPart
from glassdex.inspection.passage import Passage


class PassageAnswer(Envelope):
    """`resolved`, `text` and `locator` are there when the state is `exact` or `moved`."""

    schema_: Literal["glassdex.passage/1"] = Field("glassdex.passage/1", alias="schema")
    pointer: str
    state: Literal["exact", "moved", "changed", "gone", "ambiguous"]
    detail: str
    resolved: str | None = None
    text: str | None = None
    context: str | None = None
    """What the passage cannot be understood without and does not contain: a table's header."""
    locator: LocatorPart | None = None
    candidates: tuple[str, ...] | None = None
    images: tuple[str, ...] | None = None
    """Files that the passage's pages were drawn into."""


def passage_answer(passage: Passage, images: Sequence[str] = ()) -> PassageAnswer:
    """The envelope of an opened pointer."""
    return PassageAnswer(
        pointer=passage.pointer,
        state=passage.state,
        detail=passage.detail,
        resolved=passage.resolved,
        text=passage.text,
        context=passage.context,
        locator=passage.locator and LocatorPart.of(passage.locator),
        candidates=passage.candidates or None,
        images=tuple(images) or None,
    )
