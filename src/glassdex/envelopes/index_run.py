"""`glassdex.index_run/1`: an indexing run that a server started, as it stands."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from glassdex.envelopes.base import Envelope, Part
from glassdex.envelopes.error import ErrorAnswer
from glassdex.envelopes.index import IndexAnswer

RunState = Literal["running", "done", "cancelled", "failed"]


class StepPart(Part):
    """So much of it is done."""

    done: int
    total: int


class IndexRunAnswer(Envelope):
    """`scanned` files were looked at; of the changed ones so many are `published`, of the chunks so many `embedded`.

    `report` is there when it is done, `error` when it failed. A run that was cancelled keeps what it published.
    """

    schema_: Literal["glassdex.index_run/1"] = Field("glassdex.index_run/1", alias="schema")
    id: str
    project: str
    state: RunState
    scanned: int
    published: StepPart | None = None
    embedded: StepPart | None = None
    report: IndexAnswer | None = None
    error: ErrorAnswer | None = None
