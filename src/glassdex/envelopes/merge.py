"""Parts of an answer over several projects: what each did, and how their rankings became one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from glassdex.envelopes.base import Part
from glassdex.envelopes.error import ErrorAnswer, error_answer
from glassdex.envelopes.shared import VerdictPart
from glassdex.search.ledger import Merged

if TYPE_CHECKING:
    from glassdex.several.execution import ProjectOutcome, ProjectResult, SeveralExecution


class MergedPart(Part):
    """A document's place in the merged ranking, and in its project's (both from 1).

    `evidence` is the sum of `parts`, both absent where a part is missing, such as a vector. `score` is the nearest
    to the evidence that keeps its project's order: where a document ranked lower has more, both have their mean.
    """

    rank_before: int
    rank: int
    score: float
    evidence: float | None = None
    parts: dict[str, float] | None = None

    @classmethod
    def of(cls, merged: Merged) -> MergedPart:
        """From the ledger."""
        return cls(
            rank_before=merged.rank_before,
            rank=merged.rank,
            score=merged.score,
            evidence=merged.evidence if merged.parts else None,
            parts=merged.parts or None,
        )


class PlacedPart(Part):
    """A result with the evidence by which it was merged."""

    project: str
    document: str
    merge: MergedPart

    @classmethod
    def of(cls, found: ProjectResult) -> PlacedPart:
        """From the answer."""
        return cls(project=found.project, document=found.result.path, merge=MergedPart.of(found.merged))


class MergePart(Part):
    """How several rankings became one. `comparable` names the evidence used, `notes` say what was not, and why.

    `documents` counts those that were merged; `results` is there where an explanation was asked for.
    """

    name: str
    version: int
    formula: str
    params: dict[str, float]
    comparable: tuple[str, ...]
    notes: tuple[str, ...] | None = None
    documents: int
    results: tuple[PlacedPart, ...] | None = None

    @classmethod
    def of(cls, done: SeveralExecution, *, explain: bool) -> MergePart:
        """From the search."""
        name, version = done.merge.name.split("/")
        return cls(
            name=name,
            version=int(version),
            formula=done.merge.formula,
            params=dict(done.merge.parameters),
            comparable=done.merge.comparable,
            notes=done.merge.notes or None,
            documents=done.merge.total,
            results=tuple(PlacedPart.of(found) for found in done.results) if explain else None,
        )


class ProjectPart(Part):
    """What became of the search in one project; `total` counts the documents that it ranked.

    `skipped`: what was asked for is in another of the projects, and `reason` says so. `failed`: `error` says why.
    """

    project: str
    status: Literal["answered", "skipped", "failed"]
    verdict: VerdictPart | None = None
    total: int | None = None
    reason: str | None = None
    error: ErrorAnswer | None = None
    ms: float | None = None

    @classmethod
    def of(cls, outcome: ProjectOutcome) -> ProjectPart:
        """From the search."""
        done = outcome.execution
        return cls(
            project=outcome.project,
            status=outcome.status,
            verdict=VerdictPart.of(done.verdict) if done else None,
            total=outcome.total if done else None,
            reason=outcome.reason or None,
            error=error_answer(outcome.error) if outcome.error else None,
            ms=round(done.ledger.milliseconds, 3) if done else None,
        )
