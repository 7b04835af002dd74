"""Reading the store: one snapshot is one read transaction on one generation."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, TypeVar

import apsw

from glassdex.embedding.protocol import EmbeddingIdentity
from glassdex.errors import StoreCorrupt
from glassdex.model import FileStat, Json, ReadingWarning
from glassdex.storage.records import (
    CandidateRecord,
    ChunkRecord,
    ChunkTable,
    Counts,
    DocumentExtent,
    FileRecord,
    IndexPresence,
    LostParts,
    OutboxEntry,
    PendingChunk,
    RootRecord,
    RowRecord,
    SkippedRecord,
    StoredDocument,
)
from glassdex.storage.sqlite import parts, slabs
from glassdex.storage.sqlite.connection import corrupt, unreadable
from glassdex.storage.sqlite.links import LinkQueries
from glassdex.storage.sqlite.places import locator_columns, locator_of, unpack_extent
from glassdex.storage.sqlite.scoping import ScopeQueries
from glassdex.storage.sqlite.sessions import SessionQueries
from glassdex.storage.sqlite.told import ToldQueries

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_Decoded = TypeVar("_Decoded")
_FILE_COLUMNS = (
    "id, root_id, raw_path, path, size, mtime_ns, ctime_ns, inode, observed_hash, observed_at, rows_hash, rows_at,"
    " write_status, error_code, error_message, reader, chunker, lexical_identity"
)
_CHUNK_COLUMNS = (
    "chunk.id, chunk.document_id, file.path, document.title, document.format, chunk.key, chunk.kind,"
    " ifnull(row.key, ''),"
    " chunk.ordinal, chunk.char_start, chunk.char_end, chunk.text, chunk.headings, chunk.breadcrumb, chunk.context,"
    " chunk.token_count, hex(chunk.embedded_hash), chunk.lexical_status, chunk.embedding_status, chunk.updated_at,"
    " chunk.copied,"
    f" {locator_columns('chunk')}"
)
_CHUNK_TABLES = (
    "chunk LEFT JOIN row ON row.id = chunk.row_id JOIN document ON document.id = chunk.document_id"
    " JOIN file ON file.id = chunk.document_id"
)


class SqliteSnapshot(ScopeQueries, SessionQueries, ToldQueries, LinkQueries):
    """The `Snapshot` protocol over an open read transaction."""

    def __init__(self, connection: apsw.Connection) -> None:
        self.connection = connection
        generation = self.meta("generation")
        self.generation = generation if isinstance(generation, int) else 0

    def meta(self, key: str) -> str | int | float | None:
        """A setting or counter of the store."""
        value: str | int | float | None = self.connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).get
        return value

    def roots(self) -> list[RootRecord]:
        """The project's root folders."""
        roots = [
            RootRecord(*row) for row in self.connection.execute("SELECT id, path, label, kind FROM root ORDER BY id")
        ]
        if not all(isinstance(root.path, str) and isinstance(root.label, str) for root in roots):
            raise corrupt(self.connection.filename)
        return roots

    def root_of(self, file: FileRecord) -> RootRecord:
        """The root folder that a file lies in.

        Raises:
            StoreCorrupt: somebody took the root out of the store.
        """
        for root in self.roots():
            if root.id == file.root_id:
                return root
        raise StoreCorrupt(
            f"the root folder of {file.path} is not in the store", "name it again: glassdex index FOLDER --project NAME"
        )

    def lost_parts(self, document_ids: Iterable[int] | None = None) -> dict[int, LostParts]:
        """By document id, the documents, of all or of the given, that lack something that was published of them."""
        return parts.lost(self.connection, document_ids)

    def files(self) -> Iterator[FileRecord]:
        """The lineage of every known file, by path."""
        for row in self.connection.execute(f"SELECT {_FILE_COLUMNS} FROM file ORDER BY path"):
            yield self._file_record(row)

    def file(self, path: str) -> FileRecord | None:
        """One file's lineage by its document path."""
        stored = path.encode("utf-8", "replace").decode()  # SQLite takes no lone surrogates, and no path has one
        for row in self.connection.execute(f"SELECT {_FILE_COLUMNS} FROM file WHERE path = ?", (stored,)):
            return self._file_record(row)
        return None

    def skipped(self) -> list[SkippedRecord]:
        """What the last scan left out."""
        rows = self.connection.execute("SELECT path, reason, detail FROM skipped ORDER BY path")
        return [SkippedRecord(*row) for row in rows]

    def document_paths(self) -> dict[int, str]:
        """Path by document id."""
        rows = self.connection.execute("SELECT document.id, file.path FROM document JOIN file USING (id)")
        return {int(document_id): str(path) for document_id, path in rows}

    def front_matter(self, keys: Collection[str]) -> list[tuple[int, str, Json]]:
        """(document id, key, value) of what Markdown files state under these keys, given casefolded, in any case.

        Metadata that cannot be read is passed over, as by every search.
        """
        rows = self.connection.execute(
            "SELECT document.id, stated.key, json_quote(stated.value), stated.type"
            " FROM document, json_each(CASE WHEN json_valid(metadata) THEN metadata ELSE '{}' END) AS stated"
            " WHERE format = 'markdown'"
            " AND (lower(stated.key) IN (SELECT value FROM json_each(?)) OR stated.key GLOB ?)"
            " ORDER BY document.id, stated.id",
            (json.dumps([*keys]), "*[^\x01-\x7f]*"),  # SQLite's lower() is for ASCII alone
        )
        return [
            (int(document_id), folded, _stated(value, kind))
            for document_id, key, value, kind in rows
            if (folded := str(key).casefold()) in keys
        ]

    def document(self, path: str) -> StoredDocument | None:
        """A document by its path."""
        path = path.encode("utf-8", "replace").decode()  # SQLite takes no lone surrogates, and no path has one
        rows = self.connection.execute(
            "SELECT document.id, path, title, title_source, format, date, metadata, warnings, extent"
            " FROM document JOIN file USING (id) WHERE path = ?",
            (path,),
        )
        for document_id, found, title, source, form, date, metadata, warnings, extent in rows:
            return StoredDocument(
                document_id,
                found,
                title,
                source,
                form,
                date,
                self._decoded(metadata, f"the metadata of {path}", json.loads),
                self._decoded(warnings, f"what was odd in {path}", _reading_warnings),
                self._decoded(extent, f"the places of {path}", unpack_extent),
            )
        return None

    def reading_warnings(self) -> list[tuple[str, ReadingWarning]]:
        """(path, warning) of every document that was read in spite of something odd."""
        rows = self.connection.execute(
            "SELECT path, warnings FROM document JOIN file USING (id) WHERE warnings != '[]' ORDER BY path"
        )
        return [
            (str(path), warning)
            for path, warnings in rows
            for warning in self._decoded(warnings, f"what was odd in {path}", _reading_warnings)
        ]

    def chunk_table(self) -> ChunkTable:
        """The columns that every search needs, in one pass."""
        import numpy as np

        # One aggregated string a column crosses into Python three times faster than a tuple a chunk.
        ids, document_ids, slots, lengths = self.connection.execute(
            "SELECT group_concat(id), group_concat(document_id), group_concat(ifnull(vector_slot, -1)),"
            " group_concat(lexical_length) FROM (SELECT * FROM chunk WHERE NOT copied ORDER BY id)"
        ).get
        try:
            table = ChunkTable(
                self.generation,
                ids=np.fromstring(ids or "", dtype=np.int64, sep=","),
                document_ids=np.fromstring(document_ids or "", dtype=np.int64, sep=","),
                slots=np.fromstring(slots or "", dtype=np.int64, sep=","),
                lengths=np.fromstring(lengths or "", dtype=np.float64, sep=","),
            )
        except (DeprecationWarning, ValueError) as error:
            raise unreadable(self.connection, "a number of a passage") from error
        if not len(table.ids) == len(table.document_ids) == len(table.slots) == len(table.lengths):
            raise unreadable(self.connection, "a number of a passage")  # NumPy stops at what is no number
        return table

    def candidates(self, chunk_ids: NDArray[np.int64]) -> dict[int, CandidateRecord]:
        """What ranking needs of the given chunks; one that is not there is left out."""
        if not len(chunk_ids):
            return {}
        rows = self.connection.execute(
            "SELECT chunk.id, chunk.document_id, file.path, title, chunk.key, chunk.kind, row.key, headings,"
            f" chunk.char_start, chunk.char_end, {locator_columns('chunk')} FROM carray(?) AS wanted"
            " JOIN chunk ON chunk.id = wanted.value JOIN file ON file.id = chunk.document_id"
            " JOIN document ON document.id = chunk.document_id JOIN row ON row.id = chunk.row_id",
            (apsw.carray(_contiguous(chunk_ids)),),
        )
        found = {row[0]: self._candidate_record(row) for row in rows}
        if not self.has_messages():
            return found
        references = self.message_references(found)
        return {id_: record._replace(message=references.get(id_)) for id_, record in found.items()}

    def chunks(self, chunk_ids: Iterable[int]) -> dict[int, ChunkRecord]:
        """The given chunks in full; one that is not there is left out."""
        import numpy as np

        wanted = np.fromiter(chunk_ids, dtype=np.int64)
        if not len(wanted):
            return {}
        rows = self.connection.execute(
            f"SELECT {_CHUNK_COLUMNS} FROM {_CHUNK_TABLES} WHERE chunk.id IN (SELECT value FROM carray(?))",
            (apsw.carray(wanted),),
        )
        return {chunk.chunk_id: chunk for chunk in self._with_messages([self._chunk_record(row) for row in rows])}

    def document_chunks(self, document_id: int) -> list[ChunkRecord]:
        """A document's chunks in order; one whose row is gone has the row key ''."""
        columns = _CHUNK_COLUMNS.replace("row.key", "ifnull(row.key, '')")
        tables = _CHUNK_TABLES.replace("JOIN row", "LEFT JOIN row", 1)
        rows = self.connection.execute(
            f"SELECT {columns} FROM {tables} WHERE chunk.document_id = ? ORDER BY chunk.ordinal",
            (document_id,),
        )
        return self._with_messages([self._chunk_record(row) for row in rows])

    def titles(self) -> dict[int, str]:
        """Title by document id."""
        return {row[0]: row[1] for row in self.connection.execute("SELECT id, title FROM document")}

    def chunks_with_key(self, key: str) -> list[tuple[int, int]]:
        """(document id, chunk id) of every chunk of that key; the same passage may stand in several documents."""
        rows = self.connection.execute("SELECT document_id, id FROM chunk WHERE key = ? ORDER BY id", (key,))
        return [(row[0], row[1]) for row in rows]

    def document_rows(self, document_id: int) -> list[RowRecord]:
        """A document's rows in the order of the text; the note itself first."""
        rows = self.connection.execute(
            "SELECT id, kind, ordinal, key, text_hash, char_start, char_end, category, target, context,"
            f" {locator_columns('row')} FROM row WHERE document_id = ? ORDER BY char_start, kind != 'entity', ordinal",
            (document_id,),
        )
        return [RowRecord(*row[:10], locator=locator_of(row[10:])) for row in rows]  # type: ignore[misc]

    def presence(self, document_id: int) -> dict[int, IndexPresence]:
        """What the lexical index and the vector store physically hold for each chunk of a document."""
        rows = self.connection.execute(
            "SELECT chunk.id, EXISTS (SELECT 1 FROM posting_docsize WHERE posting_docsize.id = chunk.id),"
            " (SELECT group_concat(identity.key, char(10)) FROM vector JOIN embedding_identity AS identity"
            "   ON identity.id = vector.identity_id WHERE vector.embedded_hash = chunk.embedded_hash),"
            " (SELECT vector.slot FROM vector JOIN embedding_identity AS identity ON identity.id = vector.identity_id"
            "   WHERE vector.embedded_hash = chunk.embedded_hash AND vector.slot = chunk.vector_slot"
            "   AND identity.key = (SELECT value FROM meta WHERE key = 'embedding_identity'))"
            " FROM chunk WHERE document_id = ?",
            (document_id,),
        ).fetchall()
        usable = slabs.usable_slots(self.connection, [row[3] for row in rows if isinstance(row[3], int)])
        return {
            int(str(chunk_id)): IndexPresence(
                bool(lexical), tuple(str(keys).split("\n")) if keys else (), slot in usable
            )
            for chunk_id, lexical, keys, slot in rows
        }

    def extents(self, document_ids: Iterable[int] | None = None) -> dict[int, DocumentExtent]:
        """What documents have of each kind of place, by document id; of all without ids."""
        import numpy as np

        scope: str = ""
        bindings: tuple[apsw.CArrayBinding, ...] = ()
        if document_ids is not None:
            wanted = np.fromiter(document_ids, dtype=np.int64)
            if not len(wanted):
                return {}
            scope = " WHERE document.id IN (SELECT value FROM carray(?))"
            bindings = (apsw.carray(wanted),)
        rows = self.connection.execute(
            f"SELECT document.id, path, format, extent FROM document JOIN file USING (id){scope}", bindings
        )
        return {
            row[0]: DocumentExtent(row[1], row[2], self._decoded(row[3], f"the places of {row[1]}", unpack_extent))
            for row in rows
        }

    def paths_with_passage(self, passage_hash: str) -> list[str]:
        """Documents with a chunk whose text hash begins with these hex digits."""
        rows = self.connection.execute(
            "SELECT DISTINCT file.path FROM chunk JOIN file ON file.id = document_id"
            " WHERE chunk.key GLOB '*:' || ? || '*' ORDER BY file.path",
            (passage_hash,),
        )
        return [row[0] for row in rows]

    def similar_words(self, first: str, shortest: int, longest: int, limit: int) -> list[tuple[str, str]]:
        """(term, written form) of known words that begin with `first` and whose term has a length in the range."""
        rows = self.connection.execute(
            "SELECT term, surface FROM word WHERE term >= ?1 AND term < ?1 || char(0x10ffff)"
            " AND length(term) BETWEEN ? AND ? ORDER BY term LIMIT ?",
            (first, shortest, longest, limit),
        )
        return [(str(term), str(surface)) for term, surface in rows]

    def pending_chunks(self, after_id: int, limit: int) -> list[PendingChunk]:
        """Chunks without a vector under the active identity, ascending ids."""
        from glassdex.model import compose_embedded_text

        rows = self.connection.execute(
            "SELECT id, embedded_hash, breadcrumb, context, text FROM chunk"
            " WHERE embedding_status = 'pending' AND id > ? ORDER BY id LIMIT ?",
            (after_id, limit),
        )
        return [PendingChunk(row[0], row[1], compose_embedded_text(row[2], row[3], row[4])) for row in rows]

    def vector_slots(self, identity: EmbeddingIdentity) -> NDArray[np.int64]:
        """The slot of every chunk's text under an identity, active or not; −1 where it has none."""
        import numpy as np

        column = self.connection.execute(
            "SELECT group_concat(ifnull(slot, -1)) FROM (SELECT slot FROM chunk LEFT JOIN vector"
            " ON vector.identity_id = ? AND vector.embedded_hash = chunk.embedded_hash WHERE NOT copied"
            " ORDER BY chunk.id)",
            (slabs.identity_row(self.connection, identity.key),),
        ).get
        return np.fromstring(column or "", dtype=np.int64, sep=",")

    def vectors(self, identity: EmbeddingIdentity) -> NDArray[np.float32]:
        """All vectors of an identity: float32 of shape (slots, dimensions), unit length; a damaged one is NaN."""
        import numpy as np

        identity_id = slabs.identity_row(self.connection, identity.key)
        if identity_id is None:
            return np.empty((0, identity.dimensions), dtype=np.float32)
        return slabs.load(self.connection, identity_id, identity.dimensions)

    def outbox(self, index_name: str) -> list[OutboxEntry]:
        """Work that waits for an index outside this database, oldest first."""
        rows = self.connection.execute(
            "SELECT id, index_name, operation, chunk_id, created_at FROM outbox WHERE index_name = ? ORDER BY id",
            (index_name,),
        )
        return [OutboxEntry(*row) for row in rows]

    def readiness(self) -> tuple[int, int, int]:
        """(ready, pending, pending with a vector of another identity), in chunks."""
        ready, pending, other = self.connection.execute(
            "SELECT (SELECT count(*) FROM chunk) - pending, pending, other FROM (SELECT count(*) AS pending,"
            " ifnull(sum(EXISTS (SELECT 1 FROM vector WHERE vector.embedded_hash = chunk.embedded_hash"
            "   AND vector.identity_id IN (SELECT id FROM embedding_identity))), 0) AS other"
            " FROM chunk WHERE embedding_status = 'pending')"
        ).get
        return ready, pending, other

    def pending_count(self) -> int:
        """How many chunks have no vector under the active identity."""
        return int(self.connection.execute("SELECT count(*) FROM chunk WHERE embedding_status = 'pending'").get)

    def counts(self) -> Counts:
        """The project in figures."""
        ready, pending, other = self.readiness()
        scalar = self.connection.execute(
            "SELECT (SELECT count(*) FROM file), (SELECT count(*) FROM document), (SELECT count(*) FROM row),"
            " (SELECT count(*) FROM chunk), (SELECT count(*) FROM link),"
            " (SELECT count(*) FROM file WHERE write_status = 'failed'),"
            " (SELECT ifnull(sum(length(text)), 0) FROM chunk),"
            " (SELECT page_count * page_size FROM pragma_page_count, pragma_page_size)"
        ).get
        reasons = dict(self.connection.execute("SELECT reason, count(*) FROM skipped GROUP BY reason ORDER BY reason"))
        files, documents, rows, chunks, links, failed, characters, store_bytes = scalar
        return Counts(
            files=files,
            documents=documents,
            rows=rows,
            chunks=chunks,
            links=links,
            ready=ready,
            pending=pending,
            other_identity=other,
            failed=failed,
            skipped=sum(reasons.values()),
            skipped_by_reason=reasons,
            text_characters=characters,
            store_bytes=store_bytes,
        )

    def _file_record(self, row: Sequence[object]) -> FileRecord:
        file_id, root_id, raw_path, path, size, mtime_ns, ctime_ns, inode, *lineage = row
        if not all(isinstance(number, int) for number in row[4:8]) or not isinstance(row[9], float):
            raise unreadable(self.connection, f"when {path} was last observed")
        stat = FileStat(size, mtime_ns, ctime_ns, inode)  # type: ignore[arg-type]
        return FileRecord(file_id, root_id, raw_path, path, stat, *lineage)  # type: ignore[arg-type]

    def _candidate_record(self, row: Sequence[object]) -> CandidateRecord:
        values = list(row[:10])
        try:
            values[4], values[7] = _chunk_key(str(values[4])), _headings(str(values[7]))
        except (TypeError, ValueError) as error:
            raise unreadable(self.connection, f"a passage of {row[2]}") from error
        return CandidateRecord(*values, locator=locator_of(row[10:]))  # type: ignore[arg-type,misc]

    def _chunk_record(self, row: Sequence[object]) -> ChunkRecord:
        values = list(row[:21])
        values[5] = self._decoded(values[5], f"a passage of {row[2]}", _chunk_key)
        values[11] = self._decoded(values[11], f"a passage of {row[2]}", _text)
        values[12] = self._decoded(values[12], f"the headings of {row[2]}", _headings)
        values[16] = str(values[16]).lower()
        values[20] = bool(values[20])
        return ChunkRecord(*values, locator=locator_of(row[21:]))  # type: ignore[arg-type,misc]

    def _with_messages(self, chunks: list[ChunkRecord]) -> list[ChunkRecord]:
        if not self.has_messages():
            return chunks
        references = self.message_references(chunk.chunk_id for chunk in chunks)
        return [replace(chunk, message=references.get(chunk.chunk_id)) for chunk in chunks]

    def _decoded(self, stored: object, what: str, decode: Callable[[str], _Decoded]) -> _Decoded:
        """A stored value as it was before it was stored.

        Raises:
            StoreCorrupt: it is not what was stored there; `what` names it.
        """
        try:
            return decode(stored)  # type: ignore[arg-type]
        except (TypeError, ValueError) as error:
            raise unreadable(self.connection, what) from error


def _contiguous(chunk_ids: NDArray[np.int64]) -> NDArray[np.int64]:
    import numpy as np

    return np.ascontiguousarray(chunk_ids, dtype=np.int64)


def _stated(quoted: str, kind: str) -> Json:
    """A value as `json_each` gives it: true and false are its types, not its values, and lists are their text."""
    value: Json = json.loads(quoted)
    if kind in ("true", "false"):
        return kind == "true"
    return json.loads(value) if kind in ("array", "object") and isinstance(value, str) else value


@lru_cache(maxsize=10_000)  # a document's chunks share them
def _headings(stored: str) -> tuple[str, ...]:
    headings = json.loads(stored)
    if not isinstance(headings, list):
        raise TypeError(f"{stored!r} is no list of headings")
    return tuple(map(str, headings))


def _text(stored: str) -> str:
    if not isinstance(stored, str):
        raise TypeError(f"{stored!r} is no text")
    return stored


def _reading_warnings(stored: str) -> tuple[ReadingWarning, ...]:
    return tuple(ReadingWarning(**warning) for warning in json.loads(stored))


def _chunk_key(stored: str) -> str:
    if _text(stored).count(":") != 2:  # kind, hash, occurrence
        raise ValueError(f"{stored!r} is no chunk key")
    return stored
