"""Running headers and footers, and page numbers: said once, or not at all."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Container, Iterator, Sequence
from operator import attrgetter
from statistics import median
from typing import NamedTuple

from glassdex.model import ReadingWarning
from glassdex.reading.pdf.lines import Line, PageText

_EDGE_LINES = 3
"""At the top and at the bottom of a page, where such lines are looked for."""
_FEWEST_PAGES = 3
_FEWEST_NUMBERED_PAGES = 2
_SAME_PLACE = 12.0
"""Points that a running line may stand higher or lower on one page than on another."""
_SAME_HEIGHT = 3.0
_LONGEST = 200
_LONGEST_NUMBER = 40
_NUMBER = re.compile(r"\d+")
_ROMAN_AT_EDGE = re.compile(r"^[ivxlcdm]+(?=\W)|(?<=\s)[ivxlcdm]+$")
_PAGE_NUMBER = re.compile(
    r"(?:(?:page|seite|pagina|página|p\.|s\.|第)\s*)?[-–—(\[|]?\s*(?:(\d{1,5})|([ivxlcdm]{1,9}))\s*[-–—)\]|]?\s*页?"
    r"(?:\s*(?:/|of|von|de|di|sur)\s*\d{1,5})?",
    re.IGNORECASE,
)
_ROMAN_VALUES = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100, "d": 500, "m": 1000}


class _Edge(NamedTuple):
    """A line at the top or bottom of a page; `depth` counts the heights at which lines stand, from the outermost."""

    page: PageText
    line: Line
    side: str
    depth: int


def set_aside(pages: Sequence[PageText]) -> ReadingWarning | None:
    """Take out of the pages what repeats an earlier one, and page numbers; mark the first of each `running`.

    The warning says what was taken out.
    """
    edges = [edge for page in pages for edge in _edges(page)]
    numbers = _page_numbers(edges)
    numbered = {id(edge.line) for edge in numbers}
    groups = list(_repeated([edge for edge in edges if id(edge.line) not in numbered], pages))
    outer = _outer(edges, numbered | {id(edge.line) for group in groups for edge in group})
    gone = numbered & outer
    texts: list[str] = []
    for group in groups:
        kept = [edge for edge in group if id(edge.line) in outer]
        if len(kept) > 1:
            first, *others = kept
            first.line.running = True
            gone |= {id(edge.line) for edge in others}
            texts.append(f"{first.line.text!r} on {len(others)} pages after page {first.page.number}")
    if gone & numbered:
        count = len({edge.page.number for edge in numbers if id(edge.line) in gone})
        texts.append(f"the page number alone on {count} {'page' if count == 1 else 'pages'}")
    for number in {edge.page.number for edge in edges if id(edge.line) in gone}:
        page = pages[number - 1]
        page.lines = [line for line in page.lines if id(line) not in gone]
    return ReadingWarning("running_lines", f"left out: {'; '.join(texts)}") if texts else None


def _edges(page: PageText) -> Iterator[_Edge]:
    ascending = sorted((line for line in page.lines if not line.angle), key=attrgetter("base"))
    bottom = ascending[:_EDGE_LINES]
    top = ascending[max(len(bottom), len(ascending) - _EDGE_LINES) :]
    for side, lines in (("bottom", bottom), ("top", top[::-1])):
        depth = 0
        for before, line in zip([None, *lines], lines, strict=False):
            depth += before is not None and abs(before.base - line.base) > _SAME_HEIGHT
            yield _Edge(page, line, side, depth)


def _outer(edges: Sequence[_Edge], known: Container[int]) -> set[int]:
    """Of the lines that repeat, those that stand outside of all that does not; a page of nothing else keeps them."""
    reached: dict[tuple[int, str], int] = defaultdict(int)
    found: dict[int, set[int]] = defaultdict(set)
    for edge in edges:
        place = (edge.page.number, edge.side)
        if id(edge.line) in known and edge.depth <= reached[place]:
            reached[place] = edge.depth + 1
            found[edge.page.number].add(id(edge.line))
    lines = {edge.page.number: edge.page.lines for edge in edges}
    return {
        line
        for number, own in found.items()
        if len(own) < len(lines[number]) or all(_number(line.text) is not None for line in lines[number])
        for line in own
    }


def _repeated(edges: Sequence[_Edge], pages: Sequence[PageText]) -> Iterator[list[_Edge]]:
    """Lines that are the same but for numbers, in the same place, on most pages or on most of the even or odd ones."""
    groups: dict[str, list[_Edge]] = defaultdict(list)
    for edge in edges:
        if len(edge.line.text) <= _LONGEST:
            groups[_likeness(edge.line.text)].append(edge)
    written = [page.number for page in pages if page.lines]
    for group in groups.values():
        if len(group) < _FEWEST_PAGES:
            continue
        height = median(edge.line.base for edge in group)
        by_page = {e.page.number: e for e in reversed(group) if abs(e.line.base - height) <= _SAME_PLACE}
        for parity in (written, [n for n in written if n % 2], [n for n in written if not n % 2]):
            found = [number for number in parity if number in by_page]
            if len(found) >= _FEWEST_PAGES and 2 * len(found) > len(parity):
                yield [by_page[number] for number in sorted(by_page)]
                break


def _likeness(text: str) -> str:
    text = " ".join(text.split()).casefold()
    # Roman numbers at either end count as numbers.
    if text[0] in _ROMAN_VALUES or text[-1] in _ROMAN_VALUES:
        text = _ROMAN_AT_EDGE.sub("#", text)
    return _NUMBER.sub("#", text)


def _page_numbers(edges: Sequence[_Edge]) -> list[_Edge]:
    """Lines that are nothing but a page's number: its label, or counting up with the pages."""
    found = [(edge, value) for edge in edges if (value := _number(edge.line.text)) is not None]
    steps: dict[int, set[int]] = defaultdict(set)
    for edge, value in found:
        steps[value - edge.page.number].add(edge.page.number)
    return [
        edge
        for edge, value in found
        if len(steps[value - edge.page.number]) >= _FEWEST_NUMBERED_PAGES
        or (edge.page.label is not None and edge.line.text.strip("-–— ") == edge.page.label)
    ]


def _number(text: str) -> int | None:
    match = _PAGE_NUMBER.fullmatch(text) if len(text) <= _LONGEST_NUMBER else None
    if not match:
        return None
    if match[1]:
        return int(match[1])
    values = [_ROMAN_VALUES[letter] for letter in match[2].lower()]
    return sum(-v if any(v < w for w in values[i + 1 : i + 2]) else v for i, v in enumerate(values))
