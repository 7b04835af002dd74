"""The shipped embedder keeps the `Embedder` protocol."""

from __future__ import annotations

from glassdex.embedding import Embedder
from glassdex.embedding.minilm import MiniLmEmbedder
from glassdex.testing import EmbedderConformance

SHIPPED = MiniLmEmbedder()


class TestMiniLmEmbedder(EmbedderConformance):
    def embedder(self) -> Embedder:
        return SHIPPED
