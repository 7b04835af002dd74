"""The vector suite rejects indexes that break the protocol, each by the test that says so."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest
from numpy.typing import NDArray

from glassdex.storage.records import ChunkTable
from glassdex.testing import VectorIndexConformance
from glassdex.vectors.exact import ExactVectorIndex, Vectors
from glassdex.vectors.protocol import DenseHits, VectorIndex

from .rejection import failed_tests

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]
Vector = NDArray[np.float32]


class HalvedAndShifted(ExactVectorIndex):
    def search(self, query_vector: Vector, scope: Ids | None, window: int) -> DenseHits:
        hits = super().search(query_vector, scope, window)
        return DenseHits(hits.chunk_ids, np.round((hits.scores + 1) / 2, 6), hits.eligible)


class CutsTies(ExactVectorIndex):
    def search(self, query_vector: Vector, scope: Ids | None, window: int) -> DenseHits:
        hits = super().search(query_vector, scope, window)
        return DenseHits(hits.chunk_ids[:window], hits.scores[:window], hits.eligible)


class FiltersAfterTheWindow(ExactVectorIndex):
    def search(self, query_vector: Vector, scope: Ids | None, window: int) -> DenseHits:
        hits = super().search(query_vector, None, window)
        kept = np.ones(len(hits.chunk_ids), dtype=bool) if scope is None else np.isin(hits.chunk_ids, scope)
        return DenseHits(hits.chunk_ids[kept], hits.scores[kept], int(kept.sum()))


class TakesAnEmptyScopeForNone(ExactVectorIndex):
    def search(self, query_vector: Vector, scope: Ids | None, window: int) -> DenseHits:
        return super().search(query_vector, scope if scope is not None and len(scope) else None, window)


class CallsPendingZero(ExactVectorIndex):
    def similarities(self, query_vector: Vector, chunk_ids: Ids) -> Floats:
        return np.nan_to_num(super().similarities(query_vector, chunk_ids))


class WorstFirst(ExactVectorIndex):
    def search(self, query_vector: Vector, scope: Ids | None, window: int) -> DenseHits:
        hits = super().search(query_vector, scope, window)
        return DenseHits(hits.chunk_ids[::-1], hits.scores[::-1], hits.eligible)


class HalfPrecision(ExactVectorIndex):
    def _cosines(self, query_vector: Vector, slots: Ids) -> Floats:
        rough: Floats = self._products(query_vector, slots).astype(np.float16).astype(np.float64)
        return rough.round(6)


class LetsTheArrayLibraryComplain(ExactVectorIndex):
    def _check(self, query_vector: Vector) -> None:
        pass


@pytest.mark.parametrize(
    ("broken", "caught_by"),
    [
        (HalvedAndShifted, "test_scores_are_cosines_from_minus_one_to_one"),
        (CutsTies, "test_all_chunks_that_tie_with_the_last_of_the_window_come_back"),
        (FiltersAfterTheWindow, "test_scope_is_respected_and_changes_no_score"),
        (TakesAnEmptyScopeForNone, "test_an_empty_scope_finds_nothing"),
        (CallsPendingZero, "test_pending_chunks_are_absent_from_a_search_and_nan_in_similarities"),
        (WorstFirst, "test_best_come_first_and_are_the_best"),
        (HalfPrecision, "test_scores_equal_a_naive_double_precision_loop"),
        (LetsTheArrayLibraryComplain, "test_a_query_of_other_dimensions_is_an_error_in_words"),
    ],
)
def test_a_broken_index_is_rejected(broken: type[ExactVectorIndex], caught_by: str):
    class Suite(VectorIndexConformance):
        @contextmanager
        def built(self, table: ChunkTable, matrix: Vector) -> Iterator[VectorIndex]:
            yield broken(table, Vectors.of(matrix))

    assert caught_by in failed_tests(Suite())
