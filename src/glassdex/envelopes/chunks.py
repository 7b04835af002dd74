"""`glassdex.chunks/1`: a document as the index sees it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Literal

from pydantic import Field

from glassdex.envelopes.base import Envelope, Part
from glassdex.envelopes.shared import LocatorPart
from glassdex.inspection.chunks import ChunkView, DocumentChunks, RowView


class ChunkPart(Part):
    """A chunk. `embedding_status` is what the manifest says, `condition` what is really there, derived on asking.

    `source_hash` is the SHA-256 of the embedded text (its first 32 hex digits); `tokens` count that text,
    `characters` count `text`. `updated_at` is in seconds since 1970 UTC. `copied`: its message is another
    conversation's, which told it first; no search looks here.
    """

    key: str
    ordinal: int
    pointer: str
    locator: LocatorPart
    text: str
    breadcrumb: str
    context: str | None = None
    characters: int
    tokens: int
    token_limit: int
    source_hash: str
    in_lexical_index: bool
    embedding_identity: str
    vector_index: str
    embedding_status: Literal["pending", "ready"]
    condition: Literal["current", "stale", "orphaned", "missing", "other_identity"]
    updated_at: float
    copied: bool | None = None

    @classmethod
    def of(cls, chunk: ChunkView) -> ChunkPart:
        """From the view."""
        values = asdict(chunk)
        chars = (values.pop("char_start"), values.pop("char_end"))
        locator, context = LocatorPart.of(chunk.locator, chars), values.pop("context") or None
        return cls(**{**values, "locator": locator, "context": context, "copied": chunk.copied or None})


class ChunkedRow(Part):
    """An authored unit and the chunks that were cut from it."""

    kind: str
    key: str
    locator: LocatorPart
    category: str | None = None
    target: str | None = None
    chunks: tuple[ChunkPart, ...]

    @classmethod
    def of(cls, row: RowView) -> ChunkedRow:
        """From the view."""
        return cls(
            kind=row.kind,
            key=row.key,
            locator=LocatorPart.of(row.locator),
            category=row.category,
            target=row.target,
            chunks=tuple(ChunkPart.of(chunk) for chunk in row.chunks),
        )


class FileVersusRowsPart(Part):
    """The file as it is now against the bytes its rows were built from; hashes are SHA-256, times seconds UTC."""

    state: Literal["equal", "differs", "unreadable", "not_indexed"]
    current_hash: str | None = None
    observed_hash: str | None = None
    rows_hash: str | None = None
    observed_at: float | None = None
    rows_at: float | None = None
    write_status: str | None = None
    detail: str
    lineage_proves: Literal["rows_behind_file"] | None = None
    error: str | None = None


class RowsVersusIndexPart(Part):
    """The manifest against what the indexes hold; `diverged_at` is the ordinal of the first chunk that is not there."""

    state: Literal["equal", "behind", "not_indexed"]
    manifest_fingerprint: str
    index_fingerprint: str
    chunks: int
    ready: int
    pending: int
    vectors_present: int
    lexical_present: int
    reasons: tuple[str, ...]
    diverged_at: int | None = None


class WholeFreshness(Part):
    """The headline and both comparisons, which are always there."""

    state: Literal["fresh", "rows_behind_file", "index_behind_rows", "not_indexed", "unknown"]
    file_vs_rows: FileVersusRowsPart
    rows_vs_index: RowsVersusIndexPart


class ChunkedDocument(Part):
    """The document; `date` is ISO 8601, where its author stated one."""

    path: str
    title: str
    format: str
    date: str | None = None


class ChunksAnswer(Envelope):
    """A document, its freshness, its rows and their chunks; `orphans` are chunks whose row is gone."""

    schema_: Literal["glassdex.chunks/1"] = Field("glassdex.chunks/1", alias="schema")
    document: ChunkedDocument
    freshness: WholeFreshness
    rows: tuple[ChunkedRow, ...]
    orphans: tuple[ChunkPart, ...] | None = None


def chunks_answer(found: DocumentChunks) -> ChunksAnswer:
    """The envelope of an inspected document."""
    document, freshness = found.document, found.freshness
    return ChunksAnswer(
        document=ChunkedDocument(path=document.path, title=document.title, format=document.format, date=document.date),
        freshness=WholeFreshness(
            state=freshness.state,
            file_vs_rows=FileVersusRowsPart(**asdict(freshness.file_vs_rows)),
            rows_vs_index=RowsVersusIndexPart(**asdict(freshness.rows_vs_index)),
        ),
        rows=tuple(ChunkedRow.of(row) for row in found.rows),
        orphans=tuple(ChunkPart.of(chunk) for chunk in found.orphans) or None,
    )
