"""Searching while vectors are missing, belong to another model, or cannot be made."""

from __future__ import annotations

import pytest

from glassdex.envelopes.search import search_answer
from glassdex.errors import EmbeddingError
from tests.search.vaults import DeafToQueries, HashedWords, StopsHalfway, indexed, paths

NOTES = {f"{number:03}.md": f"harbour {number}\n" for number in range(150)}


def test_before_embedding_words_answer_and_the_verdict_says_not_ready():
    with indexed({"a.md": "harbour\n", "b.md": "tide\n"}, embed=False) as project:
        execution = project.search("harbour")
        assert paths(execution) == ["a.md"]
        assert execution.verdict.status == "not_ready"
        assert (execution.readiness.ready, execution.readiness.pending) == (0, 2)
        assert [c.vector_pending for c in execution.ledger.candidates.values()] == [True]
        assert execution.results[0].similarity is None
        lexical = project.search("harbour", mode="lexical")
        assert lexical.verdict.status == "ok"
        assert not any(c.vector_pending for c in lexical.ledger.candidates.values())


def test_before_embedding_a_search_by_meaning_is_not_ready():
    with indexed({"a.md": "harbour\n"}, embed=False) as project:
        execution = project.search("harbour", mode="dense")
        assert execution.results == ()
        assert execution.verdict.status == "not_ready"


def test_words_that_find_nothing_before_embedding_are_not_nothing_relevant_for_good():
    with indexed({"a.md": "harbour\n"}, embed=False) as project:
        assert project.search("boats").results == ()
        project.index()
        assert project.search("boats").results


def test_half_embedded_the_pending_ones_are_flagged_and_meaning_adds_nothing_to_them():
    with indexed(NOTES, embed=False) as project:
        project.embedder = StopsHalfway(1)
        with pytest.raises(EmbeddingError):
            project.index()
        project.embedder = HashedWords()
        execution = project.search("harbour", limit=1000)
        assert execution.verdict.status == "ok"
        assert (execution.readiness.ready, execution.readiness.pending) == (128, 22)
        candidates = list(execution.ledger.candidates.values())
        pending = [c for c in candidates if c.vector_pending]
        assert len(candidates) == 150
        assert len(pending) == 22
        for candidate in candidates:
            assert candidate.fused is not None
            assert ("dense" in candidate.legs) != candidate.vector_pending
            assert not candidate.vector_pending or candidate.fused.parts["dense"] == 0
        trace = search_answer(execution, "vault", explain=True).trace
        assert trace is not None
        assert sum(candidate.vector_pending is True for candidate in trace.candidates) == 22
        complete = next(stage for stage in trace.stages if stage.name == "complete")
        assert complete.measured == {"vector_pending": 22}


def test_a_model_that_fails_on_the_query_leaves_the_words_and_a_note():
    with indexed({"a.md": "harbour\n", "b.md": "tide\n"}, embedder=DeafToQueries()) as project:
        execution = project.search("harbour")
        assert paths(execution) == ["a.md"]
        assert execution.ledger.notes == ["searched by words only: the embedding service did not answer"]
        trace = search_answer(execution, "vault", explain=True).trace
        assert trace is not None
        assert trace.notes == ("searched by words only: the embedding service did not answer",)


def test_a_model_that_fails_on_the_query_is_the_error_of_a_search_by_meaning():
    silent = pytest.raises(EmbeddingError, match="did not answer")
    with indexed({"a.md": "harbour\n"}, embedder=DeafToQueries()) as project, silent:
        project.search("harbour", mode="dense")


@pytest.mark.parametrize("dimensions", [24, 48])
def test_vectors_of_another_model_are_never_compared(dimensions: int):
    class Other(HashedWords):
        @property
        def identity(self):
            return (
                super().identity
                if self.dimensions == 48
                else type(super().identity)("other", "", "mean", 24, "", "", 0)
            )

    with indexed({"a.md": "harbour\n", "b.md": "tide\n"}) as project:
        project.embedder = Other(dimensions)
        execution = project.search("harbour")
        assert paths(execution) == ["a.md"]
        assert execution.verdict.status == "not_ready"
        assert (execution.readiness.ready, execution.readiness.pending, execution.readiness.other_identity) == (0, 2, 2)
        assert all("dense" not in c.legs and c.vector_pending for c in execution.ledger.candidates.values())
        assert execution.results[0].freshness.state == "index_behind_rows"
        assert project.search("harbour", mode="dense").verdict.status == "not_ready"
