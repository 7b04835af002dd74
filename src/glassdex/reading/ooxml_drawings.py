"""Words in the drawings of DOCX and PPTX: tables of a chart's numbers, SmartArt, alternative texts of pictures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from glassdex.reading.ooxml import DRAWING

if TYPE_CHECKING:
    from lxml.etree import _Element

CHART = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
DIAGRAM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"


@dataclass(frozen=True, slots=True)
class ChartText:
    """A chart as a table: its title and those of its axes, the names of its columns, and a line a category."""

    title: str
    header: str
    lines: tuple[str, ...]


def table_line(cells: list[str]) -> str:
    """Cells side by side; empty ones at the end keep their bar, so that columns can be counted."""
    return " | ".join(cells).strip() if any(cells) else ""


def chart_text(root: _Element) -> ChartText:
    """What a chart part says; the numbers are those that the file keeps, as it keeps them."""
    titles = [_joined(title.iter(f"{DRAWING}t", f"{CHART}v")) for title in root.iter(f"{CHART}title")]
    names: list[str] = []
    columns: list[dict[int, str]] = []
    categories: dict[int, str] = {}
    for series in root.iter(f"{CHART}ser"):
        name = series.find(f"{CHART}tx")
        label = "" if name is None else _joined(name.iter(f"{CHART}v"))
        for tag in ("cat", "xVal"):
            for index, text in _points(series.find(CHART + tag)).items():
                categories.setdefault(index, text)
        for tag in ("val", "yVal", "bubbleSize"):
            points = _points(series.find(CHART + tag))
            if points:
                names.append(label if tag != "bubbleSize" else f"{label} size".strip())
                columns.append(points)
    indexes = sorted({index for column in (categories, *columns) for index in column})
    rows = [[categories.get(index, ""), *(column.get(index, "") for column in columns)] for index in indexes]
    return ChartText(
        title=" · ".join(title for title in titles if title),
        header=table_line(["", *names]),
        lines=tuple(line for line in map(table_line, rows) if line),
    )


def diagram_lines(root: _Element) -> Iterator[str]:
    """The texts of a SmartArt diagram's data part, in the order that its author typed them in."""
    for point in root.iter(f"{DIAGRAM}pt"):
        if point.get("type", "node") in ("node", "asst"):
            for paragraph in point.iter(f"{DRAWING}p"):
                line = _joined(paragraph.iter(f"{DRAWING}t"), "")
                if line:
                    yield line


def _points(data: _Element | None) -> dict[int, str]:
    """Index → text; the levels of nested categories, which the file keeps from the inside out, are joined."""
    if data is None:
        return {}
    levels = list(data.iter(f"{CHART}lvl")) or [data]
    found: dict[int, str] = {}
    for level in levels:
        points = sorted(
            (int(point.get("idx", "0")[:9]), _joined(point.iter(f"{CHART}v"))) for point in level.iter(f"{CHART}pt")
        )
        found = dict(points) if level is levels[0] else _prefixed(found, points)
    return found


def _prefixed(found: dict[int, str], outer: list[tuple[int, str]]) -> dict[int, str]:
    """An outer category is stated once, at the first of its inner ones."""
    prefixed, label, following = {}, "", iter([*outer, (-1, "")])
    start, text = next(following)
    for index in sorted(found):
        while start != -1 and start <= index:
            label = text
            start, text = next(following)
        prefixed[index] = f"{label} {found[index]}".strip()
    return prefixed


def _joined(elements: Iterator[_Element], between: str = " ") -> str:
    return " ".join(between.join(element.text or "" for element in elements).split())
