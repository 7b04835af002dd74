"""Found files → documents with their tokens, one group at a time and one group ahead of whoever publishes them.

Nothing here touches the store, so it may run in a thread; tokenising, a good part of the work, runs beside Python.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import PurePosixPath

from glassdex import chunking
from glassdex.embedding.tokens import token_counter
from glassdex.errors import FileChangedWhileReading, GlassdexError, ReadError
from glassdex.indexing.scan import FoundFile
from glassdex.model import Document, FileStat
from glassdex.reading.files import content_hash, read_steady
from glassdex.reading.protocol import HEAD_BYTES
from glassdex.reading.registry import choose_reader, reader_identity
from glassdex.storage.records import FileObservation, SkippedRecord, WriteStatus

GROUP_FILES = 256
GROUP_BYTES = 2_000_000


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

    `token_starts[i]` holds the offsets of the tokens of `files[i]`'s text, `breadcrumb_token_starts` those of every
    breadcrumb that its documents may need. `unwanted` are the raw paths of files that no reader takes.
    """

    files: Sequence[ReadFile]
    token_starts: Sequence[Sequence[int]]
    breadcrumb_token_starts: dict[str, Sequence[int]]
    unread: Sequence[UnreadFile]
    unwanted: Sequence[tuple[bytes, SkippedRecord]]


def read_ahead(root_id: int, files: Iterable[FoundFile]) -> Generator[ReadGroup]:
    """Reads the files in groups; while the caller works on one, the next is read."""
    with ThreadPoolExecutor(1, thread_name_prefix="glassdex-read") as reading:
        pending: Future[ReadGroup] | None = None
        for group in _groups(files):
            following = reading.submit(_read_group, root_id, group)
            if pending is not None:
                yield pending.result()
            pending = following
        if pending is not None:
            yield pending.result()


def observe(root_id: int, file: FoundFile, stat: FileStat, hashed: str | None) -> FileObservation:
    """A look at a file, now."""
    return FileObservation(root_id, file.raw_path, file.path, stat, hashed, time.time())


def _read_group(root_id: int, group: Sequence[FoundFile]) -> ReadGroup:
    outcomes = [_read(root_id, file) for file in group]
    files = [outcome for outcome in outcomes if isinstance(outcome, ReadFile)]
    trails = sorted({trail for file in files for trail in chunking.breadcrumbs_of(file.document)})
    return ReadGroup(
        files=files,
        token_starts=_token_starts([file.document.text for file in files]),
        breadcrumb_token_starts=dict(zip(trails, _token_starts(trails), strict=True)),
        unread=[outcome for outcome in outcomes if isinstance(outcome, UnreadFile)],
        unwanted=[
            (file.raw_path, outcome)
            for file, outcome in zip(group, outcomes, strict=True)
            if isinstance(outcome, SkippedRecord)
        ],
    )


def _token_starts(texts: Sequence[str]) -> list[Sequence[int]]:
    return [[start for start, _ in spans] for spans in token_counter().spans_batch(texts)]


def _read(root_id: int, file: FoundFile) -> ReadFile | UnreadFile | SkippedRecord:
    hashed: str | None = None
    try:
        content, stat = read_steady(file.absolute)
        reader = choose_reader(PurePosixPath(file.path), content[:HEAD_BYTES])
        if reader is None:
            binary = b"\0" in content[:HEAD_BYTES]
            return SkippedRecord(file.path, "binary" if binary else "no_reader", "")
        hashed = content_hash(content)
        document = reader.read(PurePosixPath(file.path), content)
        return ReadFile(observe(root_id, file, stat, hashed), document, reader_identity(reader))
    except GlassdexError as error:
        status: WriteStatus = "writing" if isinstance(error, FileChangedWhileReading) else "failed"
        seen = observe(root_id, file, file.stat, hashed)
        return UnreadFile(seen, status, error.code, error.message, error.suggestion)
    except Exception as error:  # a reader's own fault is that file's error, not the run's
        seen = observe(root_id, file, file.stat, hashed)
        return UnreadFile(seen, "failed", ReadError.code, f"{type(error).__name__}: {error}")


def _groups(files: Iterable[FoundFile]) -> Iterator[list[FoundFile]]:
    group: list[FoundFile] = []
    size = 0
    for file in files:
        if group and (len(group) >= GROUP_FILES or size + file.stat.size > GROUP_BYTES):
            yield group
            group, size = [], 0
        group.append(file)
        size += file.stat.size
    if group:
        yield group
