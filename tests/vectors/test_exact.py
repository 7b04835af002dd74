"""The exact index keeps the `VectorIndex` protocol, and its matrix is loaded once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from glassdex.storage.records import ChunkTable
from glassdex.testing import VectorIndexConformance
from glassdex.vectors.exact import ExactVectorIndex, MatrixCache
from glassdex.vectors.protocol import VectorIndex


class TestExactVectorIndex(VectorIndexConformance):
    @contextmanager
    def built(self, table: ChunkTable, matrix: NDArray[np.float32]) -> Iterator[VectorIndex]:
        yield ExactVectorIndex(table, matrix)


def test_a_matrix_is_loaded_once_for_a_generation_and_model():
    loads: list[str] = []

    def load() -> NDArray[np.float32]:
        loads.append("load")
        return np.zeros((len(loads), 2), dtype=np.float32)

    cache = MatrixCache()
    first = cache.get(1, "model", load)
    assert cache.get(1, "model", load) is first
    assert len(loads) == 1
    assert len(cache.get(2, "model", load)) == 2, "another generation has other vectors"
    assert len(cache.get(2, "other", load)) == 3, "another model has other vectors"
