"""Bytes → complete lines: split at `\\n` alone, each with its place in the file, hashed on the way."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from glassdex.model import Json

BLOCK_BYTES = 1 << 20
MAX_LINE_BYTES = 64 << 20
"""A longer line is passed over: one record must not fill the memory."""
_BLANK = b"\0 \t\r"
_DECODER = json.JSONDecoder(strict=False)  # a raw NUL in a string is odd, not the end of the conversation


@dataclass(frozen=True, slots=True)
class Line:
    """A line without its `\\n`: `number` from 1, bytes `[start, end)` of the file.

    `content` is absent for one that is too long. `complete` says that a `\\n` follows.
    """

    number: int
    start: int
    end: int
    content: bytes | None
    complete: bool = True


class LineSource:
    """The lines of an open file up to `size`, from a place where one begins; hashes what it gives.

    `number` is the line that begins at `start` (or is continued there, where the last one given had no `\\n` yet).
    """

    def __init__(self, file: BinaryIO, size: int, start: int = 0, number: int = 1) -> None:
        self._file = file
        self._size = size
        self._hash = hashlib.sha256()
        self._ahead: hashlib._Hash | None = None
        """Of a line that is too long to be held, and not passed yet."""
        self._last = b"\n"
        self._skip(start)
        self.position = start
        self.number = number

    def _skip(self, length: int) -> None:
        """Reads the bytes before the first line only to hash them."""
        while length > 0:
            block = self._file.read(min(BLOCK_BYTES, length))
            if not block:
                return
            self._hash.update(block)
            self._last = block[-1:]
            length -= len(block)

    @property
    def hash(self) -> str:
        """SHA-256 of the file up to `position`, 64 hex digits."""
        return self._hash.hexdigest()

    def goes_on(self) -> bool:
        """Whether the line before `position`, which had no `\\n` when it was read, says more than it did then."""
        if self._last == b"\n":
            return False
        more, left = b"", self.unread
        while not more and left > 0 and (block := self._file.read(min(BLOCK_BYTES, left))):
            left -= len(block)
            more, ended, _ = block.partition(b"\n")
            more = more.strip(_BLANK)
            if ended:
                break
        self._file.seek(self.position)
        return bool(more)

    @property
    def unread(self) -> int:
        """How many bytes there are after `position`."""
        return self._size - self.position

    def __iter__(self) -> Iterator[Line]:
        """Every complete line, then what follows the last `\\n`, if anything: that one is not hashed nor passed."""
        rest: list[bytes] = []
        held = 0
        remaining = self.unread
        while remaining > 0:
            block = self._file.read(min(BLOCK_BYTES, remaining))
            if not block:
                break
            remaining -= len(block)
            *ended, last = block.split(b"\n")
            for piece in ended:
                yield self._line(rest, piece, held)
                rest, held = [], 0
            held += len(last)
            if held <= MAX_LINE_BYTES:
                rest.append(last)
            else:
                self._too_long(rest, last)
        if held:
            content = None if held > MAX_LINE_BYTES else b"".join(rest)
            yield Line(self.number, self.position, self.position + held, content, complete=False)

    def take(self, line: Line) -> None:
        """Passes over an unfinished line that turned out to be whole: the next read begins behind it."""
        if line.content is not None:
            self._hash.update(line.content)
            self.position = line.end

    def whole_hash(self, line: Line | None) -> str:
        """SHA-256 of the file with the unfinished line that waits at its end."""
        if self._ahead is not None:
            return self._ahead.hexdigest()
        if line is None or line.content is None or line.start != self.position:
            return self.hash
        hashed = self._hash.copy()
        hashed.update(line.content)
        return hashed.hexdigest()

    def _too_long(self, rest: list[bytes], last: bytes) -> None:
        self._ahead = self._ahead or self._hash.copy()
        for piece in (*rest, last):
            self._ahead.update(piece)
        rest.clear()

    def _line(self, rest: list[bytes], piece: bytes, held: int) -> Line:
        length = held + len(piece)
        content = None if length > MAX_LINE_BYTES else b"".join((*rest, piece)) if rest else piece
        self._hash, self._ahead = self._ahead or self._hash, None
        for part in (*rest, piece, b"\n") if content is None else (content, b"\n"):
            self._hash.update(part)
        line = Line(self.number, self.position, self.position + length, content)
        self.position = line.end + 1
        self.number += 1
        return line


def decode(content: bytes) -> Json:
    """The record of a line; None where it has none but NULs and white space.

    Raises:
        ValueError: it is no JSON.
        RecursionError: it is nested too deeply.
    """
    text = content.decode("utf-8", "replace").strip("\0 \t\r\n\ufeff")
    if not text:
        return None
    record: Json = _DECODER.decode(text)
    return record
