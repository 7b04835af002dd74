"""Texts to vectors: the `Embedder` protocol and the embedders that keep it.

Importing this package is cheap. `glassdex.embedding.minilm` holds the shipped model and
`glassdex.embedding.tokens` its tokenizer; both load what they need on first use.
"""

from glassdex.embedding.protocol import Embedder, EmbeddingIdentity

__all__ = ["Embedder", "EmbeddingIdentity"]
