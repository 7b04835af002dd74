"""What every reranker must do: a score of query and passage alone, on a scale that no batch moves."""

from __future__ import annotations

import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from glassdex.reranking.protocol import Reranker

_QUERY = "when does the tide gauge report"
_PASSAGES = (
    "The tide gauge at the harbour reports every six minutes.",
    "Bread rises faster in a warm kitchen.",
    "潮位計は六分ごとに報告する。",
    "x",
    "",
    "naïve café — “quotes”, emoji 🛟, a lone \ud83d surrogate and a\ttab\nnewline",
    "buoy " * 3_000,
)
_QUERIES = (_QUERY, "how warm should a kitchen be", "x", "潮位計", "? ! …", "gauge " * 1_000)


class RerankerConformance:
    """Derive, and provide `reranker`."""

    tolerance = 1e-5
    """How far a score may move between two calls: less than what the engine rounds to is nothing."""
    ordered: tuple[str, str, str] = (_QUERY, _PASSAGES[0], _PASSAGES[1])
    """A query, a passage that answers it, and one that does not."""

    def reranker(self) -> Reranker:
        """The reranker under test; called once for each test, so keep an expensive one."""
        raise NotImplementedError

    def test_every_passage_gets_one_score(self) -> None:
        reranker = self.reranker()
        for count in (1, 2, len(_PASSAGES), 40):
            passages = (_PASSAGES * 6)[:count]
            scores = reranker.rerank(_QUERY, passages)
            assert len(scores) == count, f"{len(scores)} scores for {count} passages"

    def test_no_passages_give_no_scores(self) -> None:
        assert list(self.reranker().rerank(_QUERY, [])) == []

    def test_every_score_is_a_finite_number(self) -> None:
        reranker = self.reranker()
        for query in _QUERIES:
            for passage, score in zip(_PASSAGES, reranker.rerank(query, _PASSAGES), strict=True):
                assert isinstance(score, float), f"{score!r} is a {type(score).__name__}, expected a float"
                assert math.isfinite(score), f"{query[:40]!r} with {passage[:40]!r} scores {score}"

    def test_the_better_passage_scores_higher(self) -> None:
        query, better, worse = self.ordered
        first, second = self.reranker().rerank(query, [better, worse])
        assert first > second, f"higher is better, but {better!r} scores {first} and {worse!r} {second}"

    def test_scores_are_in_the_order_of_the_passages(self) -> None:
        reranker = self.reranker()
        forwards = list(reranker.rerank(_QUERY, _PASSAGES))
        backwards = list(reranker.rerank(_QUERY, _PASSAGES[::-1]))[::-1]
        self._same(forwards, backwards, "score i belongs to passage i, whatever their order")

    def test_a_passage_scores_the_same_alone_and_in_any_company(self) -> None:
        reranker = self.reranker()
        _, better, worse = self.ordered
        alone = [reranker.rerank(_QUERY, [passage])[0] for passage in _PASSAGES]
        why = "a score scaled to its batch tells nothing of the passage"
        self._same(alone, reranker.rerank(_QUERY, _PASSAGES), f"all together: {why}")
        for company in ([better], [worse], [worse, worse, better]):
            for passage, expected in zip(_PASSAGES, alone, strict=True):
                self._same([expected], reranker.rerank(_QUERY, [*company, passage])[-1:], f"{passage[:40]!r}: {why}")

    def test_equal_passages_get_equal_scores(self) -> None:
        first, other, second = self.reranker().rerank(_QUERY, [_PASSAGES[0], _PASSAGES[1], _PASSAGES[0]])
        self._same([first], [second], f"the same passage twice, beside one of {other}")

    def test_a_score_is_not_changed_by_what_was_scored_before(self) -> None:
        reranker = self.reranker()
        before = list(reranker.rerank(_QUERY, _PASSAGES))
        for query in _QUERIES:
            reranker.rerank(query, _PASSAGES[:3])
        self._same(before, reranker.rerank(_QUERY, _PASSAGES), "the same call again")

    def test_threads_get_what_one_alone_gets(self) -> None:
        reranker = self.reranker()
        expected = [list(reranker.rerank(query, _PASSAGES)) for query in _QUERIES]
        with ThreadPoolExecutor(4) as pool:
            rounds = list(pool.map(lambda query: list(reranker.rerank(query, _PASSAGES)), _QUERIES * 3))
        for position, scores in enumerate(rounds):
            self._same(expected[position % len(_QUERIES)], scores, "side by side with other queries")

    def test_it_says_what_it_is_and_its_scale(self) -> None:
        reranker = self.reranker()
        before = (reranker.name, reranker.identity, reranker.scale)
        assert all(before), f"name, identity and scale are for people: {before}"
        reranker.rerank(_QUERY, _PASSAGES[:2])
        assert (reranker.name, reranker.identity, reranker.scale) == before, "they changed by use"

    def _same(self, expected: Sequence[float], found: Sequence[float], when: str) -> None:
        assert len(expected) == len(found), f"{when}: {len(found)} scores, expected {len(expected)}"
        for one, other in zip(expected, found, strict=True):
            assert abs(one - other) <= self.tolerance, f"{when}: {list(found)}, expected {list(expected)}"
