"""Found files → documents with their tokens, one group at a time and one group ahead of whoever publishes them.

Nothing here touches the store, so it may run in a thread; tokenising, a good part of the work, runs beside Python.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import PurePosixPath

from glassdex import chunking
from glassdex.embedding.tokens import token_counter
from glassdex.errors import FileChangedWhileReading, GlassdexError, MissingExtra, ReadError
from glassdex.indexing.scan import FoundFile
from glassdex.model import Document, FileStat
from glassdex.reading.files import content_hash, read_steady
from glassdex.reading.isolation import ReadingProcess
from glassdex.reading.protocol import HEAD_BYTES, ReadingOptions
from glassdex.reading.registry import read_document, reader_identity
from glassdex.storage.records import FileObservation, SkippedRecord, WriteStatus

GROUP_FILES = 256
GROUP_BYTES = 2_000_000
GROUP_SECONDS = 2.0
"""A group is handed over once reading it has taken so long: slow files hold back neither progress nor publishing."""


@dataclass(frozen=True, slots=True)
class ReadFile:
    """A file that was read: what was seen of it, what it holds, and the reader that says so (`name/version`)."""

    observation: FileObservation
    document: Document
    reader: str


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
    root_id: int, files: Iterable[FoundFile], options: ReadingOptions = ReadingOptions()
) -> Generator[ReadGroup]:
    """Reads the files in groups; while the caller works on one, the next is read.

    Closing the generator ends the reading of the file that is being read, if that goes on in a process of its own.
    """
    remaining = deque(files)
    with ThreadPoolExecutor(1, thread_name_prefix="glassdex-read") as reading, ReadingProcess() as process:
        pending = reading.submit(_read_group, root_id, remaining, options, process)
        while (group := pending.result()) is not None:
            pending = reading.submit(_read_group, root_id, remaining, options, process)
            yield group


def observe(root_id: int, file: FoundFile, stat: FileStat, hashed: str | None) -> FileObservation:
    """A look at a file, now."""
    return FileObservation(root_id, file.raw_path, file.path, stat, hashed, time.time())


def _read_group(
    root_id: int, remaining: deque[FoundFile], options: ReadingOptions, process: ReadingProcess
) -> ReadGroup | None:
    """Takes a group off the files that remain, and reads it; none when there are no more."""
    group: list[FoundFile] = []
    outcomes: list[ReadFile | UnreadFile | SkippedRecord] = []
    for file in _next_group(remaining):
        if process.closed:
            return None
        group.append(file)
        outcomes.append(_read(root_id, file, options, process))
    if not group:
        return None
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


def _read(
    root_id: int, file: FoundFile, options: ReadingOptions, process: ReadingProcess
) -> ReadFile | UnreadFile | SkippedRecord:
    hashed: str | None = None
    try:
        content, stat = read_steady(file.absolute)
        hashed = content_hash(content)
        found = read_document(PurePosixPath(file.path), content, options, process)
        if found is None:
            binary = b"\0" in content[:HEAD_BYTES]
            return SkippedRecord(file.path, "binary" if binary else "no_reader", "")
        document, reader = found
        return ReadFile(observe(root_id, file, stat, hashed), document, reader_identity(reader))
    except GlassdexError as error:
        status: WriteStatus = "writing" if isinstance(error, FileChangedWhileReading) else "failed"
        seen = observe(root_id, file, file.stat, hashed)
        message = error.message
        if isinstance(error, MissingExtra) and error.suggestion:
            message = f"{message}: {error.suggestion}"  # what is stored is the message, and this is its point
        return UnreadFile(seen, status, error.code, message, error.suggestion)
    except Exception as error:  # a reader's own fault is that file's error, not the run's
        seen = observe(root_id, file, file.stat, hashed)
        return UnreadFile(seen, "failed", ReadError.code, f"{type(error).__name__}: {error}")


def _next_group(remaining: deque[FoundFile]) -> Iterator[FoundFile]:
    started = time.monotonic()
    count = size = 0
    while remaining:
        size += remaining[0].stat.size
        if count and (size > GROUP_BYTES or count == GROUP_FILES or time.monotonic() - started > GROUP_SECONDS):
            return
        count += 1
        yield remaining.popleft()
