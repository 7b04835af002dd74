"""Which paragraphs are headings: by the file's outline, else by size and weight where these say so clearly."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from glassdex.reading.pdf.lines import Line, PageText
from glassdex.reading.pdf.paragraphs import Paragraph, Seam
from glassdex.reading.pdf.pdfium import Bookmark

DEEPEST = 6
_MOST_LINES = 3
_MOST_CHARACTERS = 160
_BIGGER = 1.14
"""Than the body's font size: then it is a heading."""
_MOST_IN_A_ROW = 3
"""More of the same level behind each other are no headings but a table's cells or a list."""
_LARGEST_SHARE = 0.4
_NUMBERING = re.compile(r"^(?:(?:chapter|section|appendix|kapitel)\s+)?[\dIVXA-Z]{0,4}(?:\.\d+)*[.):]?\s+")


def mark_outlined(pages: Sequence[PageText], bookmarks: Sequence[Bookmark]) -> bool:
    """Give the lines that bookmarks name their level; whether most bookmarks were found as lines."""
    found = 0
    for number, bookmark in enumerate(bookmarks, start=1):
        if bookmark.page <= len(pages):
            lines = _lines_named(bookmark.title, pages[bookmark.page - 1].lines)
            found += bool(lines)
            for line in lines:
                line.level, line.heading = bookmark.level, number
    return 2 * found > len(bookmarks)


def levels_of(paragraphs: Sequence[Paragraph], by_outline: bool) -> list[int]:
    """The level of each paragraph as a heading, 1 the highest; 0 for one that is none."""
    if by_outline:
        return [paragraph.lines[0].level for paragraph in paragraphs]
    ranks = _ranks(paragraphs)
    _demote_runs(ranks)
    headings = sum(1 for rank in ranks if rank)
    if headings > max(4, _LARGEST_SHARE * len(ranks)):
        return [0] * len(ranks)
    order = sorted({rank for rank in ranks if rank}, reverse=True)
    level = {rank: min(at, DEEPEST) for at, rank in enumerate(order, start=1)}
    return [level[rank] if rank else 0 for rank in ranks]


def chains(titles: Sequence[str], levels: Sequence[int]) -> Iterator[tuple[str, ...]]:
    """The headings above each paragraph; a heading's own chain includes itself."""
    stack: list[tuple[int, str]] = []
    for title, level in zip(titles, levels, strict=True):
        if level:
            while stack and stack[-1][0] >= level:
                stack.pop()
            stack.append((level, " ".join(title.split())))
        yield tuple(name for _, name in stack)


def _ranks(paragraphs: Sequence[Paragraph]) -> list[tuple[float, bool] | None]:
    """Size and weight of what could be a heading."""
    weights: Counter[tuple[float, bool]] = Counter()
    for paragraph in paragraphs:
        first = paragraph.lines[0]
        weights[_rounded(first), first.bold] += sum(len(line.text) for line in paragraph.lines)
    if not weights:
        return []
    (body, body_is_bold), _ = weights.most_common(1)[0]
    ranks: list[tuple[float, bool] | None] = []
    for paragraph in paragraphs:
        size = _rounded(paragraph.lines[0])
        bold = all(line.bold for line in paragraph.lines)
        stands_out = size >= _BIGGER * body or (
            bold and not body_is_bold and size >= 0.95 * body and Seam.LINE not in paragraph.seams
        )
        ranks.append((size, bold) if stands_out and _could_be_heading(paragraph) else None)
    return ranks


def _demote_runs(ranks: list[tuple[float, bool] | None]) -> None:
    first = 0
    for at in range(1, len(ranks) + 1):
        if at == len(ranks) or ranks[at] != ranks[first]:
            if at - first > _MOST_IN_A_ROW:
                ranks[first:at] = [None] * (at - first)
            first = at


def _could_be_heading(paragraph: Paragraph) -> bool:
    if len(paragraph.lines) > _MOST_LINES or paragraph.lines[0].running or paragraph.lines[0].angle:
        return False
    if any(line.has_cells for line in paragraph.lines):
        return False
    text = " ".join(line.text for line in paragraph.lines)
    return len(text) <= _MOST_CHARACTERS and any(map(str.isalpha, text)) and not text.endswith((".", "。", ",", ";"))


def _rounded(line: Line) -> float:
    return round(2 * line.size) / 2


def _lines_named(title: str, lines: Sequence[Line]) -> Sequence[Line]:
    """The first lines, up to three, that together are the bookmark's title, numbered or not."""
    wanted = _compared(title)
    if not wanted:
        return ()
    for at, line in enumerate(lines):
        text = ""
        for end in range(at, min(at + _MOST_LINES, len(lines))):
            text += lines[end].text + " "
            if len(text) > 2 * len(title) + 20:
                break
            if not line.heading and wanted in (_compared(text), _compared(_NUMBERING.sub("", text, count=1))):
                return lines[at : end + 1]
    return ()


def _compared(text: str) -> str:
    return "".join(text.split()).casefold()
