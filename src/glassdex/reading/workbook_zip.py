"""What calamine does not tell of an XLSX file: how much it unpacks to, how far its grids reach, error values, and
formulas that were stored without a result.

The members are unpacked here once, block by block and counted as they come, whatever the directory says their size is.
A sheet's XML is searched for marks of the rare things, and is parsed in full only where one of them is found: the
search costs a tenth of what calamine takes.
"""

from __future__ import annotations

import posixpath
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from html import unescape
from io import BytesIO
from xml.parsers import expat

from glassdex.errors import FileDamaged, LimitExceeded
from glassdex.reading.protocol import Limits

_BLOCK = 1 << 20
_LOCAL_HEADER = struct.Struct("<4s22xHH")
_GRID_PER_CELL_LIMIT = 4
"""calamine holds the whole rectangle from the first cell to the last: it may be so many times the cells allowed."""

_ERROR_MARK = re.compile(rb"t=(?:\"e\"|'e')")
_FAR_MARK = re.compile(rb"r=[\"'](?:[A-Za-z][0-9]{6}|[A-Za-z]{2}[0-9]{5}|[A-Za-z]{3}[0-9])")
"""References beyond row 99,999, beyond column Z and row 9,999, or beyond column ZZ."""
_NO_VALUE = rb"\s*(?:<v\s*/>\s*|<v>\s*</v>\s*)?</c>"
_UNCACHED_MARKS = (re.compile(rb"</f>" + _NO_VALUE), re.compile(rb"<f(?:\s[^>]*)?/>" + _NO_VALUE))
_CELL = re.compile(rb"<c((?:\s[^>]*)?)>")
_CELL_REFERENCE = re.compile(rb"r=[\"']([A-Za-z]{1,3})([0-9]{1,7})[\"']")
_CELL_TYPE = re.compile(rb"\bt=[\"'](\w+)[\"']")
_FORMULA = re.compile(rb"<f(?:\s[^>]*)?(?:/>|>([^<]*)</f>)")
_VALUE = re.compile(rb"<v(?:/>|>([^<]*)</v>)")
_REFERENCE = re.compile(r"([A-Za-z]{1,3})([0-9]{1,7})")
_ROOT_WITHIN = 4096
_LONGEST_REFERENCE = 16
_SHARED_FORMULA = "=…"


@dataclass(slots=True)
class SheetExtras:
    """Of one sheet, by (row, column) from 0: error values, and the formulas that have no result."""

    errors: dict[tuple[int, int], str] = field(default_factory=dict)
    uncached: dict[tuple[int, int], str] = field(default_factory=dict)

    def take(self, where: tuple[int, int], kind: str, formula: str | None, value: str | None) -> None:
        """Keep a cell if it is one of them; `None` is what it does not have."""
        if kind == "e" and value:
            self.errors[where] = value
        elif formula is not None and not value and (value is None or kind != "str"):
            # An empty string is a result where the cell is said to hold one.
            self.uncached[where] = f"={formula}" if formula else _SHARED_FORMULA


def sheet_extras(content: bytes, limits: Limits) -> list[SheetExtras]:
    """One for each sheet of an XLSX file, in the workbook's order.

    Raises:
        FileDamaged: no zip file, or one whose workbook or sheets are no XML.
        LimitExceeded: it unpacks to more than `limits.unpacked_bytes`, or a grid reaches too far.

    """
    try:
        members = _Members(content, limits.unpacked_bytes)
        parts = _sheet_parts(members)
        searches = _searched(members, set(parts))
        return [_extras_of(members, part, searches.get(part, _SheetSearch()), limits) for part in parts]
    except (zipfile.BadZipFile, zlib.error, struct.error, expat.ExpatError, ValueError, NotImplementedError) as error:
        raise FileDamaged(
            f"the workbook is damaged: {error}", suggestion="Open it in a spreadsheet program and save it again."
        ) from None


def column_letters(column: int) -> str:
    """0 is A, 25 is Z, 26 is AA."""
    letters = ""
    number = column + 1
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(65 + rest) + letters
    return letters


class _Members:
    """The members of a zip file, by their name without regard to case."""

    def __init__(self, content: bytes, most_bytes: int) -> None:
        self._content = content
        self._most_bytes = most_bytes
        with zipfile.ZipFile(BytesIO(content)) as archive:
            self._all = [(_member_name(info.filename), info) for info in archive.infolist()]
        self._named = dict(self._all)

    def blocks(self, name: str) -> Iterator[bytes]:
        """The member, unpacked; nothing where there is none of that name."""
        if name in self._named:
            yield from self._counted(self._unpacked(self._named[name]))

    def count(self, seen: Callable[[str, bytes], None]) -> None:
        """Unpack everything once, also what another of its name hides, and show each block with its member's name."""
        total = 0
        for name, info in self._all:
            for block in self._unpacked(info):
                total += len(block)
                self._hold(total)
                seen(name, block)

    def _unpacked(self, info: zipfile.ZipInfo) -> Iterator[bytes]:
        signature, name_size, extra_size = _LOCAL_HEADER.unpack_from(self._content, info.header_offset)
        if signature != b"PK\x03\x04":
            raise zipfile.BadZipFile(f"no member at offset {info.header_offset}")
        start = info.header_offset + _LOCAL_HEADER.size + name_size + extra_size
        packed = memoryview(self._content)[start : start + info.compress_size]
        return _inflated(packed) if info.compress_type == zipfile.ZIP_DEFLATED else _stored(packed)

    def _counted(self, blocks: Iterator[bytes]) -> Iterator[bytes]:
        total = 0
        for block in blocks:
            total += len(block)
            self._hold(total)
            yield block

    def _hold(self, total: int) -> None:
        if total > self._most_bytes:
            raise LimitExceeded(
                f"the workbook unpacks to more than {self._most_bytes:,} bytes (limit unpacked_bytes)",
                suggestion="Split it, or raise the limit if you trust the file.",
            )


def _member_name(name: str) -> str:
    return name.replace("\\", "/").lstrip("/").casefold()


def _inflated(packed: memoryview) -> Iterator[bytes]:
    inflater = zlib.decompressobj(-zlib.MAX_WBITS)
    waiting: bytes | memoryview = packed
    while not inflater.eof:
        block = inflater.decompress(waiting, _BLOCK)
        waiting = inflater.unconsumed_tail
        if not block and not waiting:
            break
        yield block


def _stored(packed: memoryview) -> Iterator[bytes]:
    for start in range(0, len(packed), _BLOCK):
        yield bytes(packed[start : start + _BLOCK])


def _sheet_parts(members: _Members) -> list[str]:
    """The member that holds each sheet, in the workbook's order; `""` for a sheet without any."""
    package = _relations(members, "")
    workbook = next((target for kind, target in package.values() if kind == "officeDocument"), "xl/workbook.xml")
    identifiers: list[str] = []

    def sheet(name: str, attributes: dict[str, str]) -> None:
        if name == "sheet":
            identifiers.append(attributes.get("id", ""))

    _parse(members, workbook, start=sheet)
    relations = _relations(members, workbook)
    return [relations.get(identifier, ("", ""))[1] for identifier in identifiers]


def _relations(members: _Members, part: str) -> dict[str, tuple[str, str]]:
    """The last word of the kind, and the member, of each thing that a part refers to."""
    folder, name = posixpath.split(part)
    found: dict[str, tuple[str, str]] = {}

    def relation(element: str, attributes: dict[str, str]) -> None:
        if element == "Relationship" and attributes.get("TargetMode") != "External":
            target = posixpath.normpath(posixpath.join("/", folder, attributes.get("Target", "").replace("\\", "/")))
            kind = attributes.get("Type", "").rpartition("/")[2]
            found[attributes.get("Id", "")] = (kind, target.lstrip("/").casefold())

    _parse(members, posixpath.join(folder, "_rels", f"{name}.rels").casefold(), start=relation)
    return found


class _SheetSearch:
    """Looks for the rare things in a sheet's XML as it comes, block by block, in the form that programs write it in."""

    def __init__(self) -> None:
        self.extras = SheetExtras()
        self.odd = False
        """It is written in another form: only parsing it tells."""
        self.far = False
        self._waiting = b""
        self._begun = False

    def see(self, block: bytes) -> None:
        data = self._waiting + block
        if not self._begun:
            self._begun = True
            self.odd = b"<worksheet" not in data[:_ROOT_WITHIN]
        end = data.rfind(b"</c>") + 4
        if end < 4:
            end = max(0, len(data) - _BLOCK)
        self._waiting = data[end:]
        if self.odd:
            return
        self.far = self.far or _FAR_MARK.search(data, 0, end) is not None
        for mark in _ERROR_MARK.finditer(data, 0, end):
            self._add(data, mark.start())
        if b"<f" in data:
            for pattern in _UNCACHED_MARKS:
                for mark in pattern.finditer(data, 0, end):
                    self._add(data, mark.start())

    def _add(self, data: bytes, inside: int) -> None:
        """Take the cell that the offset is inside of; a text that only looks like a mark is inside of none."""
        start = max(data.rfind(b"<c ", 0, inside), data.rfind(b"<c>", 0, inside))
        end = data.find(b"</c>", inside)
        cell = _CELL.match(data, start) if start >= 0 else None
        if cell is None or end < 0:
            return
        reference = _CELL_REFERENCE.search(cell[1])
        if reference is None:
            self.odd = True
            return
        where = int(reference[2]) - 1, _column_number(reference[1].decode())
        kind = _CELL_TYPE.search(cell[1])
        formula = _FORMULA.search(data, cell.end(), end + 4)
        value = _VALUE.search(data, cell.end(), end)
        self.extras.take(
            where,
            kind[1].decode() if kind else "n",
            None if formula is None else _unescaped(formula[1]),
            None if value is None else _unescaped(value[1]),
        )


def _unescaped(text: bytes | None) -> str:
    return unescape((text or b"").decode())


def _searched(members: _Members, parts: set[str]) -> dict[str, _SheetSearch]:
    searches: dict[str, _SheetSearch] = {}

    def see(name: str, block: bytes) -> None:
        if name in parts:
            searches.setdefault(name, _SheetSearch()).see(block)

    members.count(see)
    return searches


def _extras_of(members: _Members, part: str, search: _SheetSearch, limits: Limits) -> SheetExtras:
    if search.odd:
        parser = _SheetParser()
        _parse(members, part, parser.start, parser.end, parser.characters)
        _hold_grid(parser.rows, parser.columns, limits.cells)
        return parser.extras
    if search.far:
        _hold_grid(*_reach(members, part), limits.cells)
    return search.extras


def _reach(members: _Members, part: str) -> tuple[set[int], set[int]]:
    """The first and the last row and column of a sheet, from 0."""
    rows: set[int] = set()
    columns: set[int] = set()
    waiting = b""
    for block in members.blocks(part):
        found = _CELL_REFERENCE.findall(waiting + block)
        if found:
            letters, digits = map(set, zip(*found, strict=True))
            rows = _ends(rows | set(map(int, digits)))
            columns = _ends(columns | {_column_number(name.decode()) for name in letters})
        waiting = block[-_LONGEST_REFERENCE:]
    return rows, columns


def _ends(numbers: set[int]) -> set[int]:
    return {min(numbers), max(numbers)}


def _hold_grid(rows: set[int], columns: set[int], most_cells: int) -> None:
    if not rows or not columns:
        return
    height, width = (max(numbers) - min(numbers) + 1 for numbers in (rows, columns))
    if height * width > most_cells * _GRID_PER_CELL_LIMIT:
        raise LimitExceeded(
            f"a sheet reaches over {height:,} rows and {width:,} columns, a grid of more than "
            f"{most_cells * _GRID_PER_CELL_LIMIT:,} cells ({_GRID_PER_CELL_LIMIT} times the limit cells)",
            suggestion="Delete what stands far out on the sheet; Ctrl+End in a spreadsheet program goes there.",
        )


class _SheetParser:
    """Cells in the order of a sheet's XML; one without a reference stands behind the one before it."""

    def __init__(self) -> None:
        self.extras = SheetExtras()
        self.rows: set[int] = set()
        self.columns: set[int] = set()
        self._row = -1
        self._column = -1
        self._cell_type = "n"
        self._formula: str | None = None
        self._value: str | None = None
        self._collected: list[str] | None = None

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "c":
            self._begin_cell(attributes)
        elif name in ("f", "v"):
            self._collected = []
        elif name == "row":
            number = attributes.get("r", "")
            self._row = int(number) - 1 if number.isascii() and number.isdigit() else self._row + 1
            self._column = -1

    def characters(self, text: str) -> None:
        if self._collected is not None:
            self._collected.append(text)

    def end(self, name: str) -> None:
        if name == "c":
            self._end_cell()
        elif name == "f" and self._collected is not None:
            self._formula = "".join(self._collected)
            self._collected = None
        elif name == "v" and self._collected is not None:
            self._value = "".join(self._collected)
            self._collected = None

    def _begin_cell(self, attributes: dict[str, str]) -> None:
        reference = _REFERENCE.fullmatch(attributes.get("r", ""))
        if reference:
            self._row, self._column = int(reference[2]) - 1, _column_number(reference[1])
        else:
            self._column += 1
        self.rows = _ends(self.rows | {self._row})
        self.columns = _ends(self.columns | {self._column})
        self._cell_type = attributes.get("t", "n")
        self._formula = self._value = None

    def _end_cell(self) -> None:
        if self._row >= 0:
            self.extras.take((self._row, self._column), self._cell_type, self._formula, self._value)


def _column_number(letters: str) -> int:
    number = 0
    for letter in letters.upper():
        number = 26 * number + ord(letter) - 64
    return number - 1


def _parse(
    members: _Members,
    part: str,
    start: Callable[[str, dict[str, str]], None],
    end: Callable[[str], None] | None = None,
    characters: Callable[[str], None] | None = None,
) -> None:
    """Parse a member as XML; names come without their namespace, and a document that declares entities is refused."""
    parser = expat.ParserCreate(namespace_separator=" ")

    def refuse(*_: object) -> None:
        raise ValueError("its XML declares entities")

    def begin(name: str, attributes: dict[str, str]) -> None:
        start(name.rpartition(" ")[2], {key.rpartition(" ")[2]: value for key, value in attributes.items()})

    parser.EntityDeclHandler = refuse
    parser.StartElementHandler = begin
    if end is not None:
        parser.EndElementHandler = lambda name: end(name.rpartition(" ")[2])
    if characters is not None:
        parser.buffer_text = True
        parser.CharacterDataHandler = characters
    seen = False
    for block in members.blocks(part):
        parser.Parse(block, False)
        seen = True
    if seen:
        parser.Parse(b"", True)
