"""One model for several projects: loaded once, and a query that several ask is embedded once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from glassdex.embedding.protocol import Embedder, EmbeddingIdentity

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class SharedEmbedder:
    """Keeps the `Embedder` protocol by another one, and the vector of the last query."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._last: tuple[str, NDArray[np.float32]] | None = None

    @property
    def identity(self) -> EmbeddingIdentity:
        """That of the embedder behind it."""
        return self._embedder.identity

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """See `Embedder.embed_documents`."""
        return self._embedder.embed_documents(texts)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """See `Embedder.embed_query`; the same vector for the same text as the last one."""
        last = self._last
        if last is None or last[0] != text:
            last = self._last = (text, self._embedder.embed_query(text))
        return last[1]
