"""The tree of a page → blocks with the lines of its source.

The parser says on which line a start tag ends. The lines in between are counted in the texts, which keep their
newlines, and corrected at each tag, so every piece of text has its own line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from glassdex.model import Link
from glassdex.reading.attributes import described_by
from glassdex.reading.flow import Flow, Piece, exceeded
from glassdex.reading.html_tables import DataTable, data_tables
from glassdex.reading.protocol import Limits

if TYPE_CHECKING:
    from lxml.etree import _Element

_NEVER_SHOWN = frozenset({"head", "script", "style", "template", "noscript", "iframe", "svg", "title"})
_INLINE = frozenset({
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "br", "cite", "code", "data", "del", "dfn", "em", "font", "i",
    "img", "ins", "kbd", "label", "mark", "math", "nobr", "q", "rp", "rt", "ruby", "s", "samp", "small", "span",
    "strike", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr",
})  # fmt: skip
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_APART = frozenset({"nav", "aside", "footer"})
_CELLS = frozenset({"td", "th"})
_ITEMS = frozenset({"li", "dt", "dd"})
_LISTS = frozenset({"ul", "ol", "dl", "menu", "dir"})
_PREFORMATTED = frozenset({"pre", "listing", "xmp", "textarea"})
_NO_DISPLAY = re.compile(r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)
_NOT_FOLLOWED = re.compile(r"\s*(?:#|javascript:|data:|$)", re.IGNORECASE)
_LAST_COUNTED_LINE = 65_534
"""The parser's line numbers end here."""
_BREAK = "\0"
"""Stands for `<br>`; the parser lets no such character through."""


class HtmlBlocks:
    """Reads one page into a flow."""

    def __init__(self, flow: Flow, limits: Limits) -> None:
        self.links: list[Link] = []
        self.first_heading = ""
        self._flow = flow
        self._nesting = limits.nesting
        self._line = 1
        self._depth = 0
        self._hidden = 0
        self._pieces: list[Piece] = []
        self._heading = 0
        self._lists = 0
        self._items = 0
        self._quotes = 0
        self._preformatted = 0
        self._tables: list[DataTable | None] = []
        self._marks: list[tuple[tuple[int, str], ...]] = []
        self._anchors: list[tuple[str, int, list[str]]] = []
        self._data_tables: set[_Element] = set()

    def read(self, root: _Element) -> None:
        """Every block of the page.

        Raises:
            LimitExceeded: elements in elements beyond `limits.nesting`, or too much text.
        """
        from lxml import etree

        self._data_tables = data_tables(root)
        for event, element in etree.iterwalk(root, events=("start", "end", "comment", "pi")):
            if event == "start":
                self._start(element)
                self._read_text(element.text)
            else:
                if event == "end":
                    self._end(element)
                else:
                    self._count_to(element.sourceline)
                self._read_text(element.tail)
        self._flush()
        self._flow.close_row()

    def _start(self, element: _Element) -> None:
        tag = str(element.tag)
        # A body that the page does not open itself begins with a text, and is said to begin with the text's first line.
        self._count_to(max(element.sourceline or 0, self._line) if tag == "body" else element.sourceline)
        if tag not in _INLINE:
            self._depth += 1
            if self._depth > self._nesting:
                raise exceeded("nesting", self._nesting, "its elements are nested deeper")
        if self._hidden or _is_hidden(element, tag):
            self._hidden += 1
        elif tag in _INLINE:
            self._start_inline(element, tag)
        else:
            self._flush()
            self._start_block(element, tag)

    def _end(self, element: _Element) -> None:
        tag = str(element.tag)
        if tag not in _INLINE:
            self._depth -= 1
        if self._hidden:
            self._hidden -= 1
        elif tag == "a" and self._anchors:
            href, line, label = self._anchors.pop()
            if not _NOT_FOLLOWED.match(href):
                self.links.append(Link("link", "mention", href.strip(), line, " ".join("".join(label).split()) or None))
        elif tag not in _INLINE:
            self._flush()
            self._end_block(tag)

    def _start_inline(self, element: _Element, tag: str) -> None:
        if tag == "br":
            self._say(_BREAK)
        elif tag == "a":
            self._anchors.append((element.get("href", ""), self._line, []))
        elif tag == "img":
            self._say(described_by(element.get("alt", "")))

    def _start_block(self, element: _Element, tag: str) -> None:
        table = self._tables[-1] if self._tables else None
        if tag == "table":
            self._tables.append(DataTable() if element in self._data_tables else None)
        elif tag in _APART:
            self._begin_apart()
        elif table is not None:
            table.start(element, tag)
        self._heading = _HEADINGS.get(tag, self._heading)
        self._count_context(tag, 1)

    def _end_block(self, tag: str) -> None:
        table = self._tables[-1] if self._tables else None
        if tag == "table":
            self._end_table()
        elif tag in _APART:
            self._end_apart()
        elif table is not None:
            table.end(tag)
        if tag in _HEADINGS:
            self._heading = 0
        self._count_context(tag, -1)

    def _count_context(self, tag: str, step: int) -> None:
        self._lists += step * (tag in _LISTS)
        self._items += step * (tag in _ITEMS)
        self._quotes += step * (tag == "blockquote")
        self._preformatted += step * (tag in _PREFORMATTED)

    def _begin_apart(self) -> None:
        self._marks.append(self._flow.mark())
        if not any(self._tables):
            self._flow.close_row()

    def _end_apart(self) -> None:
        if not any(self._tables):
            self._flow.close_row()
        self._flow.return_to(self._marks.pop())

    def _end_table(self) -> None:
        table = self._tables.pop()
        if table is None:
            return
        outer = self._open_table()
        if outer is not None:
            outer.say(table.in_a_cell())
        else:
            self._flow.add("table", table.lines(), context=table.context)

    def _open_table(self) -> DataTable | None:
        """The innermost table with a cell or caption that text goes into."""
        return next((table for table in reversed(self._tables) if table is not None and table.is_open), None)

    def _read_text(self, text: str | None) -> None:
        if not text:
            return
        for index, part in enumerate(text.split("\n")):
            if index:
                if not self._hidden:
                    self._say("\n")
                self._line += 1
            if not self._hidden:
                self._say(part)

    def _say(self, text: str) -> None:
        if text:
            self._pieces.append((text, self._line))
            for _, _, label in self._anchors:
                label.append(" " if text == _BREAK else text)

    def _flush(self) -> None:
        """Make a block of the text since the last one."""
        if not self._pieces:
            return
        pieces, self._pieces = self._pieces, []
        table = self._open_table()
        if table is not None:
            table.say(_collapsed(pieces, " "))
        elif self._preformatted:
            self._flow.add("fence", _verbatim(pieces))
        elif self._heading:
            heading = _collapsed(pieces, " ")
            self.first_heading = self.first_heading or "".join(text for text, _ in heading)
            self._flow.heading(self._heading, heading)
        elif self._items:
            self._flow.add("list_item", _collapsed(pieces, "\n"), depth=max(0, self._lists - 1))
        else:
            self._flow.add("quote" if self._quotes else "paragraph", _collapsed(pieces, "\n"))

    def _count_to(self, line: int | None) -> None:
        if line is not None:
            self._line = line if line <= _LAST_COUNTED_LINE else max(line, self._line)


def _is_hidden(element: _Element, tag: str) -> bool:
    if tag in _NEVER_SHOWN:
        return True
    hidden = element.get("hidden")
    if hidden is not None and hidden.lower() != "until-found":
        return True
    return element.get("aria-hidden", "").lower() == "true" or bool(_NO_DISPLAY.search(element.get("style", "")))


def _collapsed(pieces: Iterable[Piece], at_break: str) -> list[Piece]:
    """White space as one space, none at the ends; `at_break` where the page breaks the line itself."""
    found: list[Piece] = []
    gap = ""
    for text, line in pieces:
        if text == _BREAK:
            gap = at_break
            continue
        words = text.split()
        if not words or text[0].isspace():
            gap = gap or " "
        if words:
            found.append(((gap if found else "") + " ".join(words), line))
            gap = " " if text[-1].isspace() else ""
    return found


def _verbatim(pieces: Iterable[Piece]) -> list[Piece]:
    """As written, without blank lines at the ends."""
    found = [(text.replace(_BREAK, "\n"), line) for text, line in pieces]
    while found and not found[-1][0].strip():
        found.pop()
    first = next((index for index, (text, _) in enumerate(found) if text.strip()), 0)
    # The first line keeps its indentation.
    while first and found[first - 1][0] != "\n":
        first -= 1
    return found[first:]
