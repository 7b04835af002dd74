"""Where the tables of a grid of cells begin and end, and which of their rows are headers; pure.

A grid is its rows that hold something, in order, each with its number on the sheet; a cell is its shown text, `""`
where it is empty. Nothing in a sheet says what a table is, so these are the rules of thumb, told by example in
tests/reading/test_spreadsheet_tables.py:

- A blank row ends a table. A row of labels that stands over columns of values, or says its table's header again, begins
  another.
- A header is the rows of labels before the first row that holds values: at most `MAX_HEADER_ROWS` of several cells,
  and the titles (rows of one short cell) above them. Years and dates over other values are labels. Where no row holds
  a value, the first row of several cells is the header.
- A header that a blank row parts from its values is theirs, and so is a title that stands shortly before a table.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

MAX_HEADER_ROWS = 3
MAX_TITLE_ROWS = 3
MAX_TITLE_CHARACTERS = 120
MAX_TITLES_IN_CONTEXT = 100
"""Characters of a table's context that its titles may take: the names of its columns need the rest."""
_TITLE_GAP = 3
_ROWS_LOOKED_BACK = 8
SEPARATOR = " | "

_VALUE = re.compile(
    r"""[-+(]?\s?[€$£¥]?\s?[-+]?(?:\d[\d.,'’\s]*|[.,]\d+)(?:[eE][-+]?\d+)?\s?[€$£¥%]?\)?   # numbers, money, shares
    |\d{4}-\d\d?-\d\d?(?:[T ][\d:.]+(?:Z|[-+][\d:]+)?)? | \d{1,4}[./]\d\d?[./]\d{1,4}      # dates
    |-?\d+:\d\d(?::\d\d(?:\.\d+)?)?                                                        # times and durations
    |TRUE|FALSE|true|false|True|False | \#[A-Z/0!?_]+""",
    re.VERBOSE,
)
_PERIOD = re.compile(r"(?:1[89]|20|21)\d\d|(?:1[89]|20|21)\d\d-\d\d(?:-\d\d(?: 00:00:00)?)?")
_LETTER = re.compile(r"[^\W\d_]")

Cells = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """The rows `[first, last)` of a grid, by index; the first `header_rows` of them are titles and headers."""

    first: int
    last: int
    header_rows: int


def is_value(text: str) -> bool:
    """Whether a cell's text is a number, an amount, a date, a time, a truth value or an error: no label, usually."""
    return _VALUE.fullmatch(text) is not None


def header_context(rows: Sequence[Cells]) -> str:
    """What a passage from the middle of a table needs to be understood: its titles, then the names of its columns."""
    lines = [SEPARATOR.join(filter(None, cells)) for cells in rows]
    # A lone text in another column than the first stands over columns, as one of them does.
    named = next((index for index, cells in enumerate(rows) if any(cells[1:])), len(rows))
    titles = " / ".join(lines[:named])[:MAX_TITLES_IN_CONTEXT].rstrip(" /")
    return " / ".join(filter(None, (titles, *lines[named:])))


def has_header(rows: Sequence[Cells]) -> bool:
    """Whether the first of the rows of one single table names its columns; rows beyond the first few add nothing.

    It does not where a column of values begins with a value, years over other values excepted.
    """
    if not rows or not any(map(_LETTER.search, rows[0])):
        return len(rows) > 1 and _names_periods(rows[0], rows[1])
    columns = {column for cells in rows[1:] for column, text in enumerate(cells) if is_value(text)}
    columns -= {column for cells in rows[1:] for column, text in enumerate(cells) if text and not is_value(text)}
    begun = {column for column in columns if column < len(rows[0]) and is_value(rows[0][column])}
    return not begun or (len(rows) > 1 and _names_periods(rows[0], rows[1]))


def split_tables(
    numbers: Sequence[int], rows: Sequence[Cells], valued: Sequence[bool], reach: Callable[[int], int] = lambda row: row
) -> list[Table]:
    """The tables of a grid, in order; every row is in one of them.

    `numbers` are the rows' numbers, ascending. `valued` says of each row whether any of its cells is a value by its
    type. `reach(n)` is the last row that a merged range with a part in row n or above goes down to, n if there is none.
    """
    return _Splitter(numbers, rows, valued, reach).tables()


@dataclass(slots=True)
class _Splitter:
    numbers: Sequence[int]
    rows: Sequence[Cells]
    valued: Sequence[bool]
    reach: Callable[[int], int]

    def tables(self) -> list[Table]:
        tables: list[Table] = []
        pending: list[tuple[int, int]] = []
        parts = [part for run in self._runs() for part in self._parts(*run)]
        for index, (first, last) in enumerate(parts):
            following = parts[index + 1] if index + 1 < len(parts) else None
            if following and self._belongs_to_next(first, last, *following):
                pending.append((first, last))
                continue
            lead = sum(end - start for start, end in pending)
            tables.append(Table(first - lead, last, lead + self._header_rows(first, last, after=bool(lead))))
            pending = []
        return tables

    def _runs(self) -> Iterable[tuple[int, int]]:
        """Rows that no blank row parts; one inside a merged range parts nothing."""
        first = 0
        numbers = self.numbers
        if numbers and numbers[-1] - numbers[0] + 1 == len(numbers):
            yield 0, len(numbers)
            return
        for index in range(1, len(numbers)):
            gap = numbers[index] - numbers[index - 1] - 1
            if gap and self.reach(numbers[index - 1]) < numbers[index] - 1:
                yield first, index
                first = index
        if numbers:
            yield first, len(numbers)

    def _parts(self, first: int, last: int) -> Iterable[tuple[int, int]]:
        """A run, cut before each row that begins another table."""
        start = first
        row = self._next_unvalued(first + 1, last)
        while row < last:
            if self._begins_table(start, row, last):
                cut = self._with_titles_above(start, row)
                yield start, cut
                start = cut
            row = self._next_unvalued(row + 1, last)
        yield start, last

    def _next_unvalued(self, row: int, last: int) -> int:
        try:
            return self.valued.index(False, row, last)
        except ValueError:
            return last

    def _begins_table(self, start: int, row: int, last: int) -> bool:
        cells = self.rows[row]
        if _filled_count(cells) < 2:
            return False
        if cells == self._first_of_several(start, row):
            return row - start > 1
        if not any(self.valued[row + 1 : min(row + 3, last)]) or self._is_within_header(start, row):
            return False
        over = self._value_columns(start, row)
        columns = [column for column, text in enumerate(cells) if text][1:]
        labels = [cells[column] for column in columns if column in over and _LETTER.search(cells[column])]
        return 2 * len(labels) >= len(columns) and len(set(labels)) > (len(columns) > 1)

    def _is_within_header(self, start: int, row: int) -> bool:
        return row - start < MAX_TITLE_ROWS + MAX_HEADER_ROWS and all(
            self._is_label(above, row + 1) for above in range(start, row)
        )

    def _first_of_several(self, start: int, row: int) -> Cells:
        for cells in self.rows[start : min(row, start + MAX_TITLE_ROWS + 1)]:
            if _filled_count(cells) > 1:
                return cells
        return ()

    def _value_columns(self, start: int, row: int) -> set[int]:
        above = range(max(start, row - _ROWS_LOOKED_BACK), row)
        return {column for index in above for column, text in enumerate(self.rows[index]) if text and is_value(text)}

    def _with_titles_above(self, start: int, row: int) -> int:
        lowest = max(start + 1, row - MAX_TITLE_ROWS)
        while row > lowest and self._is_title(row - 1):
            row -= 1
        return row

    def _is_title(self, row: int) -> bool:
        texts = [text for text in self.rows[row] if text]
        return (
            not self.valued[row] and len(texts) == 1 and len(texts[0]) <= MAX_TITLE_CHARACTERS and texts[0][0].isalnum()
        )

    def _belongs_to_next(self, first: int, last: int, next_first: int, next_last: int) -> bool:
        gap = self.numbers[next_first] - self.numbers[last - 1] - 1
        rows = range(first, last)
        if len(rows) <= MAX_TITLE_ROWS and all(map(self._is_title, rows)):
            return 0 < gap <= _TITLE_GAP
        several = sum(_filled_count(self.rows[row]) > 1 for row in rows[: MAX_TITLE_ROWS + MAX_HEADER_ROWS + 1])
        return (
            gap == 1
            and len(rows) <= MAX_TITLE_ROWS + MAX_HEADER_ROWS
            and 1 <= several <= MAX_HEADER_ROWS
            and all(self._is_label(row, last) for row in rows)
            and not self._is_label(next_first, next_last)
        )

    def _is_label(self, row: int, last: int) -> bool:
        return not self.valued[row] or (row + 1 < last and _names_periods(self.rows[row], self.rows[row + 1]))

    def _header_rows(self, first: int, last: int, *, after: bool) -> int:
        """How many rows of `[first, last)` are its titles and header; `after`: those parted from it are known."""
        most = min(last, first + MAX_TITLE_ROWS + MAX_HEADER_ROWS + 1)
        row = first
        while row < most and self._is_label(row, last):
            row += 1
        several = sum(_filled_count(cells) > 1 for cells in self.rows[first:row])
        if row < most and several <= MAX_HEADER_ROWS:
            return row - first
        return 0 if after and self._lead_names_columns(first) else self._header_rows_of_text(first, last)

    def _lead_names_columns(self, first: int) -> bool:
        return _filled_count(self.rows[first - 1]) > 1

    def _header_rows_of_text(self, first: int, last: int) -> int:
        row = first
        while row < min(last, first + MAX_TITLE_ROWS) and self._is_title(row):
            row += 1
        return row + 1 - first if row + 1 < last and _filled_count(self.rows[row]) > 1 else 0


def _filled_count(cells: Cells) -> int:
    return sum(map(bool, cells))


def _names_periods(cells: Cells, below: Cells) -> bool:
    """Whether the only values of a row are years or dates that stand over something else."""
    columns = [column for column, text in enumerate(cells) if text and is_value(text)]
    under = [below[column] for column in columns if column < len(below) and below[column]]
    return (
        bool(under)
        and all(_PERIOD.fullmatch(cells[column]) for column in columns)
        and not all(map(_PERIOD.fullmatch, under))
    )
