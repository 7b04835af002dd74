"""Where each unit stood after each stage of one search, read from its trace.

**Standing.** After a stage, the candidates that have not left are in an order: in a leg that of its window, then that
of the fusion, then that of each stage that ranks anew (`feedback`, `rerank` …). A unit (document or conversation)
stands where its best candidate does, and units are counted from 1: a document's standing is its rank among documents,
at every stage. Where it has none, its state says why: `outside` (no leg has brought it in, or this leg not inside its
window), `dropped` (its last candidate left here or before, with the reason) or `not_run` (the search has no such leg).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from glassdex.errors import RunInvalid
from glassdex.evaluation.measure import unit_of

State = Literal["ranked", "outside", "dropped", "not_run"]
SILENT = frozenset({"rewrite", "complete"})
"""Stages that neither rank nor drop."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A unit after a stage. `score` is its best candidate's on that stage's own scale, where the stage gives one."""

    state: State
    rank: int | None = None
    score: float | None = None
    reason: str = ""


NOT_RUN = Standing("not_run")
OUTSIDE = Standing("outside")


@dataclass(frozen=True, slots=True)
class Passage:
    """A candidate as the trace has it: `ranks` by stage that ranks, `scores` by leg also where it is outside."""

    unit: str
    document: str
    ranks: Mapping[str, int]
    scores: Mapping[str, float]
    parts: Mapping[str, float]
    left_at: str | None
    reason: str


@dataclass(frozen=True, slots=True)
class Standings:
    """One search: its stages in order, its scope, its fusion, and each unit's standing after each stage."""

    stages: tuple[str, ...]
    legs: tuple[str, ...]
    scope: tuple[tuple[str, int], ...]
    fusion: tuple[str, tuple[tuple[str, float], ...]]
    units: Mapping[str, str]
    """Document by unit, of every unit that was ever a candidate."""
    after: Mapping[str, Mapping[str, Standing]]
    """By stage and unit; a unit that is not there is outside."""
    parts: Mapping[str, Mapping[str, float]]
    """What each leg added to the fused score of a unit's best candidate."""
    rewritten: Mapping[str, str] = field(default_factory=dict)
    """By leg, what a rewriter added to the query for it."""

    def at(self, stage: str, unit: str) -> Standing:
        """A unit after a stage; for a stage that this search did not have, `not_run`."""
        return self.after[stage].get(unit, OUTSIDE) if stage in self.after else NOT_RUN

    def final(self, unit: str) -> Standing:
        """A unit in the whole ranking, before pages are cut."""
        ranked = [stage for stage in self.stages if stage != "page"]
        return self.at(ranked[-1], unit) if ranked else OUTSIDE

    def returned(self, unit: str) -> bool:
        """Whether it was returned."""
        return bool(self.stages) and self.at(self.stages[-1], unit).state == "ranked"


def standings(trace: str) -> Standings:
    """The standings of a trace, given as its JSON.

    Raises:
        RunInvalid: the trace lacks what a `glassdex.trace/1` has.
    """
    try:
        return _standings(json.loads(trace))
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise RunInvalid(
            f"a trace of the run is damaged ({type(error).__name__}: {str(error)[:80]})", "measure again with --save"
        ) from error


def _standings(trace: Mapping[str, Any]) -> Standings:
    passages = [_passage(candidate) for candidate in trace["candidates"]]
    stages = tuple(
        str(stage["name"]) for stage in trace["stages"] if stage["name"] != "scope" and stage["name"] not in SILENT
    )
    legs = tuple(stage for stage in stages if any(stage in c["legs"] for c in trace["candidates"]))
    after: dict[str, dict[str, Standing]] = {}
    order: Mapping[int, tuple[int, int]] = {}
    for position, stage in enumerate(stages):
        if stage in legs:
            after[stage] = _in_leg(passages, stage)
            continue
        order = _order(passages, stage, order)
        gone = frozenset(stages[: position + 1])
        after[stage] = _ranking(passages, stage, order, gone)
    fusion = trace["engine"]["fusion"]
    return Standings(
        stages=stages,
        legs=legs,
        scope=tuple((str(f["name"]), int(f["out"])) for f in trace["scope"]["filters"]),
        fusion=(f"{fusion['name']}/{fusion['version']}", tuple(sorted(fusion["params"].items()))),
        units={passage.unit: passage.document for passage in passages},
        after=after,
        parts=_parts(passages),
        rewritten=_rewritten(trace.get("query", {}).get("rewrite", {})),
    )


def _rewritten(rewrite: Mapping[str, Any]) -> dict[str, str]:
    words = [f"{term['term']} {term['weight']}" for term in rewrite.get("terms", ())]
    given = {"lexical": words, "dense": rewrite.get("texts", ())}
    return {leg: "\n".join(added) for leg, added in given.items() if added}


def _passage(candidate: Mapping[str, Any]) -> Passage:
    legs, fused, left = candidate["legs"], candidate.get("fused"), candidate.get("exit")
    ranks = {name: int(leg["rank"]) for name, leg in legs.items() if leg.get("rank") is not None}
    scores = {name: float(leg["score"]) for name, leg in legs.items()}
    if fused is not None:
        ranks["fuse"], scores["fuse"] = int(fused["rank"]), float(fused["score"])
    for name, part in (*candidate.get("rescored", {}).items(), *candidate.items()):  # each that ranks anew has its part
        if (
            name not in ("legs", "fused", "rescored", "final")
            and isinstance(part, dict)
            and isinstance(part.get("rank"), int)
        ):
            ranks[name] = part["rank"]
            score = part.get("blended", part.get("score"))
            if isinstance(score, int | float):
                scores[name] = float(score)
    return Passage(
        unit=unit_of(candidate["pointer"]),
        document=str(candidate["document"]),
        ranks=ranks,
        scores=scores,
        parts=dict(fused["parts"]) if fused else {},
        left_at=None if left is None else str(left["stage"]),
        reason="" if left is None else f"{left['reason']}: {left['detail']}",
    )


def _in_leg(passages: Sequence[Passage], leg: str) -> dict[str, Standing]:
    inside = _best(passages, lambda place: passages[place].ranks.get(leg))
    found = {
        unit: Standing("ranked", rank, passages[place].scores[leg])
        for rank, (unit, place) in enumerate(inside.items(), start=1)
    }
    for passage in passages:
        if leg in passage.scores and passage.unit not in found:
            outside = Standing("outside", score=passage.scores[leg])
            before = found.get(passage.unit)
            if before is None or (before.score or 0.0) < passage.scores[leg]:
                found[passage.unit] = outside
    return found


def _order(
    passages: Sequence[Passage], stage: str, before: Mapping[int, tuple[int, int]]
) -> Mapping[int, tuple[int, int]]:
    """Sort key by place in `passages`: what the stage ranks goes first, the rest keeps its order below."""
    ranks = {place: passage.ranks[stage] for place, passage in enumerate(passages) if stage in passage.ranks}
    if not ranks:
        return before
    tail = {place: (1, number) for number, place in enumerate(sorted(before, key=lambda place: before[place]))}
    return {**tail, **{place: (0, rank) for place, rank in ranks.items()}}


def _ranking(
    passages: Sequence[Passage], stage: str, order: Mapping[int, tuple[int, int]], gone: frozenset[str]
) -> dict[str, Standing]:
    live = {place: key for place, key in order.items() if passages[place].left_at not in gone}
    inside = _best(passages, live.get)
    found = {
        unit: Standing("ranked", rank, passages[place].scores.get(stage))
        for rank, (unit, place) in enumerate(inside.items(), start=1)
    }
    for place in sorted(order, key=lambda place: order[place]):
        passage = passages[place]
        found.setdefault(passage.unit, Standing("dropped", reason=passage.reason))
    return found


def _best(passages: Sequence[Passage], key: Callable[[int], Any]) -> dict[str, int]:
    """Units in order, each with the place of its best passage."""
    placed = [(key(place), place) for place in range(len(passages))]
    best: dict[str, int] = {}
    for _, place in sorted(pair for pair in placed if pair[0] is not None):
        best.setdefault(passages[place].unit, place)
    return best


def _parts(passages: Iterable[Passage]) -> dict[str, Mapping[str, float]]:
    found: dict[str, Mapping[str, float]] = {}
    for passage in sorted(passages, key=lambda passage: passage.ranks.get("fuse", 10**9)):
        found.setdefault(passage.unit, passage.parts)
    return found
