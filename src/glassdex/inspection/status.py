"""A project at a glance."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

from glassdex.storage.records import Counts, SkippedRecord, TranscriptFigures, WriteStatus
from glassdex.storage.sqlite.snapshot import SqliteSnapshot


@dataclass(frozen=True, slots=True)
class FailedFile:
    """A file that could not be indexed, and why."""

    path: str
    code: str
    message: str
    has_older_rows: bool
    """Whether an earlier state of the file is still searchable."""


@dataclass(frozen=True, slots=True)
class OddFile:
    """A file that was read in spite of something odd in it."""

    path: str
    code: str
    message: str
    line: int | None


@dataclass(frozen=True, slots=True)
class IndexedFile:
    """A file that the project knows: how its last reading ended, and how many chunks it has, without a vector so many.

    A file whose reading failed keeps the chunks of its older state.
    """

    path: str
    state: WriteStatus
    chunks: int
    pending: int


@dataclass(frozen=True, slots=True)
class Status:
    """Counts, every file, failures with reasons, what was skipped, and the identities that a search runs under."""

    project: str
    store: str | None
    roots: tuple[str, ...]
    language: str
    generation: int
    embedding_identity: str
    lexical_identity: str
    counts: Counts
    files: tuple[IndexedFile, ...]
    failures: tuple[FailedFile, ...]
    skipped: tuple[SkippedRecord, ...]
    odd: tuple[OddFile, ...]
    transcripts: TranscriptFigures | None = None


def project_status(
    snapshot: SqliteSnapshot,
    *,
    project: str,
    store: str | None,
    language: str,
    embedding_identity: str,
    lexical_identity: str,
) -> Status:
    """Reads the store; looks at no file.

    `embedding_identity` and `lexical_identity` are those that a search would run under. Vectors of another model count
    as pending: that search could not use them.
    """
    counts = snapshot.counts()
    comparable = snapshot.meta("embedding_identity") == embedding_identity
    if not comparable:
        counts = replace(counts, ready=0, pending=counts.chunks, other_identity=counts.ready)
    failures = tuple(
        FailedFile(file.path, file.error_code or "", file.error_message or "", file.rows_hash is not None)
        for file in snapshot.files()
        if file.write_status != "settled"
    )
    return Status(
        project=project,
        store=store,
        roots=tuple(root.path for root in snapshot.roots()),
        language=language,
        generation=snapshot.generation,
        embedding_identity=embedding_identity,
        lexical_identity=lexical_identity,
        counts=counts,
        files=_files(snapshot, comparable=comparable),
        failures=failures,
        skipped=tuple(snapshot.skipped()),
        odd=tuple(OddFile(path, w.code, w.message, w.line) for path, w in snapshot.reading_warnings()),
        transcripts=snapshot.transcript_figures() if snapshot.has_messages() else None,
    )


def _files(snapshot: SqliteSnapshot, *, comparable: bool) -> tuple[IndexedFile, ...]:
    """By path; where the vectors are another model's, every chunk is without one."""
    table, ids = snapshot.chunk_table(), {path: id_ for id_, path in snapshot.document_paths().items()}
    chunks = Counter(table.document_ids.tolist())
    pending = Counter(table.document_ids[table.slots < 0].tolist()) if comparable else chunks
    return tuple(
        IndexedFile(file.path, file.write_status, chunks[ids.get(file.path, 0)], pending[ids.get(file.path, 0)])
        for file in sorted(snapshot.files(), key=lambda file: file.path)
    )
