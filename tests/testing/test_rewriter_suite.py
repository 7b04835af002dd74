"""The rewriter suite accepts a small honest rewriter and rejects those that break the protocol."""

from __future__ import annotations

import threading

import pytest

from glassdex.errors import RewriteError
from glassdex.rewriting import FurtherWords, Rewrite
from glassdex.testing import RewriterConformance

from .rejection import failed_tests

KNOWN = {"tide": ("ebb", "flood"), "gauge": ("meter",), "kitchen": ("oven",)}


class Thesaurus:
    """Other words for the words that it knows."""

    name = "thesaurus"
    kind = "expansion"

    def __init__(self) -> None:
        self.identity = "thesaurus/1"
        self.calls = 0

    def rewrite(self, query: str) -> Rewrite:
        self.calls += 1
        found = [other for word in query.split() for other in KNOWN.get(word, ())]
        if not found:
            raise RewriteError("the thesaurus has none of these words")
        return Rewrite(words=tuple(FurtherWords(word, self.weight()) for word in found))

    def weight(self) -> float:
        return 0.5


class HeavierThanTheUser(Thesaurus):
    def weight(self) -> float:
        return 2.0


class NotANumber(Thesaurus):
    def weight(self) -> float:
        return float("nan")


class DriftsByUse(Thesaurus):
    def weight(self) -> float:
        return 1 / self.calls


class SaysNothing(Thesaurus):
    def rewrite(self, query: str) -> Rewrite:
        return Rewrite()


class GivesLetters(Thesaurus):
    def rewrite(self, query: str) -> Rewrite:
        return Rewrite(words=super().rewrite(query).words, texts="a passage")


class GivesTexts(Thesaurus):
    def rewrite(self, query: str) -> Rewrite:
        return Rewrite(texts=("a passage",))


class GivesPairs(Thesaurus):
    def rewrite(self, query: str) -> Rewrite:
        return Rewrite(words=[(word.text, word.weight) for word in super().rewrite(query).words])  # type: ignore[misc]


class GivesAList(Thesaurus):
    def rewrite(self, query: str) -> Rewrite:
        return list(super().rewrite(query).words)  # type: ignore[return-value]


class RenamesItself(Thesaurus):
    def rewrite(self, query: str) -> Rewrite:
        self.identity += "!"
        return super().rewrite(query)


class OneQueryForAllThreads(Thesaurus):
    """Keeps the query in itself: another thread's comes in between."""

    def __init__(self) -> None:
        super().__init__()
        self.meeting = threading.Barrier(3)

    def rewrite(self, query: str) -> Rewrite:
        self.query = query
        if threading.current_thread() is not threading.main_thread():
            self.meeting.wait(5)
        return super().rewrite(self.query)


def suite_of(rewriter: type[Thesaurus]) -> RewriterConformance:
    class Suite(RewriterConformance):
        def rewriter(self) -> Thesaurus:
            return rewriter()

    return Suite()


def test_an_honest_rewriter_passes():
    assert failed_tests(suite_of(Thesaurus)) == set()


@pytest.mark.parametrize(
    ("broken", "caught_by"),
    [
        (HeavierThanTheUser, "test_words_and_texts_are_text_and_weights_are_shares"),
        (NotANumber, "test_words_and_texts_are_text_and_weights_are_shares"),
        (GivesLetters, "test_words_and_texts_are_text_and_weights_are_shares"),
        (GivesPairs, "test_words_and_texts_are_text_and_weights_are_shares"),
        (DriftsByUse, "test_the_same_query_gives_the_same_rewrite"),
        (SaysNothing, "test_a_query_gets_words_or_texts"),
        (GivesTexts, "test_it_gives_what_its_kind_says"),
        (GivesAList, "test_a_query_gets_words_or_texts"),
        (RenamesItself, "test_it_says_what_it_is"),
        (OneQueryForAllThreads, "test_threads_get_what_one_alone_gets"),
    ],
)
def test_a_broken_rewriter_is_rejected(broken: type[Thesaurus], caught_by: str):
    assert caught_by in failed_tests(suite_of(broken))
