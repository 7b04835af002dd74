"""Workbooks: XLSX, XLSM and XLS, by python-calamine.

`Document.text` has a line for each row of a sheet that holds something, its cells joined with ` | `: columns that are
empty in a whole table are left out, other empty cells are kept up to the last one with text, so that a column stands
at the same place in each line of its table. White space inside a cell is one blank where it holds a line break.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime, time, timedelta
from io import BytesIO
from itertools import accumulate, compress
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Final, cast, overload

from glassdex.errors import FileDamaged, LimitExceeded, MissingExtra, PasswordRequired
from glassdex.model import Block, Document, Json, Place, ReadingWarning, Row
from glassdex.reading.compound_file import is_encrypted, xls_errors
from glassdex.reading.protocol import ReadingOptions
from glassdex.reading.tables import SEPARATOR, Cells, Table, header_context, split_tables
from glassdex.reading.workbook_zip import SheetExtras, column_letters, sheet_extras

if TYPE_CHECKING:
    from python_calamine import CalamineSheet, CalamineWorkbook, SheetMetadata

_SUFFIXES = frozenset({".xlsx", ".xlsm", ".xls"})
_ZIP_MARK = b"PK\x03\x04"
_OLE_MARK = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_BATCH_ROWS = 1024
_CELLS_NAMED = 5
_RANGES_LISTED = 100
_LARGEST_EXACT = 10.0**15
"""Below it a spreadsheet's numbers are exact, and a whole one is written without a point."""

Merged = tuple[tuple[int, int], tuple[int, int]]
"""The first and the last (row, column) of a merged range, from 0."""


class SpreadsheetReader:
    """Reads a workbook: a `table` row for each table of a sheet, under the sheet's name."""

    name: str = "spreadsheet"
    version: int = 1
    format: str = "xlsx"
    isolated: Final = True
    """Read in a worker process: a hostile file can make the library take all memory."""

    def bid(self, path: PurePosixPath, head: bytes) -> int:
        """90 for a name and a beginning of a workbook, 80 for the name alone."""
        if path.suffix.lower() not in _SUFFIXES:
            return 0
        return 90 if head.startswith((_ZIP_MARK, _OLE_MARK)) else 80

    def read(self, path: PurePosixPath, content: bytes, options: ReadingOptions = ReadingOptions()) -> Document:
        """The workbook's document: every sheet, hidden ones with `hidden` on their places.

        Raises:
            FileDamaged: no workbook, or a broken one.
            PasswordRequired: encrypted; there is no way to read it with its password.
            LimitExceeded: more unpacked bytes, cells or characters than allowed.
            MissingExtra: python-calamine is not installed.

        """
        extras = _extras(content, options)
        gathered = _Gathered(options)
        for index, sheet, known in _sheets(content):
            gathered.add(sheet, known, extras[index] if index < len(extras) else SheetExtras())
        return Document(
            format=self.format,
            title=path.stem,
            title_source="file_name",
            text="".join(gathered.texts),
            rows=tuple(gathered.rows),
            metadata={"sheets": gathered.described},
            warnings=tuple(_uncached_warning(gathered.uncached)),
            places=tuple(gathered.places),
        )


def _extras(content: bytes, options: ReadingOptions) -> list[SheetExtras]:
    if content.startswith(_ZIP_MARK):
        return sheet_extras(content, options.limits)
    if content.startswith(_OLE_MARK):
        if is_encrypted(content):
            raise PasswordRequired(
                "the workbook is encrypted, and it cannot be read even with its password",
                suggestion="Open it in a spreadsheet program and save a copy without a password.",
            )
        return [SheetExtras(errors) for errors in xls_errors(content)]
    raise FileDamaged(
        "the file is no workbook: it begins neither like XLSX nor like XLS",
        suggestion="An export that is called .xls may be HTML or text: save it as XLSX in a spreadsheet program.",
    )


def _sheets(content: bytes) -> Iterator[tuple[int, CalamineSheet | None, SheetMetadata]]:
    """Every sheet in the workbook's order; none where a sheet holds no cells by its kind, such as a chart."""
    with _calamine_errors():
        workbook = _opened(content)
        kinds = list(workbook.sheets_metadata)
    for index, known in enumerate(kinds):
        sheet = None
        if _member(known.typ) in ("WorkSheet", "MacroSheet", "DialogSheet"):
            with _calamine_errors():
                sheet = workbook.get_sheet_by_index(index)
        yield index, sheet, known


def _member(value: object) -> str:
    """The name of a member of one of calamine's enumerations, which are no Python ones."""
    return repr(value).rpartition(".")[2]


def _opened(content: bytes) -> CalamineWorkbook:
    try:
        from python_calamine import CalamineWorkbook
    except ImportError:
        raise MissingExtra(
            "reading workbooks needs python-calamine, which is not installed",
            suggestion="pip install 'glassdex[documents]'",
        ) from None
    return CalamineWorkbook.from_filelike(BytesIO(content))


@contextmanager
def _calamine_errors() -> Iterator[None]:
    try:
        yield
    except MissingExtra:
        raise
    except BaseException as error:
        # What goes wrong inside Rust is a CalamineError, a built-in error, or a panic, which is no Exception.
        if not isinstance(error, Exception) and type(error).__module__ != "pyo3_runtime":
            raise
        raise FileDamaged(
            f"the workbook cannot be read: {error}",
            suggestion="Open it in a spreadsheet program and save it again.",
        ) from None


class _Gathered:
    """The document so far."""

    def __init__(self, options: ReadingOptions) -> None:
        self.texts: list[str] = []
        self.rows: list[Row] = []
        self.places: list[Place] = []
        self.described: list[Json] = []
        self.uncached: list[str] = []
        self._limits = options.limits
        self._length = 0
        self._cell_count = 0

    def add(self, sheet: CalamineSheet | None, known: SheetMetadata, extras: SheetExtras) -> None:
        hidden = _member(known.visible) != "Visible"
        merged = sorted(sheet.merged_cell_ranges or ()) if sheet is not None else []
        grid = _grid(sheet, merged, extras, self._limits.cells)
        self._count(grid)
        first_place = len(self.places)
        bottoms = _Bottoms(merged)
        for table in split_tables(grid.numbers, grid, grid.valued, bottoms.reach):
            self._add_table(known.name, hidden, grid, table)
        if len(self.places) == first_place:
            self.places.append(Place(self._length, self._length, sheet=known.name, hidden=hidden))
        self.uncached += (f"{known.name}!{_cell_name(*cell)}" for cell in sorted(extras.uncached))
        self.described.append(_description(known, sheet, merged))

    def _count(self, grid: _Grid) -> None:
        self._cell_count += grid.cell_count
        if self._cell_count > self._limits.cells:
            raise LimitExceeded(
                f"the workbook has more than {self._limits.cells:,} cells (limit cells)",
                suggestion="Split it, or raise the limit if you trust the file.",
            )

    def _add_table(self, sheet: str, hidden: bool, grid: _Grid, table: Table) -> None:
        lines = grid.lines(table.first, table.last)
        start = self._length
        starts = list(accumulate((len(line) + 1 for line in lines), initial=start))
        numbers = grid.numbers[table.first : table.last]
        self.places += (
            # By position, and not by name: there may be a million of them.
            Place(begin, begin + length, None, None, sheet, number, None, None, None, None, hidden)
            for begin, length, number in zip(starts, map(len, lines), numbers, strict=False)
        )
        text = "\n".join(lines)
        self.texts += (text, "\n")
        self._length = starts[-1]
        if self._length > self._limits.characters:
            raise LimitExceeded(
                f"the workbook holds more than {self._limits.characters:,} characters (limit characters)",
                suggestion="Split it, or raise the limit if you trust the file.",
            )
        header = grid[table.first : table.first + table.header_rows]
        block = Block("table", 0, len(text), (sheet,), context=header_context(header))
        self.rows.append(Row("table", len(self.rows), text, start, (block,)))


class _Grid(Sequence[Cells]):
    """The rows of a sheet that hold something, held by column: a big sheet is a few lists, and not a million tuples."""

    def __init__(self, width: int) -> None:
        self.numbers: list[int] = []
        """Of each row, from 1, as on the sheet."""
        self.valued: list[bool] = []
        """Whether a cell of the row is a value by its type."""
        self.cell_count = 0
        self.columns: list[list[str]] = [[] for _ in range(width)]

    def __len__(self) -> int:
        return len(self.numbers)

    @overload
    def __getitem__(self, index: int) -> Cells: ...
    @overload
    def __getitem__(self, index: slice) -> list[Cells]: ...
    def __getitem__(self, index: int | slice) -> Cells | list[Cells]:
        if isinstance(index, slice):
            return list(zip(*(column[index] for column in self.columns), strict=True))
        return tuple(column[index] for column in self.columns)

    def add(self, first_number: int, batch: Sequence[Sequence[object]]) -> None:
        """Rows of the sheet that follow each other."""
        columns: list[tuple[object, ...]] = list(zip(*batch, strict=True))
        types = [set(map(type, column)) for column in columns]
        shown = [_shown(column, kinds) for column, kinds in zip(columns, types, strict=True)]
        empty = sum(column.count("") for column, kinds in zip(shown, types, strict=True) if str in kinds)
        self.cell_count += len(batch) * len(shown) - empty
        numbers = range(first_number, first_number + len(batch))
        if any(str not in kinds for kinds in types):
            # A column of values: no row of the batch is blank.
            self.numbers += numbers
            self.valued += [True] * len(batch)
        else:
            filled = list(map(any, zip(*shown, strict=True)))
            self.numbers += compress(numbers, filled)
            self.valued += (set(map(type, cells)) != {str} for cells in compress(batch, filled))
            shown = [list(compress(column, filled)) for column in shown]
        for column, more in zip(self.columns, shown, strict=True):
            column.extend(more)

    def lines(self, first: int, last: int) -> list[str]:
        """The rows `[first, last)` of one table as they are written."""
        columns = [column for column in (column[first:last] for column in self.columns) if any(column)]
        join = SEPARATOR.join
        if "" not in columns[-1]:
            return list(map(join, zip(*columns, strict=True)))
        return [join(cells if cells[-1] else _without_empty_end(cells)) for cells in zip(*columns, strict=True)]


class _Shown(str):
    """The text of a cell that holds no text: an error, a formula without a result."""

    __slots__ = ()


def _grid(sheet: CalamineSheet | None, merged: Sequence[Merged], extras: SheetExtras, most_cells: int) -> _Grid:
    if sheet is None or (sheet.start is None and not extras.errors and not extras.uncached):
        return _Grid(0)
    with _calamine_errors():
        rows = cast("list[list[object]]", sheet.to_python())
    top, left = sheet.start or (0, 0)
    if extras.errors or extras.uncached:
        top, left = _lay_over(rows, top, left, extras.errors | extras.uncached)
    _blank_covered(rows, top, left, merged, most_cells)
    grid = _Grid(len(rows[0]))
    for start in range(0, len(rows), _BATCH_ROWS):
        grid.add(top + start + 1, rows[start : start + _BATCH_ROWS])
    return grid


def _lay_over(rows: list[list[object]], top: int, left: int, cells: dict[tuple[int, int], str]) -> tuple[int, int]:
    """Put the cells in, widening the grid where they lie outside; its new first row and column."""
    lowest_row, lowest_column = min(row for row, _ in cells), min(column for _, column in cells)
    height = max(top + len(rows), max(row for row, _ in cells) + 1)
    width = max(left + (len(rows[0]) if rows else 0), max(column for _, column in cells) + 1)
    if not rows:
        top, left = lowest_row, lowest_column
    new_top, new_left = min(top, lowest_row), min(left, lowest_column)
    for row in rows:
        row[:0] = [""] * (left - new_left)
        row.extend([""] * (width - new_left - len(row)))
    rows[:0] = ([""] * (width - new_left) for _ in range(top - new_top))
    rows.extend([""] * (width - new_left) for _ in range(height - new_top - len(rows)))
    for (row_number, column), text in cells.items():
        rows[row_number - new_top][column - new_left] = _Shown(text)
    return new_top, new_left


def _blank_covered(rows: list[list[object]], top: int, left: int, merged: Sequence[Merged], most_cells: int) -> None:
    """A merged range shows the text of its first cell; what others of its cells may still hold is shown nowhere."""
    covered = 0
    width = len(rows[0]) if rows else 0
    for (first_row, first_column), (last_row, last_column) in merged:
        columns = range(max(first_column - left, 0), min(last_column - left + 1, width))
        lines = range(max(first_row - top, 0), min(last_row - top + 1, len(rows)))
        covered += len(columns) * len(lines)
        if covered > most_cells:
            raise LimitExceeded(
                f"merged ranges cover more than {most_cells:,} cells (limit cells)",
                suggestion="Open it in a spreadsheet program and unmerge what overlaps.",
            )
        for row in lines:
            for column in columns:
                if (row + top, column + left) != (first_row, first_column):
                    rows[row][column] = ""


def _shown(column: tuple[Any, ...], kinds: set[type]) -> list[str]:
    """A column as it is written; the columns of most sheets are of one kind, which is written at a stroke."""
    if kinds == {str} and "".join(column).isprintable():
        return list(map(str.strip, column))
    if kinds == {date}:
        return list(map(date.isoformat, column))
    if kinds == {float}:
        return _numbers(column)
    return [_WRITERS.get(type(value), str)(value) for value in column]


def _text(value: str) -> str:
    text = value.strip()
    return text if text.isprintable() else " ".join(text.split())


def _numbers(column: Sequence[float]) -> list[str]:
    whole = list(map(float.is_integer, column))
    if all(whole) and min(column) > -_LARGEST_EXACT and max(column) < _LARGEST_EXACT:
        return list(map(str, map(int, column)))
    return list(map(_number if any(whole) else repr, column))


def _number(value: float) -> str:
    if value.is_integer() and -_LARGEST_EXACT < value < _LARGEST_EXACT:
        return str(int(value))
    return repr(value)


def _truth(value: bool) -> str:
    return "TRUE" if value else "FALSE"


def _moment(value: datetime) -> str:
    return value.isoformat(sep=" ")


def _duration(value: timedelta) -> str:
    """`H:MM:SS`, hours beyond a day counted on; a part of a second only where there is one."""
    microseconds = value // timedelta(microseconds=1)
    seconds, rest = divmod(abs(microseconds), 1_000_000)
    sign = "-" if microseconds < 0 else ""
    fraction = f".{rest:06d}".rstrip("0") if rest else ""
    return f"{sign}{seconds // 3600}:{seconds // 60 % 60:02d}:{seconds % 60:02d}{fraction}"


_WRITERS: dict[type, Callable[..., str]] = {
    str: _text,
    float: _number,
    bool: _truth,
    date: date.isoformat,
    datetime: _moment,
    time: time.isoformat,
    timedelta: _duration,
    _Shown: _text,
}


def _without_empty_end(cells: tuple[str, ...]) -> tuple[str, ...]:
    end = len(cells)
    while end and not cells[end - 1]:
        end -= 1
    return cells[:end]


class _Bottoms:
    """How far down merged ranges go."""

    def __init__(self, merged: Sequence[Merged]) -> None:
        self._tops = [first[0] + 1 for first, _ in merged]
        self._bottoms = list(accumulate((last[0] + 1 for _, last in merged), max))

    def reach(self, number: int) -> int:
        """The last row (from 1) of any range that begins in row `number` or above; `number` where none goes on."""
        before = bisect_right(self._tops, number)
        return max(number, self._bottoms[before - 1]) if before else number


def _cell_name(row: int, column: int) -> str:
    return f"{column_letters(column)}{row + 1}"


def _range_name(range_: Merged) -> str:
    return ":".join(_cell_name(*corner) for corner in range_)


def _description(known: SheetMetadata, sheet: CalamineSheet | None, merged: Sequence[Merged]) -> Json:
    state = {"Visible": "visible", "Hidden": "hidden", "VeryHidden": "very_hidden"}[_member(known.visible)]
    described: dict[str, Json] = {"name": known.name, "state": state}
    if sheet is not None and sheet.start is not None and sheet.end is not None:
        described["range"] = _range_name((sheet.start, sheet.end))
    if merged:
        described["merged"] = [_range_name(range_) for range_ in merged[:_RANGES_LISTED]]
        described["merged_total"] = len(merged)
    return described


def _uncached_warning(cells: Sequence[str]) -> Iterator[ReadingWarning]:
    if cells:
        named = ", ".join(cells[:_CELLS_NAMED]) + (", …" if len(cells) > _CELLS_NAMED else "")
        count = "1 formula was" if len(cells) == 1 else f"{len(cells):,} formulas were"
        yield ReadingWarning(
            "uncached_formulas",
            f"{count} saved without a result and shown as the formula: {named}. Opening the workbook in a spreadsheet "
            "program and saving it stores the results.",
        )
