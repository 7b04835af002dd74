"""Tables of a page: rows of cells with the lines of the source. Tables that only arrange a page are none."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from glassdex.reading.attributes import bounded_number
from glassdex.reading.flow import Piece

if TYPE_CHECKING:
    from lxml.etree import _Element

_MOST_COLUMNS = 1_000
_WIDEST_SPAN = 100
"""Of one cell: what says more means "all that there are", and would pad every row."""
_MOST_ROWS = 65_534
_NAMING = frozenset({"th", "thead", "caption"})
_ARRANGING = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})


@dataclass(slots=True)
class _Seen:
    """What stands in a table, tables inside it left out."""

    named: bool = False
    arranging: bool = False
    widest: int = 0
    cells: int = 0


def data_tables(root: _Element) -> set[_Element]:
    """The tables that hold data: their columns are named, or several, with neither headings nor tables inside."""
    from lxml import etree

    found: set[_Element] = set()
    open_tables: list[_Seen] = []
    for event, element in etree.iterwalk(root, events=("start", "end")):
        tag = element.tag
        if event == "end":
            if tag == "table":
                seen = open_tables.pop()
                arranges = element.get("role") in ("presentation", "none")
                if not arranges and (seen.named or (seen.widest > 1 and not seen.arranging)):
                    found.add(element)
        elif tag == "table":
            if open_tables:
                open_tables[-1].arranging = True
            open_tables.append(_Seen())
        elif open_tables:
            _note(open_tables[-1], tag)
    return found


def _note(seen: _Seen, tag: str) -> None:
    seen.named = seen.named or tag in _NAMING
    seen.arranging = seen.arranging or tag in _ARRANGING
    if tag == "tr":
        seen.cells = 0
    elif tag in ("td", "th"):
        seen.cells += 1
        seen.widest = max(seen.widest, seen.cells)


@dataclass(slots=True)
class _Cell:
    texts: list[list[Piece]] = field(default_factory=list)
    names: bool = False

    def pieces(self) -> list[Piece]:
        """Its paragraphs, list items and tables side by side."""
        return _joined(self.texts, " / ")


_EMPTY = _Cell()
"""Stands where a cell before or above reaches; never open."""


@dataclass(slots=True)
class _Row:
    cells: list[_Cell] = field(default_factory=list)
    in_head: bool = False


class DataTable:
    """One table while the page is read."""

    def __init__(self) -> None:
        self._rows: list[_Row] = []
        self._caption = _Cell()
        self._open: _Cell | None = None
        self._in_head = False
        self._covered: dict[int, int] = {}
        """Column → how many rows the cell above still reaches down."""

    @property
    def is_open(self) -> bool:
        """Whether text goes into one of its cells now."""
        return self._open is not None

    @property
    def context(self) -> str:
        """Caption and header: what a row cannot be understood without."""
        caption = _text(self._caption.pieces())
        header = " ".join(_text(_line(row)) for row in self._header())
        return ": ".join(part for part in (caption, header) if part)

    def start(self, element: _Element, tag: str) -> None:
        """An element of the table begins."""
        if tag in ("td", "th"):
            self._start_cell(element, tag)
        elif tag == "tr":
            self._start_row()
        elif tag == "thead":
            self._in_head = True
        elif tag == "caption":
            self._open = self._caption

    def end(self, tag: str) -> None:
        """An element of the table ends."""
        if tag in ("td", "th", "caption", "tr"):
            self._open = None
        elif tag == "thead":
            self._in_head = False

    def say(self, pieces: list[Piece]) -> None:
        """Text of the open cell or caption."""
        if self._open is not None and pieces:
            self._open.texts.append(pieces)

    def lines(self) -> list[Piece]:
        """Caption and rows, each on its line."""
        return _joined([self._caption.pieces(), *map(_line, self._rows)], "\n")

    def in_a_cell(self) -> list[Piece]:
        """The same on one line, for a table in a table's cell."""
        rows = (_joined([cell.pieces() for cell in row.cells], ", ") for row in self._rows)
        return _joined([self._caption.pieces(), *rows], " / ")

    def _header(self) -> list[_Row]:
        """The rows of `thead`, else the first one when each of its cells is a `th`; not when nothing follows."""
        written = [row for row in self._rows if any(cell.texts for cell in row.cells)]
        head = [row for row in written if row.in_head]
        if not head and written and all(cell.names for cell in written[0].cells if cell.texts):
            head = written[:1]
        return head if len(head) < len(written) else []

    def _start_row(self) -> None:
        self._rows.append(_Row(in_head=self._in_head))
        self._fill()

    def _start_cell(self, element: _Element, tag: str) -> None:
        if not self._rows:
            self._start_row()
        self._fill()
        cells = self._rows[-1].cells
        self._open = _Cell(names=tag == "th")
        span = bounded_number(element.get("colspan"), _WIDEST_SPAN)
        down = bounded_number(element.get("rowspan"), _MOST_ROWS) - 1
        for column in range(len(cells), min(len(cells) + span, _MOST_COLUMNS)) if down else ():
            self._covered[column] = down
        cells.append(self._open)
        cells += [_EMPTY] * min(span - 1, _MOST_COLUMNS - len(cells))

    def _fill(self) -> None:
        """Leave room for the cells that reach down from above."""
        cells = self._rows[-1].cells
        while len(cells) in self._covered:
            column = len(cells)
            self._covered[column] -= 1
            if not self._covered[column]:
                del self._covered[column]
            cells.append(_EMPTY)


def _line(row: _Row) -> list[Piece]:
    """The cells side by side, with a bar for an empty one; nothing for an empty row."""
    pieces: list[Piece] = []
    bars = ""
    for cell in row.cells:
        content = cell.pieces() if cell.texts else []
        if content:
            if bars:
                pieces.append((bars if pieces else bars.lstrip(), pieces[-1][1] if pieces else content[0][1]))
            pieces += content
            bars = ""
        bars += " | "
    if pieces and len(bars) > len(" | "):
        pieces.append((bars.removesuffix(" | ").rstrip(), pieces[-1][1]))
    return pieces


def _joined(texts: Iterable[list[Piece]], between: str) -> list[Piece]:
    pieces: list[Piece] = []
    for text in texts:
        if text:
            if pieces:
                pieces.append((between, pieces[-1][1]))
            pieces += text
    return pieces


def _text(pieces: Iterable[Piece]) -> str:
    return "".join(text for text, _ in pieces)
