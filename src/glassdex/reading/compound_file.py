"""What calamine does not tell of a compound file (XLS, encrypted XLSX): whether it is encrypted, and error values.

The file is a compound file: sectors chained by an allocation table, with a directory of streams ([MS-CFB]). The stream
`Workbook` is records of a kind, a length and a body; the cells of a sheet follow its own beginning ([MS-XLS]).
"""

from __future__ import annotations

import struct
from collections.abc import Collection, Iterator

_CODES = {
    0: "#NULL!",
    7: "#DIV/0!",
    15: "#VALUE!",
    23: "#REF!",
    29: "#NAME?",
    36: "#NUM!",
    42: "#N/A",
    43: "#GETTING_DATA",
}
_SHEET, _END, _FORMULA, _TRUTH_OR_ERROR, _PASSWORD = 0x85, 0x0A, 0x06, 0x205, 0x2F
_DIRECTORY_ENTRY = 128
_STREAM, _ROOT = 2, 5
_LARGEST_SECTOR = 0xFFFFFFFA
_WORKBOOK = frozenset({"workbook", "book"})
_ENCRYPTED = frozenset({"encryptedpackage"})

_MALFORMED = (struct.error, IndexError, UnicodeDecodeError)

Cells = dict[tuple[int, int], str]


def is_encrypted(content: bytes) -> bool:
    """Whether a compound file is a newer document in encryption, or a workbook that asks for a password."""
    try:
        compound = _CompoundFile(content)
        stream = compound.stream(_WORKBOOK)
        return compound.has(_ENCRYPTED) or any(kind == _PASSWORD for kind, _ in _records(stream, 0))
    except _MALFORMED:
        return False


def xls_errors(content: bytes) -> list[Cells]:
    """For each sheet in the workbook's order, its errors by (row, column) from 0; none where it cannot be told."""
    try:
        stream = _CompoundFile(content).stream(_WORKBOOK)
        return [_errors(stream, offset) for offset in _sheet_offsets(stream)]
    except _MALFORMED:
        return []


class _CompoundFile:
    def __init__(self, content: bytes) -> None:
        self._content = content
        (shift, mini_shift) = struct.unpack_from("<HH", content, 30)
        if shift not in (9, 12) or mini_shift != 6:
            raise IndexError(shift)
        self._size, self._mini_size = 1 << shift, 1 << mini_shift
        self._table = self._allocation_table()
        (directory_start, self._least_size) = struct.unpack_from("<I4xI", content, 48)
        self._root_start = 0
        self._streams = dict(self._directory(self._chained(directory_start)))

    def has(self, names: Collection[str]) -> bool:
        """Whether there is a stream of one of the names, in lower case."""
        return not self._streams.keys().isdisjoint(names)

    def stream(self, names: Collection[str]) -> bytes:
        """The stream of one of the names, in lower case; empty where there is none."""
        for name in names:
            if name in self._streams:
                start, size = self._streams[name]
                small = size < self._least_size
                return (self._mini_chained(start) if small else self._chained(start))[:size]
        return b""

    def _directory(self, entries: bytes) -> Iterator[tuple[str, tuple[int, int]]]:
        """Name in lower case, first sector and size of each stream."""
        for at in range(0, len(entries) - _DIRECTORY_ENTRY + 1, _DIRECTORY_ENTRY):
            (name_size, kind) = struct.unpack_from("<HB", entries, at + 64)
            (start, size) = struct.unpack_from("<II", entries, at + 116)
            if kind == _ROOT:
                self._root_start = start
            elif kind == _STREAM:
                yield entries[at : at + max(0, name_size - 2)].decode("utf-16-le").lower(), (start, size)

    def _allocation_table(self) -> list[int]:
        sectors = list(struct.unpack_from("<109I", self._content, 76))
        (following, count) = struct.unpack_from("<II", self._content, 68)
        for _ in range(min(count, len(self._content) // self._size)):
            *more, following = struct.unpack(f"<{self._size // 4}I", self._sector(following))
            sectors += more
        used = (self._sector(sector) for sector in sectors if sector < _LARGEST_SECTOR)
        return [entry for sector in used for (entry,) in struct.iter_unpack("<I", sector)]

    def _sector(self, number: int) -> bytes:
        start = (number + 1) * self._size
        return self._content[start : start + self._size].ljust(self._size, b"\0")

    def _chained(self, start: int) -> bytes:
        return b"".join(map(self._sector, _chain(self._table, start)))

    def _mini_chained(self, start: int) -> bytes:
        container = self._chained(self._root_start)
        (table_start,) = struct.unpack_from("<I", self._content, 60)
        table = [entry for (entry,) in struct.iter_unpack("<I", self._chained(table_start))]
        parts = (number * self._mini_size for number in _chain(table, start))
        return b"".join(container[at : at + self._mini_size] for at in parts)


def _chain(table: list[int], start: int) -> Iterator[int]:
    for _ in range(len(table)):  # a chain that bites its tail ends here
        if start >= len(table):
            return
        yield start
        start = table[start]


def _records(stream: bytes, at: int) -> Iterator[tuple[int, int]]:
    """Kind of each record from `at` to the end of its part of the stream, and the offset of its body."""
    while at + 4 <= len(stream):
        kind, length = struct.unpack_from("<HH", stream, at)
        yield kind, at + 4
        if kind == _END:
            return
        at += 4 + length


def _sheet_offsets(stream: bytes) -> list[int]:
    return [struct.unpack_from("<I", stream, body)[0] for kind, body in _records(stream, 0) if kind == _SHEET]


def _errors(stream: bytes, offset: int) -> Cells:
    errors: Cells = {}
    for kind, body in _records(stream, offset):
        if kind == _TRUTH_OR_ERROR:
            row, column, _, code, is_error = struct.unpack_from("<HHHBB", stream, body)
        elif kind == _FORMULA:
            row, column, _, result, _, code, _, text_mark = struct.unpack_from("<HHHBBB3sH", stream, body)
            is_error = result == 2 and text_mark == 0xFFFF
        else:
            continue
        if is_error:
            errors[row, column] = _CODES.get(code, f"#ERROR({code})")
    return errors
