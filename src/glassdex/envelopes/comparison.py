"""`glassdex.compare/1`: two runs side by side, each move with the stage that made it."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from glassdex.envelopes.base import Envelope, Part
from glassdex.envelopes.evaluation import DifferencePart
from glassdex.envelopes.run import IdentityPart
from glassdex.evaluation.compare import Comparison, Move, QueryComparison, StageStanding, StageSummary
from glassdex.evaluation.standings import Standing


class StandingPart(Part):
    """A document after a stage: its rank among documents, and its best passage's score on the stage's own scale.

    `outside`: not in the leg's window, or no candidate; `dropped`: its last passage left, with the reason;
    `not_run`: the search has no such leg.
    """

    state: Literal["ranked", "outside", "dropped", "not_run"]
    rank: int | None = None
    score: float | None = None
    reason: str | None = None

    @classmethod
    def of(cls, standing: Standing) -> StandingPart:
        """From the comparison."""
        return cls(
            state=standing.state,
            rank=standing.rank,
            score=None if standing.score is None else round(standing.score, 6),
            reason=standing.reason or None,
        )


class StageStandingPart(Part):
    """A document after one stage, in A and in B."""

    stage: str
    a: StandingPart
    b: StandingPart

    @classmethod
    def of(cls, step: StageStanding) -> StageStandingPart:
        """From the comparison."""
        return cls(stage=step.stage, a=StandingPart.of(step.a), b=StandingPart.of(step.b))


class MovePart(Part):
    """A document whose rank differs, absent where it has none; `stage` is the first after which its standing does.

    `pushed`: at that stage its own score is the same in both, and others moved past it. `path` has every stage.
    """

    unit: str
    document: str
    rank_a: int | None = None
    rank_b: int | None = None
    grade: int | None = None
    stage: str
    detail: str
    pushed: bool
    path: tuple[StageStandingPart, ...]

    @classmethod
    def of(cls, move: Move) -> MovePart:
        """From the comparison."""
        return cls(
            unit=move.unit,
            document=move.document,
            rank_a=move.rank_a,
            rank_b=move.rank_b,
            grade=move.grade,
            stage=move.stage,
            detail=move.detail,
            pushed=move.pushed,
            path=tuple(StageStandingPart.of(step) for step in move.path),
        )


class ComparedQuery(Part):
    """One query: which documents moved, and how many that were looked at did not."""

    id: str
    query: str
    moves: tuple[MovePart, ...]
    unmoved: int
    metrics_a: dict[str, float] | None = None
    metrics_b: dict[str, float] | None = None

    @classmethod
    def of(cls, query: QueryComparison) -> ComparedQuery:
        """From the comparison."""
        return cls(
            id=query.id,
            query=query.query,
            moves=tuple(MovePart.of(move) for move in query.moves),
            unmoved=query.unmoved,
            metrics_a=query.metrics_a,
            metrics_b=query.metrics_b,
        )


class StageSummaryPart(Part):
    """Moves by one stage: up and down in B, into and out of the first documents; of all of them the relevant ones."""

    stage: str
    queries: int
    moves: int
    up: int
    down: int
    entered: int
    left: int
    relevant_up: int
    relevant_down: int

    @classmethod
    def of(cls, summary: StageSummary) -> StageSummaryPart:
        """From the comparison."""
        return cls(
            stage=summary.stage,
            queries=summary.queries,
            moves=summary.moves,
            up=summary.up,
            down=summary.down,
            entered=summary.entered,
            left=summary.left,
            relevant_up=summary.relevant_up,
            relevant_down=summary.relevant_down,
        )


class CompareAnswer(Envelope):
    """A and B; looked at are the first `top` documents of either and the judged ones.

    `warnings` name what the two runs do not share besides their options: the comparison measures that, too.
    """

    schema_: Literal["glassdex.compare/1"] = Field("glassdex.compare/1", alias="schema")
    a: IdentityPart
    b: IdentityPart
    top: int
    stages: tuple[StageSummaryPart, ...]
    measures: tuple[DifferencePart, ...]
    queries: tuple[ComparedQuery, ...]
    warnings: tuple[str, ...] | None = None
    only_a: tuple[str, ...] | None = None
    only_b: tuple[str, ...] | None = None


def compare_answer(comparison: Comparison, warnings: tuple[str, ...]) -> CompareAnswer:
    """The envelope of a comparison; `warnings` are its own and those of the runs."""
    return CompareAnswer(
        a=IdentityPart.of(comparison.a.identity),
        b=IdentityPart.of(comparison.b.identity),
        top=comparison.top,
        stages=tuple(StageSummaryPart.of(summary) for summary in comparison.stages),
        measures=tuple(DifferencePart.of(difference) for difference in comparison.measures),
        queries=tuple(ComparedQuery.of(query) for query in comparison.queries),
        warnings=warnings or None,
        only_a=comparison.only_a or None,
        only_b=comparison.only_b or None,
    )
