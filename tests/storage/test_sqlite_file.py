"""An SQLite store as a file: who may read it, which files are refused, and that a refused one is left alone."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import apsw
import pytest

from glassdex.errors import StoreCorrupt, StoreLocked, StoreTooNew, UnavailableError
from glassdex.storage.sqlite import SqliteStore
from glassdex.storage.sqlite.migrations import APPLICATION_ID, SCHEMA_VERSION
from glassdex.testing.notes import note, observation


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "projects" / "notes.db"


def publish(store: SqliteStore, *texts: str) -> None:
    document, chunks = note("note", texts)
    made_by = {"reader": "r/1", "chunker": "c/1", "lexical_identity": "l/1"}
    with store.write() as writer:
        root_id = writer.add_root("/notes", "")
        writer.replace_document(observation(root_id, "note.md"), document, chunks, [1.0] * len(chunks), made_by, 0)


@pytest.mark.skipif(os.name != "posix", reason="file modes are POSIX")
def test_nobody_else_can_read_the_store_or_its_log(path: Path):
    before = os.umask(0)
    try:
        store = SqliteStore(path)
        publish(store, "secret")
        with store.lock("a test"):
            modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}
        folder = stat.S_IMODE(path.parent.stat().st_mode)
        store.close()
    finally:
        os.umask(before)
    assert {"notes.db", "notes.db-wal", "notes.db-shm", "notes.lock", "notes.writer.json"} <= modes.keys()
    assert set(modes.values()) == {0o600}, modes
    assert folder == 0o700


def test_a_store_of_a_newer_version_is_refused_by_name_and_left_alone(path: Path):
    SqliteStore(path).close()
    with apsw.Connection(str(path)) as database:
        database.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    database.close()
    before = path.read_bytes()
    with pytest.raises(StoreTooNew, match=rf"schema {SCHEMA_VERSION + 1}.*reads up to {SCHEMA_VERSION}"):
        SqliteStore(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "script",
    [
        "CREATE TABLE other (x)",
        f"PRAGMA user_version = {SCHEMA_VERSION}",
        f"PRAGMA application_id = {APPLICATION_ID + 1}; CREATE TABLE meta (key, value)",
    ],
)
def test_another_programs_database_is_refused_and_not_touched(path: Path, script: str):
    path.parent.mkdir()
    database = apsw.Connection(str(path))
    database.execute(script)
    database.close()
    before = path.read_bytes()
    with pytest.raises(StoreCorrupt, match="not a Glassdex store"):
        SqliteStore(path)
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize("content", [b"not a database, but long enough to look like one\n" * 100, b"short"])
def test_a_file_of_garbage_is_refused_and_not_touched(path: Path, content: bytes):
    path.parent.mkdir()
    path.write_bytes(content)
    with pytest.raises(StoreCorrupt, match=str(path)):
        SqliteStore(path)
    assert path.read_bytes() == content


def test_a_store_damaged_in_the_middle_says_so_when_it_is_read(path: Path):
    store = SqliteStore(path)
    publish(store, *(f"text {i} " * 50 for i in range(200)))
    store.close()
    overwrite_pages_with(path, b"text 15")
    store = SqliteStore(path)
    with pytest.raises(StoreCorrupt, match="damaged") as caught, store.read() as snapshot:
        snapshot.chunks(range(1000))
    assert "index" in caught.value.suggestion
    with pytest.raises(StoreCorrupt, match="damaged"), store.write() as writer:
        writer.remove_file(1)
    with store.read() as snapshot:
        assert snapshot.document_paths() == {1: "note.md"}, "what is whole can still be read"
    store.close()


def overwrite_pages_with(path: Path, text: bytes) -> None:
    content = bytearray(path.read_bytes())
    for start in range(0, len(content), 4096):
        if text in content[start : start + 4096]:
            content[start : start + 4096] = b"\xff" * 4096
    path.write_bytes(content)


@pytest.mark.parametrize("damage", ["no room for its log", "a page that is none"])
def test_a_store_that_cannot_be_opened_is_an_error_of_ours(path: Path, damage: str):
    SqliteStore(path).close()
    if damage == "no room for its log":
        path.with_suffix(".db-wal").mkdir()
    else:
        content = bytearray(path.read_bytes())
        content[100:200] = b"\xff" * 100
        path.write_bytes(content)
    with pytest.raises(UnavailableError, match=str(path)):
        SqliteStore(path)


def test_a_folder_in_the_stores_place_is_an_error_in_words(path: Path):
    path.mkdir(parents=True)
    with pytest.raises(UnavailableError, match="cannot be opened"):
        SqliteStore(path)


def test_an_empty_file_becomes_a_store(path: Path):
    path.parent.mkdir()
    path.touch()
    store = SqliteStore(path)
    with store.read() as snapshot:
        assert snapshot.counts().files == 0
    store.close()


def test_a_store_that_another_process_keeps_busy_is_named(path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("glassdex.storage.sqlite.connection.BUSY_TIMEOUT_MS", 1)
    store = SqliteStore(path)
    holder = apsw.Connection(str(path))
    holder.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreLocked, match=str(path)), store.write():
        pass
    holder.execute("ROLLBACK")
    holder.close()
    publish(store, "text")
    with store.read() as snapshot:
        assert snapshot.counts().documents == 1
    store.close()


def test_a_full_disk_is_an_error_of_ours_and_costs_only_the_transaction(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "notes.db")
    with store.write() as writer:
        pages = writer.connection.execute("PRAGMA page_count").get
        writer.connection.execute(f"PRAGMA max_page_count = {pages + 2}")
    with pytest.raises(UnavailableError, match="cannot be used"), store.write() as writer:
        writer.set_meta("ballast", "x" * 1_000_000)
    with store.read() as snapshot:
        assert snapshot.meta("ballast") is None
    store.close()
