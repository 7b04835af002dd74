"""From offsets in a document's text to the place in its file, and how far a document's places reach."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from glassdex.model import Locator, Place

VERSION = 2
"""Of the locator columns: 1 knew lines alone. Rows of an older version are located again from their places."""

_LINE_END = re.compile(r"\r\n?|\n")


@dataclass(frozen=True, slots=True)
class Sheet:
    """A sheet of a workbook; `last_row` is 0 where it has no text."""

    name: str
    hidden: bool = False
    last_row: int = 0


@dataclass(frozen=True, slots=True)
class Extent:
    """What a document has of each kind of place: numbers are the last one's, absent where it has none.

    `page_labels[n]` names page n + 1; absent where the file names none of its pages.
    """

    lines: int | None = None
    pages: int | None = None
    page_labels: tuple[str | None, ...] | None = None
    sheets: tuple[Sheet, ...] = ()
    rows: int | None = None
    slides: int | None = None
    records: int | None = None

    @property
    def available(self) -> tuple[str, ...]:
        """The kinds of place that a search can be narrowed to, as its filters are called."""
        has = {
            "pages": self.pages,
            "page_label": self.page_labels,
            "sheet": self.sheets,
            "rows": self.rows,
            "slide": self.slides,
            "records": self.records,
            "lines": self.lines,
        }
        return tuple(name for name, value in has.items() if value)


class LocatorMap:
    """The places of one document's text."""

    def __init__(self, text: str, places: Sequence[Place]) -> None:
        self._places = places
        self._starts = [place.start for place in places]
        self._line_starts = [] if places else _line_starts(text)

    def locate(self, start: int, end: int) -> Locator:
        """Where the text `[start, end)` stands, end after start.

        Text that touches no place (a separator, a blank page) stands where the place before it does.
        """
        if not self._places:
            first, last = (1 + bisect_right(self._line_starts, offset) for offset in (start, end - 1))
            return Locator(line_start=first, line_end=last)
        before = max(0, bisect_right(self._starts, start) - 1)
        near = self._places[before : bisect_left(self._starts, end)]
        return _merged([place for place in near if place.start < place.end > start] or [self._places[before]])


def extent_of(text: str, places: Sequence[Place]) -> Extent:
    """What a document has of each kind of place."""
    if not places:
        return Extent(lines=1 + len(_line_starts(text)))
    sheets: dict[str, Sheet] = {}
    for place in places:
        if place.sheet is not None:
            known = sheets.get(place.sheet, Sheet(place.sheet, place.hidden))
            sheets[place.sheet] = Sheet(known.name, known.hidden, max(known.last_row, place.row or 0))
    labels = {place.page: place.page_label for place in places if place.page is not None}
    pages = _last(place.page for place in places)
    return Extent(
        lines=_last(place.line_end for place in places),
        pages=pages,
        page_labels=tuple(labels.get(page) for page in range(1, (pages or 0) + 1)) if any(labels.values()) else None,
        sheets=tuple(sheets.values()),
        rows=_last(place.row for place in places),
        slides=_last(place.slide for place in places),
        records=_last(place.record for place in places),
    )


def _line_starts(text: str) -> list[int]:
    """Where each line but the first begins; a final newline opens no further line."""
    return [end for match in _LINE_END.finditer(text) if (end := match.end()) < len(text)]


def _merged(places: Sequence[Place]) -> Locator:
    first = places[0]
    pages = [place.page for place in places if place.page is not None]
    rows = [place.row for place in places if place.row is not None]
    starts = [place.line_start for place in places if place.line_start is not None]
    ends = [place.line_end for place in places if place.line_end is not None]
    return Locator(
        line_start=min(starts, default=None),
        line_end=max(ends, default=None),
        page_start=min(pages, default=None),
        page_end=max(pages, default=None),
        page_label=first.page_label,
        sheet=first.sheet,
        row_start=min(rows, default=None),
        row_end=max(rows, default=None),
        slide=first.slide,
        record=first.record,
        hidden=first.hidden,
    )


def _last(numbers: Iterable[int | None]) -> int | None:
    return max((number for number in numbers if number is not None), default=None)


def described(locator: Locator) -> list[str]:
    """For people: `sheet Summary`, `rows 12–20`; the most telling kind of place first, lines only where alone."""
    words = []
    if locator.sheet is not None:
        words.append(f"sheet {locator.sheet}")
    label = f" ({locator.page_label})" if locator.page_label not in (None, str(locator.page_start)) else ""
    for name, start, end, note in (
        ("page", locator.page_start, locator.page_end, label),
        ("row", locator.row_start, locator.row_end, ""),
        ("slide", locator.slide, locator.slide, ""),
        ("record", locator.record, locator.record, ""),
        ("line", locator.line_start, locator.line_end, ""),
    ):
        if start is not None and not (name == "line" and words):
            words.append((f"{name} {start}" if start == end else f"{name}s {start}–{end}") + note)
    if locator.hidden:
        words.append("hidden")
    return words
