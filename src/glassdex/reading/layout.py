"""A tree of Markdown blocks → a note's blocks, its rows, and the stretches of prose to scan for links."""

from __future__ import annotations

import re
from dataclasses import dataclass

from glassdex.model import Block, BlockKind
from glassdex.reading.observations import Observation, Relation, parse_item
from glassdex.reading.structure import Node, Structure
from glassdex.reading.text import LineIndex

_BLANK = " \t\r\n"
_BULLETS = ("-", "*", "+")
_MARKERS_ONLY = re.compile(r"[\s>]*\Z")
_BULLETS_ONLY = re.compile(r"(?:[\s>*+-]|\d{1,9}[.)])*\Z")
_RELATIONS_HEADING = "relations"
_PART_KINDS: dict[str, BlockKind] = {
    "heading": "list_item",
    "paragraph": "list_item",
    "item": "list_item",
    "quote": "quote",
    "fence": "fence",
    "table": "table",
    "html": "html",
}
_BLOCK_KINDS: dict[str, BlockKind] = {**_PART_KINDS, "heading": "heading", "paragraph": "paragraph"}


@dataclass(frozen=True, slots=True)
class ItemRow:
    """A list item that is a row: its source is `text[start:end]`."""

    said: Observation | Relation
    start: int
    end: int
    headings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Prose:
    """A paragraph, heading or table: `text[start:end]`, part of `row` (an index) or of the note itself."""

    start: int
    end: int
    row: int | None


class Layout:
    """Blocks in order, without overlap, together covering every non-blank line from `first_line` on."""

    def __init__(self, text: str, lines: LineIndex, structure: Structure, first_line: int) -> None:
        self.blocks: list[Block] = []
        self.rows: list[ItemRow] = []
        self.prose: list[Prose] = []
        self.first_title: str | None = None
        self._text = text
        self._lines = lines
        self._definitions = structure.definitions
        self._next_line = first_line
        self._chain: list[tuple[int, str]] = []
        self._headings: tuple[str, ...] = ()
        self._row_of: dict[int, int] = {}
        for node in structure.nodes:
            self._place_top(node)
        self._cover_until(lines.line_count + 1)

    def _place_top(self, node: Node) -> None:
        # Lines before a heading that no block covers stand under the heading before it.
        self._cover_until(node.first)
        if node.kind == "heading":
            self._enter(node)
        self._find_rows(node)
        if node.kind == "list":
            for item in node.children:
                self._place_item(item, item.first, 0)
        elif node.kind == "quote":
            self._place_quote(node, node.first, 0)
        else:
            self._emit(_BLOCK_KINDS[node.kind], node.first, node.stop)

    def _enter(self, heading: Node) -> None:
        while self._chain and self._chain[-1][0] >= heading.level:
            self._chain.pop()
        self._chain.append((heading.level, heading.content))
        self._headings = tuple(text for _, text in self._chain if text)
        if heading.level == 1 and self.first_title is None:
            self.first_title = heading.content or None

    def _find_rows(self, node: Node) -> None:
        """Collect the rows and the prose of a top-level block, in the order of the text."""
        if node.kind == "item" and node.bullet and node.children and node.children[0].kind == "paragraph":
            self._find_row(node, node.children[0])
        if node.kind in ("paragraph", "heading", "table"):
            start, end = self._span(node.first, node.stop)
            self.prose.append(Prose(start, end, self._row_of.get(id(node))))
        for child in node.children:
            self._find_rows(child)

    def _find_row(self, item: Node, paragraph: Node) -> None:
        in_relations = any(heading.casefold() == _RELATIONS_HEADING for heading in self._headings)
        said = parse_item(paragraph.content, in_relations=in_relations, labels=self._definitions)
        if said is None:
            return
        start = self._bullet_offset(paragraph)
        if start is not None:
            end = self._span(paragraph.first, paragraph.stop)[1]
            self._row_of[id(item)] = self._row_of[id(paragraph)] = len(self.rows)
            self.rows.append(ItemRow(said, start, end, self._headings))

    def _bullet_offset(self, paragraph: Node) -> int | None:
        """Where the bullet of an item stands whose text begins on the same line; None where it does not."""
        line_start = self._lines.start_of(paragraph.first)
        line = self._text[line_start : self._lines.end_of(paragraph.first)].replace("\0", "\ufffd").rstrip()
        words = paragraph.content.partition("\n")[0].rstrip()
        prefix = line[: len(line) - len(words)].rstrip()
        if not line.endswith(words) or not prefix.endswith(_BULLETS):
            return None
        return line_start + len(prefix) - 1

    # `first` is the first line of a node, or that of the outer bullet that stands on a line of its own before it:
    # such a bullet belongs to what follows it.

    def _place_item(self, node: Node, first: int, depth: int, in_quote: bool = False) -> None:
        """Place an item part by part: how long it is must not decide what its blocks are."""
        if node.children:
            for index, child in enumerate(node.children):
                self._place_part(child, child.first if index else first, depth + min(index, 1), in_quote)
            self._cover_until(node.stop)
        else:
            self._emit("quote" if in_quote else "list_item", first, node.stop, depth)

    def _place_quote(self, node: Node, first: int, depth: int) -> None:
        """Place a quote whole, or its parts where it holds a row."""
        if self._holds_row(node):
            for index, child in enumerate(node.children):
                self._place_part(child, child.first if index else first, depth, in_quote=True)
            self._cover_until(node.stop)
        else:
            self._emit("quote", first, node.stop, depth)

    def _place_part(self, node: Node, first: int, depth: int, in_quote: bool) -> None:
        if node.kind == "list":
            for index, item in enumerate(node.children):
                self._place_item(item, item.first if index else first, depth, in_quote)
        elif node.kind == "quote":
            self._place_quote(node, first, depth)
        elif id(node) in self._row_of:
            self._emit_row(node, first)
        else:
            self._emit("quote" if in_quote else _PART_KINDS[node.kind], first, node.stop, depth)

    def _holds_row(self, node: Node) -> bool:
        if not self._row_of:
            return False
        return id(node) in self._row_of or any(self._holds_row(child) for child in node.children)

    def _emit_row(self, paragraph: Node, first: int) -> None:
        row = self.rows[self._row_of[id(paragraph)]]
        if not _BULLETS_ONLY.match(self._text[self._lines.start_of(first) : row.start]):
            first = paragraph.first
        self._cover_until(first)
        line_start = self._lines.start_of(first)
        # A quote mark or an outer bullet on the row's line belongs to no other block.
        start = line_start if self._text[line_start : row.start].strip() else row.start
        self._append("row", start, row.end, paragraph.stop)

    def _emit(self, kind: BlockKind, first: int, stop: int, depth: int = 0) -> None:
        self._cover_until(first)
        start, end = self._span(first, stop)
        self._append(kind, start, end, stop, depth)

    def _append(self, kind: BlockKind, start: int, end: int, next_line: int, depth: int = 0) -> None:
        if end > start:
            self.blocks.append(Block(kind, start, end, self._headings, depth))
        self._next_line = next_line

    def _span(self, first: int, stop: int) -> tuple[int, int]:
        """Offsets of lines `first` to before `stop`, without the blank end."""
        start = self._lines.start_of(first)
        end = self._lines.end_of(stop - 1)
        while end > start and self._text[end - 1] in _BLANK:
            end -= 1
        return start, end

    def _cover_until(self, stop: int) -> None:
        """Cover lines that markdown-it gives no token for, such as link definitions, as paragraphs."""
        first: int | None = None
        for line in range(self._next_line, stop + 1):
            blank = line == stop or self._is_blank(line)
            if not blank and first is None:
                first = line
            elif blank and first is not None:
                self._cover(first, line)
                first = None
        self._next_line = max(self._next_line, stop)

    def _is_blank(self, line: int) -> bool:
        return not self._text[self._lines.start_of(line) : self._lines.end_of(line)].strip(_BLANK)

    def _cover(self, first: int, stop: int) -> None:
        start, end = self._span(first, stop)
        if self.blocks and _MARKERS_ONLY.match(self._text[start:end]):
            # The `>` between two paragraphs of one quote.
            last = self.blocks[-1]
            self.blocks[-1] = Block(last.kind, last.start, end, last.headings, last.depth)
        else:
            self.blocks.append(Block("paragraph", start, end, self._headings))
