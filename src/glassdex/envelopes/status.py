"""`glassdex.status/1` and `glassdex.projects/1`: a project, and all of them, at a glance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from glassdex.envelopes.base import Envelope, Part
from glassdex.inspection.listing import ProjectListing
from glassdex.inspection.status import Status
from glassdex.storage.records import TranscriptFigures


class FailedFilePart(Part):
    """A file that could not be indexed; `has_older_rows` says that an earlier state is still searchable."""

    path: str
    code: str
    message: str
    has_older_rows: bool


class IndexedFilePart(Part):
    """A file by how its last reading ended; `pending` of its chunks have no vector."""

    path: str
    state: Literal["settled", "writing", "failed"]
    chunks: int
    pending: int


class SkippedPart(Part):
    """A file or folder that was left out."""

    path: str
    reason: str
    detail: str | None = None


class OddFilePart(Part):
    """A file that was read in spite of something odd in it."""

    path: str
    code: str
    message: str
    line: int | None = None


class TranscriptsPart(Part):
    """Conversations: `copied` messages are told in another one first; `secrets` that were redacted, by kind.

    `indexed_characters` of the `said_characters` are searchable: what tools gave is capped.
    """

    sessions: int
    messages: int
    copied: int
    said_characters: int
    indexed_characters: int
    secrets: dict[str, int]


class StatusAnswer(Envelope):
    """`ready` + `pending` = `chunks`; `other_identity` of the pending ones have a vector of another model.

    `listed` is every one of the `files`; it is there when asked for.
    """

    schema_: Literal["glassdex.status/1"] = Field("glassdex.status/1", alias="schema")
    project: str
    store: str | None = None
    roots: tuple[str, ...]
    language: str
    generation: int
    embedding_identity: str
    lexical_identity: str
    files: int
    documents: int
    rows: int
    chunks: int
    links: int
    ready: int
    pending: int
    other_identity: int
    text_characters: int
    store_bytes: int
    failures: tuple[FailedFilePart, ...]
    skipped: tuple[SkippedPart, ...]
    odd: tuple[OddFilePart, ...]
    transcripts: TranscriptsPart | None = None
    listed: tuple[IndexedFilePart, ...] | None = None


class ProjectPart(Part):
    """A project: its counts, or the error that its store gave."""

    name: str
    roots: tuple[str, ...]
    documents: int | None = None
    chunks: int | None = None
    pending: int | None = None
    store_bytes: int | None = None
    error: str | None = None


class ProjectsAnswer(Envelope):
    """Every project; `current` contains the current folder."""

    schema_: Literal["glassdex.projects/1"] = Field("glassdex.projects/1", alias="schema")
    projects: tuple[ProjectPart, ...]
    current: str | None = None


def status_answer(status: Status, *, with_files: bool = False) -> StatusAnswer:
    """The envelope of a project's status."""
    counts = status.counts
    return StatusAnswer(
        project=status.project,
        store=status.store,
        roots=status.roots,
        language=status.language,
        generation=status.generation,
        embedding_identity=status.embedding_identity,
        lexical_identity=status.lexical_identity,
        transcripts=_transcripts(status.transcripts) if status.transcripts else None,
        files=counts.files,
        documents=counts.documents,
        rows=counts.rows,
        chunks=counts.chunks,
        links=counts.links,
        ready=counts.ready,
        pending=counts.pending,
        other_identity=counts.other_identity,
        text_characters=counts.text_characters,
        store_bytes=counts.store_bytes,
        failures=tuple(
            FailedFilePart(path=f.path, code=f.code, message=f.message, has_older_rows=f.has_older_rows)
            for f in status.failures
        ),
        skipped=tuple(SkippedPart(path=s.path, reason=s.reason, detail=s.detail or None) for s in status.skipped),
        odd=tuple(OddFilePart(path=o.path, code=o.code, message=o.message, line=o.line) for o in status.odd),
        listed=tuple(
            IndexedFilePart(path=f.path, state=f.state, chunks=f.chunks, pending=f.pending) for f in status.files
        )
        if with_files
        else None,
    )


def projects_answer(projects: Sequence[ProjectListing], current: str | None) -> ProjectsAnswer:
    """The envelope of the list of projects."""
    return ProjectsAnswer(
        projects=tuple(
            ProjectPart(
                name=p.name,
                roots=p.roots,
                documents=None if p.error else p.documents,
                chunks=None if p.error else p.chunks,
                pending=None if p.error else p.pending,
                store_bytes=None if p.error else p.store_bytes,
                error=p.error,
            )
            for p in projects
        ),
        current=current,
    )


def _transcripts(figures: TranscriptFigures) -> TranscriptsPart:
    return TranscriptsPart(
        sessions=figures.sessions,
        messages=figures.messages,
        copied=figures.copied,
        said_characters=figures.said_characters,
        indexed_characters=figures.indexed_characters,
        secrets=dict(figures.secrets),
    )
