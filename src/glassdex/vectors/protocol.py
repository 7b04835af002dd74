"""What a vector index promises. `glassdex.testing.VectorIndexConformance` holds every implementation to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class DenseHits:
    """Cosines (−1..1, rounded to 1e-6), best first; `scores[i]` belongs to `chunk_ids[i]`.

    `eligible` counts the chunks in scope that have a vector, where the index can tell.
    """

    chunk_ids: NDArray[np.int64]
    scores: NDArray[np.float64]
    eligible: int | None


class VectorIndex(Protocol):
    """Nearest chunks by cosine over one generation; made for a snapshot, used within it."""

    name: str

    def ready(self) -> int:
        """How many chunks have a vector that can be compared."""
        ...

    def search(self, query_vector: NDArray[np.float32], scope: NDArray[np.int64] | None, window: int) -> DenseHits:
        """The nearest chunks, at least `window` where so many have a vector, with all that tie with the last.

        `query_vector` is unit length, shape (dimensions,). `scope` is an ascending array of the eligible chunk ids,
        `None` for all.

        Raises:
            EmbeddingError: the query's vector does not have the index's dimensions.
        """
        ...

    def similarities(self, query_vector: NDArray[np.float32], chunk_ids: NDArray[np.int64]) -> NDArray[np.float64]:
        """Exact cosine of the given chunks, in the given order, rounded to 1e-6; NaN for one without a vector.

        The same numbers as `search`.

        Raises:
            EmbeddingError: the query's vector does not have the index's dimensions.
        """
        ...


@runtime_checkable
class StoredVectors(Protocol):
    """What a vector index may offer besides: the vectors that it holds."""

    def stored(self, chunk_id: int) -> NDArray[np.float32] | None:
        """A chunk's vector, unit length, shape (dimensions,); `None` while it has none. The chunk must exist."""
        ...

    def stored_vectors(self, chunk_ids: NDArray[np.int64]) -> NDArray[np.float32]:
        """The vectors of chunks that exist, in the given order: (chunks, dimensions), NaN where one has none."""
        ...
