"""A project at a glance."""

from __future__ import annotations

from dataclasses import dataclass, replace

from glassdex.storage.records import Counts, SkippedRecord
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
class Status:
    """Counts, failures with reasons, what was skipped, and the identities that a search runs under."""

    project: str
    store: str | None
    roots: tuple[str, ...]
    language: str
    generation: int
    embedding_identity: str
    lexical_identity: str
    counts: Counts
    failures: tuple[FailedFile, ...]
    skipped: tuple[SkippedRecord, ...]
    odd: tuple[OddFile, ...]


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
    if snapshot.meta("embedding_identity") != embedding_identity:
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
        failures=failures,
        skipped=tuple(snapshot.skipped()),
        odd=tuple(OddFile(path, w.code, w.message, w.line) for path, w in snapshot.reading_warnings()),
    )
