"""MaxSim over the shipped model's token vectors."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassdex.embedding.token_vectors import TokenVectors
from glassdex.errors import EmbeddingError, RerankError
from glassdex.reranking import Reranker
from glassdex.reranking.late_interaction import LateInteraction, maxsim
from glassdex.testing import RerankerConformance

SHIPPED = LateInteraction()


class TestLateInteraction(RerankerConformance):
    def reranker(self) -> Reranker:
        return SHIPPED


@given(st.integers(1, 9), st.integers(1, 9), st.integers(0, 2**32 - 1))
def test_maxsim_is_what_a_naive_loop_finds(query_tokens: int, passage_tokens: int, seed: int):
    chance = np.random.default_rng(seed)
    query, passage = (chance.normal(size=(count, 12)) for count in (query_tokens, passage_tokens))
    query, passage = (rows / np.linalg.norm(rows, axis=1, keepdims=True) for rows in (query, passage))
    total = 0.0
    for asked in query:
        best = -2.0
        for read in passage:
            cosine = 0.0
            for one, other in zip(asked, read, strict=True):
                cosine += one * other
            best = max(best, cosine)
        total += best
    found = maxsim(query.astype(np.float32), passage.astype(np.float32))
    assert found == pytest.approx(total / query_tokens, abs=1e-5)


def test_a_query_that_is_the_passage_scores_one():
    assert SHIPPED.rerank("the tide gauge", ["the tide gauge"]) == pytest.approx([1.0], abs=1e-5)


def test_without_a_token_there_is_no_likeness():
    assert SHIPPED.rerank("the tide", [""]) == [0.0]
    assert SHIPPED.rerank("", ["the tide"]) == [0.0]


def test_what_is_cut_is_counted():
    reranker = LateInteraction()
    reranker.rerank("tide", ["buoy " * 1_000, "buoy"])
    assert reranker.truncated_count == 1


def test_a_model_that_fails_is_a_rerank_error(monkeypatch: pytest.MonkeyPatch):
    def fail(self: TokenVectors, text: str) -> None:
        raise EmbeddingError("the model is damaged", "reinstall")

    monkeypatch.setattr(TokenVectors, "of", fail)
    with pytest.raises(RerankError, match="the model is damaged"):
        SHIPPED.rerank("tide", ["tide"])


def test_the_identity_names_the_formula_and_the_weights():
    assert SHIPPED.identity == "maxsim/1 all-MiniLM-L6-v2-int8@3bbd3722d257"
