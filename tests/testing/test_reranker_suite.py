"""The reranker suite accepts a small honest reranker and rejects those that break the protocol."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import pytest

from glassdex.testing import RerankerConformance

from .rejection import failed_tests


class SharedWords:
    """The share of the query's words that the passage has."""

    name = "shared-words"
    scale = "share of the query's words, 0..1"

    def __init__(self) -> None:
        self.identity = "shared-words/1"
        self.calls = 0

    def rerank(self, query: str, passages: Sequence[str]) -> list[float]:
        self.calls += 1
        return [self.score(query, passage) for passage in passages]

    def score(self, query: str, passage: str) -> float:
        asked = set(query.casefold().split())
        return len(asked & set(passage.casefold().split())) / len(asked)


class ScaledToItsBatch(SharedWords):
    """The best of a batch has 1 and the worst 0: nobody can tell answers from nonsense any more."""

    def rerank(self, query: str, passages: Sequence[str]) -> list[float]:
        scores = super().rerank(query, passages)
        if not scores or max(scores) == min(scores):
            return [1.0 for _ in scores]
        return [(score - min(scores)) / (max(scores) - min(scores)) for score in scores]


class SharesOfItsBatch(SharedWords):
    def rerank(self, query: str, passages: Sequence[str]) -> list[float]:
        scores = [score + 0.1 for score in super().rerank(query, passages)]
        return [score / sum(scores) for score in scores]


class RanksInsteadOfScores(SharedWords):
    def rerank(self, query: str, passages: Sequence[str]) -> list[float]:
        scores = super().rerank(query, passages)
        return [1.0 / (1 + sum(other > score for other in scores)) for score in scores]


class BestFirst(SharedWords):
    def rerank(self, query: str, passages: Sequence[str]) -> list[float]:
        return sorted(super().rerank(query, passages), reverse=True)


class Distances(SharedWords):
    def score(self, query: str, passage: str) -> float:
        return 1 - super().score(query, passage)


class OnlyTheTop(SharedWords):
    def rerank(self, query: str, passages: Sequence[str]) -> list[float]:
        return super().rerank(query, passages)[:10]


class NotANumber(SharedWords):
    def score(self, query: str, passage: str) -> float:
        return super().score(query, passage) if passage else float("nan")


class DriftsByUse(SharedWords):
    def score(self, query: str, passage: str) -> float:
        return super().score(query, passage) + self.calls


class ScoresNothing(SharedWords):
    def rerank(self, query: str, passages: Sequence[str]) -> list[float]:
        return super().rerank(query, passages) or [0.0]


class RenamesItself(SharedWords):
    def rerank(self, query: str, passages: Sequence[str]) -> list[float]:
        self.identity += "!"
        return super().rerank(query, passages)


class OneQueryForAllThreads(SharedWords):
    """Keeps the query in itself: another thread's comes in between."""

    def __init__(self) -> None:
        super().__init__()
        self.meeting = threading.Barrier(2)

    def rerank(self, query: str, passages: Sequence[str]) -> list[float]:
        self.query = query
        if threading.current_thread() is not threading.main_thread():
            self.meeting.wait(5)
        return super().rerank(self.query, passages)


def suite_of(reranker: type[SharedWords]) -> RerankerConformance:
    class Suite(RerankerConformance):
        def reranker(self) -> SharedWords:
            return reranker()

    return Suite()


def test_an_honest_reranker_passes():
    assert failed_tests(suite_of(SharedWords)) == set()


@pytest.mark.parametrize(
    ("broken", "caught_by"),
    [
        (ScaledToItsBatch, "test_a_passage_scores_the_same_alone_and_in_any_company"),
        (SharesOfItsBatch, "test_a_passage_scores_the_same_alone_and_in_any_company"),
        (RanksInsteadOfScores, "test_a_passage_scores_the_same_alone_and_in_any_company"),
        (BestFirst, "test_scores_are_in_the_order_of_the_passages"),
        (Distances, "test_the_better_passage_scores_higher"),
        (OnlyTheTop, "test_every_passage_gets_one_score"),
        (NotANumber, "test_every_score_is_a_finite_number"),
        (DriftsByUse, "test_a_score_is_not_changed_by_what_was_scored_before"),
        (ScoresNothing, "test_no_passages_give_no_scores"),
        (RenamesItself, "test_it_says_what_it_is_and_its_scale"),
        (OneQueryForAllThreads, "test_threads_get_what_one_alone_gets"),
    ],
)
def test_a_broken_reranker_is_rejected(broken: type[SharedWords], caught_by: str):
    assert caught_by in failed_tests(suite_of(broken))
