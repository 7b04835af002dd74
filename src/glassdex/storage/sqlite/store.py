"""A project's store: hands out read snapshots and write transactions, and keeps what a generation has loaded."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from glassdex.storage.protocol import Snapshot
from glassdex.storage.records import ChunkTable
from glassdex.storage.sqlite.connection import connect, new_memory_location, prepare, sqlite_errors
from glassdex.storage.sqlite.lock import writer_lock
from glassdex.storage.sqlite.snapshot import SqliteSnapshot
from glassdex.storage.sqlite.writer import SqliteWriter


class SqliteStore:
    """The `Store` protocol on SQLite in WAL mode: one writer, any number of readers, from any thread.

    A store in memory has no WAL: there a snapshot and a write transaction wait for each other.
    """

    def __init__(self, path: Path | None) -> None:
        """Opens or creates the store at `path`; `None` keeps it in memory, for as long as this object lives.

        Raises:
            StoreTooNew: the file was written by a newer Glassdex.
            StoreCorrupt: the file is damaged or not a Glassdex store.
            StoreLocked: another process held the file for longer than the time-out.
            UnavailableError: the operating system refused the file.
        """
        self.path = path
        self._location = new_memory_location() if path is None else str(path)
        self._idle: list[apsw.Connection] = []
        self._guard = threading.Lock()
        self._write_guard = threading.RLock()
        self._table: ChunkTable | None = None
        self._writing_connection = connect(self._location)
        prepare(self._writing_connection, self._location)

    def close(self) -> None:
        """Closes all connections; snapshots and writers must be done."""
        with self._guard:
            for connection in (*self._idle, self._writing_connection):
                connection.close()
            self._idle.clear()

    @contextmanager
    def read(self) -> Iterator[SqliteSnapshot]:
        """One read transaction: everything seen inside belongs to one generation."""
        with self._guard:
            connection = self._idle.pop() if self._idle else None
        connection = connection or connect(self._location)
        try:
            with sqlite_errors(connection, self._location):
                connection.execute("BEGIN")
                yield SqliteSnapshot(connection)
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            with self._guard:
                self._idle.append(connection)

    @contextmanager
    def lock(self, purpose: str) -> Iterator[None]:
        """Holds the project's writer lock over several write transactions.

        Raises:
            StoreLocked: another process holds it and kept it for the whole time-out.
        """
        with self._write_guard:
            if self.path is None:
                yield
            else:
                with writer_lock(self.path, purpose):
                    yield

    @contextmanager
    def write(self) -> Iterator[SqliteWriter]:
        """One write transaction; commits at the end, rolls back on any error. A change makes a new generation."""
        with self._write_guard:
            connection = self._writing_connection
            try:
                with sqlite_errors(connection, self._location):
                    connection.execute("BEGIN IMMEDIATE")
                    writer = SqliteWriter(connection)
                    yield writer
                    writer.settle()
                    if writer.changed:
                        connection.execute("UPDATE meta SET value = value + 1 WHERE key = 'generation'")
                    connection.execute("COMMIT")
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")

    def chunk_table(self, snapshot: Snapshot) -> ChunkTable:
        """The chunk columns of the snapshot's generation, loaded once per generation."""
        table = self._table
        if table is None or table.generation != snapshot.generation:
            table = snapshot.chunk_table()
            self._table = table
        return table
