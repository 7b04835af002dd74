"""What messages say, read from their file as it is now: by the bytes of their record, else wherever they stand."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import BinaryIO, Literal

from glassdex.model import Json
from glassdex.reading.files import OPEN_FLAGS
from glassdex.reading.registry import readers
from glassdex.reading.transcripts.assemble import as_stored, content_hash, elided
from glassdex.reading.transcripts.lines import Line, LineSource, decode
from glassdex.reading.transcripts.protocol import TranscriptReader, Turn, is_transcript
from glassdex.redaction import redact
from glassdex.search.freshness import absolute_path, lies_in_root
from glassdex.storage.records import FileRecord, MessageRecord
from glassdex.storage.sqlite.snapshot import SqliteSnapshot

MessageState = Literal["exact", "moved", "gone"]


@dataclass(frozen=True, slots=True)
class MessageText:
    """The whole text of a message as it stands in its file, or, where it is not there any more, nothing.

    `state` is `exact` where the index says it is, `moved` elsewhere in the file.
    """

    state: MessageState
    original: str | None = None

    def passage(self, record: MessageRecord) -> str | None:
        """The text as it is indexed, its middle left out where it is long; secrets are in it."""
        return None if self.original is None else elided(record.message.role, self.original)[0]


class TranscriptTexts:
    """Reads the messages of one document; a context manager that holds its file open."""

    def __init__(self, snapshot: SqliteSnapshot, file: FileRecord) -> None:
        root = snapshot.root_of(file)
        self.path = absolute_path(root, file)
        self._reader = _reader_named(file.reader)
        self._name = PurePosixPath(file.path)
        self._file: BinaryIO | None = None
        self._turns: tuple[tuple[int, int], list[Turn]] | None = None
        self._everywhere: dict[tuple[str, int, bytes], tuple[int, int, int]] | None = None
        if self._reader is not None and lies_in_root(root, self.path):
            self._file = _opened(self.path)

    def __enter__(self) -> TranscriptTexts:
        return self

    def __exit__(self, *error: object) -> None:
        if self._file is not None:
            self._file.close()

    def text(self, record: MessageRecord) -> MessageText:
        """What the message says."""
        message = record.message
        if self._file is None:
            return MessageText("gone")
        turns = self._turns_at(message.byte_start, message.byte_end)
        if message.turn < len(turns):
            said = turns[message.turn].text
            if content_hash(turns[message.turn].role, said) == message.content_hash:
                return MessageText("exact", said)
        places = self._anywhere()
        for uuid in (message.uuid, ""):  # a name may be the record's own, or made because it has none
            place = places.get((uuid, message.block, message.content_hash))
            if place is not None:
                start, end, index = place
                return MessageText("moved", self._turns_at(start, end)[index].text)
        return MessageText("gone")

    def _turns_at(self, start: int, end: int) -> list[Turn]:
        if self._turns is None or self._turns[0] != (start, end):
            assert self._file is not None
            self._file.seek(start)
            self._turns = (start, end), self._parsed(self._file.read(end - start))
        return self._turns[1]

    def _parsed(self, line: bytes) -> list[Turn]:
        assert self._reader is not None
        try:
            record: Json = decode(line)
        except (ValueError, RecursionError):
            return []
        return [as_stored(turn) for turn in self._reader.parser(self._name).turns(record)]

    def _anywhere(self) -> dict[tuple[str, int, bytes], tuple[int, int, int]]:
        """Where every message of the file stands, by its own uuid ("" where it has none), block and content: the bytes
        of its record, and its place among that record's turns.
        """
        if self._everywhere is None:
            self._everywhere = {}
            for line in self._lines():
                for index, turn in enumerate(self._parsed(line.content or b"")):
                    name = (turn.uuid, turn.block, content_hash(turn.role, turn.text))
                    self._everywhere.setdefault(name, (line.start, line.end, index))
        return self._everywhere

    def _lines(self) -> Iterator[Line]:
        assert self._file is not None
        assert self._reader is not None
        size = os.fstat(self._file.fileno()).st_size
        self._file.seek(0)
        if self._reader.framing == "lines":
            yield from LineSource(self._file, size)
        else:
            yield Line(1, 0, size, self._file.read(size))


def shown_text(record: MessageRecord, found: MessageText, *, raw: bool, full: bool) -> str:
    """The text for a reader: without secrets unless `raw`, without the middle of a long one unless `full`."""
    assert found.original is not None
    text = found.original if raw else redact(found.original).text
    return text if full else elided(record.message.role, text)[0]


def _opened(path: str) -> BinaryIO | None:
    """The file; nothing where there is none, or something else in its place."""
    try:
        file = os.fdopen(os.open(path, OPEN_FLAGS), "rb")
    except OSError:
        return None
    if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        return file
    file.close()
    return None


def _reader_named(identity: str | None) -> TranscriptReader | None:
    name = (identity or "").partition("/")[0]
    return next((reader for reader in readers() if reader.name == name and is_transcript(reader)), None)
