"""A document as the index sees it: its rows, the chunks cut from each, and what became of every chunk."""

from __future__ import annotations

from dataclasses import dataclass

from glassdex.chunking import MAX_TOKENS
from glassdex.inspection.freshness import Condition, DocumentFreshness, chunk_condition, document_freshness
from glassdex.model import Locator
from glassdex.search.results import pointer_of
from glassdex.storage.records import CandidateRecord, ChunkRecord, IndexPresence, RowRecord, StoredDocument
from glassdex.storage.sqlite.snapshot import SqliteSnapshot


@dataclass(frozen=True, slots=True)
class ChunkView:
    """A chunk with its raw status and its derived condition.

    `characters` and `tokens` count the chunk's text and the embedded text; `token_limit` is the chunker's.
    """

    key: str
    ordinal: int
    pointer: str
    text: str
    breadcrumb: str
    context: str
    locator: Locator
    char_start: int
    char_end: int
    characters: int
    tokens: int
    token_limit: int
    source_hash: str
    in_lexical_index: bool
    embedding_identity: str
    vector_index: str
    embedding_status: str
    condition: Condition
    updated_at: float
    copied: bool = False
    """Its message is another conversation's, which has it first: no search looks here."""


@dataclass(frozen=True, slots=True)
class RowView:
    """A row and the chunks that were cut from it."""

    kind: str
    key: str
    locator: Locator
    category: str | None
    target: str | None
    chunks: tuple[ChunkView, ...]


@dataclass(frozen=True, slots=True)
class DocumentChunks:
    """Everything the index has of a document; `orphans` are chunks whose row is gone."""

    document: StoredDocument
    freshness: DocumentFreshness
    rows: tuple[RowView, ...]
    orphans: tuple[ChunkView, ...]


def document_chunks(
    snapshot: SqliteSnapshot,
    path: str,
    *,
    embedding_identity: str,
    lexical_identity: str,
    vector_index: str,
    readers: frozenset[str],
) -> DocumentChunks:
    """Reads the manifest and looks at the file once; `path` is a document's."""
    document, file = snapshot.document(path), snapshot.file(path)
    assert document is not None
    assert file is not None
    chunks = snapshot.document_chunks(document.document_id)
    presence = snapshot.presence(document.document_id)
    active = snapshot.meta("embedding_identity")
    lost = snapshot.lost_parts([document.document_id]).get(document.document_id)
    freshness = document_freshness(
        snapshot.root_of(file),
        file,
        chunks,
        presence,
        active_identity=None if active is None else str(active),
        embedding_identity=embedding_identity,
        lexical_identity=lexical_identity,
        readers=readers,
        lost=lost.reasons if lost else (),
    )
    views: dict[str, list[ChunkView]] = {}
    for chunk in chunks:
        view = _chunk_view(chunk, presence[chunk.chunk_id], embedding_identity, vector_index)
        views.setdefault(chunk.row_key, []).append(view)
    rows = snapshot.document_rows(document.document_id)
    return DocumentChunks(
        document=document,
        freshness=freshness,
        rows=tuple(_row_view(row, views.pop(row.key, [])) for row in rows),
        orphans=tuple(view for orphaned in views.values() for view in orphaned),
    )


def _row_view(row: RowRecord, chunks: list[ChunkView]) -> RowView:
    return RowView(row.kind, row.key, row.locator, row.category, row.target, tuple(chunks))


def _chunk_view(chunk: ChunkRecord, presence: IndexPresence, embedding_identity: str, vector_index: str) -> ChunkView:
    return ChunkView(
        key=chunk.key,
        ordinal=chunk.ordinal,
        pointer=pointer_of(_as_candidate(chunk)),
        text=chunk.text,
        breadcrumb=chunk.breadcrumb,
        context=chunk.context,
        locator=chunk.locator,
        char_start=chunk.char_start,
        char_end=chunk.char_end,
        characters=len(chunk.text),
        tokens=chunk.token_count,
        token_limit=MAX_TOKENS,
        source_hash=chunk.embedded_hash,
        in_lexical_index=presence.lexical,
        embedding_identity=embedding_identity,
        vector_index=vector_index,
        embedding_status=chunk.embedding_status,
        condition=chunk_condition(chunk, presence, embedding_identity),
        copied=chunk.copied,
        updated_at=chunk.updated_at,
    )


def _as_candidate(chunk: ChunkRecord) -> CandidateRecord:
    return CandidateRecord(
        chunk.chunk_id, chunk.document_id, chunk.path, chunk.title, chunk.key, chunk.kind, chunk.row_key,
        chunk.headings, chunk.char_start, chunk.char_end, chunk.locator,
    )  # fmt: skip
