"""The FTS5 index keeps the `LexicalIndex` protocol; no clause is ever a syntax error; caches follow the generation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from glassdex.analysis import analyzer
from glassdex.lexical.fts5 import Fts5Index, Fts5Writer, PostingsCache
from glassdex.lexical.protocol import LexicalEntry, LexicalIndex
from glassdex.lexical.query import FIELDS, Clause, LexicalQuery, QueryTerm, parse_query
from glassdex.storage.records import ChunkTable
from glassdex.storage.sqlite import SqliteStore
from glassdex.testing import LexicalIndexConformance


class TestFts5Index(LexicalIndexConformance):
    @contextmanager
    def built(
        self, entries: Sequence[LexicalEntry], removed: Sequence[int], table: ChunkTable
    ) -> Iterator[LexicalIndex]:
        store = SqliteStore(None)
        with store.write() as writer:
            Fts5Writer(writer.connection).upsert(entries)
        with store.write() as writer:
            Fts5Writer(writer.connection).delete(removed)
        with store.read() as snapshot:
            yield Fts5Index(snapshot.connection, table, PostingsCache())
        store.close()


WORDS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).map(lambda t: "".join(t.split()) or "x")


@given(st.lists(WORDS, min_size=1, max_size=5), st.sampled_from([None, *FIELDS]))
@example(['"'], None)
@example(["*", "OR", "NEAR(", "-x", "{a}:", "^"], "title")
@example(["\0", "\x1a"], "body")
def test_no_clause_whatever_is_an_error_to_the_engine(terms: list[str], field: str | None):
    with empty_index() as index:
        assert index.containing(Clause(tuple(terms), " ".join(terms), field)).tolist() == []


@given(st.text())
@example('"unbalanced AND -not title:"x" *')
@example("tier1-test AND unicode")
def test_no_query_whatever_is_an_error_to_the_engine(text: str):
    query = parse_query(text, analyzer())
    with empty_index() as index:
        assert index.search(query, None, 10).chunk_ids.tolist() == []
        for clause in (*query.required, *query.excluded):
            assert index.containing(clause).tolist() == []


def test_postings_of_an_older_generation_are_not_served_to_a_newer_one():
    store = SqliteStore(None)
    cache = PostingsCache()
    found = []
    for generation in (1, 2):
        with store.write() as writer:
            Fts5Writer(writer.connection).upsert([entry(generation * 10, "tide")])
        with store.read() as snapshot:
            index = Fts5Index(snapshot.connection, table(generation, 10, 20), cache)
            found.append(index.search(words("tide"), None, 10).chunk_ids.tolist())
    store.close()
    assert found == [[10], [10, 20]]


def test_an_older_snapshot_still_gets_its_own_postings_when_a_newer_one_was_first():
    store = SqliteStore(None)
    cache = PostingsCache()
    with store.write() as writer:
        Fts5Writer(writer.connection).upsert([entry(10, "tide")])
    with store.read() as snapshot:
        for generation in (2, 1, 2):
            index = Fts5Index(snapshot.connection, table(generation, 10), cache)
            assert index.search(words("tide"), None, 10).chunk_ids.tolist() == [10]
    store.close()


def test_an_entry_that_outlived_its_chunk_is_not_found_and_changes_no_score():
    store = SqliteStore(None)
    with store.write() as writer:
        Fts5Writer(writer.connection).upsert([entry(10, "tide"), entry(20, "tide turns"), entry(30, "tide turns")])
    with store.read() as snapshot:
        index = Fts5Index(snapshot.connection, table(1, 10, 20), PostingsCache())
        assert sorted(index.search(words("tide"), None, 10).chunk_ids.tolist()) == [10, 20]
        assert [term.document_frequency for term in index.statistics(words("tide turns"))] == [2, 1]
        assert index.containing(Clause(("turns",), "turns", None)).tolist() == [20]
        without_chunks = Fts5Index(snapshot.connection, table(2), PostingsCache())
        assert without_chunks.search(words("tide"), None, 10).chunk_ids.tolist() == []
    store.close()


@contextmanager
def empty_index() -> Iterator[Fts5Index]:
    with SHARED.read() as snapshot:
        yield Fts5Index(snapshot.connection, table(0), PostingsCache())


SHARED = SqliteStore(None)


def table(generation: int, *chunk_ids: int) -> ChunkTable:
    ids = np.array(chunk_ids, dtype=np.int64)
    return ChunkTable(generation, ids, ids + 1, np.full(len(ids), -1), np.ones(len(ids)))


def entry(chunk_id: int, body: str) -> LexicalEntry:
    return LexicalEntry(chunk_id, title=(), headings=(), body=tuple(body.split()), tags=(), parts=())


def words(text: str) -> LexicalQuery:
    return LexicalQuery(text, tuple(QueryTerm(term, term) for term in text.split()), (), ())
