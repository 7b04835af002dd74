"""Exact search: one matrix product over the stored vectors, or over those in scope."""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from glassdex.errors import EmbeddingError
from glassdex.storage.records import ChunkTable
from glassdex.vectors.protocol import DenseHits

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    import numpy as np
    from numpy.typing import NDArray

    _Float = TypeVar("_Float", np.float32, np.float64)

_PRODUCT_ERROR = 1e-4
"""More than a float32 product of unit vectors and the rounding to 1e-6 can be off, twice."""


@dataclass(frozen=True, slots=True)
class Vectors:
    """A matrix, one row a slot, and which of its rows are vectors: a row of NaN is none."""

    matrix: NDArray[np.float32]
    usable: NDArray[np.bool_]

    @classmethod
    def of(cls, matrix: NDArray[np.float32]) -> Vectors:
        """The rows of a matrix, looked through once."""
        import numpy as np

        return cls(matrix, ~np.isnan(matrix[:, 0]))


class MatrixCache:
    """The vectors of one generation and identity, kept between the searches of a process."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._key: tuple[int, str] | None = None
        self._vectors: Vectors | None = None

    def get(self, generation: int, identity: str, load: Callable[[], NDArray[np.float32]]) -> Vectors:
        """The vectors, loaded once per generation and identity."""
        with self._guard:
            if self._vectors is None or self._key != (generation, identity):
                self._vectors = None  # the old ones must not stand beside the new ones in memory
                self._vectors = Vectors.of(load())
                self._key = (generation, identity)
            return self._vectors


class ExactVectorIndex:
    """The `VectorIndex` protocol over unit vectors, one row a slot."""

    name = "exact"

    def __init__(self, table: ChunkTable, vectors: Vectors) -> None:
        self._table = table
        self._matrix = vectors.matrix
        self._usable = vectors.usable

    def ready(self) -> int:
        """See `VectorIndex.ready`."""
        slots = self._table.slots
        return int(self._usable[slots[self._stored(slots)]].sum())

    def search(self, query_vector: NDArray[np.float32], scope: NDArray[np.int64] | None, window: int) -> DenseHits:
        """See `VectorIndex.search`."""
        import numpy as np

        self._check(query_vector)
        positions = np.arange(len(self._table.ids)) if scope is None else self._table.positions(scope)
        slots = self._table.slots[positions]
        stored = self._stored(slots)
        positions, slots = positions[stored], slots[stored]
        if len(slots) > window:
            products = self._products(query_vector, slots)
            usable = ~np.isnan(products)
            eligible = int(usable.sum())
            near = usable if eligible <= window else products >= _border(products[usable], window) - _PRODUCT_ERROR
            positions, scores = positions[near], self._cosines(query_vector, slots[near])
        else:
            scores = self._cosines(query_vector, slots)
            usable = ~np.isnan(scores)
            eligible = int(usable.sum())
            positions, scores = positions[usable], scores[usable]
        if eligible > window:
            kept = scores >= _border(scores, window)
            positions, scores = positions[kept], scores[kept]
        order = np.argsort(-scores, kind="stable")
        return DenseHits(self._table.ids[positions[order]], scores[order], eligible)

    def similarities(self, query_vector: NDArray[np.float32], chunk_ids: NDArray[np.int64]) -> NDArray[np.float64]:
        """See `VectorIndex.similarities`."""
        import numpy as np

        self._check(query_vector)
        slots = self._table.slots[self._table.positions(chunk_ids)]
        scores = np.full(len(slots), np.nan)
        stored = self._stored(slots)
        scores[stored] = self._cosines(query_vector, slots[stored])
        return scores

    def stored(self, chunk_id: int) -> NDArray[np.float32] | None:
        """See `StoredVectors.stored`."""
        slot = int(self._table.slots[self._table.ids.searchsorted(chunk_id)])
        if not 0 <= slot < len(self._matrix):
            return None
        vector = self._matrix[slot]
        return None if math.isnan(vector[0]) else vector

    def stored_vectors(self, chunk_ids: NDArray[np.int64]) -> NDArray[np.float32]:
        """See `StoredVectors.stored_vectors`."""
        import numpy as np

        slots = self._table.slots[self._table.positions(chunk_ids)]
        vectors = np.full((len(slots), self._matrix.shape[1]), np.nan, dtype=np.float32)
        stored = self._stored(slots)
        vectors[stored] = self._matrix[slots[stored]]
        return vectors

    def _stored(self, slots: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which slots the matrix has; one beyond it, in a store that was damaged, is no vector."""
        present: NDArray[np.bool_] = (slots >= 0) & (slots < len(self._matrix))
        return present

    def _check(self, query_vector: NDArray[np.float32]) -> None:
        if query_vector.shape != self._matrix.shape[1:]:
            raise EmbeddingError(
                f"the query's vector has shape {query_vector.shape}; the index holds vectors of"
                f" {self._matrix.shape[1]} dimensions",
                "embed the query with the model that embedded the project",
            )

    def _products(self, query_vector: NDArray[np.float32], slots: NDArray[np.int64]) -> NDArray[np.float32]:
        """Cosines as float32 arithmetic gives them: fast, good for choosing whom to look at closely."""
        if len(slots) * 4 > len(self._matrix):
            # Reading the whole matrix in order beats gathering most of its rows.
            return _row_products(self._matrix, query_vector)[slots]
        return _row_products(self._matrix[slots], query_vector)

    def _cosines(self, query_vector: NDArray[np.float32], slots: NDArray[np.int64]) -> NDArray[np.float64]:
        """Cosines in float64, rounded: a chunk's number does not depend on its company."""
        import numpy as np

        products = _row_products(self._matrix[slots].astype(np.float64), query_vector.astype(np.float64))
        rounded: NDArray[np.float64] = np.round(products, 6)
        return rounded


def _row_products(matrix: NDArray[_Float], vector: NDArray[_Float]) -> NDArray[_Float]:
    """`matrix @ vector` without BLAS, whose threads wait by spinning and so take the processors from everything else.

    One thread reads the matrix about as fast as memory gives it.
    """
    import numpy as np

    products: NDArray[_Float] = np.einsum("ij,j->i", matrix, vector)
    return products


def _border(scores: NDArray[np.floating], window: int) -> float:
    """The score of the last of the best `window`."""
    import numpy as np

    return float(np.partition(scores, len(scores) - window)[len(scores) - window])
