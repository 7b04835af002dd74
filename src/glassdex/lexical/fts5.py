"""BM25 on SQLite's FTS5: the extension keeps the inverted index, the arithmetic is ours.

FTS5's own `bm25()` clamps idf to 1e-6 once a term is in half of the rows, so it is not used at all. The postings of
each query term are read from the index through `fts5vocab` and kept, scored, for as long as the generation lasts;
answering is then a handful of array operations.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import apsw

from glassdex.lexical import bm25
from glassdex.lexical.protocol import LexicalEntry, LexicalScores, TermStatistics
from glassdex.lexical.query import FIELDS, Clause, LexicalQuery, QueryTerm, TermStatus
from glassdex.storage.records import ChunkTable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_CACHED_POSTINGS = 4_000_000
_PHRASE_FIELDS = "title headings body tags"


@dataclass(frozen=True, slots=True)
class _Postings:
    """A term's chunks as rows of the chunk table, ascending, with what the term adds to the score of each."""

    positions: NDArray[np.int64]
    scores: NDArray[np.float64]


class PostingsCache:
    """Postings of one generation, least recently used first; shared by the searches of a process."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._generation = -1
        self._entries: OrderedDict[str, _Postings] = OrderedDict()
        self._size = 0

    def get(self, generation: int, term: str) -> _Postings | None:
        """The postings of a term in a generation, if they are here."""
        with self._guard:
            if generation != self._generation or term not in self._entries:
                return None
            self._entries.move_to_end(term)
            return self._entries[term]

    def put(self, generation: int, term: str, postings: _Postings) -> None:
        """Keeps postings; a newer generation drops the older one's."""
        with self._guard:
            if generation < self._generation:
                return
            if generation > self._generation:
                self._generation, self._size = generation, 0
                self._entries.clear()
            if term in self._entries:  # another thread was faster
                return
            self._entries[term] = postings
            self._size += len(postings.positions)
            while self._size > _CACHED_POSTINGS and len(self._entries) > 1:
                _, dropped = self._entries.popitem(last=False)
                self._size -= len(dropped.positions)


class Fts5Index:
    """The `LexicalIndex` protocol over a snapshot of an SQLite store."""

    name = "fts5"

    def __init__(self, connection: apsw.Connection, table: ChunkTable, cache: PostingsCache) -> None:
        self._connection = connection
        self._table = table
        self._cache = cache
        self._average_length = float(table.lengths.mean()) if len(table.lengths) else 0.0
        self._last: tuple[LexicalQuery, NDArray[np.float64], list[_Postings]] | None = None

    def statistics(self, query: LexicalQuery) -> tuple[TermStatistics, ...]:
        """See `LexicalIndex.statistics`."""
        scored = {term.term for term in query.scored_terms}
        return tuple(self._statistics(term, term.term in scored) for term in query.terms)

    def search(self, query: LexicalQuery, scope: NDArray[np.int64] | None, window: int) -> LexicalScores:
        """See `LexicalIndex.search`."""
        import numpy as np

        totals, postings = self._totals(query)
        eligible = np.zeros(len(self._table.ids), dtype=bool)
        # Inside a scope every word brings in candidates: the answer is exact over what is left.
        for found in self._bringing_in(postings) if scope is None else postings:
            eligible[found.positions] = True
        if scope is not None:
            in_scope = np.zeros_like(eligible)
            in_scope[self._table.positions(scope)] = True
            eligible &= in_scope
        positions = np.flatnonzero(eligible)
        scores = totals[positions]
        brought_in = len(positions)
        if brought_in > window:
            border = np.partition(scores, len(scores) - window)[len(scores) - window]
            kept = scores >= border
            positions, scores = positions[kept], scores[kept]
        order = np.argsort(-scores, kind="stable")
        return replace(self._answer(query, positions[order], scores[order], postings), eligible=brought_in)

    def scores(self, query: LexicalQuery, chunk_ids: NDArray[np.int64]) -> LexicalScores:
        """See `LexicalIndex.scores`."""
        totals, postings = self._totals(query)
        positions = self._table.positions(chunk_ids)
        return self._answer(query, positions, totals[positions], postings)

    def estimated_frequencies(self, terms: Sequence[str]) -> NDArray[np.int64]:
        """See `LexicalIndex.estimated_frequencies`."""
        import numpy as np

        known = [self._cache.get(self._table.generation, term) for term in terms]
        found = [
            self._connection.execute("SELECT ifnull((SELECT doc FROM posting_term WHERE term = ?), 0)", (term,)).get
            if postings is None
            else len(postings.positions)
            for term, postings in zip(terms, known, strict=True)
        ]
        return np.array(found, dtype=np.int64)

    def weights(self, terms: Sequence[str], chunk_ids: NDArray[np.int64]) -> NDArray[np.float64]:
        """See `LexicalIndex.weights`."""
        import numpy as np

        positions = self._table.positions(chunk_ids)
        found = np.zeros((len(positions), len(terms)))
        for column, term in enumerate(terms):
            postings = self._postings(term)
            nearest, present = _places(postings.positions, positions)
            found[present, column] = postings.scores[nearest[present]]
        return found

    def containing(self, clause: Clause) -> NDArray[np.int64]:
        """See `LexicalIndex.containing`."""
        import numpy as np

        phrase = '"' + " ".join(term.replace('"', '""') for term in clause.terms) + '"'
        if "\0" in phrase:  # where the engine stops to read; no term of the analyser has one
            return np.empty(0, dtype=np.int64)
        fields = clause.field or (_PHRASE_FIELDS if len(clause.terms) > 1 else " ".join(FIELDS))
        found = self._connection.execute(
            "SELECT group_concat(rowid) FROM posting WHERE posting MATCH ?", (f"{{{fields}}} : {phrase}",)
        ).get
        chunk_ids = np.sort(np.fromstring(found or "", dtype=np.int64, sep=","))
        return chunk_ids[self._table.known(chunk_ids)]

    def _statistics(self, term: QueryTerm, scored: bool) -> TermStatistics:
        if term.beyond_limit:
            return TermStatistics(term.term, term.surface, "beyond_limit", 0, None, term.part, term.count)
        total = len(self._table.ids)
        frequency = len(self._postings(term.term).positions)
        status: TermStatus = "used"
        if not frequency:
            status = "unknown"
        elif not scored:
            status = "stopword"
        elif self._is_too_common(frequency):
            status = "too_common"
        weight = bm25.idf(frequency, total) if scored and frequency else None
        return TermStatistics(term.term, term.surface, status, frequency, weight, term.part, term.count)

    def _totals(self, query: LexicalQuery) -> tuple[NDArray[np.float64], list[_Postings]]:
        """BM25 of every chunk of the project, rounded to 1e-6, and the postings of the scored terms."""
        import numpy as np

        if self._last is not None and self._last[0] is query:
            return self._last[1:]
        totals = np.zeros(len(self._table.ids))
        postings = [self._postings(term.term) for term in query.scored_terms]
        for term, found in zip(query.scored_terms, postings, strict=True):
            totals[found.positions] += term.count * term.weight * found.scores
        self._last = (query, np.round(totals, 6), postings)
        return self._last[1:]

    def _bringing_in(self, postings: Sequence[_Postings]) -> Sequence[_Postings]:
        return [found for found in postings if not self._is_too_common(len(found.positions))] or postings

    def _is_too_common(self, frequency: int) -> bool:
        total = len(self._table.ids)
        return total >= bm25.LARGE_PROJECT_CHUNKS and frequency > bm25.TOO_COMMON_SHARE * total

    def _answer(
        self,
        query: LexicalQuery,
        positions: NDArray[np.int64],
        scores: NDArray[np.float64],
        postings: Sequence[_Postings],
    ) -> LexicalScores:
        import numpy as np

        matched = np.zeros((len(positions), len(postings)), dtype=bool)
        for column, found in enumerate(postings):
            matched[:, column] = _places(found.positions, positions)[1]
        terms = tuple(term.term for term in query.scored_terms)
        return LexicalScores(self._table.ids[positions], scores, matched, terms)

    def _postings(self, term: str) -> _Postings:
        generation = self._table.generation
        postings = self._cache.get(generation, term)
        if postings is None:
            postings = self._load(term)
            self._cache.put(generation, term, postings)
        return postings

    def _load(self, term: str) -> _Postings:
        import numpy as np

        # One number an occurrence: chunk id · 8 + field.
        coded, before = self._connection.execute(
            "SELECT (SELECT group_concat(doc * 8 + CASE col WHEN 'title' THEN 0 WHEN 'headings' THEN 1"
            "  WHEN 'body' THEN 2 WHEN 'tags' THEN 3 ELSE 4 END) FROM posting_instance WHERE term = ?1),"
            " (SELECT group_concat(doc * 8 + 5) FROM posting_before_instance WHERE term = ?1)",
            (term,),
        ).get
        occurrences = np.fromstring(",".join(filter(None, (coded, before))), dtype=np.int64, sep=",")
        weights = np.array([bm25.FIELD_WEIGHTS[name] for name in (*FIELDS, "before")])[occurrences % 8]
        chunk_ids, inverse = np.unique(occurrences // 8, return_inverse=True)
        counts = np.bincount(inverse, weights, len(chunk_ids)).astype(np.float64)
        known = self._table.known(chunk_ids)  # an entry may have outlived its chunk
        chunk_ids, counts = chunk_ids[known], counts[known]
        positions = self._table.positions(chunk_ids)
        factor = bm25.saturated(counts, self._table.lengths[positions], self._average_length)
        return _Postings(positions, bm25.idf(len(positions), len(self._table.ids)) * factor)


def _places(ascending: NDArray[np.int64], positions: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Where each position would stand in the ascending ones, and whether it does."""
    import numpy as np

    if not len(ascending):
        return np.zeros_like(positions), np.zeros(len(positions), dtype=bool)
    nearest = ascending.searchsorted(positions).clip(max=len(ascending) - 1)
    return nearest, ascending[nearest] == positions


class Fts5Writer:
    """The `LexicalWriter` protocol inside the store's own write transaction."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def upsert(self, entries: Sequence[LexicalEntry]) -> None:
        """See `LexicalWriter.upsert`."""
        self._connection.executemany(
            "INSERT INTO posting (rowid, title, headings, body, tags, parts) VALUES (?, ?, ?, ?, ?, ?)",
            [
                (
                    entry.chunk_id,
                    *(" ".join(terms) for terms in (entry.title, entry.headings, entry.body, entry.tags, entry.parts)),
                )
                for entry in entries
            ],
        )

        self._connection.executemany(
            "INSERT INTO posting_before (rowid, words) VALUES (?, ?)",
            [(entry.chunk_id, " ".join(entry.before)) for entry in entries if entry.before],
        )

    def delete(self, chunk_ids: Sequence[int]) -> None:
        """See `LexicalWriter.delete`."""
        for table in ("posting", "posting_before"):
            self._connection.executemany(
                f"DELETE FROM {table} WHERE rowid = ?", [(chunk_id,) for chunk_id in chunk_ids]
            )
