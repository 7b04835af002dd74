"""What every lexical index must do: BM25 with the numbers of the formula, phrases, and every term that exists."""

from __future__ import annotations

import math
import string
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager

import numpy as np

from glassdex.analysis import analyzer
from glassdex.lexical.bm25 import FIELD_WEIGHTS, K1, LARGE_PROJECT_CHUNKS, TOO_COMMON_SHARE, B
from glassdex.lexical.protocol import LexicalEntry, LexicalIndex, LexicalScores
from glassdex.lexical.query import Clause, LexicalQuery, QueryTerm, parse_query
from glassdex.storage.records import ChunkTable

_ROUNDING = 1e-6

_CORPUS = (
    {"title": "harbour log", "headings": "tides", "body": "the tide turns at noon and the tide gauge ticks"},
    {"title": "harbour log", "headings": "buoys", "body": "buoy seven drifts", "tags": "buoy"},
    {"title": "kitchen", "body": "bread rises at noon", "tags": "bread/sour"},
    {"title": "kitchen", "headings": "bread", "body": "bread bread bread and salt", "parts": "sour dough"},
    {"title": "index", "body": "tide bread buoy salt noon the", "parts": "tide"},
    {"title": "empty page"},
)
_STOPWORDS = frozenset({"the", "and", "at"})


class LexicalIndexConformance:
    """Derive, and provide `built`."""

    def built(
        self, entries: Sequence[LexicalEntry], removed: Sequence[int], table: ChunkTable
    ) -> AbstractContextManager[LexicalIndex]:
        """An index that got `entries` and then lost the chunk ids `removed`, usable inside the `with`.

        `table` has the chunks that remain, with the lengths that BM25 reckons with; its vector columns are empty.
        Terms are to be kept exactly as they are: any text without white space is a term.
        """
        raise NotImplementedError

    def test_scores_are_those_of_the_formula(self) -> None:
        corpus = _Corpus(_CORPUS)
        for text in ("tide", "bread salt", "buoy noon tide bread salt gauge", "harbour kitchen", "sour dough"):
            with self._index(corpus) as index:
                found = _by_chunk(index.search(_words(text), None, 100))
            expected = corpus.bm25(text.split())
            assert found.keys() == expected.keys(), f"{text!r}: chunks {sorted(found)}, expected {sorted(expected)}"
            for chunk_id, score in found.items():
                assert abs(score - expected[chunk_id]) <= _ROUNDING, (
                    f"{text!r}, chunk {chunk_id}: {score}, the formula says {expected[chunk_id]}"
                )

    def test_a_term_named_twice_scores_twice(self) -> None:
        once = LexicalQuery("", (QueryTerm("tide", "tide"),), (), ())
        twice = LexicalQuery("", (QueryTerm("tide", "tide", count=2),), (), ())
        with self._index(_Corpus(_CORPUS)) as index:
            single, double = _by_chunk(index.search(once, None, 100)), _by_chunk(index.search(twice, None, 100))
        assert double.keys() == single.keys()
        for chunk_id, score in single.items():
            assert abs(double[chunk_id] - 2 * score) <= 2 * _ROUNDING, f"chunk {chunk_id}: {double[chunk_id]}"

    def test_a_term_of_half_the_weight_scores_half(self) -> None:
        whole = LexicalQuery("", (QueryTerm("tide", "tide"), QueryTerm("bread", "bread", count=2)), (), ())
        mixed = LexicalQuery("", (QueryTerm("tide", "tide"), QueryTerm("bread", "bread", count=2, weight=0.5)), (), ())
        corpus = _Corpus(_CORPUS)
        tide, bread = corpus.bm25(["tide"]), corpus.bm25(["bread"])
        with self._index(corpus) as index:
            for query, factor in ((whole, 2.0), (mixed, 1.0)):
                found = _by_chunk(index.search(query, None, 100))
                assert found.keys() == tide.keys() | bread.keys()
                for chunk_id, score in found.items():
                    expected = tide.get(chunk_id, 0.0) + factor * bread.get(chunk_id, 0.0)
                    assert abs(score - expected) <= _ROUNDING, f"chunk {chunk_id}: {score}, expected {expected}"

    def test_scores_are_rounded_and_best_first(self) -> None:
        with self._index(_Corpus(_CORPUS)) as index:
            scores = index.search(_words("tide bread buoy noon"), None, 100).scores
        assert np.array_equal(scores, np.round(scores, 6)), "rounded to 1e-6 before they are compared"
        assert np.all(np.diff(scores) <= 0), f"scores descend: {scores}"

    def test_a_term_in_every_chunk_still_weighs_something(self) -> None:
        corpus = _Corpus([{"body": f"common word{i}"} for i in range(4)])
        query = _words("common")
        with self._index(corpus) as index:
            (statistics,) = index.statistics(query)
            scores = index.search(query, None, 10).scores
        assert statistics.idf is not None and abs(statistics.idf - corpus.idf(4)) < 1e-12, (
            f"idf {statistics.idf}, the formula says {corpus.idf(4)}: positive, not clamped"
        )
        assert len(scores) == 4 and min(scores) > 0.01, f"scores {scores.tolist()}"

    def test_statistics_name_every_term_with_its_document_frequency(self) -> None:
        with self._index(_Corpus(_CORPUS)) as index:
            tide, unknown = index.statistics(_words("tide zeppelin"))
        assert (tide.term, tide.status, tide.document_frequency) == ("tide", "used", 2)
        assert (unknown.term, unknown.status, unknown.document_frequency) == ("zeppelin", "unknown", 0)
        assert unknown.idf is None, "a term that is nowhere has no weight to show"

    def test_scope_limits_the_hits_and_changes_no_score(self) -> None:
        query = _words("tide bread noon")
        with self._index(_Corpus(_CORPUS)) as index:
            everywhere = _by_chunk(index.search(query, None, 100))
            scope = np.array([10, 30, 60])
            within = _by_chunk(index.search(query, scope, 100))
            empty = index.search(query, np.empty(0, dtype=np.int64), 100)
        assert within == {i: everywhere[i] for i in (10, 30)}, "statistics are the project's, whatever the scope"
        assert empty.chunk_ids.tolist() == [], "an empty scope is nothing, not everything"

    def test_all_chunks_that_tie_with_the_last_of_the_window_come_back(self) -> None:
        bodies = ["tide tide", *["tide word"] * 3, "tide long long long long long long", "other"]
        with self._index(_Corpus([{"body": body} for body in bodies])) as index:
            hits = index.search(_words("tide"), None, 2)
        assert hits.chunk_ids.tolist()[0] == 10
        assert sorted(hits.chunk_ids.tolist()) == [10, 20, 30, 40], (
            f"one chunk leads, three tie at the border of a window of two: {hits.chunk_ids.tolist()}"
        )

    def test_scores_of_given_chunks_come_in_their_order_and_equal_the_search(self) -> None:
        query = _words("tide bread noon")
        asked = [60, 50, 10, 30, 20, 40]
        with self._index(_Corpus(_CORPUS)) as index:
            searched = _by_chunk(index.search(query, None, 100))
            given = index.scores(query, np.array(asked))
            one = index.scores(query, np.array([50]))
        assert given.chunk_ids.tolist() == asked
        assert given.scores.tolist() == [searched.get(i, 0.0) for i in asked], "0 where no term occurs"
        assert one.scores.tolist() == [searched[50]], "a number does not depend on its company"

    def test_matched_says_which_term_is_in_which_chunk(self) -> None:
        query = _words("tide zeppelin bread")
        with self._index(_Corpus(_CORPUS)) as index:
            given = index.scores(query, np.array([50, 10, 60]))
            searched = index.search(query, None, 100)
        assert given.terms == ("tide", "zeppelin", "bread")
        assert given.matched.tolist() == [[True, False, True], [True, False, False], [False, False, False]]
        assert searched.matched.shape == (len(searched.chunk_ids), 3)
        assert searched.matched.any(axis=1).all(), "a hit contains at least one term"

    def test_weights_are_what_each_term_alone_adds(self) -> None:
        terms, asked = ["tide", "zeppelin", "bread"], [60, 50, 10]
        corpus = _Corpus(_CORPUS)
        with self._index(corpus) as index:
            weights = index.weights(terms, np.array(asked))
            nothing = index.weights([], np.array(asked)), index.weights(terms, np.empty(0, dtype=np.int64))
        assert weights.shape == (3, 3), "one row a chunk, one column a term"
        for column, term in enumerate(terms):
            expected = corpus.bm25([term])
            for row, chunk_id in enumerate(asked):
                assert abs(weights[row, column] - expected.get(chunk_id, 0.0)) <= _ROUNDING, (
                    f"{term!r} in chunk {chunk_id}: {weights[row, column]}, the formula says {expected.get(chunk_id)}"
                )
        assert (nothing[0].shape, nothing[1].shape) == ((3, 0), (0, 3))

    def test_frequencies_may_be_estimates_and_rank_terms_alike(self) -> None:
        with self._index(_Corpus(_CORPUS)) as index:
            tide, bread, zeppelin = index.estimated_frequencies(["tide", "bread", "zeppelin"]).tolist()
            assert index.estimated_frequencies([]).tolist() == []
        assert tide >= 1 and bread >= 1 and zeppelin == 0, f"{tide}, {bread}, {zeppelin}"

    def test_a_phrase_is_consecutive_terms_within_one_field(self) -> None:
        cases = {
            "bread rises": [30],
            "rises bread": [],
            "tide gauge": [10],
            "harbour log": [10, 20],
            "log tides": [],
            "sour dough": [],
        }
        with self._index(_Corpus(_CORPUS)) as index:
            for phrase, expected in cases.items():
                found = index.containing(Clause(tuple(phrase.split()), phrase)).tolist()
                assert found == expected, f'"{phrase}": chunks {found}, expected {expected}'

    def test_a_single_word_is_also_found_as_part_of_a_longer_one(self) -> None:
        with self._index(_Corpus(_CORPUS)) as index:
            assert index.containing(Clause(("dough",), "dough")).tolist() == [40]
            assert index.containing(Clause(("bread",), "bread")).tolist() == [30, 40, 50]
            assert index.containing(Clause(("zeppelin",), "zeppelin")).tolist() == []

    def test_a_clause_with_a_field_looks_only_there(self) -> None:
        cases = {
            ("buoy", "tags"): [20],
            ("buoy", "body"): [20, 50],
            ("bread", "headings"): [40],
            ("bread", "title"): [],
            ("kitchen", "title"): [30, 40],
        }
        with self._index(_Corpus(_CORPUS)) as index:
            for (term, field), expected in cases.items():
                found = index.containing(Clause((term,), term, field)).tolist()
                assert found == expected, f"{field}:{term}: chunks {found}, expected {expected}"

    def test_deleted_chunks_are_gone_from_hits_phrases_and_frequencies(self) -> None:
        corpus = _Corpus(_CORPUS, removed=(50, 20))
        with self._index(corpus) as index:
            found = _by_chunk(index.search(_words("buoy tide"), None, 100))
            buoy, tide = index.statistics(_words("buoy tide"))
            phrase = index.containing(Clause(("buoy", "seven"), "buoy seven"))
        assert (buoy.status, buoy.document_frequency) == ("unknown", 0), f"{buoy}"
        assert tide.document_frequency == 1, f"{tide}"
        assert found.keys() == {10} and abs(found[10] - corpus.bm25(["buoy", "tide"])[10]) <= _ROUNDING, found
        assert phrase.tolist() == []

    def test_an_index_that_lost_everything_answers(self) -> None:
        corpus = _Corpus(_CORPUS[:2], removed=(10, 20))
        with self._index(corpus) as index:
            assert index.search(_words("tide"), None, 10).chunk_ids.tolist() == []
            assert index.containing(Clause(("tide",), "tide")).tolist() == []
            assert [s.status for s in index.statistics(_words("tide"))] == ["unknown"]

    def test_every_ascii_punctuation_may_stand_in_a_term(self) -> None:
        terms = [f"x{mark}y" for mark in string.punctuation] + list(string.punctuation)
        corpus = _Corpus([{"body": f"{term} tail"} for term in terms])
        with self._index(corpus) as index:
            for position, term in enumerate(terms, start=1):
                hits = index.search(_words(term), None, 100).chunk_ids.tolist()
                assert hits == [position * 10], f"the term {term!r} finds {hits}"
                phrase = index.containing(Clause((term, "tail"), term)).tolist()
                assert phrase == [position * 10], f"the phrase {term!r} tail finds {phrase}"
                alone = index.containing(Clause((term,), term)).tolist()
                assert alone == [position * 10], f"the clause {term!r} finds {alone}"

    def test_what_the_analyser_makes_of_any_script_is_found_again(self) -> None:
        texts = (
            "營收下降", "重跑gen-itgc後", "서울의 봄", "ひらがなとカタカナ", "Ünïcödé naïve café", "cafe\u0301 del mar",
            "हिन्दी में", "Ἑλληνικά", "اللغة العربية", "עברית", "snake_case CamelCase IT-644", "it's O'Brien’s",
            "a/b.md v0.23.1 user@host a::b", "C++ C# F#", "⑴ ⒈ 🄁 ½ ﬁne ㍿ ℅", "🛟 rescue", "ǅ İstanbul ß ſ",
        )  # fmt: skip
        words = analyzer()
        analysed = [words.terms(text) for text in texts]
        corpus = _Corpus([{"body": " ".join(found), "parts": " ".join(parts)} for found, parts in analysed])
        with self._index(corpus) as index:
            for position, text in enumerate(texts, start=1):
                query = parse_query(text, words)
                hits = index.search(query, None, 100)
                assert position * 10 in hits.chunk_ids, f"{text!r} does not find itself"
                row = hits.matched[hits.chunk_ids.tolist().index(position * 10)]
                missing = [term for term, there in zip(hits.terms, row, strict=True) if not there]
                assert not missing, f"{text!r}: {missing} not found in the text that they came from"
                (phrase,) = parse_query(f'"{text}"', words).required
                assert position * 10 in index.containing(phrase), f'"{text}" does not find itself as a phrase'

    def test_unknown_terms_and_no_terms_find_nothing(self) -> None:
        with self._index(_Corpus(_CORPUS)) as index:
            assert index.search(_words("zeppelin"), None, 10).chunk_ids.tolist() == []
            nothing = _words("")
            assert index.search(nothing, None, 10).chunk_ids.tolist() == []
            assert index.scores(nothing, np.array([10, 20])).scores.tolist() == [0.0, 0.0]
            assert index.statistics(nothing) == ()

    def test_stop_words_count_only_where_there_is_nothing_else(self) -> None:
        corpus = _Corpus(_CORPUS)
        mixed = LexicalQuery("", (QueryTerm("the", "the", stopword=True), QueryTerm("tide", "tide")), (), ())
        alone = LexicalQuery("", (QueryTerm("the", "the", stopword=True),), (), ())
        with self._index(corpus) as index:
            the, tide = index.statistics(mixed)
            with_word = _by_chunk(index.search(mixed, None, 100))
            only_word = _by_chunk(index.search(_words("tide"), None, 100))
            without = _by_chunk(index.search(alone, None, 100))
            statuses = [term.status for term in index.statistics(alone)]
        assert (the.status, tide.status) == ("stopword", "used")
        assert the.idf is None, "a stop word that is not scored has no weight"
        assert with_word == only_word, "a stop word beside a word adds nothing"
        assert without.keys() == {10, 50} and statuses == ["used"], "on its own it is a word like any other"

    def test_on_a_large_project_a_too_common_term_scores_but_brings_nobody_in(self) -> None:
        count = LARGE_PROJECT_CHUNKS
        common = int(count * TOO_COMMON_SHARE) + 1
        bodies = ["common" if i < common else "other" for i in range(count)]
        bodies[0] = bodies[-1] = "common rare"
        corpus = _Corpus([{"body": body} for body in bodies])
        with self._index(corpus) as index:
            rare, often = index.statistics(_words("rare common"))
            hits = _by_chunk(index.search(_words("rare common"), None, count))
            alone = index.search(_words("common"), None, count)
        assert (rare.status, often.status) == ("used", "too_common")
        expected = corpus.bm25(["rare", "common"])
        assert hits.keys() == {10, count * 10}, f"{len(hits)} chunks were brought in"
        assert all(abs(score - expected[i]) <= _ROUNDING for i, score in hits.items()), "and it counts in the score"
        assert len(alone.chunk_ids) == common + 1, "where there is nothing rarer, it must do"

    def test_below_a_thousand_chunks_no_term_is_too_common(self) -> None:
        corpus = _Corpus([{"body": "common"}] * (LARGE_PROJECT_CHUNKS - 2) + [{"body": "common rare"}])
        with self._index(corpus) as index:
            statuses = [term.status for term in index.statistics(_words("rare common"))]
            hits = index.search(_words("rare common"), None, LARGE_PROJECT_CHUNKS)
        assert statuses == ["used", "used"]
        assert len(hits.chunk_ids) == LARGE_PROJECT_CHUNKS - 1

    def test_terms_beyond_the_limit_are_named_and_not_looked_up(self) -> None:
        terms = (QueryTerm("tide", "tide"), QueryTerm("bread", "bread", beyond_limit=True))
        query = LexicalQuery("", terms, (), ())
        with self._index(_Corpus(_CORPUS)) as index:
            statuses = [term.status for term in index.statistics(query)]
            hits = index.search(query, None, 100)
        assert statuses == ["used", "beyond_limit"]
        assert hits.terms == ("tide",)
        assert sorted(hits.chunk_ids.tolist()) == [10, 50]

    def _index(self, corpus: _Corpus) -> AbstractContextManager[LexicalIndex]:
        return self.built(corpus.entries, corpus.removed, corpus.table)


class _Corpus:
    """Token lists by field → entries for an index, and BM25 once more, straight from the formula."""

    def __init__(self, texts: Sequence[Mapping[str, str]], removed: Sequence[int] = ()) -> None:
        self.removed = removed
        tokens = {
            (position + 1) * 10: {name: tuple(text.get(name, "").split()) for name in FIELD_WEIGHTS}
            for position, text in enumerate(texts)
        }
        self.entries = [LexicalEntry(chunk_id, **fields) for chunk_id, fields in tokens.items()]
        self._tokens = {i: fields for i, fields in tokens.items() if i not in removed}
        self._lengths = {i: self._length(fields) for i, fields in self._tokens.items()}
        ids = np.array(list(self._tokens), dtype=np.int64)
        self.table = ChunkTable(1, ids, ids + 1, np.full(len(ids), -1), np.array(list(self._lengths.values()), float))

    def idf(self, frequency: int) -> float:
        return math.log(1 + (len(self._tokens) - frequency + 0.5) / (frequency + 0.5))

    def bm25(self, terms: Sequence[str]) -> dict[int, float]:
        """Score by chunk, of the chunks with at least one of the terms."""
        scores: dict[int, float] = {}
        average = sum(self._lengths.values()) / len(self._lengths)
        for term in terms:
            counts = {i: self._weighted_count(fields, term) for i, fields in self._tokens.items()}
            counts = {i: count for i, count in counts.items() if count}
            for i, count in counts.items():
                norm = K1 * (1 - B + B * self._lengths[i] / average)
                scores[i] = scores.get(i, 0.0) + self.idf(len(counts)) * count * (K1 + 1) / (count + norm)
        return scores

    @staticmethod
    def _weighted_count(fields: Mapping[str, Sequence[str]], term: str) -> float:
        return sum(weight * fields[name].count(term) for name, weight in FIELD_WEIGHTS.items())

    @staticmethod
    def _length(fields: Mapping[str, Sequence[str]]) -> float:
        return sum(
            weight * sum(term not in _STOPWORDS for term in fields[name])
            for name, weight in FIELD_WEIGHTS.items()
            if name != "parts"
        )


def _words(text: str) -> LexicalQuery:
    """The plain query of these terms, as they are."""
    return LexicalQuery(text, tuple(QueryTerm(term, term) for term in text.split()), (), ())


def _by_chunk(hits: LexicalScores) -> dict[int, float]:
    return dict(zip(hits.chunk_ids.tolist(), hits.scores.tolist(), strict=True))
