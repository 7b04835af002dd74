"""The embedder suite accepts a small honest embedder and rejects those that break the protocol."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from glassdex.embedding import EmbeddingIdentity
from glassdex.testing import EmbedderConformance

from .rejection import failed_tests

Vectors = NDArray[np.float32]


class HashEmbedder:
    """A direction drawn from the text's hash."""

    def __init__(self) -> None:
        self.identity = EmbeddingIdentity("hash", "", "remote", 16, "", "", 0)
        self.calls = 0

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        self.calls += 1
        rows = [self.direction(text) for text in texts]
        vectors: Vectors = np.array(rows, dtype=np.float32).reshape(len(rows), self.identity.dimensions)
        return vectors

    def embed_query(self, text: str) -> Vectors:
        vector: Vectors = self.embed_documents([text])[0]
        return vector

    def direction(self, text: str) -> NDArray[np.float64]:
        seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
        vector = np.random.default_rng(seed).normal(size=self.identity.dimensions)
        unit: NDArray[np.float64] = vector / np.linalg.norm(vector)
        return unit


class NotUnitLength(HashEmbedder):
    def direction(self, text: str) -> NDArray[np.float64]:
        return super().direction(text) * 1.01


class DependsOnTheBatch(HashEmbedder):
    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        vectors = super().embed_documents(texts)
        centred = vectors - 0.5 * vectors.mean(axis=0, keepdims=True) if len(texts) else vectors
        unit: Vectors = (centred / np.linalg.norm(centred, axis=1, keepdims=True)).astype(np.float32)
        return unit


class DriftsByUse(HashEmbedder):
    def direction(self, text: str) -> NDArray[np.float64]:
        return super().direction(text + str(self.calls))


class FlatWhenEmpty(HashEmbedder):
    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        return super().embed_documents(texts) if texts else np.empty(0, dtype=np.float32)


class SortsItsTexts(HashEmbedder):
    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        return super().embed_documents(sorted(texts, key=len))


class DoublePrecision(HashEmbedder):
    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        return super().embed_documents(texts).astype(np.float64)


class OneVectorForAll(HashEmbedder):
    def direction(self, text: str) -> NDArray[np.float64]:
        return super().direction("")


class RenamesItself(HashEmbedder):
    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        self.identity = replace(self.identity, model=self.identity.model + "!")
        return super().embed_documents(texts)


class BatchesQueries(HashEmbedder):
    def embed_query(self, text: str) -> Vectors:
        self.calls += 1
        return self.direction(text + str(self.calls)).astype(np.float32)


def suite_of(embedder: type[HashEmbedder]) -> EmbedderConformance:
    class Suite(EmbedderConformance):
        def embedder(self) -> HashEmbedder:
            return embedder()

    return Suite()


def test_an_honest_embedder_passes():
    assert failed_tests(suite_of(HashEmbedder)) == set()


@pytest.mark.parametrize(
    ("broken", "caught_by"),
    [
        (NotUnitLength, "test_every_vector_has_unit_length"),
        (DependsOnTheBatch, "test_a_text_has_the_same_vector_alone_and_in_company"),
        (DriftsByUse, "test_the_same_call_gives_the_same_bytes"),
        (FlatWhenEmpty, "test_no_texts_give_an_empty_matrix_of_the_right_width"),
        (SortsItsTexts, "test_rows_are_in_the_order_of_the_texts"),
        (DoublePrecision, "test_documents_come_back_as_one_float32_row_each"),
        (OneVectorForAll, "test_different_texts_have_different_vectors"),
        (RenamesItself, "test_the_identity_is_stable_and_says_what_the_vectors_are"),
        (BatchesQueries, "test_a_query_is_not_changed_by_what_was_embedded_before"),
    ],
)
def test_a_broken_embedder_is_rejected(broken: type[HashEmbedder], caught_by: str):
    with np.errstate(invalid="ignore", divide="ignore"):
        assert caught_by in failed_tests(suite_of(broken))
