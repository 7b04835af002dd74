"""What every rewriter must do: words and texts in bounds, for any query whatever, and the same for the same query."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor

from glassdex.errors import RewriteError
from glassdex.rewriting.protocol import FurtherWords, Rewrite, Rewriter

_QUERY = "when does the tide gauge report"
_HOSTILE = (
    "x",
    "潮位計",
    "? ! …",
    "naïve café — “quotes”, emoji 🛟, a lone \ud83d surrogate and a\ttab\nnewline",
    "gauge " * 1_000,
)


class RewriterConformance:
    """Derive, and provide `rewriter`."""

    query = _QUERY
    """A query that the rewriter has something to say to."""

    def rewriter(self) -> Rewriter:
        """The rewriter under test; called once for each test, so keep an expensive one."""
        raise NotImplementedError

    def test_it_says_what_it_is(self) -> None:
        rewriter = self.rewriter()
        before = (rewriter.name, rewriter.identity, rewriter.kind)
        assert all(before), f"name, identity and kind are for people: {before}"
        rewriter.rewrite(self.query)
        assert (rewriter.name, rewriter.identity, rewriter.kind) == before, "they changed by use"

    def test_a_query_gets_words_or_texts(self) -> None:
        made = self._rewrite(self.rewriter(), self.query)
        assert made.words or made.texts, "a rewriter with nothing to say raises a RewriteError"

    def test_it_gives_what_its_kind_says(self) -> None:
        rewriter = self.rewriter()
        made = self._rewrite(rewriter, self.query)
        assert rewriter.kind != "hyde" or not made.words, f"`hyde` gives texts alone, not {made.words}"
        assert rewriter.kind != "expansion" or not made.texts, f"`expansion` gives words alone, not {made.texts}"

    def test_words_and_texts_are_text_and_weights_are_shares(self) -> None:
        made = self._rewrite(self.rewriter(), self.query)
        for words in made.words:
            assert isinstance(words, FurtherWords), f"{words!r} are no FurtherWords"
            assert isinstance(words.text, str) and words.text.strip(), f"the words {words.text!r}"
            assert math.isfinite(words.weight) and 0 < words.weight <= 1, f"{words.text!r} weighs {words.weight}"
        assert not isinstance(made.texts, str), "texts are a sequence of strings, not one"
        for text in made.texts:
            assert isinstance(text, str) and text.strip(), f"the text {text!r}"

    def test_any_query_is_rewritten_or_refused(self) -> None:
        rewriter = self.rewriter()
        for query in _HOSTILE:
            try:
                rewriter.rewrite(query)
            except RewriteError:
                continue

    def test_the_same_query_gives_the_same_rewrite(self) -> None:
        rewriter = self.rewriter()
        before = self._rewrite(rewriter, self.query)
        self.test_any_query_is_rewritten_or_refused()
        assert self._rewrite(rewriter, self.query) == before, "another rewrite of the same query"

    def test_threads_get_what_one_alone_gets(self) -> None:
        rewriter = self.rewriter()
        queries = [self.query, f"{self.query} again", "how warm should a kitchen be"]
        expected = [self._rewrite(rewriter, query) for query in queries]
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(lambda query: self._rewrite(rewriter, query), queries * 3))
        assert found == expected * 3, "another rewrite while others are made"

    def _rewrite(self, rewriter: Rewriter, query: str) -> Rewrite:
        made = rewriter.rewrite(query)
        assert isinstance(made, Rewrite), f"{made!r} is a {type(made).__name__}, expected a Rewrite"
        return made
