"""`glassdex.passage/1`: what a pointer leads to."""

from __future__ import annotations

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
    locator: LocatorPart | None = None
    candidates: tuple[str, ...] | None = None


def passage_answer(passage: Passage) -> PassageAnswer:
    """The envelope of an opened pointer."""
    locator = None
    if passage.line_start is not None and passage.line_end is not None:
        locator = LocatorPart(lines=(passage.line_start, passage.line_end))
    return PassageAnswer(
        pointer=passage.pointer,
        state=passage.state,
        detail=passage.detail,
        resolved=passage.resolved,
        text=passage.text,
        locator=locator,
        candidates=passage.candidates or None,
    )
