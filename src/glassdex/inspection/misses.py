"""Misses: what was considered and not returned, by the stage where it left and the number that failed.

Bounded on purpose: only chunks that a leg brought into its window, or that the graph added, are here. The scope's own
work is counted, not listed.
"""

from __future__ import annotations

from dataclasses import dataclass

from glassdex.search.engine import Execution
from glassdex.search.ledger import Candidate
from glassdex.search.results import pointer_of


@dataclass(frozen=True, slots=True)
class Miss:
    """A chunk that was considered and left: at which fused rank and score, and why."""

    path: str
    title: str
    chunk_key: str
    pointer: str
    fused_rank: int | None
    score: float | None
    detail: str


@dataclass(frozen=True, slots=True)
class MissGroup:
    """Misses with one stage and reason, best first; `total` counts them all, `listed` may be fewer."""

    stage: str
    reason: str
    total: int
    listed: tuple[Miss, ...]


@dataclass(frozen=True, slots=True)
class Misses:
    """All groups in the order of the pipeline, and in words how far this list reaches."""

    groups: tuple[MissGroup, ...]
    bounds: str


def misses(execution: Execution, per_group: int | None = 10) -> Misses:
    """The misses of an execution; `per_group` limits how many are listed of each group."""
    grouped: dict[tuple[str, str], list[Candidate]] = {}
    for candidate in execution.ledger.candidates.values():
        if candidate.exit is not None:
            grouped.setdefault((candidate.exit.stage, candidate.exit.reason), []).append(candidate)
    order = {stage.name: position for position, stage in enumerate(execution.ledger.stages)}
    groups = []
    for (stage, reason), candidates in sorted(grouped.items(), key=lambda item: (order[item[0][0]], item[0][1])):
        candidates.sort(key=lambda candidate: candidate.place)
        groups.append(MissGroup(stage, reason, len(candidates), tuple(_miss(c) for c in candidates[:per_group])))
    return Misses(tuple(groups), _bounds(execution))


def _miss(candidate: Candidate) -> Miss:
    assert candidate.exit is not None
    fused = candidate.fused
    return Miss(
        path=candidate.record.path,
        title=candidate.record.title,
        chunk_key=candidate.record.key,
        pointer=pointer_of(candidate.record),
        fused_rank=fused.rank if fused else None,
        score=fused.score if fused else candidate.score,
        detail=candidate.exit.detail,
    )


def _bounds(execution: Execution) -> str:
    ledger = execution.ledger
    unseen = ledger.scope_total - len(ledger.candidates)
    if unseen <= 0:
        return f"all {ledger.scope_total:,} chunks in scope were considered"
    return (
        f"only the {len(ledger.candidates):,} chunks that a leg brought into its window of {execution.engine.window}"
        f" are listed; {unseen:,} more in scope were never candidates"
    )
