"""Whether the manifest still has every part that was published of a document: its count stands beside it."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence

import apsw

from glassdex.model import Chunk, Document
from glassdex.storage.records import LostParts

_PARTS = ("row", "chunk", "tag", "link", "message")
_OF_DOCUMENT = {part: f"{part} WHERE document_id" for part in _PARTS} | {
    "message": "session JOIN message ON message.session_id = session.id WHERE session.document_id"
}
_HELD = {part: f"(SELECT count(*) FROM {of} = file.id)" for part, of in _OF_DOCUMENT.items()}
_INCOMPLETE = " OR ".join(
    ("document.id IS NULL", *(f"document.{part}_count <> {held}" for part, held in _HELD.items()))
)


def note(connection: apsw.Connection, document_id: int, document: Document, chunks: Sequence[Chunk]) -> None:
    """Notes that a document must have these parts besides those that were published of it before."""
    published = {
        "row": len(document.rows),
        "chunk": len(chunks),
        "tag": len(document.tags) + sum(len(row.tags) for row in document.rows),
        "link": len(document.links),
        "message": sum(row.message is not None for row in document.rows),
    }
    counts = ", ".join(f"{part}_count = {part}_count + ?" for part in published)
    connection.execute(f"UPDATE document SET {counts} WHERE id = ?", (*published.values(), document_id))


def lost(connection: apsw.Connection, document_ids: Iterable[int] | None = None) -> dict[int, LostParts]:
    """By document id, the documents that do not have what was published of them; of all documents or of the given."""
    columns = ", ".join(f"document.{part}_count, {held}" for part, held in _HELD.items())
    wanted = None if document_ids is None else array("q", document_ids)
    if wanted is not None and not wanted:
        return {}
    among = "" if wanted is None else " AND file.id IN (SELECT value FROM carray(?))"
    rows = connection.execute(
        f"SELECT file.id, file.path, {columns} FROM file LEFT JOIN document USING (id)"
        f" WHERE file.rows_hash IS NOT NULL AND ({_INCOMPLETE}){among} ORDER BY file.path",
        () if wanted is None else (apsw.carray(wanted),),
    )
    return {int(str(row[0])): LostParts(str(row[1]), tuple(_reasons(row[2:]))) for row in rows}


def _reasons(counts: apsw.SQLiteValues) -> Iterator[str]:
    if counts[0] is None:
        yield "its document is gone from the store"
        return
    for part, published, held in zip(_PARTS, counts[::2], counts[1::2], strict=True):
        if published != held:
            yield f"{held} of {published} {part}s are there"
