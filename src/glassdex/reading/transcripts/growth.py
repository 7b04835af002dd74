"""An open transcript → parts to publish one after the other; each says where the next one begins.

A part is what a transaction takes: memory stays bounded however long the file is, and a run that was killed goes on
after the last part that it published. A file that has grown since is read from there, too.
"""

from __future__ import annotations

import json
import os
import stat
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import BinaryIO

from glassdex.errors import FileDamaged, FileUnreadable
from glassdex.model import Document, FileStat, Json, Message, Place, ReadingWarning, Row
from glassdex.reading.files import OPEN_FLAGS, file_stat
from glassdex.reading.protocol import HEAD_BYTES, ReadingOptions
from glassdex.reading.transcripts.assemble import SEPARATOR, Assembler
from glassdex.reading.transcripts.history import History, Told
from glassdex.reading.transcripts.lines import Line, LineSource, decode
from glassdex.reading.transcripts.protocol import TranscriptReader

PART_CHARACTERS = 1_000_000
"""Of the text that a part indexes, about."""
PART_BYTES = 64 << 20
_WARNINGS_NAMED = 20


@dataclass(frozen=True, slots=True)
class Cursor:
    """How far a file was read: all that reading its growth needs besides the messages that are stored.

    `byte` is where the next line begins (or goes on, where the last one read had no `\\n` yet), `line` its number,
    `prefix_hash` SHA-256 of all before it (64 hex digits). `rows` and `characters` count what the document has so far.
    """

    byte: int = 0
    line: int = 1
    prefix_hash: str = ""
    rows: int = 0
    characters: int = 0
    parser: Json = None
    unpaired: Json = None
    secrets: dict[str, int] = field(default_factory=dict)
    said: int = 0
    indexed: int = 0
    """Characters that the turns have, and that are indexed of them."""
    broken: int = 0
    """Lines that could not be read."""


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of a file: a document of its new rows, their offsets counted from the beginning of this part's text.

    `base` is the offset of that text in the whole document's. `file_hash` (64 hex digits) is that of the whole file,
    on the last part alone.
    """

    document: Document
    base: int
    cursor: Cursor
    first: bool
    file_hash: str | None = None


@dataclass(frozen=True, slots=True)
class Resume:
    """A file's state in the index: from where it is read on, its last messages in order, and what it has told."""

    cursor: Cursor
    recent: Sequence[Message]
    told: Told


def resume_from(cursor: str, recent: Sequence[Message], told: Told) -> Resume | None:
    """Where a cursor, as JSON, says; nothing where it cannot be read back: then the file is read from its beginning."""
    try:
        return Resume(Cursor(**json.loads(cursor)), recent, told)
    except (TypeError, ValueError):
        return None


class OpenTranscript:
    """A transcript file, open; `stat` and `head` are those of the moment it was opened.

    Raises:
        FileUnreadable: the system refused, or the name is no regular file.
    """

    def __init__(self, path: str) -> None:
        try:
            descriptor = os.open(path, OPEN_FLAGS)
            self._file: BinaryIO = os.fdopen(descriptor, "rb")
            status = os.fstat(descriptor)
        except OSError as error:
            raise FileUnreadable(error.strerror or str(error), "check the file's permissions") from error
        if not stat.S_ISREG(status.st_mode):
            self.close()
            raise FileUnreadable("the name is not a regular file any more")
        self.stat: FileStat = file_stat(status)
        self.head = self._file.read(HEAD_BYTES)

    def close(self) -> None:
        """Closes the file."""
        self._file.close()

    def parts(
        self, reader: TranscriptReader, path: PurePosixPath, resume: Resume | None, options: ReadingOptions
    ) -> Iterator[Part]:
        """See `parts_of`."""
        return parts_of(reader, path, self._file, self.stat.size, resume, options)


def parts_of(
    reader: TranscriptReader,
    path: PurePosixPath,
    file: BinaryIO,
    size: int,
    resume: Resume | None,
    options: ReadingOptions,
) -> Iterator[Part]:
    """What there is to publish of the first `size` bytes, from `resume` on if they still begin as they did then.

    The last part has the file's hash and may be empty: there is one even where the file did not grow by a whole line.
    """
    source: LineSource | None = None
    if resume is not None and 0 < resume.cursor.byte <= size and reader.framing == "lines":
        file.seek(0)
        source = LineSource(file, size, resume.cursor.byte, resume.cursor.line)
        if source.hash != resume.cursor.prefix_hash or source.goes_on():
            source = None
    if source is None:
        resume = None
        file.seek(0)
        source = LineSource(file, size)
    growth = _Growth(reader, path, source, resume, options)
    yield from growth.parts() if reader.framing == "lines" else growth.whole(file)


class _Growth:
    """The reading of one file from a cursor to its end."""

    def __init__(
        self,
        reader: TranscriptReader,
        path: PurePosixPath,
        source: LineSource,
        resume: Resume | None,
        options: ReadingOptions,
    ) -> None:
        before = resume.cursor if resume else Cursor()
        parser = reader.parser(path, before.parser)
        history = History(resume.recent, resume.told, before.unpaired) if resume else History()
        self._assembler = Assembler(reader.source, parser, history, redacting=options.redact)
        self._reader = reader
        self._path = path
        self._source = source
        self._cursor = before
        self._first = resume is None
        self._rows: list[Row] = []
        self._characters = 0
        self._warnings: list[ReadingWarning] = []
        self._broken = before.broken

    def parts(self) -> Iterator[Part]:
        waiting: Line | None = None
        began = self._source.position
        for line in self._source:
            if not line.complete and not self._is_whole(line):
                waiting = line
                break
            self._add(line)
            if not line.complete:
                self._source.take(line)
            if self._characters >= PART_CHARACTERS or self._source.position - began >= PART_BYTES:
                yield self._part(None)
                began = self._source.position
        yield self._part(self._source.whole_hash(waiting))

    def whole(self, file: BinaryIO) -> Iterator[Part]:
        """The one part of a file that is a single record."""
        line = Line(1, 0, self._source.unread, file.read(self._source.unread))
        self._add(line)
        if self._broken:
            raise FileDamaged(f"the file is no JSON that can be read: {self._warnings[0].message}")
        self._source.take(line)
        yield self._part(self._source.hash)

    def _is_whole(self, line: Line) -> bool:
        """Whether an unfinished line says all it has to: a record that is cut short is no JSON."""
        try:
            return line.content is not None and decode(line.content) is not None
        except (ValueError, RecursionError):
            return False

    def _add(self, line: Line) -> None:
        if line.content is None:
            self._warn("line_too_long", line, "the line is too long to be read")
            return
        try:
            record = decode(line.content)
        except RecursionError:
            self._warn("broken_line", line, "the line is nested too deeply")
            return
        except ValueError as error:
            self._warn("broken_line", line, f"the line is no JSON: {error}")
            return
        ordinal = self._cursor.rows + len(self._rows)
        for row in self._assembler.rows(record, line, ordinal, self._characters):
            self._rows.append(row)
            self._characters += len(row.text) + len(SEPARATOR)

    def _warn(self, code: str, line: Line, message: str) -> None:
        self._broken += 1
        if self._broken <= _WARNINGS_NAMED:
            self._warnings.append(ReadingWarning(code, message, line.number))
        elif self._broken == _WARNINGS_NAMED + 1:
            self._warnings.append(
                ReadingWarning("broken_line", "this line and others after it are broken, too", line.number)
            )

    def _part(self, file_hash: str | None) -> Part:
        document = self._document()
        before, tally = self._cursor, self._assembler.tally
        part = Part(
            document,
            base=before.characters,
            first=self._first,
            file_hash=file_hash,
            cursor=Cursor(
                byte=self._source.position,
                line=self._source.number,
                prefix_hash=self._source.hash,
                rows=before.rows + len(self._rows),
                characters=before.characters + self._characters,
                parser=self._assembler.state(),
                unpaired=self._assembler.history.unpaired(),
                secrets=dict(Counter(before.secrets) + tally.secrets),
                said=before.said + tally.said,
                indexed=before.indexed + tally.indexed,
                broken=self._broken,
            ),
        )
        self._cursor, self._first = part.cursor, False
        self._rows, self._characters, self._warnings = [], 0, []
        tally.said = tally.indexed = 0
        tally.secrets.clear()
        return part

    def _document(self) -> Document:
        spoken = {row.message.conversation for row in self._rows if row.message}
        conversations = self._assembler.conversations(spoken)
        own = next((conversation for conversation in conversations if not conversation.key), None)
        title = own.title if own else ""
        return Document(
            format=self._reader.format,
            title=title or self._path.stem,
            title_source="conversation",
            text=SEPARATOR.join(row.text for row in self._rows),
            rows=tuple(self._rows),
            date=None,
            warnings=tuple(self._warnings),
            places=tuple(
                Place(row.start, row.start + len(row.text), line_start=row.message.line, line_end=row.message.line)
                for row in self._rows
                if row.message
            ),
            conversations=conversations,
        )


def joined(parts: Sequence[Part]) -> Document:
    """The whole document of a file that was read in parts."""
    rows: list[Row] = []
    places: list[Place] = []
    texts: list[str] = []
    for part in parts:
        rows += (replace(row, start=part.base + row.start) for row in part.document.rows)
        places += (p._replace(start=part.base + p.start, end=part.base + p.end) for p in part.document.places)
        texts += [row.text for row in part.document.rows]
    return replace(
        parts[-1].document,
        text=SEPARATOR.join(texts),
        rows=tuple(rows),
        places=tuple(places) or (Place(0, 0, line_start=1, line_end=1),),
        warnings=tuple(warning for part in parts for warning in part.document.warnings),
    )
