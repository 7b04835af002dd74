"""The pipeline.

request → (rewrite) → scope → lexical ∥ dense → complete → fuse → feedback → neighborhood → graph → weight → rerank →
diversify → threshold → collapse → page → locate → freshness → verdict
"""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from glassdex.analysis import Analyzer
from glassdex.embedding.protocol import Embedder
from glassdex.errors import EmbeddingError
from glassdex.lexical.entries import lexical_identity
from glassdex.lexical.fts5 import Fts5Index, PostingsCache
from glassdex.lexical.query import parse_query
from glassdex.model import compose_embedded_text
from glassdex.reranking.protocol import Reranker
from glassdex.reranking.registry import open_reranker
from glassdex.rewriting.protocol import Rewriter
from glassdex.rewriting.registry import open_rewriter
from glassdex.search.collapse import collapse
from glassdex.search.complete import complete
from glassdex.search.diversify import diversify
from glassdex.search.feedback import feedback
from glassdex.search.floors import Floors, RankingConfiguration, stored_floors
from glassdex.search.freshness import shown_freshness
from glassdex.search.fuse import Fusion, choose_fusion, fuse
from glassdex.search.graph import graph
from glassdex.search.identity import Readiness, Serving, serving
from glassdex.search.ledger import WINDOW, Candidate, Ledger
from glassdex.search.legs import dense_leg, lexical_leg
from glassdex.search.link_graph import LinkGraphCache
from glassdex.search.locate import locate
from glassdex.search.neighborhood import neighborhood
from glassdex.search.neighbors import Neighbors, find_neighbors, nothing_comparable, vector_missing
from glassdex.search.page import Page, Places, page
from glassdex.search.position import position_leg
from glassdex.search.request import SearchRequest
from glassdex.search.rerank import rerank, rerank_watched
from glassdex.search.results import Result, make_results
from glassdex.search.rewrite import Rewrites, embed_query, own_similarities, rewrite
from glassdex.search.scope import resolve_scope
from glassdex.search.suggest import suggestions
from glassdex.search.threshold import threshold
from glassdex.search.verdict import Verdict, judge, ready_share, too_few_ready
from glassdex.search.watch import watch
from glassdex.search.weight import WeightCache, WeightRules, weigh
from glassdex.settings import load_settings
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
class Execution:
    """One search, done: the results and the ledger that they were computed from."""

    request: SearchRequest
    ledger: Ledger
    results: tuple[Result, ...]
    page: Page
    verdict: Verdict
    engine: EngineFacts
    readiness: Readiness

    @property
    def trace(self) -> Ledger:
        """The ledger: every stage and candidate. `glassdex.envelopes.trace.make_trace` writes it as JSON."""
        return self.ledger


@dataclass(frozen=True, slots=True)
class Ranked:
    """What a search has ranked before a page is cut: documents best first, each as its matches."""

    ledger: Ledger
    documents: Sequence[list[Candidate]]
    total_chunks: int
    embedding_identity: str | None
    """Absent where no vector was compared."""


class Ranking:
    """A search that has ranked and holds its read transaction: `finish` or `close` it, on the same thread."""

    def __init__(self, pipeline: Generator[Ranked, Places | None, Execution]) -> None:
        self._pipeline = pipeline
        self.ranked = next(pipeline)

    def finish(self, places: Places | None = None) -> Execution:
        """The rest of the search; `places` say where a ranking over several projects puts this one's documents."""
        try:
            self._pipeline.send(places)
        except StopIteration as finished:
            execution: Execution = finished.value
            return execution
        raise AssertionError("a search cuts one page")

    def close(self) -> None:
        """Gives it up, if it is not finished."""
        self._pipeline.close()


class SearchEngine:
    """Runs searches over one store; safe to share between threads."""

    def __init__(
        self,
        store: SqliteStore,
        analyzer: Analyzer,
        embedder: Embedder,
        others: Callable[[], Sequence[Embedder]] = tuple,
        rerankers: Callable[[str], Reranker] = open_reranker,
        rewriters: Callable[[str], Rewriter] = open_rewriter,
        weight_rules: Callable[[], WeightRules] = lambda: load_settings().weights,
    ) -> None:
        """`others` may embed a query against the previous vectors; `rerankers` and `rewriters` open one by its name.

        `weight_rules` says what a search goes by that asks for weights.
        """
        self.embedder = embedder
        self._store = store
        self._analyzer = analyzer
        self._others = others
        self._rerankers = rerankers
        self._rewrites = Rewrites(rewriters)
        self._weight_rules = weight_rules
        self._weights = WeightCache()
        self._postings = PostingsCache()
        self.links = LinkGraphCache()
        """The links of the generation that was looked at last."""
        self._vectors = MatrixCache()
        self._previous_vectors = MatrixCache()

    def search(self, request: SearchRequest) -> Execution:
        """Answers a request from one read transaction.

        Raises:
            InvalidRequest, InvalidRange: see `SearchRequest.validate`; or there is no such reranker or rewriter.
            EmbeddingError: the model failed and the request asks for meaning alone (a hybrid search goes on by words
                and says so), or the previous model is asked for and not at hand.
        """
        return self.rank(request).finish()

    def rank(self, request: SearchRequest) -> Ranking:
        """A search up to its ranking, which goes on by `finish`; raises what `search` does."""
        return Ranking(self._pipeline(request))

    def _pipeline(self, request: SearchRequest) -> Generator[Ranked, Places | None, Execution]:
        request.validate()
        request = replace(request, mode="positional") if request.positional else request
        started = time.perf_counter()
        ledger = Ledger(request, parse_query(request.query, self._analyzer))
        if ledger.query.only_exclusions:
            ledger.notes.append("the query only excludes, so its words are taken as what to find")
        rewrite(ledger, self._analyzer, self._rewrites)  # before the transaction: a service may take its time
        with self._store.read() as snapshot:
            side = self._serving(snapshot, request)
            table, readiness = side.table, side.readiness
            lexical = Fts5Index(snapshot.connection, table, self._postings)
            scope = resolve_scope(ledger, snapshot, table, lexical)
            fusion = choose_fusion(request.mode, request.fusion)

            position_leg(ledger, snapshot, scope)
            lexical_leg(ledger, snapshot, lexical, scope)
            dense = dense_leg(ledger, snapshot, lambda: self._dense_side(ledger, snapshot, side), scope)
            if dense is not None:  # a vector that was damaged is none, whatever the manifest says
                ready = dense[0].ready()
                readiness = replace(readiness, ready=ready, pending=len(table.ids) - ready)
            complete(ledger, lexical, dense, len(table.ids), readiness.ready)
            own_similarities(ledger, side.embedder, dense)
            fuse(ledger, fusion)
            if feedback(ledger, snapshot, lexical, self._analyzer, len(table.ids)):
                neighborhood(ledger, dense)
            graph(ledger, snapshot, table, scope, lexical, dense, fusion, lambda: self.links.get(snapshot))
            weigh(ledger, snapshot, self._weight_rules, self._weights)
            reranker = rerank(ledger, snapshot, self._rerankers)
            diversify(ledger, lambda: self._vector_index(snapshot, side) if side.readiness.ready else None)
            threshold(ledger)
            documents = collapse(ledger)
            paused = time.perf_counter()
            places = yield Ranked(ledger, documents, len(table.ids), side.embedder.identity.key if dense else None)
            started += time.perf_counter() - paused
            the_page, shown = page(ledger, documents, places)

            ranking: dict[int, int] = {}
            ranks = range(1, len(documents) + 1) if places is None else places.ranks
            for rank, matches in zip(ranks, documents, strict=True):
                ranking.setdefault(matches[0].record.document_id, rank)
            if request.watch and dense is None:
                dense = self._watching_side(ledger, snapshot, side)
            comparable = readiness.ready > 0
            watch(ledger, snapshot, table, scope, lexical, dense, fusion, ranking, comparable)
            rerank_watched(ledger, snapshot, reranker)
            ledger.suggestions = suggestions(snapshot, lexical, ledger.terms)
            results = self._results(snapshot, ledger, shown)
            floors = self._floors(snapshot, side, ledger)
            verdict = judge(
                ledger,
                the_page,
                results,
                readiness=readiness,
                floors=floors,
                embedding_identity=side.embedder.identity.key,
                vector_index=ExactVectorIndex.name,
            )
            facts = EngineFacts(
                generation=snapshot.generation,
                embedding_identity=side.embedder.identity.key,
                lexical_identity=lexical_identity(self._analyzer),
                lexical_index=lexical.name,
                vector_index=ExactVectorIndex.name,
                fusion=fusion,
                window=WINDOW,
                python=platform.python_version(),
            )
        ledger.milliseconds = (time.perf_counter() - started) * 1000
        return Execution(request, ledger, results, the_page, verdict, facts, readiness)

    def neighbors(self, chunk_id: int, request: SearchRequest, *, embed: bool) -> Neighbors:
        """The nearest chunks of a chunk by its stored vector, inside the request's filters; ties by document and key.

        Raises:
            VectorMissing: it has none under the active identity, and `embed` does not ask to make one for this once.
        """
        ledger = Ledger(request, parse_query("", self._analyzer))
        with self._store.read() as snapshot:
            side = self._serving(snapshot, request)
            lexical = Fts5Index(snapshot.connection, side.table, self._postings)
            scope = resolve_scope(ledger, snapshot, side.table, lexical)
            index = self._vector_index(snapshot, side)
            comparable = side.readiness.ready > 0
            vector = index.stored(chunk_id) if comparable else None
            embedded_now = vector is None
            if vector is None:
                own = snapshot.chunks([chunk_id])[chunk_id]
                if not comparable:
                    raise nothing_comparable(side.embedder.identity.key)
                if not embed:
                    raise vector_missing(own.path, own.key)
                vector = side.embedder.embed_documents([compose_embedded_text(own.breadcrumb, own.context, own.text)])[
                    0
                ]
            return find_neighbors(snapshot, index, vector, chunk_id, scope, request.limit, embedded_now=embedded_now)

    def _floors(self, snapshot: SqliteSnapshot, side: Serving, ledger: Ledger) -> Floors:
        """What the verdict holds the results against; a calibration that does not fit is named in the notes."""
        identity = side.embedder.identity.key
        configuration = RankingConfiguration(identity, lexical_identity(self._analyzer), ledger.request.fusion)
        floors = stored_floors(snapshot, configuration)
        if floors.ignored:
            ledger.notes.append(f"the calibration is ignored: {floors.ignored}; run `glassdex calibrate`")
        return floors

    def _serving(self, snapshot: SqliteSnapshot, request: SearchRequest) -> Serving:
        table = self._store.chunk_table(snapshot)
        choice = "active" if request.mode in ("lexical", "positional") else request.identity  # these need no model
        return serving(choice, snapshot, table, self.embedder, self._others() if choice == "previous" else ())

    def _vector_index(self, snapshot: SqliteSnapshot, side: Serving) -> ExactVectorIndex:
        identity = side.embedder.identity
        cache = self._vectors if side.embedder is self.embedder else self._previous_vectors
        vectors = cache.get(snapshot.generation, identity.key, lambda: snapshot.vectors(identity))
        return ExactVectorIndex(side.table, vectors)

    def _dense_side(
        self, ledger: Ledger, snapshot: SqliteSnapshot, side: Serving
    ) -> tuple[VectorIndex, NDArray[np.float32]] | None:
        """The vector index and the query's vector; nothing where meaning is not asked for or nothing can be found."""
        if ledger.request.mode in ("lexical", "positional") or not ledger.scope_total or not side.readiness.ready:
            return None
        if ledger.request.mode == "hybrid" and too_few_ready(ledger):
            ledger.notes.append(f"searched by words alone: {ready_share(ledger)}")
            return None
        query_vector = self._embed_query(ledger, side.embedder)
        return None if query_vector is None else (self._vector_index(snapshot, side), query_vector)

    def _watching_side(
        self, ledger: Ledger, snapshot: SqliteSnapshot, side: Serving
    ) -> tuple[VectorIndex, NDArray[np.float32]] | None:
        """What measures a watched document where the search itself had nothing to compare: an empty scope."""
        if ledger.request.mode == "lexical" or ledger.scope_total or not side.readiness.ready:
            return None
        try:
            return self._vector_index(snapshot, side), embed_query(ledger, side.embedder)
        except EmbeddingError:
            return None

    def _embed_query(self, ledger: Ledger, embedder: Embedder) -> NDArray[np.float32] | None:
        try:
            return embed_query(ledger, embedder)
        except EmbeddingError as error:
            if ledger.request.mode == "dense":
                raise
            ledger.notes.append(f"searched by words only: {error.message}")
            return None

    def _results(
        self,
        snapshot: SqliteSnapshot,
        ledger: Ledger,
        shown: Sequence[Sequence[Candidate]],
    ) -> tuple[Result, ...]:
        located = locate(ledger, snapshot, shown)
        chunks = snapshot.chunks(candidate.record.chunk_id for matches in shown for candidate in matches)
        freshness = shown_freshness(
            snapshot,
            self._store.chunk_table(snapshot),
            [matches[0].record for matches in shown],
            lexical_identity=lexical_identity(self._analyzer),
            vectors_comparable=snapshot.meta("embedding_identity") == self.embedder.identity.key,
        )
        terms = [term.term for term in ledger.query.scored_terms]
        return make_results(shown, chunks, located, freshness, terms, self._analyzer)
