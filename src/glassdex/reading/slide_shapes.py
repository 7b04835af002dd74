"""The words of one slide in the order in which people read them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from glassdex.model import BlockKind
from glassdex.reading.attributes import bounded_number, described_by
from glassdex.reading.flow import Flow, exceeded
from glassdex.reading.ooxml import (
    COMPATIBLE,
    DRAWING,
    MATH,
    RELATIONSHIPS,
    SLIDES,
    alternatives_settled,
    root_of,
)
from glassdex.reading.ooxml_drawings import chart_text, diagram_lines, table_line
from glassdex.reading.protocol import Limits

if TYPE_CHECKING:
    from lxml.etree import _Element
    from pptx.shapes.base import BaseShape
    from pptx.slide import Slide

_CHART_ID = f"{DRAWING}graphic/{DRAWING}graphicData/{{http://schemas.openxmlformats.org/drawingml/2006/chart}}chart"
_DIAGRAM_IDS = (
    f"{DRAWING}graphic/{DRAWING}graphicData/{{http://schemas.openxmlformats.org/drawingml/2006/diagram}}relIds"
)
# The program fills these in; they say nothing of the slide.
_FILLED_IN = frozenset({"sldNum", "dt"})
_REPEATED = frozenset({"ftr", "hdr"})


class SlideText:
    """Writes one slide as blocks; `said` remembers the footers that stood on earlier ones."""

    def __init__(self, slide: Slide, flow: Flow, limits: Limits, said: set[str]) -> None:
        self.title = ""
        self._slide = slide
        self._flow = flow
        self._nesting = limits.nesting
        self._said = said

    def write(self) -> None:
        """Title, shapes, notes.

        Raises:
            LimitExceeded: groups in groups beyond `limits.nesting`, or too much text.
        """
        self._flow.return_to(())
        tree: Any = self._slide.shapes._spTree
        _settle_alternatives(tree, self._nesting)
        title = self._slide.shapes.title
        if title is not None:
            self._write_title(title)
        self._write_shapes((s for s in self._slide.shapes if title is None or s.element is not title.element), 1)
        self._write_notes()

    def _write_title(self, title: BaseShape) -> None:
        self.title = " ".join(" ".join(_paragraphs(title.element)).split())
        self._flow.heading(1, self.title)

    def _write_shapes(self, shapes: Iterable[BaseShape], depth: int) -> None:
        if depth > self._nesting:
            raise exceeded("nesting", self._nesting, "its groups of shapes are nested deeper")
        for shape in _reading_order(shapes):
            tag = shape.element.tag
            if tag == f"{SLIDES}grpSp":
                self._write_shapes(shape.shapes, depth + 1)  # type: ignore[attr-defined]
            elif tag == f"{SLIDES}graphicFrame":
                self._write_frame(shape)
            else:
                self._write_text(shape)
                if tag == f"{SLIDES}pic":
                    self._write_alternative(shape)

    def _write_text(self, shape: BaseShape) -> None:
        kind = _placeholder_kind(shape)
        paragraphs = [] if kind in _FILLED_IN else list(_paragraph_elements(shape.element))
        texts = [text for text in map(_paragraph_text, paragraphs) if text]
        if kind in _REPEATED:
            footer = " ".join(texts)
            if footer not in self._said:
                self._said.add(footer)
                self._flow.add("paragraph", footer)
            return
        kind_of_block: BlockKind = "list_item" if len(texts) > 1 else "paragraph"
        apart = True
        for paragraph in paragraphs:
            text = _paragraph_text(paragraph)
            self._flow.add(kind_of_block, text, depth=_level(paragraph), apart=apart)
            apart = apart and not text

    def _write_frame(self, shape: BaseShape) -> None:
        element = shape.element
        table = element.find(f"{DRAWING}graphic/{DRAWING}graphicData/{DRAWING}tbl")
        chart, diagram = element.find(_CHART_ID), element.find(_DIAGRAM_IDS)
        if table is not None:
            self._write_table(table)
        elif chart is not None:
            self._write_chart(self._related(chart.get(f"{{{RELATIONSHIPS}}}id")))
        elif diagram is not None:
            root = self._related(diagram.get(f"{{{RELATIONSHIPS}}}dm"))
            for line in () if root is None else diagram_lines(root):
                self._flow.add("list_item", line)
        else:
            self._write_alternative(shape)

    def _write_table(self, table: _Element) -> None:
        lines = [line for line in map(_row_line, table.iter(f"{DRAWING}tr")) if line]
        properties = table.find(f"{DRAWING}tblPr")
        has_header = properties is not None and properties.get("firstRow") in ("1", "true") and len(lines) > 1
        self._flow.add("table", "\n".join(lines), context=lines[0] if has_header else "")

    def _write_chart(self, root: _Element | None) -> None:
        if root is None:
            return
        chart = chart_text(root)
        head = [line for line in (chart.title, chart.header) if line]
        self._flow.add("table", "\n".join((*head, *chart.lines)), context=": ".join(head) if chart.lines else "")

    def _write_alternative(self, shape: BaseShape) -> None:
        properties = next(shape.element.iter(f"{SLIDES}cNvPr"), None)
        words = "" if properties is None else described_by(properties.get("descr", ""))
        self._flow.add("paragraph", f"Picture: {words}" if words else "")

    def _write_notes(self) -> None:
        if not self._slide.has_notes_slide:
            return
        body = self._slide.notes_slide.notes_placeholder
        text = "" if body is None else "\n".join(text for text in _paragraphs(body.element) if text)
        self._flow.add("paragraph", f"Notes: {text}" if text else "")

    def _related(self, identifier: str | None) -> _Element | None:
        relationships = self._slide.part.rels
        if identifier is None or identifier not in relationships or relationships[identifier].is_external:
            return None
        return root_of(relationships[identifier].target_part)


def _settle_alternatives(tree: _Element, deepest: int, depth: int = 1) -> None:
    """Put the shapes that an `AlternateContent` offers into its place: newer shapes stand in nothing else."""
    if depth > deepest:
        raise exceeded("nesting", deepest, "its groups of shapes are nested deeper")
    if tree.find(f"{COMPATIBLE}AlternateContent") is not None:
        tree[:] = alternatives_settled(tree)
    for group in tree.findall(f"{SLIDES}grpSp"):
        _settle_alternatives(group, deepest, depth + 1)


def _reading_order(shapes: Iterable[BaseShape]) -> Iterator[BaseShape]:
    """From the top, and from the left what stands side by side: what begins above the middle of its neighbour."""
    placed = sorted(
        ((shape.top or 0, shape.left or 0, n, shape) for n, shape in enumerate(shapes)), key=lambda s: s[:3]
    )
    band: list[tuple[int, int, BaseShape]] = []
    lowest = 0
    for top, left, number, shape in placed:
        middle = top + (shape.height or 0) // 2
        if band and top > lowest:
            yield from (member for *_, member in sorted(band, key=lambda s: s[:2]))
            band = []
        lowest = min(lowest, middle) if band else middle
        band.append((left, number, shape))
    yield from (member for *_, member in sorted(band, key=lambda s: s[:2]))


def _level(paragraph: _Element) -> int:
    properties = paragraph.find(f"{DRAWING}pPr")
    return 0 if properties is None else bounded_number(properties.get("lvl"), 8, least=0)


def _placeholder_kind(shape: BaseShape) -> str | None:
    placeholder = next(shape.element.iter(f"{SLIDES}ph"), None)
    return None if placeholder is None else placeholder.get("type", "obj")


def _row_line(row: _Element) -> str:
    cells: list[str] = []
    for cell in row.iterchildren(f"{DRAWING}tc"):
        covered = any(cell.get(name) in ("1", "true") for name in ("hMerge", "vMerge"))
        texts = [] if covered else [" ".join(text.split()) for text in _paragraphs(cell)]
        cells.append(" / ".join(text for text in texts if text))
    return table_line(cells)


def _paragraphs(element: _Element) -> Iterator[str]:
    return map(_paragraph_text, _paragraph_elements(element))


def _paragraph_elements(element: _Element) -> Iterator[_Element]:
    yield from element.iter(f"{DRAWING}p")


def _paragraph_text(paragraph: _Element) -> str:
    lines = "".join(_inline(paragraph)).split("\n")
    return "\n".join(line for line in (" ".join(line.split()) for line in lines) if line)


def _inline(element: _Element) -> Iterator[str]:
    for child in alternatives_settled(element):
        if child.tag in (f"{DRAWING}t", f"{MATH}t"):
            yield child.text or ""
        elif child.tag == f"{DRAWING}br":
            yield "\n"
        elif child.tag != f"{DRAWING}fld" or not child.get("type", "").startswith(("slidenum", "datetime")):
            yield from _inline(child)
