"""A store of an earlier version is brought up to date where it stands, and loses nothing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import apsw
import numpy as np
import pytest

from glassdex.embedding.protocol import EmbeddingIdentity
from glassdex.locators import Extent
from glassdex.model import Link, Locator, Place
from glassdex.storage.records import ChunkRecord
from glassdex.storage.sqlite import SqliteStore
from glassdex.storage.sqlite.migrations import APPLICATION_ID, MIGRATIONS, SCHEMA_VERSION
from glassdex.storage.sqlite.slabs import SLAB_VECTORS
from glassdex.testing.notes import Passage, note, observation

IDENTITY = EmbeddingIdentity("example", "", "mean", 4, "", "", 0)
MADE_BY = {"reader": "markdown/1", "chunker": "chunks/1", "lexical_identity": "words/1"}
TABLES = (
    "meta", "root", "file", "skipped", "document", "row", "tag", "link", "chunk", "embedding_identity", "vector",
    "slab", "outbox", "word",
)  # fmt: skip
VECTORS = np.stack([np.cos(angles := np.arange(1, 5)), np.sin(angles), 0 * angles, 0 * angles], axis=1).astype("f4")


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A store of schema 2: one note of four chunks, the third not yet embedded, and its words."""
    path = tmp_path / "notes.db"
    connection = apsw.Connection(str(path))
    for migration in MIGRATIONS[:2]:
        migration(connection)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = 2; PRAGMA journal_mode = wal")
    connection.execute(
        """
        UPDATE meta SET value = 4 WHERE key = 'last_chunk_id';
        UPDATE meta SET value = 9 WHERE key = 'generation';
        INSERT INTO root VALUES (1, '/notes', 'notes');
        INSERT INTO file VALUES (1, 1, CAST('log.md' AS BLOB), 'log.md', 90, 1, 2, 3, 'abc', 5.5, 'abc', 6.5,
            'settled', NULL, NULL, 'markdown/1', 'chunks/1', 'words/1');
        INSERT INTO document VALUES (1, 'markdown', 'Log', 'heading', '2026-03-01', 7.5, '{"mood": "calm"}', '[]',
            2, 4, 1, 1);
        INSERT INTO row VALUES (1, 1, 'entity', 0, 'entity:0:aaaaaaaaaaaa', 'aa', 0, 80, 1, 12, NULL, NULL, NULL);
        INSERT INTO row VALUES (2, 1, 'observation', 0, 'observation:0:bbbbbbbbbbbb', 'bb', 80, 90, 13, 14, 'fact',
            NULL, 'here');
        INSERT INTO tag VALUES (1, 2, 'boat', 'Boat');
        INSERT INTO link VALUES (1, 1, 'wikilink', 'mention', 'Tide', NULL, NULL, 4);
        """
    )
    connection.execute("INSERT INTO meta VALUES ('embedding_identity', ?)", (IDENTITY.key,))
    connection.execute("INSERT INTO embedding_identity VALUES (1, ?, '{}', 3)", (IDENTITY.key,))
    floats = np.zeros((SLAB_VECTORS, 4), dtype="<f4")
    floats[:4] = VECTORS
    connection.execute("INSERT INTO slab VALUES (1, 1, 0, ?)", (floats.tobytes(),))
    for number in range(4):
        hashed, ready = bytes([number]) * 16, number != 2
        if ready:
            connection.execute("INSERT INTO vector VALUES (1, ?, ?)", (hashed, number))
        connection.execute(
            "INSERT INTO chunk VALUES (?, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, '[\"Log\"]', 'Log', 3, ?, 2.5, 'ready',"
            " ?, ?, 8.5)",
            (
                number + 1, 2 if number == 3 else 1, f"entity:{number:016x}:0", number,
                "observation" if number == 3 else "entity", 20 * number, 20 * number + 10, 3 * number + 1,
                3 * number + 3, f"text {number}", hashed, "ready" if ready else "pending", number if ready else None,
            ),
        )  # fmt: skip
        connection.execute("INSERT INTO posting (rowid, body) VALUES (?, ?)", (number + 1, f"text w{number}"))
    connection.close()
    return path


def contents(path: Path, columns: dict[str, str] | None = None) -> dict[str, tuple[str, list[tuple[object, ...]]]]:
    """By table, its columns (or those given) and its rows."""
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    found = {}
    for table in TABLES:
        known = [str(column[1]) for column in connection.execute(f"PRAGMA table_info({table})")]
        wanted = columns[table] if columns else ", ".join(known)
        found[table] = wanted, list(connection.execute(f"SELECT {wanted} FROM {table} ORDER BY 1, 2"))
    connection.close()
    return found


def test_the_store_of_the_second_schema_is_the_one_that_was_published(old: Path) -> None:
    columns = {table: columns for table, (columns, _) in contents(old).items()}
    assert "locator_version" not in columns["chunk"]
    assert columns["row"].endswith("char_end, line_start, line_end, category, target, context")
    connection = apsw.Connection(str(old))
    with pytest.raises(apsw.ConstraintError, match="NOT NULL"):
        connection.execute("UPDATE chunk SET line_start = NULL")
    connection.close()


def test_every_value_of_the_second_schema_is_there_after_the_third(old: Path) -> None:
    before = contents(old)
    SqliteStore(old).close()
    assert contents(old, {table: columns for table, (columns, _) in before.items()}) == before
    connection = apsw.Connection(str(old))
    assert connection.pragma("user_version") == SCHEMA_VERSION
    assert connection.pragma("integrity_check") == "ok"
    assert list(connection.execute("PRAGMA foreign_key_check")) == []
    connection.close()


def test_chunks_keep_their_text_their_lines_and_their_vectors(old: Path) -> None:
    store = SqliteStore(old)
    with store.read() as snapshot:
        chunks = snapshot.document_chunks(1)
        assert [(chunk.chunk_id, chunk.text) for chunk in chunks] == [(n + 1, f"text {n}") for n in range(4)]
        assert [chunk.locator for chunk in chunks] == [Locator(3 * n + 1, 3 * n + 3) for n in range(4)]
        assert {chunk.context for chunk in chunks} == {""}
        assert [row.locator for row in snapshot.document_rows(1)] == [Locator(1, 12), Locator(13, 14)]
        assert [row.context for row in snapshot.document_rows(1)] == [None, "here"]
        candidates = snapshot.candidates(np.array([1, 2, 3, 4]))
        assert [candidates[n + 1].locator for n in range(4)] == [chunk.locator for chunk in chunks]
        assert store.chunk_table(snapshot).slots.tolist() == [0, 1, -1, 3]
        assert np.array_equal(snapshot.vectors(IDENTITY)[:4], VECTORS)
        assert snapshot.readiness() == (3, 1, 0)
        assert snapshot.lost_parts() == {}
        document = snapshot.document("log.md")
        assert document is not None
        assert document.extent == Extent()
        hits = snapshot.connection.execute("SELECT rowid FROM posting WHERE posting MATCH 'w3'")
        assert list(hits) == [(4,)]
    store.close()


def test_what_was_located_before_is_known_to_be_of_an_older_version(old: Path) -> None:
    SqliteStore(old).close()
    connection = apsw.Connection(str(old))
    for table, count in (("row", 2), ("chunk", 4)):
        assert connection.execute(f"SELECT count(*) FROM {table} WHERE locator_version IS NULL").get == count
    connection.close()


def test_a_migrated_store_takes_documents_without_lines_beside_the_old_ones(old: Path) -> None:
    store = SqliteStore(old)
    document, chunks = note("report", [Passage("a page", "section")], links=(Link("link", "mention", "a", 1),))
    document = replace(document, places=(Place(0, 6, page=7),))
    page = Locator(page_start=7, page_end=7)
    with store.write() as writer:
        look = observation(1, "report.pdf")
        chunks = [replace(chunk, locator=page) for chunk in chunks]
        document_id, _, added = writer.replace_document(look, document, chunks, [1.0], MADE_BY, 0)
    assert added == [5], "ids go on where the old store was"
    with store.read() as snapshot:
        records: list[ChunkRecord] = snapshot.document_chunks(document_id)
        assert [record.locator for record in records] == [page]
        assert len(snapshot.document_chunks(1)) == 4
    store.close()


def test_a_store_is_migrated_once(old: Path) -> None:
    SqliteStore(old).close()
    before = contents(old)
    SqliteStore(old).close()
    assert contents(old) == before


def test_a_migration_that_fails_leaves_the_old_store(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(connection: apsw.Connection) -> None:
        MIGRATIONS[2](connection)
        raise KeyboardInterrupt

    before = contents(old)
    monkeypatch.setattr("glassdex.storage.sqlite.connection.MIGRATIONS", (*MIGRATIONS[:2], fails))
    with pytest.raises(KeyboardInterrupt):
        SqliteStore(old)
    monkeypatch.undo()
    assert contents(old) == before
    SqliteStore(old).close()
