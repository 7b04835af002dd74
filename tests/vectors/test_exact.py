"""The exact index keeps the `VectorIndex` protocol, and its matrix is loaded once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest
from numpy.typing import NDArray

from glassdex.storage.records import ChunkTable
from glassdex.testing import VectorIndexConformance
from glassdex.vectors.exact import ExactVectorIndex, MatrixCache, Vectors
from glassdex.vectors.protocol import VectorIndex


class TestExactVectorIndex(VectorIndexConformance):
    @contextmanager
    def built(self, table: ChunkTable, matrix: NDArray[np.float32]) -> Iterator[VectorIndex]:
        yield ExactVectorIndex(table, Vectors.of(matrix))


def test_a_matrix_is_loaded_once_for_a_generation_and_model():
    loads: list[str] = []

    def load() -> NDArray[np.float32]:
        loads.append("load")
        return np.zeros((len(loads), 2), dtype=np.float32)

    cache = MatrixCache()
    first = cache.get(1, "model", load)
    assert cache.get(1, "model", load) is first
    assert len(loads) == 1
    assert len(cache.get(2, "model", load).matrix) == 2, "another generation has other vectors"
    assert len(cache.get(2, "other", load).matrix) == 3, "another model has other vectors"


@pytest.mark.parametrize("window", [1, 2, 10])
def test_a_vector_that_is_no_number_is_absent(window: int):
    matrix = np.array([[1, 0], [np.nan, np.nan], [0, 1]], dtype=np.float32)
    ids = np.array([10, 20, 30])
    index = ExactVectorIndex(ChunkTable(1, ids, ids, np.array([0, 1, 2]), np.ones(3)), Vectors.of(matrix))
    found = index.search(matrix[0], None, window)
    assert (found.chunk_ids.tolist(), found.eligible) == ([10, 30][:window], 2)
    assert np.isnan(index.similarities(matrix[0], ids)).tolist() == [False, True, False]
    assert index.ready() == 2
    assert index.stored(20) is None
    assert index.stored(30) is not None


def test_a_matrix_of_nothing_but_damage_finds_nothing():
    matrix = np.full((300, 2), np.nan, dtype=np.float32)
    ids = np.arange(300)
    index = ExactVectorIndex(ChunkTable(1, ids, ids, ids, np.ones(300)), Vectors.of(matrix))
    found = index.search(np.array([1, 0], dtype=np.float32), None, 10)
    assert (found.chunk_ids.tolist(), found.scores.tolist(), found.eligible) == ([], [], 0)
