"""One store, many threads: readers never see half of a transaction, on disk or in memory."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier, Event

import pytest

from glassdex.storage.sqlite import SqliteStore
from glassdex.testing.notes import note, observation

PASSAGES = 20
MADE_BY = {"reader": "r/1", "chunker": "c/1", "lexical_identity": "l/1"}


@pytest.fixture(params=["on disk", "in memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SqliteStore]:
    opened = SqliteStore(tmp_path / "notes.db" if request.param == "on disk" else None)
    with opened.write() as writer:
        writer.add_root("/notes", "")
    yield opened
    opened.close()


def publish(store: SqliteStore, path: str, version: int) -> None:
    document, chunks = note("note", [f"version {version}, passage {i}" for i in range(PASSAGES)])
    with store.write() as writer:
        writer.replace_document(observation(1, path), document, chunks, [1.0] * PASSAGES, MADE_BY, 0.0)


def versions_seen(store: SqliteStore) -> set[str]:
    with store.read() as snapshot:
        table = store.chunk_table(snapshot)
        records = snapshot.chunks(table.ids.tolist())
        assert len(records) == len(table.ids) == snapshot.counts().chunks == PASSAGES
        return {record.text.partition(",")[0] for record in records.values()}


def test_readers_see_whole_versions_while_a_writer_replaces_a_note(store: SqliteStore):
    publish(store, "note.md", 0)
    done = Event()

    def read_on() -> int:
        reads = 0
        while not done.is_set() or not reads:
            assert len(versions_seen(store)) == 1, "a mixture of two versions"
            reads += 1
        return reads

    with ThreadPoolExecutor(4) as pool:
        readers = [pool.submit(read_on) for _ in range(3)]
        try:
            for version in range(1, 25):
                publish(store, "note.md", version)
        finally:
            done.set()
        assert all(reader.result() for reader in readers)
    assert versions_seen(store) == {"version 24"}


def test_writers_in_several_threads_take_turns(store: SqliteStore):
    together = Barrier(4)

    def write(number: int) -> None:
        together.wait()
        for version in range(5):
            publish(store, f"note {number}.md", version)

    with ThreadPoolExecutor(4) as pool:
        for result in [pool.submit(write, number) for number in range(4)]:
            result.result()
    with store.read() as snapshot:
        assert snapshot.counts().documents == 4
        assert snapshot.counts().chunks == 4 * PASSAGES
        assert snapshot.generation == 20, "each transaction is one generation"


def test_the_lock_of_one_thread_keeps_the_writes_of_another_waiting(store: SqliteStore):
    locked, tried = Event(), Event()
    order: list[str] = []

    def other() -> None:
        locked.wait()
        tried.set()
        with store.write() as writer:
            order.append("other")
            writer.set_meta("last", "other")

    with ThreadPoolExecutor(1) as pool:
        result = pool.submit(other)
        with store.lock("a test"):
            locked.set()
            tried.wait()
            with store.write() as writer:
                writer.set_meta("last", "holder")
            with store.write() as writer:
                order.append("holder")
                writer.set_meta("last", "holder")
        result.result()
    assert order == ["holder", "other"]


def test_two_stores_in_memory_have_nothing_in_common():
    first, second = SqliteStore(None), SqliteStore(None)
    with first.write() as writer:
        writer.set_meta("name", "first")
    with second.read() as snapshot:
        assert snapshot.meta("name") is None
    assert first.path is None
    first.close()
    second.close()
