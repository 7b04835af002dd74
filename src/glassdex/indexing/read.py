"""Found files → documents with their tokens, one group at a time and one group ahead of whoever publishes them.

Nothing here touches the store but `resume`, which tells how far a transcript was read, so it may run in a thread;
tokenising, a good part of the work, runs beside Python.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from glassdex import chunking
from glassdex.embedding.tokens import token_counter
from glassdex.errors import FileChangedWhileReading, GlassdexError, MissingExtra, ReadError
from glassdex.indexing.scan import FoundFile, too_large
from glassdex.model import Document, FileStat
from glassdex.reading.files import content_hash, read_steady
from glassdex.reading.isolation import ReadingProcess
from glassdex.reading.protocol import LINE_SUFFIXES, Reader, ReadingOptions
from glassdex.reading.registry import choose_reader, read_by, reader_identity
from glassdex.reading.transcripts.growth import PART_CHARACTERS, OpenTranscript, Part, Resume
from glassdex.reading.transcripts.protocol import TranscriptReader, is_transcript
from glassdex.storage.records import FileObservation, RootRecord, SkippedRecord, WriteStatus

GROUP_FILES = 256
GROUP_BYTES = 2_000_000
GROUP_SECONDS = 2.0
"""A group is handed over once reading it has taken so long: slow files hold back neither progress nor publishing."""


@dataclass(frozen=True, slots=True)
class ReadFile:
    """A file that was read: what was seen of it, what it holds, and the reader that says so (`name/version`).

    Of a transcript it is one `part`, whose document holds the new messages alone.
    """

    observation: FileObservation
    document: Document
    reader: str
    part: Part | None = None

    @property
    def is_whole(self) -> bool:
        """Whether the file is read to its end."""
        return self.part is None or self.part.file_hash is not None


@dataclass(frozen=True, slots=True)
class UnreadFile:
    """A file that could not be read: what was seen of it, and why."""

    observation: FileObservation
    write_status: WriteStatus
    code: str
    message: str
    suggestion: str = ""


@dataclass(frozen=True, slots=True)
class ReadGroup:
    """What came of a group of files.

    `token_starts[i]` holds the offsets of the tokens of `files[i]`'s text, `frame_token_starts` those of every
    breadcrumb and context that its documents may need. `unwanted` are the raw paths of files that no reader takes.
    """

    files: Sequence[ReadFile]
    token_starts: Sequence[Sequence[int]]
    frame_token_starts: dict[str, Sequence[int]]
    unread: Sequence[UnreadFile]
    unwanted: Sequence[tuple[bytes, SkippedRecord]]


def read_ahead(
    root: RootRecord,
    files: Iterable[FoundFile],
    options: ReadingOptions = ReadingOptions(),
    resume: Callable[[FoundFile], Resume | None] = lambda _file: None,
) -> Generator[ReadGroup]:
    """Reads the files in groups; while the caller works on one, the next is read.

    Closing the generator ends the reading of the file that is being read, if that goes on in a process of its own.
    """
    with (
        ExitStack() as afterwards,
        ThreadPoolExecutor(1, thread_name_prefix="glassdex-read") as reading,
        ReadingProcess() as process,
    ):
        reader = _GroupReader(root, deque(files), options, process, resume)
        afterwards.callback(reader.close)  # once nothing reads any more
        pending = reading.submit(reader.next_group)
        while (group := pending.result()) is not None:
            pending = reading.submit(reader.next_group)
            yield group


def observe(root_id: int, file: FoundFile, stat: FileStat, hashed: str | None) -> FileObservation:
    """A look at a file, now."""
    return FileObservation(root_id, file.raw_path, file.path, stat, hashed, time.time())


_Outcome = ReadFile | UnreadFile | SkippedRecord


@dataclass(slots=True)
class _Growing:
    """A transcript that is being read, part after part."""

    file: FoundFile
    opened: OpenTranscript
    parts: Iterator[Part]
    reader: str


@dataclass(slots=True)
class _GroupReader:
    """Takes files off those that remain, a group at a time; of a long transcript as many parts as a group holds."""

    root: RootRecord
    remaining: deque[FoundFile]
    options: ReadingOptions
    process: ReadingProcess
    resume: Callable[[FoundFile], Resume | None]
    _growing: _Growing | None = field(default=None, init=False)

    def next_group(self) -> ReadGroup | None:
        """What came of the next group; none when there are no more files."""
        group: list[FoundFile] = []
        outcomes: list[_Outcome] = []
        started = time.monotonic()
        size = 0
        while (self._growing or self.remaining) and not self.process.closed:
            following = 0 if self._growing else _expected_characters(self.remaining[0])
            too_much = size + following > GROUP_BYTES or len(group) == GROUP_FILES
            if group and (too_much or time.monotonic() - started > GROUP_SECONDS):
                break
            file = self._growing.file if self._growing else self.remaining.popleft()
            outcome = self._next_part() if self._growing else self._read(file)
            group.append(file)
            outcomes.append(outcome)
            size += len(outcome.document.text) if isinstance(outcome, ReadFile) and outcome.part else following
        if not group or self.process.closed:
            return None
        return _group(group, outcomes)

    def close(self) -> None:
        """Closes the transcript that is being read, if there is one."""
        if self._growing:
            self._growing.opened.close()
            self._growing = None

    def _read(self, file: FoundFile) -> _Outcome:
        """The file, or the first part of it; whatever goes wrong is that file's own error, not the run's."""
        hashed: str | None = None
        try:
            opened = OpenTranscript(file.absolute)
            try:
                reader = choose_reader(PurePosixPath(file.path), opened.head)
                if reader is not None and is_transcript(reader):
                    return self._begin(file, opened, reader)
            finally:
                if self._growing is None:
                    opened.close()
            refused = self._refused(file, reader, opened.head)
            if refused is not None:
                return refused
            assert reader is not None
            content, stat = read_steady(file.absolute)
            hashed = content_hash(content)
            document = read_by(reader, PurePosixPath(file.path), content, self.options, self.process)
            return ReadFile(observe(self.root.id, file, stat, hashed), document, reader_identity(reader))
        except Exception as error:
            return self._unread(file, error, hashed)

    def _refused(self, file: FoundFile, reader: Reader | None, head: bytes) -> SkippedRecord | None:
        """Why the file is left out, now that its beginning is known."""
        if reader is None:
            return SkippedRecord(file.path, "binary" if b"\0" in head else "no_reader", "")
        if self.root.kind == "transcripts":
            return SkippedRecord(file.path, "no_transcript", "")
        return too_large(file.path, file.stat.size, self.options.limits.file_bytes)

    def _begin(self, file: FoundFile, opened: OpenTranscript, reader: TranscriptReader) -> _Outcome:
        if reader.framing == "whole":
            refused = too_large(file.path, opened.stat.size, self.options.limits.file_bytes)
            if refused is not None:
                return refused
        parts = opened.parts(reader, PurePosixPath(file.path), self.resume(file), self.options)
        self._growing = _Growing(file, opened, parts, reader_identity(reader, redact=self.options.redact))
        return self._next_part()

    def _next_part(self) -> _Outcome:
        assert self._growing is not None
        growing = self._growing
        try:
            part = next(growing.parts)
        except Exception as error:
            self.close()
            return self._unread(growing.file, error, None)
        if part.file_hash is not None:
            self.close()
        seen = observe(self.root.id, growing.file, growing.opened.stat, part.file_hash)
        return ReadFile(seen, part.document, growing.reader, part)

    def _unread(self, file: FoundFile, error: Exception, hashed: str | None) -> UnreadFile:
        seen = observe(self.root.id, file, file.stat, hashed)
        if not isinstance(error, GlassdexError):
            return UnreadFile(seen, "failed", ReadError.code, f"{type(error).__name__}: {error}")
        status: WriteStatus = "writing" if isinstance(error, FileChangedWhileReading) else "failed"
        message = error.message
        if isinstance(error, MissingExtra) and error.suggestion:
            message = f"{message}: {error.suggestion}"  # what is stored is the message, and this is its point
        return UnreadFile(seen, status, error.code, message, error.suggestion)


def _expected_characters(file: FoundFile) -> int:
    """How much text a file may have; of a transcript most is left out, and it comes in parts."""
    return min(file.stat.size // 4, PART_CHARACTERS) if file.path.lower().endswith(LINE_SUFFIXES) else file.stat.size


def _group(group: Sequence[FoundFile], outcomes: Sequence[_Outcome]) -> ReadGroup:
    files = [outcome for outcome in outcomes if isinstance(outcome, ReadFile)]
    trails = sorted({trail for file in files for trail in chunking.frames_of(file.document)})
    return ReadGroup(
        files=files,
        token_starts=_token_starts([file.document.text for file in files]),
        frame_token_starts=dict(zip(trails, _token_starts(trails), strict=True)),
        unread=[outcome for outcome in outcomes if isinstance(outcome, UnreadFile)],
        unwanted=[
            (file.raw_path, outcome)
            for file, outcome in zip(group, outcomes, strict=True)
            if isinstance(outcome, SkippedRecord)
        ],
    )


def _token_starts(texts: Sequence[str]) -> list[Sequence[int]]:
    return [[start for start, _ in spans] for spans in token_counter().spans_batch(texts)]
