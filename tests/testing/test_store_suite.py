"""The store suite rejects stores that break the protocol, each by the test that says so."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from glassdex.embedding import EmbeddingIdentity
from glassdex.storage.protocol import Snapshot, Store
from glassdex.storage.records import ChunkTable, Counts, OutboxOperation
from glassdex.storage.sqlite import SqliteStore
from glassdex.storage.sqlite.snapshot import SqliteSnapshot
from glassdex.storage.sqlite.writer import SqliteWriter
from glassdex.testing import StoreConformance


class BrokenStore(SqliteStore):
    """A store whose snapshots and writers are of another class."""

    snapshot_class: type[SqliteSnapshot] = SqliteSnapshot
    writer_class: type[SqliteWriter] = SqliteWriter

    @contextmanager
    def read(self) -> Iterator[SqliteSnapshot]:
        with super().read() as snapshot:
            yield self.snapshot_class(snapshot.connection)

    @contextmanager
    def write(self) -> Iterator[SqliteWriter]:
        with super().write() as writer:
            broken = self.writer_class(writer.connection)
            yield broken
            writer.changed |= broken.changed


class KeepsHalfATransaction(BrokenStore):
    @contextmanager
    def write(self) -> Iterator[SqliteWriter]:
        error: BaseException | None = None
        with super().write() as writer:
            try:
                yield writer
            except Exception as raised:
                error = raised
        if error:
            raise error


class CountsEveryTransaction(BrokenStore):
    @contextmanager
    def write(self) -> Iterator[SqliteWriter]:
        with super().write() as writer:
            writer.changed = True
            yield writer


class ServesAnOldTable(BrokenStore):
    def chunk_table(self, snapshot: Snapshot) -> ChunkTable:
        if self._table is None or not len(self._table.ids):
            self._table = snapshot.chunk_table()
        return self._table


class NeverGrows(BrokenStore):
    class writer_class(SqliteWriter):  # noqa: N801
        changed = property(lambda self: False, lambda self, value: None)


class LosesTheOutbox(BrokenStore):
    class writer_class(SqliteWriter):  # noqa: N801
        def enqueue(self, index_name: str, operation: OutboxOperation, chunk_ids: Iterable[int]) -> None:
            pass


class DropsVectorsWithTheirFile(BrokenStore):
    class writer_class(SqliteWriter):  # noqa: N801
        def remove_file(self, file_id: int) -> list[int]:
            self.connection.execute(
                "DELETE FROM vector WHERE embedded_hash IN (SELECT embedded_hash FROM chunk WHERE document_id = ?)",
                (file_id,),
            )
            return super().remove_file(file_id)


class ForgetsTheModelBefore(BrokenStore):
    class writer_class(SqliteWriter):  # noqa: N801
        def set_meta(self, key: str, value: str | float | int) -> None:
            if key != "previous_embedding_identity":
                super().set_meta(key, value)


class OverwritesVectors(BrokenStore):
    class writer_class(SqliteWriter):  # noqa: N801
        def store_vectors(
            self, identity: EmbeddingIdentity, hashes: Sequence[bytes], vectors: NDArray[np.float32]
        ) -> None:
            self.connection.executemany("DELETE FROM vector WHERE embedded_hash = ?", [(hashed,) for hashed in hashes])
            self.connection.execute("UPDATE chunk SET embedding_status = 'pending'")
            super().store_vectors(identity, hashes, vectors)


class TakesAnyModelsVectors(BrokenStore):
    class writer_class(SqliteWriter):  # noqa: N801
        def _is_active(self, identity: EmbeddingIdentity) -> bool:
            return True


class FindsTagsByPrefix(BrokenStore):
    class snapshot_class(SqliteSnapshot):  # noqa: N801
        def chunk_ids_with_tag(self, folded: str) -> NDArray[np.int64]:
            return self._ids(
                "SELECT chunk.id FROM chunk JOIN tag USING (document_id) WHERE folded GLOB ?", (folded + "*",)
            )


class EndsDatesInclusively(BrokenStore):
    class snapshot_class(SqliteSnapshot):  # noqa: N801
        def chunk_ids_dated(self, since: float | None, until: float | None) -> NDArray[np.int64]:
            return super().chunk_ids_dated(since, None if until is None else np.nextafter(until, np.inf))


class CountsReadyAsAll(BrokenStore):
    class snapshot_class(SqliteSnapshot):  # noqa: N801
        def counts(self) -> Counts:
            counts = super().counts()
            return Counts(**{**{name: getattr(counts, name) for name in Counts.__slots__}, "ready": counts.chunks})


class SeesTheWriter(BrokenStore):
    """Readers on the writer's own connection see what is not committed."""

    @contextmanager
    def read(self) -> Iterator[SqliteSnapshot]:
        yield SqliteSnapshot(self._writing_connection)


@pytest.mark.parametrize(
    ("broken", "caught_by"),
    [
        (KeepsHalfATransaction, "test_an_error_in_a_transaction_leaves_nothing_of_it"),
        (CountsEveryTransaction, "test_the_generation_stays_when_nothing_in_the_index_changed"),
        (NeverGrows, "test_the_generation_grows_with_each_change_of_the_index"),
        (ServesAnOldTable, "test_a_snapshot_sees_one_generation_while_a_writer_commits"),
        (SeesTheWriter, "test_a_snapshot_sees_one_generation_while_a_writer_commits"),
        (LosesTheOutbox, "test_the_outbox_keeps_its_work_until_it_is_done"),
        (DropsVectorsWithTheirFile, "test_a_renamed_file_costs_no_embedding"),
        (OverwritesVectors, "test_storing_vectors_twice_keeps_the_first"),
        (ForgetsTheModelBefore, "test_the_model_before_is_remembered_with_its_vectors"),
        (
            TakesAnyModelsVectors,
            "test_a_late_vector_of_a_model_no_longer_active_is_kept_and_makes_nothing_ready",
        ),
        (FindsTagsByPrefix, "test_tags_find_their_own_passage_or_the_whole_document"),
        (EndsDatesInclusively, "test_dates_are_half_open_ranges"),
        (CountsReadyAsAll, "test_the_counts_add_up"),
    ],
)
def test_a_broken_store_is_rejected(broken: type[BrokenStore], caught_by: str):
    class Suite(StoreConformance):
        def open_store(self, folder: Path) -> Store:
            return broken(folder / "notes.db")

    with pytest.raises(AssertionError):
        getattr(Suite(), caught_by)()


def test_a_store_that_forgets_when_it_is_closed_is_rejected():
    class Suite(StoreConformance):
        def open_store(self, folder: Path) -> Store:
            return SqliteStore(None)

    with pytest.raises(AssertionError, match="another store came back"):
        Suite().test_what_was_committed_is_there_after_opening_again()
