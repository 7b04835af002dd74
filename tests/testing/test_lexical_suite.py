"""The lexical suite rejects indexes that break the protocol, each by the test that says so."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from glassdex.lexical import bm25
from glassdex.lexical.fts5 import Fts5Index, Fts5Writer, PostingsCache
from glassdex.lexical.protocol import LexicalEntry, LexicalIndex, LexicalScores, TermStatistics
from glassdex.lexical.query import Clause, LexicalQuery
from glassdex.storage.records import ChunkTable
from glassdex.storage.sqlite import SqliteStore
from glassdex.testing import LexicalIndexConformance

from .rejection import failed_tests

Ids = NDArray[np.int64]


class ClampedIdf(Fts5Index):
    """As FTS5's own `bm25()` has it: no weight for a term in half of the chunks."""

    def statistics(self, query: LexicalQuery) -> tuple[TermStatistics, ...]:
        return tuple(
            replace(term, idf=term.idf and max(1e-6, term.idf - bm25.idf(1, 2))) for term in super().statistics(query)
        )


class SumsFieldsSeparately(Fts5Index):
    def search(self, query: LexicalQuery, scope: Ids | None, window: int) -> LexicalScores:
        hits = super().search(query, scope, window)
        return replace(hits, scores=np.round(hits.scores * 1.01, 6))


class CutsTies(Fts5Index):
    def search(self, query: LexicalQuery, scope: Ids | None, window: int) -> LexicalScores:
        hits = super().search(query, scope, window)
        return LexicalScores(hits.chunk_ids[:window], hits.scores[:window], hits.matched[:window], hits.terms)


class IgnoresTheScope(Fts5Index):
    def search(self, query: LexicalQuery, scope: Ids | None, window: int) -> LexicalScores:
        return super().search(query, None, window)


class SortsWhatWasAsked(Fts5Index):
    def scores(self, query: LexicalQuery, chunk_ids: Ids) -> LexicalScores:
        return super().scores(query, np.sort(chunk_ids))


class TakesWordsForAPhrase(Fts5Index):
    def containing(self, clause: Clause) -> Ids:
        found = [super(TakesWordsForAPhrase, self).containing(Clause((t,), t)).tolist() for t in clause.terms]
        return np.array(sorted(set.intersection(*map(set, found))), dtype=np.int64)


class ForgetsTheField(Fts5Index):
    def containing(self, clause: Clause) -> Ids:
        return super().containing(replace(clause, field=None))


class NoWordIsTooCommon(Fts5Index):
    def _is_too_common(self, frequency: int) -> bool:
        return False


class KeepsWhatWasDeleted(Fts5Writer):
    def delete(self, chunk_ids: Sequence[int]) -> None:
        pass


class SplitsTermsAtPunctuation(Fts5Writer):
    def upsert(self, entries: Sequence[LexicalEntry]) -> None:
        super().upsert([replace(e, body=tuple(t.replace("(", " ") for t in e.body)) for e in entries])


class KeepsOnlyAscii(Fts5Writer):
    def upsert(self, entries: Sequence[LexicalEntry]) -> None:
        super().upsert([replace(e, body=tuple(filter(str.isascii, e.body))) for e in entries])


@pytest.mark.parametrize(
    ("index", "writer", "caught_by"),
    [
        (ClampedIdf, Fts5Writer, "test_a_term_in_every_chunk_still_weighs_something"),
        (SumsFieldsSeparately, Fts5Writer, "test_scores_are_those_of_the_formula"),
        (CutsTies, Fts5Writer, "test_all_chunks_that_tie_with_the_last_of_the_window_come_back"),
        (IgnoresTheScope, Fts5Writer, "test_scope_limits_the_hits_and_changes_no_score"),
        (SortsWhatWasAsked, Fts5Writer, "test_scores_of_given_chunks_come_in_their_order_and_equal_the_search"),
        (TakesWordsForAPhrase, Fts5Writer, "test_a_phrase_is_consecutive_terms_within_one_field"),
        (ForgetsTheField, Fts5Writer, "test_a_clause_with_a_field_looks_only_there"),
        (NoWordIsTooCommon, Fts5Writer, "test_on_a_large_project_a_too_common_term_scores_but_brings_nobody_in"),
        (Fts5Index, SplitsTermsAtPunctuation, "test_every_ascii_punctuation_may_stand_in_a_term"),
        (Fts5Index, KeepsOnlyAscii, "test_what_the_analyser_makes_of_any_script_is_found_again"),
    ],
)
def test_a_broken_index_is_rejected(index: type[Fts5Index], writer: type[Fts5Writer], caught_by: str):
    assert caught_by in failed_tests(suite_of(index, writer))


def test_an_index_that_keeps_deleted_chunks_in_its_phrases_is_rejected():
    class LeavesPhrases(Fts5Index):
        def containing(self, clause: Clause) -> Ids:
            return np.union1d(super().containing(clause), [20])

    failed = failed_tests(suite_of(LeavesPhrases, Fts5Writer))
    assert "test_deleted_chunks_are_gone_from_hits_phrases_and_frequencies" in failed


def suite_of(index: type[Fts5Index], writer: type[Fts5Writer]) -> LexicalIndexConformance:
    class Suite(LexicalIndexConformance):
        @contextmanager
        def built(
            self, entries: Sequence[LexicalEntry], removed: Sequence[int], table: ChunkTable
        ) -> Iterator[LexicalIndex]:
            store = SqliteStore(None)
            with store.write() as transaction:
                writer(transaction.connection).upsert(entries)
                writer(transaction.connection).delete(removed)
            with store.read() as snapshot:
                yield index(snapshot.connection, table, PostingsCache())
            store.close()

    return Suite()
