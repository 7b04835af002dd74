"""The order in which a page's lines are read, where the file's own order is not it.

A page's content mostly stands in reading order. Three departures are mended: a part that was drawn too early or too
late (a footer before the body), lines drawn from the bottom to the top, and two columns drawn line by line.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from glassdex.reading.pdf.lines import Line

_RUN_GAP = 4.0
"""Line heights of empty space that part two runs."""
_FEWEST_COLUMN_CHARACTERS = 20
_MOST_RUNS = 200
"""More are sorted from the top down: cutting nests as deep as there are runs."""


@dataclass(slots=True)
class _Run:
    """Lines that follow each other downwards, and around them a box."""

    lines: list[Line]
    left: float
    bottom: float
    right: float
    top: float

    def take(self, line: Line) -> None:
        self.lines.append(line)
        self.left, self.right = min(self.left, line.left), max(self.right, line.right)
        self.bottom, self.top = min(self.bottom, line.bottom), max(self.top, line.top)


_Side = Callable[[_Run], float]


def in_reading_order(lines: list[Line]) -> list[Line]:
    """The lines as they are read; the list itself where that is their order."""
    if all(
        line.base < before.base and line.left <= before.right and not line.angle for before, line in pairwise(lines)
    ):
        return lines  # as nearly every page
    gutter = _interleaved_at(lines)
    if gutter is not None:
        return _by_column(lines, gutter)
    runs = _runs(lines)
    if len(runs) == 1:
        return lines
    return [line for run in _cut(runs) for line in run.lines]


def _runs(lines: Sequence[Line]) -> list[_Run]:
    runs: list[_Run] = []
    for line in lines:
        run = runs[-1] if runs else None
        slack = 0.5 * line.size
        if (
            run is not None
            and line.top <= run.top + slack
            and run.bottom - line.top <= _RUN_GAP * line.size
            and not _is_back(run.lines[-1], line)
            and (line.angle == 0) == (run.lines[0].angle == 0)
        ):
            run.take(line)
        else:
            runs.append(_Run([line], line.left, line.bottom, line.right, line.top))
    return runs


def _is_back(before: Line, line: Line) -> bool:
    """Whether the line begins a column to the left of the one that ended."""
    return line.right < before.left and line.base - before.base > _RUN_GAP * line.size


def _cut(runs: list[_Run]) -> list[_Run]:
    """Side by side from left to right where a vertical gap parts them, else from the top down."""
    if len(runs) < 2:
        return runs
    if len(runs) > _MOST_RUNS:
        return sorted(runs, key=lambda run: (-run.top, run.left))
    columns = _parted(sorted(runs, key=lambda run: run.left), lambda run: run.left, lambda run: run.right)
    if len(columns) > 1 and _abreast(columns):
        return [run for column in columns for run in _cut(column)]
    bands = _parted(sorted(runs, key=lambda run: -run.top), lambda run: -run.top, lambda run: -run.bottom)
    if len(bands) > 1:
        return [run for band in bands for run in _cut(band)]
    return bands[0]


def _parted(runs: list[_Run], start: _Side, end: _Side) -> list[list[_Run]]:
    groups: list[list[_Run]] = []
    reached = 0.0
    for run in runs:
        if groups and start(run) < reached:
            groups[-1].append(run)
            reached = max(reached, end(run))
        else:
            groups.append([run])
            reached = end(run)
    return groups


def _abreast(columns: list[list[_Run]]) -> bool:
    """Whether each column has a neighbour beside it, not above or below."""
    spans = [(min(run.bottom for run in column), max(run.top for run in column)) for column in columns]
    return all(a[0] < b[1] and b[0] < a[1] for a, b in pairwise(spans))


def _interleaved_at(lines: Sequence[Line]) -> float | None:
    """The gutter between two columns of prose that were drawn line by line, left and right in turn."""
    pairs = [
        (line, following)
        for line, following in pairwise(lines)
        if following.left > line.right and following.bottom < line.top and line.bottom < following.top
    ]
    if len(pairs) < 4 or 10 * len(pairs) < 3 * len(lines):
        return None
    gutter_left = max(left.right for left, _ in pairs)
    gutter_right = min(right.left for _, right in pairs)
    characters = min(sum(len(pair[side].text) for pair in pairs) for side in (0, 1)) / len(pairs)
    if gutter_left >= gutter_right or characters < _FEWEST_COLUMN_CHARACTERS:
        return None
    return (gutter_left + gutter_right) / 2


def _by_column(lines: Sequence[Line], gutter: float) -> list[Line]:
    """Left column, then right column, between the lines that run over both."""
    found: list[Line] = []
    sides: tuple[list[Line], list[Line]] = ([], [])
    for line in sorted(lines, key=lambda line: -line.top):
        if line.left < gutter < line.right:
            found += [*sides[0], *sides[1], line]
            sides = ([], [])
        else:
            sides[line.left > gutter].append(line)
    return [*found, *sides[0], *sides[1]]
