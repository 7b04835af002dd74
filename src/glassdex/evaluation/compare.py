"""Two runs side by side: how each document moved, and the stage that moved it.

**The cause** of a document's move is the first stage, in the order of the pipeline, after which its standing (see
`standings.py`) is not the same in both searches: another rank, or ranked in one and outside its window in the other.
Five rules make that precise:

- A document that a stage dropped in one search alone, with the reason that is recorded there, was moved by that stage,
  whatever its ranks were before: without it, it would still be ranked.
- A leg that ran in one search alone is the cause where that one measured the document in it.
- A stage that ran in one search alone is compared with the other's standing before it: a reranker that leaves a
  document where it was is not the cause.
- Where the ranks part at `fuse` and both fuse by the same formula, the formula is not what changed: the cause is the
  leg whose share of the document's own fused score changed most. Where no share changed, others moved past it, and
  `pushed` says so.
- Where a leg is the cause, and a rewriter had it look for something else in one of the searches, it is `rewrite`.

A document that one search never had as a candidate while the scopes differ was moved by `scope`. Without a trace the
cause is `unknown`. What follows the first difference is not looked at: it may have added to the move or undone a part.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from glassdex.evaluation.runs import QueryRun, Run, differences
from glassdex.evaluation.significance import Difference, compared
from glassdex.evaluation.standings import Standing, Standings, standings

UNKNOWN = "unknown"
SHOWN = 10
_CLOSE = 1e-6


@dataclass(frozen=True, slots=True)
class StageStanding:
    """A document after one stage, in A and in B."""

    stage: str
    a: Standing
    b: Standing


@dataclass(frozen=True, slots=True)
class Move:
    """A document that ranks otherwise in B than in A; a rank is its place in the whole ranking, absent if it has none.

    `pushed`: at the stage its own score is the same in both; others moved past it.
    """

    unit: str
    document: str
    rank_a: int | None
    rank_b: int | None
    grade: int | None
    stage: str
    detail: str
    pushed: bool
    path: tuple[StageStanding, ...] = field(default=(), repr=False)

    @property
    def is_gain(self) -> bool:
        """Whether it stands higher in B."""
        return self.rank_b is not None and (self.rank_a is None or self.rank_b < self.rank_a)


@dataclass(frozen=True, slots=True)
class QueryComparison:
    """One query: its moves among the first documents of either run and the judged ones, and how many stayed."""

    id: str
    query: str
    moves: tuple[Move, ...]
    unmoved: int
    metrics_a: dict[str, float] | None
    metrics_b: dict[str, float] | None


@dataclass(frozen=True, slots=True)
class StageSummary:
    """Moves by one stage: in how many queries, up and down, into and out of the first ones; of these the relevant."""

    stage: str
    queries: int
    moves: int
    up: int
    down: int
    entered: int
    left: int
    relevant_up: int
    relevant_down: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs, query by query. `only_a` and `only_b` are queries that the other run has not, or has otherwise."""

    a: Run
    b: Run
    top: int
    queries: tuple[QueryComparison, ...]
    stages: tuple[StageSummary, ...]
    measures: tuple[Difference, ...]
    warnings: tuple[str, ...]
    only_a: tuple[str, ...]
    only_b: tuple[str, ...]


def compare(a: Run, b: Run, top: int = SHOWN) -> Comparison:
    """Compares the first `top` documents of each query, and every judged one.

    Raises:
        RunInvalid: a saved trace is damaged.
    """
    of_b = {query.id: query for query in b.queries}
    pairs = [(query, of_b[query.id]) for query in a.queries if query.id in of_b and of_b[query.id].query == query.query]
    paired = {query.id for query, _ in pairs}
    queries = tuple(_query(one, other, top) for one, other in pairs)
    names = [name for name in a.measures if name in b.measures]
    found = (compared(name, a.per_query, b.per_query) for name in names)
    return Comparison(
        a=a,
        b=b,
        top=top,
        queries=queries,
        stages=tuple(_summaries(queries, top)),
        measures=tuple(difference for difference in found if difference is not None),
        warnings=tuple(differences(a, b)),
        only_a=tuple(query.query for query in a.queries if query.id not in paired),
        only_b=tuple(query.query for query in b.queries if query.id not in paired),
    )


def _query(a: QueryRun, b: QueryRun, top: int) -> QueryComparison:
    here = None if a.trace is None else standings(a.trace)
    there = None if b.trace is None else standings(b.trace)
    ranks_a, ranks_b = _ranks(a, here), _ranks(b, there)
    documents = {unit: document for found in (here, there) if found for unit, document in found.units.items()}
    documents |= {ranked.unit: ranked.document for run in (a, b) for ranked in run.ranked}
    grades = {found.unit: found.grade for run in (a, b) for found in run.judged}
    documents |= {found.unit: found.document for run in (a, b) for found in run.judged}
    first = [unit for unit in documents if _is_near(ranks_a.get(unit), top) or _is_near(ranks_b.get(unit), top)]
    looked_at = dict.fromkeys([*first, *grades])
    moves = [
        _move(unit, documents[unit], ranks_a.get(unit), ranks_b.get(unit), grades.get(unit), here, there)
        for unit in looked_at
        if ranks_a.get(unit) != ranks_b.get(unit)
    ]
    moves.sort(key=lambda move: (min(move.rank_a or 10**6, move.rank_b or 10**6), move.document, move.unit))
    return QueryComparison(
        id=a.id,
        query=a.query,
        moves=tuple(moves),
        unmoved=len(looked_at) - len(moves),
        metrics_a=None if a.metrics is None else dict(a.metrics),
        metrics_b=None if b.metrics is None else dict(b.metrics),
    )


def _ranks(run: QueryRun, found: Standings | None) -> dict[str, int]:
    """A unit's rank in the whole ranking: also beyond what was returned, where there is a trace."""
    ranks = {ranked.unit: ranked.rank for ranked in reversed(run.ranked)}
    if found is not None:
        for unit in found.units:
            rank = found.final(unit).rank
            if rank is not None:
                ranks.setdefault(unit, rank)
    return ranks


def _is_near(rank: int | None, top: int) -> bool:
    return rank is not None and rank <= top


def _move(
    unit: str,
    document: str,
    rank_a: int | None,
    rank_b: int | None,
    grade: int | None,
    here: Standings | None,
    there: Standings | None,
) -> Move:
    if here is None or there is None:
        return Move(unit, document, rank_a, rank_b, grade, UNKNOWN, "no trace was saved", pushed=False)
    path = tuple(_path(unit, here, there))
    stage, detail, pushed = _cause(unit, path, here, there)
    return Move(unit, document, rank_a, rank_b, grade, stage, detail, pushed, path)


def _path(unit: str, a: Standings, b: Standings) -> Iterable[StageStanding]:
    """The unit after each stage of either search; a ranking stage that one lacks leaves it where it was there."""
    last_a = last_b = Standing("outside")
    for stage in _merged(a.stages, b.stages):
        here, there = a.at(stage, unit), b.at(stage, unit)
        if stage not in a.legs and stage not in b.legs:
            here = last_a = last_a if here.state == "not_run" else here
            there = last_b = last_b if there.state == "not_run" else there
        yield StageStanding(stage, here, there)


def _merged(a: Sequence[str], b: Sequence[str]) -> list[str]:
    """The stages of both, in an order that keeps each one's own."""
    merged = list(a)
    for position, stage in enumerate(b):
        if stage not in merged:
            before = [merged.index(other) for other in b[:position] if other in merged]
            merged.insert(max(before, default=-1) + 1, stage)
    return merged


def _cause(unit: str, path: Sequence[StageStanding], a: Standings, b: Standings) -> tuple[str, str, bool]:
    """Stage, words for it, and whether others pushed the unit."""
    if a.scope != b.scope and (unit in a.units) != (unit in b.units):
        return "scope", f"{_scope(a)} → {_scope(b)}; never a candidate in {'A' if unit in b.units else 'B'}", False
    for step in path:
        if (step.a.state == "dropped") != (step.b.state == "dropped") and _is_decisive(step, path[-1]):
            return step.stage, f"{_said(step.a)} → {_said(step.b)}", False
    for step in path:
        if not _differs(step):
            continue
        pushed = _same_score(step.a, step.b)
        detail = f"{_said(step.a)} → {_said(step.b)}"
        if step.stage == "fuse" and a.fusion == b.fusion:
            leg = _changed_leg(unit, a, b)
            rewritten = a.rewritten != b.rewritten if leg is None else _rewritten(leg, a, b)
            return ("rewrite" if rewritten else leg or "fuse"), f"after the fusion {detail}", leg is None
        if _rewritten(step.stage, a, b):
            return "rewrite", f"{step.stage} {detail}", pushed
        return step.stage, detail, pushed
    return "page", "the same rank up to the page", False


def _rewritten(leg: str, a: Standings, b: Standings) -> bool:
    """Whether the leg ran in both, and a rewriter had it look for something else in one of them."""
    return leg in a.legs and leg in b.legs and a.rewritten.get(leg) != b.rewritten.get(leg)


def _is_decisive(step: StageStanding, last: StageStanding) -> bool:
    """Whether it was dropped before pages were cut, and the other search had it to the end or never at all."""
    return step.stage != "page" and (last.a.state, last.b.state) != ("outside", "outside")


def _differs(step: StageStanding) -> bool:
    if "not_run" in (step.a.state, step.b.state):  # a leg of one alone: what it did not measure it did not move
        ran = step.b if step.a.state == "not_run" else step.a
        return ran.score is not None
    return (step.a.state, step.a.rank) != (step.b.state, step.b.rank)


def _same_score(a: Standing, b: Standing) -> bool:
    return a.score is not None and b.score is not None and abs(a.score - b.score) <= _CLOSE


def _changed_leg(unit: str, a: Standings, b: Standings) -> str | None:
    """The leg whose share of the unit's fused score differs most between the two; nothing where none does."""
    here, there = a.parts.get(unit, {}), b.parts.get(unit, {})
    changes = {leg: abs(there.get(leg, 0.0) - here.get(leg, 0.0)) for leg in dict.fromkeys([*here, *there])}
    leg = max(changes, key=lambda name: changes[name], default=None)
    return leg if leg is not None and changes[leg] > _CLOSE else None


def _said(standing: Standing) -> str:
    if standing.state == "ranked":
        return str(standing.rank)
    if standing.state == "dropped":
        return f"dropped ({standing.reason})"
    return {"outside": "outside", "not_run": "did not run"}[standing.state]


def _scope(found: Standings) -> str:
    return ", ".join(f"{name} {left:,}" for name, left in found.scope) or "everything"


def _summaries(queries: Sequence[QueryComparison], top: int) -> Iterable[StageSummary]:
    by_stage: dict[str, list[tuple[str, Move]]] = {}
    for query in queries:
        for move in query.moves:
            by_stage.setdefault(move.stage, []).append((query.id, move))
    for stage, found in sorted(by_stage.items(), key=lambda pair: (-len(pair[1]), pair[0])):
        moves = [move for _, move in found]
        relevant = [move for move in moves if move.grade]
        yield StageSummary(
            stage=stage,
            queries=len({query_id for query_id, _ in found}),
            moves=len(moves),
            up=sum(move.is_gain for move in moves),
            down=sum(not move.is_gain for move in moves),
            entered=sum(_is_near(m.rank_b, top) and not _is_near(m.rank_a, top) for m in moves),
            left=sum(_is_near(m.rank_a, top) and not _is_near(m.rank_b, top) for m in moves),
            relevant_up=sum(move.is_gain for move in relevant),
            relevant_down=sum(not move.is_gain for move in relevant),
        )
