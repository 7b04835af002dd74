"""Watch: documents that a request names are followed through the execution, outside its counts and ranks.

Everything is measured on the same snapshot, scope and vectors that answered; nobody's rank changes by it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from glassdex.lexical.protocol import LexicalIndex, LexicalScores
from glassdex.search.fuse import LEGS_OF_MODE, Fusion, highest_scores, normalized_by
from glassdex.search.ledger import (
    Candidate,
    Diversified,
    Exit,
    Final,
    Fused,
    Ledger,
    LegSignal,
    Linked,
    Reranked,
    Rescored,
)
from glassdex.storage.records import CandidateRecord, ChunkTable
from glassdex.storage.sqlite.snapshot import SqliteSnapshot
from glassdex.vectors.protocol import VectorIndex

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class WatchedChunk:
    """A chunk of a watched document. Ranks count from 1 within the scope, also beyond the windows.

    `outside` names the filters that keep it out of the scope. `fused_score` and `fused_rank` are what the candidate
    got, or what the chunk would have got as one; so, too, of a candidate that the graph added, which was never fused.
    Only candidates are `rescored`. `linked` is also there where other linked documents had more of the query.
    `reranked` is there for a candidate of the reranked head, `diversified` for one of the head that was ordered anew.
    """

    record: CandidateRecord
    outside: tuple[str, ...]
    lexical_rank: int | None
    lexical_score: float | None
    dense_rank: int | None
    similarity: float | None
    vector_pending: bool
    matched_terms: tuple[str, ...]
    candidate: bool
    fused_rank: int | None
    fused_score: float | None
    final: Final | None
    exit: Exit | None
    rescored: Mapping[str, Rescored] = field(default_factory=dict)
    linked: Linked | None = None
    added_by_link: bool = False
    """Whether no leg brought it in, and a link did."""
    reranked: Reranked | None = None
    diversified: Diversified | None = None
    rerank_score: float | None = None
    """The reranker's score, also of a chunk outside the reranked head, which is scored apart from it."""

    @property
    def in_scope(self) -> bool:
        """Whether every filter lets it through."""
        return not self.outside

    @property
    def score(self) -> float | None:
        """The score that a threshold is held against: blended where it was reranked, else of the last that ranked."""
        if self.reranked is not None:
            return self.reranked.blended
        return [*self.rescored.values()][-1].score if self.rescored else self.fused_score


@dataclass(frozen=True, slots=True)
class Watched:
    """A watched document: how many of its chunks pass each filter, and its chunks, the best placed first."""

    path: str
    document_id: int
    filters: tuple[tuple[str, int], ...]
    missing_terms: tuple[str, ...]
    chunks: tuple[WatchedChunk, ...]
    document_rank: int | None
    """Rank in the whole ranking, whatever the page; absent when no chunk got that far."""

    @property
    def pending(self) -> int:
        """How many chunks have no vector under the active identity."""
        return sum(chunk.vector_pending for chunk in self.chunks)


def watch(
    ledger: Ledger,
    snapshot: SqliteSnapshot,
    table: ChunkTable,
    scope: NDArray[np.int64] | None,
    lexical: LexicalIndex,
    dense: tuple[VectorIndex, NDArray[np.float32]] | None,
    fusion: Fusion,
    ranking: Mapping[int, int],
    comparable: bool,
) -> None:
    """Writes `ledger.watched`; `ranking` gives the rank of every document that was ranked, by id.

    `comparable` is false while no stored vector is of the serving model. A path that is no document's is passed over.
    """
    if not ledger.request.watch:
        return
    vectors, query_vector = (None, None) if dense is None else dense
    observer = _Observer(ledger, snapshot, table, scope, lexical, vectors, query_vector, fusion, comparable)
    for path in ledger.request.watch:
        document = snapshot.document(path)
        if document is not None:
            ledger.watched.append(observer.document(path, document.document_id, ranking.get(document.document_id)))


class _Observer:
    """Measures chunks as the legs and the fusion of one execution would have."""

    def __init__(
        self,
        ledger: Ledger,
        snapshot: SqliteSnapshot,
        table: ChunkTable,
        scope: NDArray[np.int64] | None,
        lexical: LexicalIndex,
        vectors: VectorIndex | None,
        query_vector: NDArray[np.float32] | None,
        fusion: Fusion,
        comparable: bool,
    ) -> None:
        self._comparable = comparable
        self._ledger = ledger
        self._snapshot = snapshot
        self._table = table
        self._lexical = lexical
        self._vectors = vectors
        self._query_vector = query_vector
        self._fusion = fusion
        self._legs = LEGS_OF_MODE[ledger.request.mode]
        everything = max(1, len(table.ids))
        self._rankings: dict[str, _LegRanking] = {}
        if "lexical" in self._legs:
            words = lexical.search(ledger.scored_query, scope, everything)
            self._rankings["lexical"] = _LegRanking(snapshot, words.chunk_ids, words.scores)
        if vectors is not None and query_vector is not None:
            nearest = vectors.search(query_vector, scope, everything)
            self._rankings["dense"] = _LegRanking(snapshot, nearest.chunk_ids, nearest.scores)

    def document(self, path: str, document_id: int, rank: int | None) -> Watched:
        import numpy as np

        records = self._snapshot.candidates(self._snapshot.chunk_ids_of_documents([document_id]))
        chunk_ids = np.array(sorted(records), dtype=np.int64)
        words = self._lexical.scores(self._ledger.query, chunk_ids)
        scores = self._lexical.scores(self._ledger.scored_query, chunk_ids).scores
        cosines = self._similarities(chunk_ids)
        passing = {name: set(np.intersect1d(chunk_ids, held).tolist()) for name, held in self._filter_sets()}
        pending = self._table.slots[self._table.positions(chunk_ids)] < 0
        chunks = [
            self._chunk(
                records[chunk_id],
                outside=tuple(name for name, inside in passing.items() if chunk_id not in inside),
                bm25=float(scores[position]),
                similarity=cosines.get(chunk_id),
                vector_pending=bool(pending[position]) or not self._comparable,
                matched=_present_terms(words, position),
            )
            for position, chunk_id in enumerate(chunk_ids.tolist())
        ]
        chunks.sort(key=_best_first)
        found = {term for chunk in chunks for term in chunk.matched_terms}
        return Watched(
            path=path,
            document_id=document_id,
            filters=tuple((name, len(inside)) for name, inside in passing.items()),
            missing_terms=tuple(term for term in words.terms if term not in found),
            chunks=tuple(chunks),
            document_rank=rank,
        )

    def _filter_sets(self) -> list[tuple[str, NDArray[np.int64]]]:
        """Each filter once; clauses that are written alike, in different fields, count as one."""
        import numpy as np

        merged: dict[str, NDArray[np.int64]] = {}
        for name, held in self._ledger.filter_sets:
            merged[name] = np.intersect1d(merged[name], held) if name in merged else held
        return list(merged.items())

    def _similarities(self, chunk_ids: NDArray[np.int64]) -> dict[int, float]:
        """Cosine of each chunk that has a vector, inside the scope or not."""
        if self._vectors is None or self._query_vector is None:
            return {}
        cosines = self._vectors.similarities(self._query_vector, chunk_ids)
        return {
            chunk_id: cosine
            for chunk_id, cosine in zip(chunk_ids.tolist(), cosines.tolist(), strict=True)
            if not math.isnan(cosine)
        }

    def _chunk(
        self,
        record: CandidateRecord,
        *,
        outside: tuple[str, ...],
        bm25: float,
        similarity: float | None,
        vector_pending: bool,
        matched: tuple[str, ...],
    ) -> WatchedChunk:
        candidate = self._ledger.candidates.get(record.chunk_id)
        scores = {"lexical": bm25 if bm25 > 0 and "lexical" in self._legs else None, "dense": similarity}
        fused = candidate.fused if candidate and candidate.fused else self._would_be(record, scores)
        return WatchedChunk(
            record=record,
            outside=outside,
            lexical_rank=self._rank("lexical", record),
            lexical_score=scores["lexical"],
            dense_rank=self._rank("dense", record),
            similarity=similarity,
            vector_pending=vector_pending,
            matched_terms=matched,
            candidate=candidate is not None,
            fused_rank=fused.rank if fused else None,
            fused_score=fused.score if fused else None,
            final=candidate.final if candidate else None,
            exit=candidate.exit if candidate else None,
            rescored=candidate.rescored if candidate else {},
            linked=None if outside else self._ledger.linked.get(record.document_id),
            added_by_link=candidate is not None and candidate.fused is None,
            reranked=candidate.reranked if candidate else None,
            diversified=candidate.diversified if candidate else None,
            rerank_score=candidate.reranked.score if candidate and candidate.reranked else None,
        )

    def _rank(self, leg: str, record: CandidateRecord) -> int | None:
        return self._rankings[leg].rank(record) if leg in self._rankings else None

    def _would_be(self, record: CandidateRecord, scores: Mapping[str, float | None]) -> Fused | None:
        """The chunk as a candidate: fused by the same formula and maxima, ranked among the real ones."""
        placed = Candidate(record)
        rivals = self._ledger.candidates.values()
        highest = highest_scores(self._ledger)
        for leg in self._legs:
            score = scores[leg]
            if score is not None:
                placed.legs[leg] = LegSignal(score, None, normalized_by(highest[leg], score))
        if not placed.legs:
            return None
        score = round(sum(self._fusion.parts(placed, self._legs).values()), 6)
        own = (-score, record.path, record.key)
        better = sum(c.fused_order < own for c in rivals if c.fused is not None)
        return Fused(better + 1, score, {})


class _LegRanking:
    """Every in-scope chunk's rank in one leg, beyond the window; ties by document and key, as the leg breaks them."""

    def __init__(self, snapshot: SqliteSnapshot, chunk_ids: NDArray[np.int64], scores: NDArray[np.float64]) -> None:
        self._snapshot = snapshot
        self._chunk_ids = chunk_ids
        self._scores = scores
        self._scored = dict(zip(chunk_ids.tolist(), scores.tolist(), strict=True))
        self._tied: dict[float, list[int]] = {}

    def rank(self, record: CandidateRecord) -> int | None:
        score = self._scored.get(record.chunk_id)
        if score is None:
            return None
        if score not in self._tied:
            alike = self._snapshot.candidates(self._chunk_ids[self._scores == score])
            ordered = sorted(alike.values(), key=lambda tied: (tied.path, tied.key))
            self._tied[score] = [tied.chunk_id for tied in ordered]
        return int((self._scores > score).sum()) + self._tied[score].index(record.chunk_id) + 1


def _present_terms(words: LexicalScores, position: int) -> tuple[str, ...]:
    return tuple(term for term, present in zip(words.terms, words.matched[position].tolist(), strict=True) if present)


def _best_first(chunk: WatchedChunk) -> tuple[bool, bool, float, str]:
    """In scope before outside, candidates before the rest, best score first."""
    return (not chunk.in_scope, not chunk.candidate, -(chunk.score or 0.0), chunk.record.key)
