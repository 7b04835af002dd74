"""`glassdex.why_not/1`: why a document is not among the results, and what would bring it back."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from glassdex.envelopes.base import Envelope, Part
from glassdex.envelopes.trace import RequestPart
from glassdex.inspection.ladder import Proposal, WhyNot


class RungPart(Part):
    """One step of the ladder; `passed` is absent where the step does not apply."""

    name: str
    passed: bool | None = None
    detail: str


class ProposalPart(Part):
    """A change that would return the document.

    `request` is the one that returns it, absent for a change to files or index. `derived`: it follows from recorded
    numbers. `verified`: it was tried, and the document came back.
    """

    change: str
    derived: bool
    verified: bool | None = None
    request: RequestPart | None = None

    @classmethod
    def of(cls, proposal: Proposal) -> ProposalPart:
        """From the view."""
        return cls(
            change=proposal.change,
            derived=proposal.derived,
            verified=proposal.verified,
            request=proposal.changes and RequestPart.of(proposal.changes),
        )


class WhyNotAnswer(Envelope):
    """The ladder of one document, or of one of its passages: then `chunk_key` says which.

    `returned_at` is the document's rank where the search returned it after all.
    """

    schema_: Literal["glassdex.why_not/1"] = Field("glassdex.why_not/1", alias="schema")
    query: str
    document: str
    chunk_key: str | None = None
    returned_at: int | None = None
    rungs: tuple[RungPart, ...]
    proposals: tuple[ProposalPart, ...]


def why_not_answer(found: WhyNot) -> WhyNotAnswer:
    """The envelope of a ladder."""
    return WhyNotAnswer(
        query=found.query,
        document=found.path,
        chunk_key=found.chunk_key,
        returned_at=found.returned_at,
        rungs=tuple(RungPart(name=rung.name, passed=rung.passed, detail=rung.detail) for rung in found.rungs),
        proposals=tuple(ProposalPart.of(proposal) for proposal in found.proposals),
    )
