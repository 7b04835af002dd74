"""Notes for the tests: reading one, and making them up."""

from __future__ import annotations

from pathlib import PurePosixPath

from hypothesis import strategies as st

from glassdex.locators import LocatorMap
from glassdex.model import Block, Document, Locator, Row
from glassdex.reading.markdown import MarkdownReader

_MARKS = (
    "# Title", "## Part ##", "Setext", "===", "---", "- item", "  - nested", "    - deep", "* star",
    "+ plus", "1. one", "- [fact] it holds #tag (here)", "  - [fact] nested", "- relates to [[Other]]",
    "## Relations", "- [[Bare]]", "> quote", "> - [fact] quoted", ">", "> > deeper", "```", "~~~",
    "    code", "\tcode", "[a]: /b", "  [c]: <x y>", "[a]", "| a | b |", "|---|---|", "| 1 | [[T]] |",
    "<div>", "</div>", "<!--", "-->", "- ", "-", "- - - x", "> - > - [q] z", "- # head", "...", "title: x",
    "tags: [a]", "key: [", "`code", "\\", "***", "\x0c", "\u2028", "\xa0", "\x85", "\0", "", "", "", "   ",
    "\t", "para with [[W|l]] and [t](p.md)", "- [ ] task", "-\t[tab] bed", "- [x]: y", "   > x", "12) y",
    "- ```", "  ```", "-     five", "* * *", "[", "]", "a" * 900, "- " + "long words " * 90,
    "  " + "more " * 200,
)  # fmt: skip
_NEWLINES = ("\n", "\r\n", "\r")

_any_line = st.text(alphabet=st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]), max_size=8)
_marks_line = st.text(alphabet="-*+>#`~[]()|<>! \tab1.:=\\_", max_size=12)
lines_of_markdown = st.lists(st.one_of(st.sampled_from(_MARKS), _marks_line, _any_line), max_size=25)


@st.composite
def sources(draw: st.DrawFn) -> str:
    """The text of a note: Markdown in odd order, with any of the three newlines."""
    newlines = st.sampled_from(_NEWLINES)
    text = "".join(line + draw(newlines) for line in draw(lines_of_markdown))
    return draw(st.sampled_from(("", "---\n", "---\ntitle: x\n---\n", "---\r\na: b\r\n...\r\n"))) + text


def read(text: str, path: str = "notes/example.md") -> Document:
    """The document of a note with this text."""
    return MarkdownReader().read(PurePosixPath(path), text.encode("utf-8"))


def shown(document: Document) -> list[tuple[str, str]]:
    """Kind and text of every block of the note."""
    return [(block.kind, source(document, block)) for block in document.rows[0].blocks]


def source(document: Document, block: Block) -> str:
    """The text of a block of the note."""
    return document.text[block.start : block.end]


def place(document: Document, row: Row) -> Locator:
    """Where in its file a row stands."""
    located = LocatorMap(document.text, document.places)
    return located.locate(row.start, row.start + max(len(row.text), 1))


def lines_of(document: Document, row: Row) -> tuple[int | None, int | None]:
    """The first and the last line of a row."""
    found = place(document, row)
    return found.line_start, found.line_end


def rows_of(document: Document, kind: str) -> list[Row]:
    """The rows of one kind."""
    return [row for row in document.rows if row.kind == kind]
