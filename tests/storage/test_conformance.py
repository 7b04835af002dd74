"""The SQLite store keeps the `Store` protocol, on disk and in memory."""

from __future__ import annotations

from pathlib import Path

from glassdex.storage.protocol import Snapshot, Store, Writer
from glassdex.storage.sqlite import SqliteStore
from glassdex.testing import StoreConformance


class TestSqliteStoreOnDisk(StoreConformance):
    def open_store(self, folder: Path) -> Store:
        return SqliteStore(folder / "notes.db")


class TestSqliteStoreInMemory(StoreConformance):
    persistent = False
    isolated_snapshots = False

    def open_store(self, folder: Path) -> Store:
        return SqliteStore(None)


def test_the_types_of_the_sqlite_store_are_those_of_the_protocol():
    sqlite = SqliteStore(None)
    store: Store = sqlite
    with sqlite.write() as sqlite_writer:
        writer: Writer = sqlite_writer
        writer.set_meta("language", "german")
    with sqlite.read() as sqlite_snapshot:
        snapshot: Snapshot = sqlite_snapshot
        assert snapshot.meta("language") == "german"
    store.close()
