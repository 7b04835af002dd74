"""The documents of a project by path, a page at a time."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from glassdex.errors import InvalidRequest
from glassdex.settings import MAX_LIMIT
from glassdex.storage.records import WriteStatus
from glassdex.storage.sqlite.snapshot import SqliteSnapshot


@dataclass(frozen=True, slots=True)
class ListedDocument:
    """A document; `pending` of its chunks have no vector. `state` says how the last reading of its file ended."""

    path: str
    title: str
    format: str
    state: WriteStatus
    chunks: int
    pending: int


@dataclass(frozen=True, slots=True)
class DocumentList:
    """`documents` are those from `offset` on, at most `limit`, of `total`."""

    documents: tuple[ListedDocument, ...]
    total: int
    offset: int
    limit: int


def list_documents(snapshot: SqliteSnapshot, *, embedding_identity: str, offset: int, limit: int) -> DocumentList:
    """A page of the documents by path. Vectors of another model than `embedding_identity` count as pending.

    Raises:
        InvalidRequest: `limit` is not between 1 and 1000, or `offset` is negative.
    """
    if not 1 <= limit <= MAX_LIMIT or offset < 0:
        raise InvalidRequest(f"limit {limit} at offset {offset} is no page", f"limit is 1 to {MAX_LIMIT}, offset 0 …")
    comparable = snapshot.meta("embedding_identity") == embedding_identity
    table = snapshot.chunk_table()
    chunks = Counter(table.document_ids.tolist())
    pending = Counter(table.document_ids[table.slots < 0].tolist()) if comparable else chunks
    paths = sorted((path, document_id) for document_id, path in snapshot.document_paths().items())
    listed = []
    for path, document_id in paths[offset : offset + limit]:
        document, file = snapshot.document(path), snapshot.file(path)
        assert document is not None
        assert file is not None
        listed.append(
            ListedDocument(
                path, document.title, document.format, file.write_status, chunks[document_id], pending[document_id]
            )
        )
    return DocumentList(tuple(listed), len(paths), offset, limit)
