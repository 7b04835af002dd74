"""Writing the store: every method runs inside the transaction of the `SqliteWriter` that owns it."""

from __future__ import annotations

import hashlib
import json
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

import apsw

from glassdex.embedding.protocol import EmbeddingIdentity
from glassdex.locators import VERSION, LocatorMap, extent_of
from glassdex.model import Chunk, Document, Locator, Row, folded_name, text_hash
from glassdex.storage.records import (
    FileObservation,
    Growth,
    OutboxEntry,
    OutboxOperation,
    RootKind,
    SkippedRecord,
    WriteStatus,
)
from glassdex.storage.sqlite import conversations, copies, orphans, parts, slabs
from glassdex.storage.sqlite.places import (
    LOCATOR_COLUMNS,
    LOCATOR_MARKS,
    locator_values,
    pack_extent,
    pack_places,
    sql_text,
    unpack_extent,
)
from glassdex.storage.sqlite.relocating import documents_behind, relocate

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class SqliteWriter:
    """The `Writer` protocol over an open write transaction."""

    def __init__(self, connection: apsw.Connection) -> None:
        self.connection = connection
        self.changed = False
        self._unsettled: set[int] = set()

    def set_meta(self, key: str, value: str | float | int) -> None:
        """Writes a setting or counter."""
        self.connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    def add_root(self, path: str, label: str, kind: RootKind = "files") -> int:
        """Enters a root folder. Files whose root somebody took out of the store become its own if it has them."""
        root_id = orphans.unused_root_id(self.connection)
        self.connection.execute(
            "INSERT INTO root (id, path, label, kind) VALUES (?, ?, ?, ?)", (root_id, path, label, kind)
        )
        orphans.adopt(self.connection, root_id, path)
        return root_id

    def move_root(self, root_id: int, path: str) -> None:
        """Says that a root folder is now elsewhere; its documents keep their paths."""
        self.connection.execute("UPDATE root SET path = ? WHERE id = ?", (path, root_id))

    def observe(
        self,
        observation: FileObservation,
        write_status: WriteStatus,
        error_code: str | None = None,
        error_message: str | None = None,
    ) -> int:
        """Records a look at a file; its rows, if it has any, stay as they are. Returns the file's id."""
        stat = observation.stat
        return int(
            self.connection.execute(
                "INSERT INTO file (root_id, raw_path, path, size, mtime_ns, ctime_ns, inode, observed_hash,"
                " observed_at, write_status, error_code, error_message) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
                " ON CONFLICT (root_id, raw_path) DO UPDATE SET size = excluded.size, mtime_ns = excluded.mtime_ns,"
                " ctime_ns = excluded.ctime_ns, inode = excluded.inode,"
                " observed_hash = ifnull(excluded.observed_hash, observed_hash), observed_at = excluded.observed_at,"
                " write_status = excluded.write_status, error_code = excluded.error_code,"
                " error_message = excluded.error_message RETURNING id",
                (
                    observation.root_id, observation.raw_path, observation.path, stat.size, stat.mtime_ns,
                    stat.ctime_ns, stat.inode, observation.content_hash, observation.observed_at, write_status,
                    error_code, error_message,
                ),
            ).get
        )  # fmt: skip

    def redate(self, file_id: int, mtime: float) -> None:
        """A document without a date of its own is dated by its file's time."""
        self.connection.execute(
            "UPDATE document SET dated_at = ?1 WHERE id = ?2 AND date IS NULL AND dated_at <> ?1", (mtime, file_id)
        )
        self.changed |= self.connection.changes() > 0

    def remove_file(self, file_id: int) -> list[int]:
        """Forgets a file with all that came from it; returns the ids of its chunks, for the other indexes."""
        removed = self._chunk_ids(file_id)
        self._unsettled |= copies.sharing(self.connection, file_id)
        self.connection.execute("DELETE FROM file WHERE id = ?", (file_id,))
        self.changed |= self.connection.changes() > 0
        return removed

    def replace_document(
        self,
        observation: FileObservation,
        document: Document,
        chunks: Sequence[Chunk],
        lexical_lengths: Sequence[float],
        identities: Mapping[str, str],
        dated_at: float,
        growth: Growth | None = None,
    ) -> tuple[int, list[int], list[int]]:
        """Puts a document, its rows and chunks in the place of what the file had before.

        `identities` names `reader`, `chunker` and `lexical_identity`. `growth` is given for the first part of a file
        that is read in parts. Returns (document id, ids of the chunks that are gone, ids of the new chunks in order).
        """
        self.changed = True
        now = time.time()
        file_id = self._observe_rows(observation, growth)
        removed = self._chunk_ids(file_id)
        self._unsettled |= copies.sharing(self.connection, file_id)
        self.connection.execute("DELETE FROM document WHERE id = ?", (file_id,))
        self.connection.execute(
            "UPDATE file SET rows_at = ?, reader = ?, chunker = ?, lexical_identity = ? WHERE id = ?",
            (now, identities["reader"], identities["chunker"], identities["lexical_identity"], file_id),
        )
        self.connection.execute(
            "INSERT INTO document (id, format, title, title_source, date, dated_at, metadata, warnings, extent, places)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                file_id, document.format, sql_text(document.title), document.title_source, document.date, dated_at,
                json.dumps(document.metadata), json.dumps([asdict(warning) for warning in document.warnings]),
                pack_extent(extent_of(document.text, document.places)),
                pack_places(document.places) if growth is None else None,
            ),
        )  # fmt: skip
        if growth is not None:
            self._note_growth(file_id, growth)
        added = self._insert_parts(file_id, document, chunks, lexical_lengths, 0)
        return file_id, removed, added

    def append_document(
        self,
        observation: FileObservation,
        document: Document,
        chunks: Sequence[Chunk],
        lexical_lengths: Sequence[float],
        growth: Growth,
        dated_at: float,
    ) -> tuple[int, list[int]]:
        """Adds the rows and chunks of a further part of a file to its document; what is there stays as it is.

        `document` holds the new part alone, offsets counted from its own beginning. Returns (document id, ids of the
        new chunks in order).
        """
        file_id = self._observe_rows(observation, growth)
        self._note_growth(file_id, growth)
        before = self.connection.total_changes()
        stored = self.connection.execute(
            "SELECT warnings, extent, chunk_count FROM document WHERE id = ?", (file_id,)
        ).get
        extent = unpack_extent(stored[1])
        lines = max(extent.lines or 1, extent_of(document.text, document.places).lines or 1)
        warnings = [*json.loads(stored[0]), *(asdict(warning) for warning in document.warnings)]
        self.connection.execute(
            "UPDATE document SET title = ?1, dated_at = ?2, warnings = ?3, extent = ?4"
            " WHERE id = ?5 AND (title, dated_at, warnings, extent) IS NOT (?1, ?2, ?3, ?4)",
            (
                sql_text(document.title), dated_at, json.dumps(warnings), pack_extent(replace(extent, lines=lines)),
                file_id,
            ),
        )  # fmt: skip
        chunks = continued(self.connection, file_id, chunks, first=stored[2])
        added = self._insert_parts(file_id, document, chunks, lexical_lengths, growth.base)
        if self.connection.total_changes() > before:  # else it is a line that is not finished yet
            self.changed = True
            self.connection.execute("UPDATE file SET rows_at = ? WHERE id = ?", (time.time(), file_id))
        return file_id, added

    def _note_growth(self, file_id: int, growth: Growth) -> None:
        self.connection.execute(
            "UPDATE document SET cursor = ?, said_characters = ?, indexed_characters = ?, secrets = ? WHERE id = ?",
            (
                growth.cursor, growth.said_characters, growth.indexed_characters,
                json.dumps(dict(growth.secrets), sort_keys=True), file_id,
            ),
        )  # fmt: skip

    def _observe_rows(self, observation: FileObservation, growth: Growth | None) -> int:
        """Records the look at a file that its rows come from; one that is not read to its end is due again."""
        unfinished = growth is not None and not growth.finished
        file_id = self.observe(observation, "writing" if unfinished else "settled")
        rows_hash = None if unfinished else observation.content_hash
        self.connection.execute("UPDATE file SET rows_hash = ? WHERE id = ?", (rows_hash, file_id))
        return file_id

    def _insert_parts(
        self, file_id: int, document: Document, chunks: Sequence[Chunk], lengths: Sequence[float], base: int
    ) -> list[int]:
        origins = conversations.origins(self.connection, file_id)
        sessions = conversations.keep_sessions(self.connection, file_id, document.conversations)
        told_since = conversations.origins(self.connection, file_id)  # which conversation they continue
        self._unsettled |= {id_ for id_, origin in origins.items() if told_since[id_] != origin}
        row_ids = self._insert_rows(file_id, document, base)
        conversations.insert_messages(self.connection, document.rows, row_ids, sessions)
        added = self._insert_chunks(file_id, chunks, lengths, row_ids, base)
        if row_ids or document.tags or document.links:
            parts.note(self.connection, file_id, document, chunks)
        ordinals = [row.ordinal for row in document.rows if row.message]
        if ordinals:
            first = min(ordinals)
            self._unsettled |= {id_ for id_ in sessions.values() if copies.is_unsettled(self.connection, id_, first)}
        return added

    def settle(self) -> None:
        """Decides, at the end of the transaction, which conversation the messages belong to that several tell."""
        copies.resolve_copies(self.connection, self._unsettled)
        self._unsettled.clear()

    def relocate(self, limit: int) -> int:
        """Makes the places of up to `limit` documents anew whose are of an older version, from what is stored.

        Returns how many rows and chunks that were; 0 when nothing is left to do.
        """
        behind = documents_behind(self.connection, limit)
        self.changed |= bool(behind)
        return sum(relocate(self.connection, document_id) for document_id in behind)

    def replace_skipped(self, root_id: int, skipped: Iterable[SkippedRecord]) -> None:
        """Replaces the list of what the scan of a root left out."""
        self.connection.execute("DELETE FROM skipped WHERE root_id = ?", (root_id,))
        self.connection.executemany(
            "INSERT INTO skipped VALUES (?, ?, ?, ?)",
            [(root_id, s.path, s.reason, s.detail) for s in skipped],
        )

    def add_words(self, surfaces: Mapping[str, str]) -> None:
        """Remembers one written form per term."""
        self.connection.executemany("INSERT OR IGNORE INTO word VALUES (?, ?)", surfaces.items())

    def prune_words(self) -> None:
        """Forgets written forms of terms that no chunk has any more."""
        self.connection.execute("DELETE FROM word WHERE term NOT IN (SELECT term FROM posting_term)")

    def activate_identity(self, identity: EmbeddingIdentity) -> None:
        """Makes an embedding identity the one that chunks are ready or pending under.

        The one before stays known as `previous_embedding_identity`, with its vectors. A chunk whose vector is gone
        or damaged is pending again.
        """
        identity_id = slabs.ensure_identity(self.connection, identity, json.dumps(asdict(identity), sort_keys=True))
        slabs.drop_unusable(self.connection, identity_id, identity.dimensions)
        if self._is_active(identity):
            self._unready_chunks_without_vector(identity_id)
            return
        self.changed = True
        self._remember_previous_identity()
        self.set_meta("embedding_identity", identity.key)
        self.connection.execute("UPDATE chunk SET vector_slot = NULL, embedding_status = 'pending'")
        self._link_vectors(identity_id, None)

    def link_known_vectors(self, identity: EmbeddingIdentity, chunk_ids: Sequence[int]) -> None:
        """Marks chunks ready whose text was embedded before: a moved or renamed file costs nothing.

        Under an identity that is not the active one nothing happens.
        """
        identity_id = slabs.identity_row(self.connection, identity.key)
        if identity_id is not None and chunk_ids and self._is_active(identity):
            self._link_vectors(identity_id, chunk_ids)

    def store_vectors(self, identity: EmbeddingIdentity, hashes: Sequence[bytes], vectors: NDArray[np.float32]) -> None:
        """Keeps vectors under the hash of their text and marks every pending chunk of such a text ready.

        Vectors of an identity that is not the active one are kept for the day it is active again.

        Raises:
            EmbeddingError: the vectors do not have the identity's dimensions.
        """
        identity_id = slabs.ensure_identity(self.connection, identity, json.dumps(asdict(identity), sort_keys=True))
        before = self.connection.total_changes()
        slabs.append(self.connection, identity_id, hashes, vectors, identity.dimensions)
        if self._is_active(identity):
            self.connection.executemany(
                "UPDATE chunk SET embedding_status = 'ready', vector_slot ="
                " (SELECT slot FROM vector WHERE identity_id = ? AND vector.embedded_hash = chunk.embedded_hash)"
                " WHERE embedded_hash = ? AND embedding_status = 'pending'",
                [(identity_id, embedded_hash) for embedded_hash in hashes],
            )
        self.changed |= self.connection.total_changes() > before

    def enqueue(self, index_name: str, operation: OutboxOperation, chunk_ids: Iterable[int]) -> None:
        """Leaves work for an index that lives outside this database."""
        now = time.time()
        self.connection.executemany(
            "INSERT INTO outbox (index_name, operation, chunk_id, created_at) VALUES (?, ?, ?, ?)",
            [(index_name, operation, chunk_id, now) for chunk_id in chunk_ids],
        )

    def dequeue(self, entries: Iterable[OutboxEntry]) -> None:
        """Takes work off the outbox once the other index has done it."""
        self.connection.executemany("DELETE FROM outbox WHERE id = ?", [(entry.id,) for entry in entries])

    def _remember_previous_identity(self) -> None:
        """Keeps the key of the identity that is active until now, unless it never got to a vector."""
        key = self.connection.execute("SELECT value FROM meta WHERE key = 'embedding_identity'").get
        identity_id = slabs.identity_row(self.connection, str(key))
        if self.connection.execute("SELECT EXISTS (SELECT 1 FROM vector WHERE identity_id = ?)", (identity_id,)).get:
            self.set_meta("previous_embedding_identity", str(key))

    def _unready_chunks_without_vector(self, identity_id: int) -> None:
        """Makes chunks pending again whose vector is gone, by damage or by somebody else's hand."""
        before = self.connection.total_changes()
        self.connection.execute(
            "UPDATE chunk SET embedding_status = 'pending', vector_slot = NULL WHERE embedding_status = 'ready'"
            " AND NOT EXISTS (SELECT 1 FROM vector WHERE identity_id = ? AND vector.embedded_hash = chunk.embedded_hash"
            "   AND vector.slot = chunk.vector_slot)",
            (identity_id,),
        )
        self._link_vectors(identity_id, None, only_pending=True)
        self.changed |= self.connection.total_changes() > before

    def _is_active(self, identity: EmbeddingIdentity) -> bool:
        active = self.connection.execute("SELECT value FROM meta WHERE key = 'embedding_identity'").get
        return bool(active == identity.key)

    def _link_vectors(self, identity_id: int, chunk_ids: Sequence[int] | None, *, only_pending: bool = False) -> None:
        scope = "" if chunk_ids is None else " AND chunk.id BETWEEN ?2 AND ?3"
        scope += " AND chunk.embedding_status = 'pending'" if only_pending else ""
        bounds = () if chunk_ids is None else (min(chunk_ids), max(chunk_ids))
        self.connection.execute(
            "UPDATE chunk SET embedding_status = 'ready', vector_slot = vector.slot FROM vector"
            f" WHERE vector.identity_id = ?1 AND vector.embedded_hash = chunk.embedded_hash{scope}",
            (identity_id, *bounds),
        )

    def _chunk_ids(self, document_id: int) -> list[int]:
        return [r[0] for r in self.connection.execute("SELECT id FROM chunk WHERE document_id = ?", (document_id,))]

    def _insert_rows(self, document_id: int, document: Document, base: int) -> dict[tuple[str, int], int]:
        row_ids: dict[tuple[str, int], int] = {}
        places = LocatorMap(document.text, document.places)
        for row in document.rows:
            locator = places.locate(row.start, max(row.start + len(row.text), row.start + 1))
            row_ids[row.kind, row.ordinal] = self._insert_row(document_id, row, locator, base)
        tags: list[tuple[int, int | None, str, str]] = [
            (document_id, None, folded_name(tag), tag) for tag in document.tags
        ]
        for row in document.rows:
            # Inline tags of the prose belong to the note; those of an observation to the observation.
            row_id = None if row.kind == "entity" else row_ids[row.kind, row.ordinal]
            tags += [(document_id, row_id, folded_name(tag), tag) for tag in row.tags]
        self.connection.executemany(
            "INSERT INTO tag VALUES (?, ?, ?, ?)", [(d, r, sql_text(f), sql_text(t)) for d, r, f, t in tags]
        )
        self.connection.executemany(
            "INSERT INTO link (document_id, route, kind, target, label, context, line) VALUES (?, ?, ?, ?, ?, ?, ?)",
            [
                (document_id, link.route, sql_text(link.kind), sql_text(link.target), sql_text(link.label),
                 sql_text(link.context), link.line)
                for link in document.links
            ],
        )  # fmt: skip
        return row_ids

    def _insert_row(self, document_id: int, row: Row, locator: Locator, base: int) -> int:
        self.connection.execute(
            "INSERT INTO row (document_id, kind, ordinal, key, text_hash, char_start, char_end, category, target,"
            f" context, {LOCATOR_COLUMNS}, locator_version)"
            f" VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, {LOCATOR_MARKS}, {VERSION})",
            (
                document_id, row.kind, row.ordinal, row.key, text_hash(row.text), base + row.start,
                base + row.start + len(row.text), sql_text(row.category), sql_text(row.target), sql_text(row.context),
                *locator_values(locator),
            ),
        )  # fmt: skip
        return self.connection.last_insert_rowid()

    def _insert_chunks(
        self,
        document_id: int,
        chunks: Sequence[Chunk],
        lexical_lengths: Sequence[float],
        row_ids: Mapping[tuple[str, int], int],
        base: int,
    ) -> list[int]:
        if not chunks:
            return []
        now = time.time()
        first = 1 + self._last_chunk_id()
        chunk_ids = list(range(first, first + len(chunks)))
        self.connection.executemany(
            "INSERT INTO chunk (id, document_id, row_id, key, ordinal, kind, char_start, char_end, text, headings,"
            " breadcrumb, context, token_count, embedded_hash, lexical_length, lexical_status, embedding_status,"
            f" updated_at, original_hash, {LOCATOR_COLUMNS}, locator_version) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,"
            f" ?, ?, ?, ?, 'ready', 'pending', ?, ?, {LOCATOR_MARKS}, {VERSION})",
            [
                (
                    chunk_id, document_id, row_ids[chunk.row.kind, chunk.row.ordinal], chunk.key, chunk.ordinal,
                    chunk.row.kind, base + chunk.char_start, base + chunk.char_end, sql_text(chunk.text),
                    json.dumps(chunk.headings), sql_text(chunk.breadcrumb), sql_text(chunk.context),
                    chunk.token_count, embedded_hash(chunk.embedded_text), length, now, chunk.original_hash,
                    *locator_values(chunk.locator),
                )
                for chunk_id, chunk, length in zip(chunk_ids, chunks, lexical_lengths, strict=True)
            ],
        )  # fmt: skip
        self.set_meta("last_chunk_id", first + len(chunks) - 1)
        return chunk_ids

    def _last_chunk_id(self) -> int:
        """The highest id that was ever used; a counter that somebody set back does not bring two chunks to one id."""
        return int(
            self.connection.execute(
                "SELECT max(ifnull((SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'last_chunk_id'), 0),"
                " ifnull((SELECT max(id) FROM chunk), 0))"
            ).get
        )


def continued(connection: apsw.Connection, document_id: int, chunks: Sequence[Chunk], first: int) -> list[Chunk]:
    """The chunks of a further part, numbered on from those that the document has: ordinals, and keys of equal texts."""
    known: Counter[str] = Counter()
    numbered = []
    for ordinal, chunk in enumerate(chunks, start=first):
        stem = chunk.key.rpartition(":")[0]
        if stem not in known:
            known[stem] = connection.execute(
                "SELECT count(*) FROM chunk WHERE document_id = ?1 AND key > ?2 || ':' AND key < ?2 || ';'",
                (document_id, stem),
            ).get
        numbered.append(replace(chunk, key=f"{stem}:{known[stem]}", ordinal=ordinal))
        known[stem] += 1
    return numbered


def embedded_hash(text: str) -> bytes:
    """The key of a text's vector: the first 16 bytes of its SHA-256."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:16]
