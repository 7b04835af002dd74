"""The ladder of a passage's ranks as a small slope chart: a column for each stage, rank 1 at the top."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from glassdex.envelopes.candidate import CandidatePart
from glassdex.envelopes.trace import Trace
from glassdex.server.pages.stages import LETTERS

COLUMN = 46
"""Units of the drawing between two columns."""
LEFT, TOP, HEIGHT = 20, 22, 64
WORST = 200
"""The lowest rank that the scale has, at least: what a leg's window holds. Ranks stand by their logarithm."""


@dataclass(frozen=True, slots=True)
class Step:
    """A rank after a stage; where the passage has none, `rank` is absent and `text` says what is known."""

    stage: str
    letter: str
    rank: int | None
    score: str
    scale: str

    @property
    def text(self) -> str:
        """`lexical: rank 7, bm25 4.210`."""
        place = "no rank" if self.rank is None else f"rank {self.rank:,}"
        return f"{self.stage}: {place}" + (f", {self.scale} {self.score}" if self.score else "")


@dataclass(frozen=True, slots=True)
class Point:
    """A step in the drawing; `y` is the bottom for one without a rank."""

    step: Step
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Ladder:
    """The drawing: points, and lines from each to the next; a line is broken where a rank is missing between."""

    points: tuple[Point, ...]
    lines: tuple[tuple[Point, Point, bool], ...]
    width: int
    height: int

    @property
    def text(self) -> str:
        """All of it in words."""
        return "; ".join(point.step.text for point in self.points)


def decimal(value: float, places: int = 3) -> str:
    """`.713`, `-.02`, `1.000`: without the zero that says nothing."""
    text = f"{value:.{places}f}"
    return text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text


def columns(trace: Trace) -> list[str]:
    """The stages that give ranks in this search, in the order of the pipeline."""
    ran = {stage.name for stage in trace.stages}
    legs = [name for name in ("lexical", "dense") if name in ran]
    anew = dict.fromkeys(name for candidate in trace.candidates for name in candidate.rescored or ())
    order = {stage.name: place for place, stage in enumerate(trace.stages)}
    after = sorted(anew, key=lambda name: order.get(name, len(order)))
    reranked = ["rerank"] if any(candidate.rerank for candidate in trace.candidates) else []
    diversified = ["diversify"] if any(candidate.diversify for candidate in trace.candidates) else []
    merged = ["merge"] if any(candidate.merge for candidate in trace.candidates) else []
    return [*legs, "fuse", *after, *reranked, *diversified, "final", *merged]


def steps(candidate: CandidatePart, names: Sequence[str]) -> Iterator[Step]:
    """What each stage made of the passage."""
    for name in names:
        yield _step(candidate, name)


def _step(candidate: CandidatePart, name: str) -> Step:
    letter = LETTERS.get(name, "")
    if name in ("lexical", "dense"):
        scale, places = ("bm25", 2) if name == "lexical" else ("cos", 3)
        leg = candidate.legs.get(name)
        return Step(name, letter, leg.rank if leg else None, decimal(leg.score, places) if leg else "", scale)
    rank, score = _standing(candidate, name)
    return Step(name, letter, rank, "" if score is None else decimal(score), "score")


def _standing(candidate: CandidatePart, name: str) -> tuple[int | None, float | None]:
    """Rank and score after a stage, on the scale of the fusion."""
    if name == "rerank" and candidate.rerank is not None:
        return candidate.rerank.rank, candidate.rerank.blended
    if name == "final" and candidate.final is not None:
        return candidate.final.rank, candidate.final.score
    if name == "diversify" and candidate.diversify is not None:
        return candidate.diversify.rank, candidate.diversify.score
    if name == "merge" and candidate.merge is not None:
        return candidate.merge.rank, candidate.merge.score
    own = candidate.fused if name == "fuse" else (candidate.rescored or {}).get(name)
    return (own.rank, own.score) if own is not None else (None, None)


def ladder(made: Sequence[Step], worst: int = WORST) -> Ladder:
    """The drawing of the steps; `worst` is the lowest rank that has to find a place."""
    lowest = math.log(max(worst, WORST, *(step.rank or 1 for step in made)))
    points = []
    for column, step in enumerate(made):
        y = TOP + HEIGHT + 10 if step.rank is None else TOP + HEIGHT * math.log(step.rank) / lowest
        points.append(Point(step, LEFT + column * COLUMN, round(y, 1)))
    ranked = [point for point in points if point.step.rank is not None]
    lines = tuple((a, b, round(b.x - a.x) == COLUMN) for a, b in pairwise(ranked))
    return Ladder(tuple(points), lines, LEFT * 2 + COLUMN * (len(made) - 1), TOP + HEIGHT + 18)
