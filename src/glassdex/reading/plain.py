"""Plain text: paragraphs between blank lines; the file's lines are the document's lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from glassdex.model import Block, BlockKind, Document, Row
from glassdex.reading.protocol import ReadingOptions
from glassdex.reading.text import LineIndex, decode_utf8

_SUFFIXES = frozenset({
    ".txt", ".text", ".log", ".rst", ".adoc", ".asciidoc", ".org", ".tex", ".bib", ".textile", ".wiki", ".mediawiki",
    ".pod", ".typ", ".srt", ".vtt", ".eml", ".changes", ".nfo",
})  # fmt: skip
_NAMES = frozenset({
    "readme", "license", "licence", "copying", "notice", "authors", "contributors", "changelog", "changes", "news",
    "todo", "install", "history", "credits", "thanks", "maintainers",
})  # fmt: skip
# One line is one entry: these are cut between lines, not between sentences.
_OF_LINES = frozenset({".log", ".bib", ".srt", ".vtt"})
_UTF_16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_NOT_BLANK = re.compile(r"[^\s]")


class TextReader:
    """Reads plain text and markup that is read as it is written.

    One row of kind `section` spans the file; a block is a paragraph, ended by a blank line.
    """

    name: str = "text"
    version: int = 1
    format: str = "text"

    def bid(self, path: PurePosixPath, head: bytes) -> int:
        """20 for the suffixes of text, and for `README` and its like without one; 0 for bytes that are no text."""
        mine = path.suffix.lower() in _SUFFIXES if path.suffix else path.name.lower() in _NAMES
        return 20 if mine and is_text(head) else 0

    def read(self, path: PurePosixPath, content: bytes, options: ReadingOptions = ReadingOptions()) -> Document:
        """The text's document.

        Raises:
            UnsupportedEncoding: the bytes are not UTF-8.
        """
        text = decode_utf8(content)
        kind: BlockKind = "fence" if path.suffix.lower() in _OF_LINES else "paragraph"
        blocks = tuple(Block(kind, start, end) for start, end, _ in paragraphs(text))
        return Document(
            format=self.format,
            title=path.stem or "text",
            title_source="file_name",
            text=text,
            rows=(Row("section", 0, text, 0, blocks),) if blocks else (),
        )


def is_text(head: bytes) -> bool:
    """Whether a file's first bytes may be text. UTF-16 with a mark counts: it is reported, not passed over."""
    return b"\0" not in head or head.startswith(_UTF_16_MARKS)


def paragraphs(text: str) -> Iterator[tuple[int, int, list[int]]]:
    """Runs of lines that are not blank: start, end without the last newline, and the offset of each line.

    A run begins at the first character of its first line, indentation included.
    """
    lines = LineIndex(text)
    starts: list[int] = []
    end = 0
    for line in range(1, lines.line_count + 1):
        start, line_end = lines.start_of(line), lines.end_of(line)
        if _NOT_BLANK.search(text, start, line_end):
            starts.append(start)
            end = line_end
        elif starts:
            yield starts[0], end, starts
            starts = []
    if starts:
        yield starts[0], end, starts
