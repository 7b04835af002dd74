"""The pipeline.

request → scope → lexical ∥ dense → complete → fuse → threshold → collapse → page → freshness → verdict
"""

from __future__ import annotations

import platform
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from glassdex.analysis import Analyzer
from glassdex.embedding.protocol import Embedder
from glassdex.errors import EmbeddingError
from glassdex.lexical.entries import lexical_identity
from glassdex.lexical.fts5 import Fts5Index, PostingsCache
from glassdex.lexical.query import parse_query
from glassdex.search.collapse import collapse
from glassdex.search.complete import complete
from glassdex.search.freshness import shown_freshness
from glassdex.search.fuse import Fusion, choose_fusion, fuse
from glassdex.search.ledger import WINDOW, Candidate, Ledger
from glassdex.search.legs import dense_leg, lexical_leg
from glassdex.search.page import Page, page
from glassdex.search.request import SearchRequest
from glassdex.search.results import Result, make_results
from glassdex.search.scope import resolve_scope
from glassdex.search.suggest import suggestions
from glassdex.search.threshold import threshold
from glassdex.search.verdict import Verdict, judge
from glassdex.storage.records import ChunkTable
from glassdex.storage.sqlite import SqliteStore
from glassdex.storage.sqlite.snapshot import SqliteSnapshot
from glassdex.vectors.exact import ExactVectorIndex, MatrixCache
from glassdex.vectors.protocol import VectorIndex

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class EngineFacts:
    """Under which configuration a search ran."""

    generation: int
    embedding_identity: str
    lexical_identity: str
    lexical_index: str
    vector_index: str
    fusion: Fusion
    window: int
    python: str


@dataclass(frozen=True, slots=True)
class Readiness:
    """Chunks with a vector under the active identity, without one, and of the latter those with another's."""

    ready: int
    pending: int
    other_identity: int


@dataclass(frozen=True, slots=True)
class Execution:
    """One search, done: the results and the ledger that they were computed from."""

    request: SearchRequest
    ledger: Ledger
    results: tuple[Result, ...]
    page: Page
    verdict: Verdict
    engine: EngineFacts
    readiness: Readiness


class SearchEngine:
    """Runs searches over one store; safe to share between threads."""

    def __init__(self, store: SqliteStore, analyzer: Analyzer, embedder: Embedder) -> None:
        self._store = store
        self._analyzer = analyzer
        self._embedder = embedder
        self._postings = PostingsCache()
        self._vectors = MatrixCache()

    def search(self, request: SearchRequest) -> Execution:
        """Answers a request from one read transaction.

        Raises:
            InvalidRequest, InvalidRange: see `SearchRequest.validate`.
            EmbeddingError: the model failed and the request asks for meaning alone; a hybrid search goes on by words
                and says so.
        """
        request.validate()
        started = time.perf_counter()
        ledger = Ledger(request, parse_query(request.query, self._analyzer))
        if ledger.query.only_exclusions:
            ledger.notes.append("the query only excludes, so its words are taken as what to find")
        with self._store.read() as snapshot:
            table = self._store.chunk_table(snapshot)
            readiness = self._readiness(snapshot, table)
            lexical = Fts5Index(snapshot.connection, table, self._postings)
            scope = resolve_scope(ledger, snapshot, table, lexical)
            fusion = choose_fusion(request.mode, request.fusion)

            lexical_leg(ledger, snapshot, lexical, scope)
            dense = dense_leg(ledger, snapshot, lambda: self._dense_side(ledger, snapshot, table, readiness), scope)
            complete(ledger, lexical, dense, len(table.ids), readiness.ready)
            fuse(ledger, fusion)
            threshold(ledger)
            documents = collapse(ledger)
            the_page, shown = page(ledger, documents)

            ledger.suggestions = suggestions(snapshot, lexical, ledger.terms)
            results = self._results(snapshot, table, ledger, shown, readiness)
            verdict = judge(ledger, len(table.ids), readiness.ready, the_page)
            facts = EngineFacts(
                generation=snapshot.generation,
                embedding_identity=self._embedder.identity.key,
                lexical_identity=lexical_identity(self._analyzer),
                lexical_index=lexical.name,
                vector_index=ExactVectorIndex.name,
                fusion=fusion,
                window=WINDOW,
                python=platform.python_version(),
            )
        ledger.milliseconds = (time.perf_counter() - started) * 1000
        return Execution(request, ledger, results, the_page, verdict, facts, readiness)

    def _dense_side(
        self, ledger: Ledger, snapshot: SqliteSnapshot, table: ChunkTable, readiness: Readiness
    ) -> tuple[VectorIndex, NDArray[np.float32]] | None:
        """The vector index and the query's vector; nothing where meaning is not asked for or nothing can be found."""
        if ledger.request.mode == "lexical" or not readiness.ready or not ledger.scope_total:
            return None
        query_vector = self._embed_query(ledger)
        if query_vector is None:
            return None
        identity = self._embedder.identity
        matrix = self._vectors.get(snapshot.generation, identity.key, lambda: snapshot.vectors(identity))
        return ExactVectorIndex(table, matrix), query_vector

    def _readiness(self, snapshot: SqliteSnapshot, table: ChunkTable) -> Readiness:
        total = len(table.ids)
        pending = int((table.slots < 0).sum())
        if snapshot.meta("embedding_identity") != self._embedder.identity.key:
            # The stored vectors belong to another model: they must not be compared with this one's.
            return Readiness(0, total, total - pending)
        return Readiness(total - pending, pending, snapshot.readiness()[2] if pending else 0)

    def _embed_query(self, ledger: Ledger) -> NDArray[np.float32] | None:
        try:
            return self._embedder.embed_query(ledger.query.meaning)
        except EmbeddingError as error:
            if ledger.request.mode == "dense":
                raise
            ledger.notes.append(f"searched by words only: {error.message}")
            return None

    def _results(
        self,
        snapshot: SqliteSnapshot,
        table: ChunkTable,
        ledger: Ledger,
        shown: Sequence[Sequence[Candidate]],
        readiness: Readiness,
    ) -> tuple[Result, ...]:
        chunks = snapshot.chunks(candidate.record.chunk_id for matches in shown for candidate in matches)
        freshness = shown_freshness(
            snapshot,
            table,
            [matches[0].record for matches in shown],
            lexical_identity=lexical_identity(self._analyzer),
            vectors_comparable=readiness.ready > 0,
        )
        terms = [term.term for term in ledger.query.scored_terms]
        return make_results(shown, chunks, freshness, terms, self._analyzer)
