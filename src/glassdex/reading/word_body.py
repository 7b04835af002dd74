"""The flow of a DOCX document: what stands in its body, in order, then its headers and footers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from glassdex.model import Link, ReadingWarning
from glassdex.reading.attributes import bounded_number
from glassdex.reading.flow import Flow, exceeded
from glassdex.reading.ooxml import RELATIONSHIPS, WORD, alternatives_settled, root_of
from glassdex.reading.ooxml_drawings import chart_text, table_line
from glassdex.reading.protocol import Limits
from glassdex.reading.text import LineIndex
from glassdex.reading.word_inline import Inline
from glassdex.reading.word_styles import TITLE, UNNUMBERED, WordStyles

if TYPE_CHECKING:
    from lxml.etree import _Element

_ID = f"{{{RELATIONSHIPS}}}id"
_MOST_COLUMNS = 1_000
# Content controls, custom marks and tracked insertions stand around blocks, rows and cells alike.
_WRAPPERS = frozenset(WORD + name for name in ("sdt", "sdtContent", "customXml", "smartTag", "ins", "moveTo"))


class WordBody:
    """Writes the blocks of one document."""

    def __init__(self, part: Any, flow: Flow, limits: Limits) -> None:  # noqa: ANN401 - python-docx's document part
        self.title = ""
        """The first paragraph of the style Title."""
        self.first_heading = ""
        self.warnings: list[ReadingWarning] = []
        self._part = part
        self._flow = flow
        self._nesting = limits.nesting
        styles = self._root("styles")
        self._styles = WordStyles(styles)
        self._notes = {kind: self._notes_of(kind) for kind in ("footnote", "endnote")}
        self._numbers: dict[tuple[str, str], int] = {}
        self._targets = _targets(part)
        self._links: list[tuple[int, str, str]] = []

    def write(self) -> None:
        """Body, then headers and footers.

        Raises:
            LimitExceeded: tables, text boxes or controls in one another beyond `limits.nesting`, or too much text.
        """
        body = root_of(self._part).find(f"{WORD}body")
        if body is not None:
            self._write_blocks(body, 1)
        # A row of their own: they belong to no section.
        self._flow.close_row()
        self._flow.return_to(())
        self._write_margins()

    def links(self, text: str) -> tuple[Link, ...]:
        """Where the document points to; lines are those of its extracted text."""
        lines = LineIndex(text)
        return tuple(
            Link("link", "mention", target, lines.line_of(min(offset, len(text))), label or None)
            for offset, target, label in self._links
        )

    def _write_blocks(self, parent: _Element, depth: int) -> None:
        for element in _inside(parent, self._nesting, depth):
            if element.tag == f"{WORD}p":
                self._write_paragraph(element, depth)
            elif element.tag == f"{WORD}tbl":
                self._write_table(element, depth)
            elif element.tag == f"{WORD}altChunk":
                message = "A file that is embedded in the text was left out."
                self.warnings.append(ReadingWarning("embedded_file", message))

    def _write_paragraph(self, paragraph: _Element, depth: int) -> None:
        properties = paragraph.find(f"{WORD}pPr")
        if self._styles.is_contents(properties):
            return
        inline = self._inline(paragraph)
        text = inline.text
        level, list_depth = self._styles.level(properties), self._styles.list_depth(properties)
        if text and level is not None:
            self._write_heading(level, text)
        elif list_depth is not None:
            self._flow.add("list_item", text, depth=list_depth)
        else:
            self._flow.add("paragraph", text)
        self._remember_links(inline)
        self._write_attached([inline], depth)

    def _write_heading(self, level: int, text: str) -> None:
        if level == TITLE and not self.title:
            # It stands in every breadcrumb as the document's title, and needs no place in the chain of headings.
            self.title = " ".join(text.split())
            self._flow.return_to(())
            self._flow.add("heading", text)
        else:
            self.first_heading = self.first_heading or " ".join(text.split())
            self._flow.heading(max(level, UNNUMBERED), text)

    def _write_table(self, table: _Element, depth: int) -> None:
        if depth > self._nesting:
            raise exceeded("nesting", self._nesting, "its tables are nested deeper")
        if self._is_layout(table):
            for row in self._rows(table):
                for cell in _cells(row, self._nesting):
                    if not _is_continued(cell):
                        self._write_blocks(cell, depth + 1)
            return
        seen: list[Inline] = []
        lines = [line for line in (self._row_line(row, seen, depth) for row in self._rows(table)) if line]
        context = lines[0] if len(lines) > 1 and _has_header(table) else ""
        self._flow.add("table", "\n".join(lines), context=context)
        for inline in seen:
            self._remember_links(inline)
        self._write_attached(seen, depth)

    def _is_layout(self, table: _Element) -> bool:
        """A frame around text: one column, or headings inside."""
        rows = [list(_cells(row, self._nesting)) for row in self._rows(table)]
        if all(len(cells) <= 1 for cells in rows):
            return True
        paragraphs = (p for cells in rows for cell in cells for p in cell.iterchildren(f"{WORD}p"))
        return any(self._styles.level(paragraph.find(f"{WORD}pPr")) is not None for paragraph in paragraphs)

    def _rows(self, table: _Element) -> Iterator[_Element]:
        """The rows that no tracked change deleted."""
        for element in _inside(table, self._nesting):
            if element.tag == f"{WORD}tr" and element.find(f"{WORD}trPr/{WORD}del") is None:
                yield element

    def _row_line(self, row: _Element, seen: list[Inline], depth: int, between: str = "") -> str:
        """Cells side by side, a merged one once; a table in a cell is read into it."""
        cells: list[str] = []
        before = row.find(f"{WORD}trPr/{WORD}gridBefore")
        if before is not None:
            cells += [""] * bounded_number(before.get(f"{WORD}val"), _MOST_COLUMNS)
        for cell in _cells(row, self._nesting):
            cells.append("" if _is_continued(cell) else self._cell_text(cell, seen, depth))
            span = cell.find(f"{WORD}tcPr/{WORD}gridSpan")
            if span is not None:
                cells += [""] * (bounded_number(span.get(f"{WORD}val"), _MOST_COLUMNS) - 1)
        return between.join(cell for cell in cells if cell) if between else table_line(cells)

    def _cell_text(self, cell: _Element, seen: list[Inline], depth: int) -> str:
        if depth > self._nesting:
            raise exceeded("nesting", self._nesting, "its tables are nested deeper")
        texts = []
        for element in _inside(cell, self._nesting):
            if element.tag == f"{WORD}p":
                inline = self._inline(element)
                seen.append(inline)
                texts.append(" ".join(inline.text.split()))
            elif element.tag == f"{WORD}tbl":
                texts += [self._row_line(row, seen, depth + 1, ", ") for row in self._rows(element)]
        return " / ".join(text for text in texts if text)

    def _write_attached(self, seen: list[Inline], depth: int) -> None:
        """What hangs on the paragraphs that were just written."""
        for inline in seen:
            for box in inline.boxes:
                self._write_blocks(box, depth + 1)
            for identifier in inline.charts:
                self._write_chart(identifier)
            for words in inline.pictures:
                self._flow.add("paragraph", f"Picture: {words}")
        for inline in seen:
            for kind, identifier in inline.notes:
                note = self._notes[kind].pop(identifier, None)
                text = "" if note is None else self._plain(note)
                number = self._numbers[kind, identifier]
                self._flow.add("paragraph", f"[{number}] {text}" if text else "")

    def _write_chart(self, identifier: str) -> None:
        relationship = self._part.rels.get(identifier)
        if relationship is not None and not relationship.is_external:
            chart = chart_text(root_of(relationship.target_part))
            head = [line for line in (chart.title, chart.header) if line]
            self._flow.add("table", "\n".join((*head, *chart.lines)), context=": ".join(head) if chart.lines else "")

    def _write_margins(self) -> None:
        """Headers and footers, each text once: sections repeat them, and pages do."""
        said: set[str] = set()
        root = root_of(self._part)
        for name in ("Header", "Footer"):
            for reference in root.iter(f"{WORD}{name.lower()}Reference"):
                relationship = self._part.rels.get(reference.get(_ID, ""))
                if relationship is not None and not relationship.is_external:
                    text = f"{name}: {self._plain(root_of(relationship.target_part))}"
                    if text != f"{name}: " and text not in said:
                        said.add(text)
                        self._flow.add("paragraph", text)

    def _plain(self, story: _Element) -> str:
        texts = (self._inline(paragraph).text for paragraph in story.iter(f"{WORD}p"))
        return " ".join(" ".join(text.split()) for text in texts if text)

    def _inline(self, paragraph: _Element) -> Inline:
        return Inline(paragraph, self._styles, self._targets, self._number_of, self._nesting)

    def _number_of(self, kind: str, identifier: str) -> int:
        return self._numbers.setdefault((kind, identifier), len(self._numbers) + 1)

    def _remember_links(self, inline: Inline) -> None:
        self._links += [(max(0, self._flow.length - 1), target, label) for target, label in inline.links]

    def _notes_of(self, kind: str) -> dict[str, _Element]:
        root = self._root(f"{kind}s")
        if root is None:
            return {}
        return {
            note.get(f"{WORD}id", ""): note
            for note in root.iterchildren(WORD + kind)
            if note.get(f"{WORD}type", "normal") == "normal"
        }

    def _root(self, name: str) -> _Element | None:
        try:
            return root_of(self._part.part_related_by(f"{RELATIONSHIPS}/{name}"))
        except KeyError:
            return None


def _targets(part: Any) -> dict[str, str]:  # noqa: ANN401 - python-docx's document part
    return {identifier: rel.target_ref for identifier, rel in part.rels.items() if rel.is_external}


def _inside(parent: _Element, nesting: int, depth: int = 1) -> Iterator[_Element]:
    """The children, with those of wrappers in the wrappers' place."""
    if depth > nesting:
        raise exceeded("nesting", nesting, "its tables, text boxes or controls are nested deeper")
    for child in alternatives_settled(parent):
        if child.tag in _WRAPPERS:
            yield from _inside(child, nesting, depth + 1)
        else:
            yield child


def _cells(row: _Element, nesting: int) -> Iterator[_Element]:
    return (element for element in _inside(row, nesting) if element.tag == f"{WORD}tc")


def _is_continued(cell: _Element) -> bool:
    """Whether it belongs to the merged cell above or before it."""
    merges = (cell.find(f"{WORD}tcPr/{WORD}{name}") for name in ("vMerge", "hMerge"))
    return any(merge is not None and merge.get(f"{WORD}val", "continue") == "continue" for merge in merges)


def _has_header(table: _Element) -> bool:
    """Whether the first row names the columns: it is repeated on each page, or styled as one."""
    first = table.find(f"{WORD}tr")
    if first is not None and first.find(f"{WORD}trPr/{WORD}tblHeader") is not None:
        return True
    look = table.find(f"{WORD}tblPr/{WORD}tblLook")
    if look is None:
        return False
    bits = look.get(f"{WORD}val", "0")
    return look.get(f"{WORD}firstRow") in ("1", "true") or (len(bits) == 4 and bits[2] in "2367abefABEF")
