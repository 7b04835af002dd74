"""Late interaction: every word of the query looks for its nearest word in the passage.

MaxSim of Khattab and Zaharia, "ColBERT" (SIGIR 2020), over the token vectors of the shipped model, which was not
trained for it. The mean over the query's tokens stands in place of their sum, so that queries of different lengths
compare.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from glassdex.embedding.minilm import MiniLmEmbedder
from glassdex.embedding.token_vectors import TokenVectors
from glassdex.errors import EmbeddingError, RerankError
from glassdex.reranking.side_by_side import side_by_side

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FORMULA = "maxsim/1"
NO_LIKENESS = 0.0
"""The score where query or passage has no token at all."""


class LateInteraction:
    """Keeps the `Reranker` protocol with the model inside the package."""

    name = "late-interaction"
    scale = "mean over the query's tokens of their best cosine, -1..1"

    def __init__(self) -> None:
        self._vectors = TokenVectors()

    @property
    def identity(self) -> str:
        """The formula and the embedding model's key, which holds the hash of its weights."""
        return f"{FORMULA} {MiniLmEmbedder().identity.key}"

    @property
    def truncated_count(self) -> int:
        """Queries and passages so far of which the model read the beginning alone."""
        return self._vectors.truncated_count

    def rerank(self, query: str, passages: Sequence[str]) -> list[float]:
        """The MaxSim of each passage.

        Raises:
            RerankError: the shipped model cannot be loaded, or gave an unusable vector.
        """
        if not passages:
            return []
        try:
            asked = self._vectors.of(query)
            return side_by_side(lambda passage: maxsim(asked, self._vectors.of(passage)), passages)
        except EmbeddingError as error:
            raise RerankError(error.message, error.suggestion) from error


def maxsim(query: NDArray[np.float32], passage: NDArray[np.float32]) -> float:
    """The mean over the rows of `query` of their highest dot product with a row of `passage`; rows have unit length."""
    if not len(query) or not len(passage):
        return NO_LIKENESS
    return float((query @ passage.T).max(axis=1).mean())
