"""The shipped model's token vectors come from the same run as the pooled one, and change nothing about it."""

from __future__ import annotations

import numpy as np
import pytest

from glassdex.embedding import token_vectors
from glassdex.embedding.minilm import MiniLmEmbedder
from glassdex.embedding.shipped import MODEL_FILE, shipped_file, shipped_model
from glassdex.embedding.token_vectors import TokenVectors, added_output
from glassdex.embedding.tokens import TokenCounter
from glassdex.errors import EmbeddingError
from glassdex.search.floors import SHIPPED_MODEL

TEXTS = ("the tide gauge", "x", "潮位計は六分ごとに報告する。", "buoy seven drifts " * 200, "[SEP] is a word", "")


@pytest.fixture(scope="module")
def vectors() -> TokenVectors:
    return TokenVectors()


@pytest.mark.parametrize("text", TEXTS)
def test_the_pooled_vector_has_the_bytes_that_the_embedder_gives(vectors: TokenVectors, text: str):
    embedder = MiniLmEmbedder()
    pooled, tokens = vectors.run(text)
    stored = embedder.embed_documents([text])[0]
    again = pooled[0] / np.sqrt(np.square(pooled[0], dtype=np.float64).sum())
    assert again.astype(np.float32).tobytes() == stored.tobytes()
    mean = tokens[0].mean(axis=0)
    assert np.allclose(mean / np.linalg.norm(mean), stored, atol=1e-6), "their mean is what is pooled"


def test_the_identity_under_which_vectors_are_stored_is_the_old_one():
    assert MiniLmEmbedder().identity.key == SHIPPED_MODEL


def test_each_token_but_the_special_ones_has_a_unit_row(vectors: TokenVectors):
    found = vectors.of("the tide gauge reports")
    assert found.shape == (TokenCounter().count("the tide gauge reports"), 384)
    assert np.allclose(np.linalg.norm(found, axis=1), 1, atol=1e-6)
    assert vectors.of("").shape == (0, 384)


def test_a_text_beyond_the_limit_is_cut_and_counted():
    vectors = TokenVectors()
    assert vectors.of("tide " * 100).shape[0] == 100
    assert vectors.truncated_count == 0
    assert vectors.of("tide " * 1_000).shape[0] == shipped_model().token_limit - 2
    assert vectors.truncated_count == 1


def test_a_long_name_has_a_length_of_two_bytes():
    name = "n" * 300
    encoded = added_output(name)
    assert name.encode() in encoded
    assert b"\x0a\xac\x02n" in encoded, "field 1, then 300 as a varint"


def test_a_graph_without_that_layer_is_an_error(monkeypatch: pytest.MonkeyPatch):
    with shipped_file(MODEL_FILE) as path:
        assert path.is_file()
    monkeypatch.setattr(token_vectors, "LAST_LAYER", "no/such/layer")
    with pytest.raises(EmbeddingError, match="token vectors cannot be reached"):
        TokenVectors().of("tide")
