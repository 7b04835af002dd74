"""Numbered migrations: each is a function that takes the schema from its number − 1 to its number, in a transaction.

A published migration never changes; a new one is added below it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import apsw

APPLICATION_ID = 0x474C5358  # "GLSX": what makes an SQLite file a Glassdex store


def _1_foundation(connection: apsw.Connection) -> None:
    connection.execute(
        """
        CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
        INSERT INTO meta VALUES ('generation', 0), ('last_chunk_id', 0);

        CREATE TABLE root (id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, label TEXT NOT NULL UNIQUE);

        CREATE TABLE file (
            id INTEGER PRIMARY KEY,
            root_id INTEGER NOT NULL REFERENCES root (id) ON DELETE CASCADE,
            raw_path BLOB NOT NULL,
            path TEXT NOT NULL UNIQUE,
            size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, ctime_ns INTEGER NOT NULL, inode INTEGER NOT NULL,
            observed_hash TEXT, observed_at REAL NOT NULL,
            rows_hash TEXT, rows_at REAL,
            write_status TEXT NOT NULL CHECK (write_status IN ('settled', 'writing', 'failed')),
            error_code TEXT, error_message TEXT,
            reader TEXT, chunker TEXT, lexical_identity TEXT,
            UNIQUE (root_id, raw_path)
        );

        CREATE TABLE skipped (
            root_id INTEGER NOT NULL REFERENCES root (id) ON DELETE CASCADE,
            path TEXT NOT NULL, reason TEXT NOT NULL, detail TEXT NOT NULL
        );

        -- A document has its file's id: one file is one document.
        CREATE TABLE document (
            id INTEGER PRIMARY KEY REFERENCES file (id) ON DELETE CASCADE,
            format TEXT NOT NULL, title TEXT NOT NULL, title_source TEXT NOT NULL,
            date TEXT, dated_at REAL NOT NULL,
            metadata TEXT NOT NULL, warnings TEXT NOT NULL
        );
        CREATE INDEX document_by_title ON document (title COLLATE NOCASE);
        CREATE INDEX document_by_date ON document (dated_at);

        CREATE TABLE row (
            id INTEGER PRIMARY KEY,
            document_id INTEGER NOT NULL REFERENCES document (id) ON DELETE CASCADE,
            kind TEXT NOT NULL, ordinal INTEGER NOT NULL, key TEXT NOT NULL, text_hash TEXT NOT NULL,
            char_start INTEGER NOT NULL, char_end INTEGER NOT NULL,
            line_start INTEGER NOT NULL, line_end INTEGER NOT NULL,
            category TEXT, target TEXT, context TEXT,
            UNIQUE (document_id, kind, ordinal)
        );

        CREATE TABLE tag (
            document_id INTEGER NOT NULL REFERENCES document (id) ON DELETE CASCADE,
            row_id INTEGER REFERENCES row (id) ON DELETE CASCADE,  -- absent: the whole document's
            folded TEXT NOT NULL, tag TEXT NOT NULL
        );
        CREATE INDEX tag_by_name ON tag (folded);
        CREATE INDEX tag_by_document ON tag (document_id);
        CREATE INDEX tag_by_row ON tag (row_id);

        CREATE TABLE link (
            id INTEGER PRIMARY KEY,
            document_id INTEGER NOT NULL REFERENCES document (id) ON DELETE CASCADE,
            route TEXT NOT NULL, kind TEXT NOT NULL, target TEXT NOT NULL, label TEXT, context TEXT,
            line INTEGER NOT NULL
        );
        CREATE INDEX link_by_document ON link (document_id);

        CREATE TABLE chunk (
            id INTEGER PRIMARY KEY,  -- never used twice: meta.last_chunk_id counts up
            document_id INTEGER NOT NULL REFERENCES document (id) ON DELETE CASCADE,
            row_id INTEGER NOT NULL REFERENCES row (id) ON DELETE CASCADE,
            key TEXT NOT NULL, ordinal INTEGER NOT NULL, kind TEXT NOT NULL,
            char_start INTEGER NOT NULL, char_end INTEGER NOT NULL,
            line_start INTEGER NOT NULL, line_end INTEGER NOT NULL,
            text TEXT NOT NULL, headings TEXT NOT NULL, breadcrumb TEXT NOT NULL, token_count INTEGER NOT NULL,
            embedded_hash BLOB NOT NULL,
            lexical_length REAL NOT NULL,
            lexical_status TEXT NOT NULL CHECK (lexical_status IN ('pending', 'ready')),
            embedding_status TEXT NOT NULL CHECK (embedding_status IN ('pending', 'ready')),
            vector_slot INTEGER,
            updated_at REAL NOT NULL,
            UNIQUE (document_id, key)
        );
        CREATE INDEX chunk_by_row ON chunk (row_id);
        CREATE INDEX chunk_by_kind ON chunk (kind);
        CREATE INDEX chunk_pending ON chunk (id) WHERE embedding_status = 'pending';
        CREATE INDEX chunk_by_embedded_hash ON chunk (embedded_hash);

        CREATE TABLE embedding_identity (
            id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, details TEXT NOT NULL,
            last_slot INTEGER NOT NULL DEFAULT -1
        );
        CREATE TABLE vector (
            identity_id INTEGER NOT NULL REFERENCES embedding_identity (id) ON DELETE CASCADE,
            embedded_hash BLOB NOT NULL, slot INTEGER NOT NULL,
            PRIMARY KEY (identity_id, embedded_hash)
        ) WITHOUT ROWID;
        CREATE TABLE slab (
            id INTEGER PRIMARY KEY,
            identity_id INTEGER NOT NULL REFERENCES embedding_identity (id) ON DELETE CASCADE,
            number INTEGER NOT NULL, floats BLOB NOT NULL,
            UNIQUE (identity_id, number)
        );

        -- Work for indexes that live outside this database.
        CREATE TABLE outbox (
            id INTEGER PRIMARY KEY, index_name TEXT NOT NULL,
            operation TEXT NOT NULL CHECK (operation IN ('upsert', 'delete')),
            chunk_id INTEGER NOT NULL, created_at REAL NOT NULL
        );

        -- One written form per term, for suggestions: stems read badly.
        CREATE TABLE word (term TEXT PRIMARY KEY, surface TEXT NOT NULL) WITHOUT ROWID;

        CREATE VIRTUAL TABLE posting USING fts5 (
            title, headings, body, tags, parts,
            content = '', contentless_delete = 1,
            -- Terms come from the analyser, space between them: every other ASCII character belongs to a term.
            tokenize = "ascii tokenchars '!""#$%&''()*+,-./:;<=>?@[\\]^_`{|}~'"
        );
        CREATE VIRTUAL TABLE posting_instance USING fts5vocab (posting, instance);
        CREATE VIRTUAL TABLE posting_term USING fts5vocab (posting, row);
        """
    )


def _2_counted_parts(connection: apsw.Connection) -> None:
    """Beside each document stands how many parts were published of it: one that goes missing later is noticed."""
    for part in ("row", "chunk", "tag", "link"):
        connection.execute(
            f"ALTER TABLE document ADD COLUMN {part}_count INTEGER NOT NULL DEFAULT 0;"
            f"UPDATE document SET {part}_count = (SELECT count(*) FROM {part} WHERE document_id = document.id)"
        )


def _3_places(connection: apsw.Connection) -> None:
    """Where in its file a row or chunk stands, as columns to filter by; what a document's places were made from.

    Rows of before have lines alone; they are located again without their files (`indexing/locators.py`).
    """
    for table in ("row", "chunk"):
        connection.execute(
            f"""
            ALTER TABLE {table} ALTER COLUMN line_start DROP NOT NULL;
            ALTER TABLE {table} ALTER COLUMN line_end DROP NOT NULL;
            ALTER TABLE {table} ADD COLUMN page_start INTEGER;
            ALTER TABLE {table} ADD COLUMN page_end INTEGER;
            ALTER TABLE {table} ADD COLUMN page_label TEXT;
            ALTER TABLE {table} ADD COLUMN sheet TEXT;
            ALTER TABLE {table} ADD COLUMN row_start INTEGER;
            ALTER TABLE {table} ADD COLUMN row_end INTEGER;
            ALTER TABLE {table} ADD COLUMN slide INTEGER;
            ALTER TABLE {table} ADD COLUMN record INTEGER;
            ALTER TABLE {table} ADD COLUMN hidden INTEGER NOT NULL DEFAULT 0;
            ALTER TABLE {table} ADD COLUMN locator_version INTEGER;
            """
        )
    connection.execute(
        """
        ALTER TABLE chunk ADD COLUMN context TEXT NOT NULL DEFAULT '';
        ALTER TABLE document ADD COLUMN extent TEXT NOT NULL DEFAULT '{}';
        ALTER TABLE document ADD COLUMN places BLOB;
        CREATE INDEX chunk_by_line ON chunk (document_id, line_start, line_end);
        CREATE INDEX chunk_by_page ON chunk (document_id, page_start, page_end) WHERE page_start IS NOT NULL;
        CREATE INDEX chunk_by_sheet ON chunk (document_id, sheet, row_start, row_end) WHERE sheet IS NOT NULL;
        CREATE INDEX chunk_by_row_number ON chunk (document_id, row_start, row_end) WHERE row_start IS NOT NULL;
        CREATE INDEX chunk_by_slide ON chunk (document_id, slide) WHERE slide IS NOT NULL;
        CREATE INDEX chunk_by_record ON chunk (document_id, record) WHERE record IS NOT NULL;
        CREATE INDEX chunk_hidden ON chunk (id) WHERE hidden;
        """
    )


def _4_conversations(connection: apsw.Connection) -> None:
    """Transcripts: conversations and their messages, how far a growing file was read, and what is told twice."""
    connection.execute(
        """
        ALTER TABLE root ADD COLUMN kind TEXT NOT NULL DEFAULT 'files';  -- 'transcripts': nothing else is read there
        ALTER TABLE document ADD COLUMN cursor TEXT;  -- JSON; absent where a file is read as a whole
        ALTER TABLE document ADD COLUMN message_count INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE document ADD COLUMN said_characters INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE document ADD COLUMN indexed_characters INTEGER NOT NULL DEFAULT 0;  -- of those that were said
        ALTER TABLE document ADD COLUMN secrets TEXT NOT NULL DEFAULT '{}';  -- JSON: how many were redacted, by kind
        ALTER TABLE chunk ADD COLUMN original_hash TEXT;  -- absent where no secret was redacted
        ALTER TABLE chunk ADD COLUMN copied INTEGER NOT NULL DEFAULT 0;  -- its message is another conversation's
        CREATE INDEX chunk_copied ON chunk (id) WHERE copied;

        CREATE TABLE session (
            id INTEGER PRIMARY KEY,
            document_id INTEGER NOT NULL REFERENCES document (id) ON DELETE CASCADE,
            key TEXT NOT NULL,  -- which of its file
            source TEXT NOT NULL, name TEXT NOT NULL, title TEXT NOT NULL,
            cwd TEXT NOT NULL, branch TEXT NOT NULL, parent TEXT NOT NULL, forked_from TEXT NOT NULL,
            UNIQUE (document_id, key)
        );
        CREATE INDEX session_by_name ON session (name);
        CREATE INDEX session_by_origin ON session (forked_from);

        CREATE TABLE message (
            row_id INTEGER PRIMARY KEY REFERENCES row (id) ON DELETE CASCADE,
            session_id INTEGER NOT NULL REFERENCES session (id) ON DELETE CASCADE,
            ordinal INTEGER NOT NULL,  -- ascends with the file; no page or offset is ever stored
            uuid TEXT NOT NULL, block INTEGER NOT NULL, content_hash BLOB NOT NULL,
            role TEXT NOT NULL, sent_at REAL, speaker TEXT NOT NULL, tool TEXT NOT NULL,
            injected INTEGER NOT NULL, sidechain INTEGER NOT NULL, error INTEGER NOT NULL,
            parent TEXT NOT NULL, line INTEGER NOT NULL, byte_start INTEGER NOT NULL, byte_end INTEGER NOT NULL,
            turn INTEGER NOT NULL, left_out INTEGER NOT NULL, opening TEXT NOT NULL,
            original_id INTEGER REFERENCES message (row_id) ON DELETE SET NULL  -- the same message where it was first
        );
        -- `original_id`, always NULL here, so that counting and paging read the index alone.
        CREATE INDEX message_sequence ON message (session_id, ordinal, row_id, original_id) WHERE original_id IS NULL;
        CREATE UNIQUE INDEX message_by_session ON message (session_id, ordinal);
        CREATE INDEX message_by_uuid ON message (uuid, block, content_hash);
        CREATE INDEX message_by_original ON message (original_id) WHERE original_id IS NOT NULL;
        CREATE INDEX message_copied ON message (session_id, original_id) WHERE original_id IS NOT NULL;
        CREATE INDEX message_by_time ON message (session_id, sent_at, row_id, original_id)
            WHERE original_id IS NULL AND sent_at IS NOT NULL;
        CREATE INDEX message_by_content ON message (session_id, content_hash);
        CREATE INDEX message_by_role ON message (role);

        -- What was said before a message, apart from its own words: no phrase looks here.
        CREATE VIRTUAL TABLE posting_before USING fts5 (
            words, content = '', contentless_delete = 1,
            tokenize = "ascii tokenchars '!""#$%&''()*+,-./:;<=>?@[\\]^_`{|}~'"
        );
        CREATE VIRTUAL TABLE posting_before_instance USING fts5vocab (posting_before, instance);
        """
    )


MIGRATIONS: tuple[Callable[[apsw.Connection], None], ...] = (
    _1_foundation,
    _2_counted_parts,
    _3_places,
    _4_conversations,
)
SCHEMA_VERSION = len(MIGRATIONS)


def lacking(connection: apsw.Connection) -> list[str]:
    """What a store of its version has and this one does not: tables, indexes, and columns as `table.column`."""
    return sorted(_parts_of_version(int(connection.execute("PRAGMA user_version").get)) - _parts(connection))


@cache
def _parts_of_version(version: int) -> frozenset[str]:
    empty = apsw.Connection(":memory:")
    for migration in MIGRATIONS[:version]:
        migration(empty)
    return _parts(empty)


def _parts(connection: apsw.Connection) -> frozenset[str]:
    names = [str(name) for (name,) in connection.execute("SELECT name FROM sqlite_schema")]
    columns = connection.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'"
    ).fetchall()
    return frozenset(
        (
            *names,
            *(f"{table}.{row[1]}" for (table,) in columns for row in connection.execute(f"PRAGMA table_info({table})")),
        )
    )
