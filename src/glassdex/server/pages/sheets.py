"""A chunk of a workbook or a CSV file as the cells that it is."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from glassdex.envelopes.chunks import ChunkPart
from glassdex.model import Document, Json
from glassdex.reading.tables import SEPARATOR


@dataclass(frozen=True, slots=True)
class Grid:
    """Rows with their numbers in the file; `columns` are letters where none was left out, else empty."""

    columns: tuple[str, ...]
    rows: tuple[tuple[int | None, tuple[str, ...]], ...]


def grid_of(chunk: ChunkPart, current: Document | None) -> Grid | None:
    """The chunk's cells, if its document has rows of a sheet and its file is as it was indexed."""
    if current is None or chunk.locator.rows is None or chunk.locator.chars is None:
        return None
    rows = tuple(_rows(chunk, current))
    width = max((len(cells) for _, cells in rows), default=0)
    return Grid(_letters(chunk.locator.sheet, width, current.metadata.get("sheets")), rows)


def _rows(chunk: ChunkPart, current: Document) -> Iterator[tuple[int | None, tuple[str, ...]]]:
    starts = [place.start for place in current.places]
    assert chunk.locator.chars is not None
    offset = chunk.locator.chars[0]
    for line in chunk.text.split("\n"):
        at = bisect_right(starts, offset) - 1
        yield current.places[at].row if at >= 0 else None, tuple(line.split(SEPARATOR))
        offset += len(line) + 1


def _letters(sheet: str | None, width: int, sheets: Json) -> tuple[str, ...]:
    """Letters for the columns: known where the sheet's range is as wide as its text, so that nothing was left out."""
    for one in sheets if isinstance(sheets, list) else ():
        if isinstance(one, dict) and one.get("name") == sheet and isinstance(one.get("range"), str):
            first, _, last = str(one["range"]).partition(":")
            begin, end = _number(first), _number(last or first)
            return tuple(_name(number) for number in range(begin, end + 1)) if end - begin + 1 == width else ()
    return ()


def _number(cell: str) -> int:
    number = 0
    for letter in cell:
        if letter.isalpha():
            number = number * 26 + ord(letter.upper()) - ord("A") + 1
    return number


def _name(number: int) -> str:
    letters: Sequence[str] = ()
    while number:
        number, rest = divmod(number - 1, 26)
        letters = (chr(ord("A") + rest), *letters)
    return "".join(letters)
