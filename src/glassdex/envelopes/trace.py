"""`glassdex.trace/1`: the ledger of one execution."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from glassdex import __version__
from glassdex.envelopes.base import Envelope, Part
from glassdex.envelopes.candidate import PLACES, CandidatePart, WatchedPart
from glassdex.envelopes.shared import FilterPart, VerdictPart, rounded
from glassdex.lexical.protocol import TermStatistics
from glassdex.search import diversify, feedback, graph, neighborhood, weight
from glassdex.search.engine import Execution
from glassdex.search.ledger import Feedback, Ledger, Reranking, Rewriting, Stage
from glassdex.search.request import SearchRequest
from glassdex.search.rerank import BLEND, FORMULA


class RequestPart(Part):
    """The request as it ran, defaults filled in."""

    query: str
    mode: Literal["hybrid", "lexical", "dense", "positional"]
    limit: int
    page: int
    fusion: str
    feedback: Literal["auto", "on", "off"] | None = None
    paths: tuple[str, ...] | None = None
    tags: tuple[str, ...] | None = None
    kinds: tuple[str, ...] | None = None
    since: str | None = None
    until: str | None = None
    min_similarity: float | None = None
    min_score: float | None = None
    identity: Literal["active", "previous"]
    watch: tuple[str, ...] | None = None
    in_document: str | None = None
    sheet: str | None = None
    page_labels: tuple[str, str] | None = None
    pages: tuple[int, int] | None = None
    rows: tuple[int, int] | None = None
    slide: tuple[int, int] | None = None
    records: tuple[int, int] | None = None
    lines: tuple[int, int] | None = None
    hidden: bool | None = None
    expand: int | None = None
    rerank: str | None = None
    rerank_weight: float | None = None
    rewrite: str | None = None
    weights: bool | None = None
    diversify: float | None = None

    @classmethod
    def of(cls, request: SearchRequest) -> RequestPart:
        """From the request."""
        return cls(
            query=request.query,
            mode=request.mode,
            limit=request.limit,
            page=request.page,
            fusion=request.fusion,
            feedback=request.feedback,
            paths=request.paths or None,
            tags=request.tags or None,
            kinds=request.kinds or None,
            since=request.since,
            until=request.until,
            min_similarity=request.min_similarity,
            min_score=request.min_score,
            identity=request.identity,
            watch=request.watch or None,
            in_document=request.in_document,
            sheet=request.sheet,
            page_labels=_labels(request),
            hidden=request.hidden or None,
            expand=request.expand or None,
            rerank=None if request.rerank == "none" else request.rerank,
            rerank_weight=None if request.rerank == "none" else request.rerank_weight,
            rewrite=None if request.rewrite == "none" else request.rewrite,
            weights=True if request.weights else None,
            diversify=request.diversify,
            **request.spans,
        )


def _labels(request: SearchRequest) -> tuple[str, str] | None:
    first, last = request.page_label_from, request.page_label_to
    return None if first is None else (first, first if last is None else last)


class TermPart(Part):
    """A query term: `df` counts chunks of the project, `idf` is in nats; `part` marks a word inside a longer one.

    `count` says how often the query names it, where that is more than once.
    """

    term: str
    surface: str
    df: int
    idf: float | None = None
    status: Literal["used", "unknown", "stopword", "too_common", "beyond_limit"]
    part: bool | None = None
    count: int | None = None
    suggestions: tuple[str, ...] | None = None

    @classmethod
    def of(cls, term: TermStatistics, suggestions: Mapping[str, tuple[str, ...]]) -> TermPart:
        """From the ledger."""
        return cls(
            term=term.term,
            surface=term.surface,
            df=term.document_frequency,
            idf=rounded(term.idf, PLACES),
            status=term.status,
            part=True if term.part else None,
            count=term.count if term.count > 1 else None,
            suggestions=suggestions.get(term.surface) if term.status == "unknown" else None,
        )


class FallbackPart(Part):
    """Why what was asked for did not happen: nothing was reranked, or the query ran as it is."""

    reason: str


class FurtherWordsPart(Part):
    """What a rewriter gave, as it gave it; `weight` (0..1] is its share of a word of the user's."""

    text: str
    weight: float


class FurtherTermPart(Part):
    """A term that was added to the query, with the weight that it was scored with.

    `df`, `idf` and `status` as of the query's own terms; absent where no words were searched.
    """

    term: str
    surface: str
    weight: float
    df: int | None = None
    idf: float | None = None
    status: Literal["used", "unknown", "stopword", "too_common", "beyond_limit"] | None = None


class RewritePart(Part):
    """What was made of the query before anything was looked for: by whom, what it gave, and what came of it.

    `texts` are passages whose vectors were averaged with the query's.
    """

    name: str
    identity: str | None = None
    kind: str | None = None
    words: tuple[FurtherWordsPart, ...]
    terms: tuple[FurtherTermPart, ...]
    texts: tuple[str, ...]
    fallback: FallbackPart | None = None

    @classmethod
    def of(cls, rewriting: Rewriting) -> RewritePart:
        """From the ledger."""
        found = {statistics.term: statistics for statistics in rewriting.statistics}
        terms = []
        for term in rewriting.terms:
            known = found.get(term.term)
            terms.append(
                FurtherTermPart(
                    term=term.term,
                    surface=term.surface,
                    weight=term.weight,
                    df=known and known.document_frequency,
                    idf=rounded(known.idf, PLACES) if known else None,
                    status=known and known.status,
                )
            )
        return cls(
            name=rewriting.name,
            identity=rewriting.identity,
            kind=rewriting.kind,
            words=tuple(
                FurtherWordsPart(text=word.text, weight=round(word.weight, PLACES)) for word in rewriting.words
            ),
            terms=tuple(terms),
            texts=rewriting.texts,
            fallback=FallbackPart(reason=rewriting.fallback) if rewriting.fallback else None,
        )


class FeedbackTermPart(Part):
    """A word that the best passages share, as the analyser has it, and its share of what was added."""

    term: str
    share: float


class FeedbackPart(Part):
    """What became of the feedback, which by default runs where the best passages lack most of the query.

    `coverage` is the mean of the best passages', `max_coverage` what it must be below; `highest_coverage` and
    `max_highest_coverage` are the same of the one that has most; `reason` says why it did not
    run. `passages` were learned from, and `terms` were added.
    """

    ran: bool
    reason: str | None = None
    coverage: float
    max_coverage: float
    highest_coverage: float
    max_highest_coverage: float
    passages: int | None = None
    terms: tuple[FeedbackTermPart, ...] | None = None

    @classmethod
    def of(cls, found: Feedback) -> FeedbackPart:
        """From the ledger."""
        return cls(
            ran=found.ran,
            reason=found.reason or None,
            coverage=found.coverage,
            max_coverage=feedback.MAX_COVERAGE,
            highest_coverage=found.highest_coverage,
            max_highest_coverage=feedback.MAX_BEST_COVERAGE,
            passages=found.passages or None,
            terms=tuple(FeedbackTermPart(term=term.term, share=term.share) for term in found.terms) or None,
        )


class QueryPart(Part):
    """The query as it was understood; `phrases` and field clauses must occur, `excluded` must not.

    `rewrite` is there where a rewriter was asked for.
    """

    raw: str
    mode: str
    terms: tuple[TermPart, ...]
    phrases: tuple[str, ...]
    excluded: tuple[str, ...]
    rewrite: RewritePart | None = None
    feedback: FeedbackPart | None = None


class ScopePart(Part):
    """The filters in order, and the chunks that were left to search in."""

    filters: tuple[FilterPart, ...]
    total: int


class FusionPart(Part):
    """The formula that made one score of several."""

    name: str
    version: int
    formula: str
    params: dict[str, float]


class ThresholdPart(Part):
    """A threshold, its stage and its scale."""

    stage: str
    scale: str
    value: float


class FormulaPart(Part):
    """The formula of a stage that ranked anew."""

    formula: str
    params: dict[str, float]


RESCORING = {
    "feedback": FormulaPart(formula=feedback.FORMULA, params={"w": feedback.WEIGHT, "terms": feedback.TERMS}),
    "neighborhood": FormulaPart(
        formula=neighborhood.FORMULA,
        params={"w": neighborhood.WEIGHT, "head": neighborhood.HEAD, "neighbors": neighborhood.NEIGHBORS},
    ),
    "graph": FormulaPart(formula=graph.FORMULA, params={"w": graph.SHARE, "seeds": graph.SEEDS, "step": graph.STEP}),
}


class RerankerConfigPart(Part):
    """Who reranked: its name, what its scores depend on and their scale, and how they were blended.

    `params`: the weight `w` of the reranker's score, and `head`, how many of the fused order were reranked. What failed
    before it was known has no identity and scale.
    """

    name: str
    identity: str | None = None
    scale: str | None = None
    blend: str
    formula: str
    params: dict[str, float]


class RerankerPart(Part):
    """The reranker that was asked for."""

    config: RerankerConfigPart
    fallback: FallbackPart | None = None

    @classmethod
    def of(cls, reranking: Reranking) -> RerankerPart:
        """From the ledger."""
        return cls(
            config=RerankerConfigPart(
                name=reranking.name,
                identity=reranking.identity,
                scale=reranking.scale,
                blend=BLEND,
                formula=FORMULA,
                params={"w": reranking.weight, "head": reranking.head},
            ),
            fallback=FallbackPart(reason=reranking.fallback) if reranking.fallback else None,
        )


class WeightsPart(Part):
    """What front matter weighed by: for each of its keys the weight of each value; none: the value is the weight."""

    formula: str
    keys: dict[str, dict[str, float]]


class DiversityPart(Part):
    """How the head was ordered anew; `params`: the trade-off `lambda`, and `head`, how many passages that were."""

    name: str
    formula: str
    params: dict[str, float]

    @classmethod
    def of(cls, request: SearchRequest) -> DiversityPart | None:
        """From the request; nothing where it asks for none."""
        if request.diversify is None or request.mode == "positional":
            return None
        params = {"lambda": request.diversify, "head": diversify.HEAD}
        return cls(name=diversify.NAME, formula=diversify.FORMULA, params=params)


class EnginePart(Part):
    """Under which configuration the search ran."""

    versions: dict[str, str]
    generation: int
    embedding_identity: str
    lexical_identity: str
    lexical_index: str
    vector_index: str
    fusion: FusionPart
    rescoring: dict[str, FormulaPart] | None = None
    weights: WeightsPart | None = None
    reranker: RerankerPart | None = None
    diversity: DiversityPart | None = None
    thresholds: tuple[ThresholdPart, ...]
    windows: dict[str, int]


class ReadinessPart(Part):
    """Chunks of the project with and without a vector under the active identity."""

    ready: int
    pending: int
    other_identity: int


class StagePart(Part):
    """in + added = out + Σ dropped; candidates, in the scope stage chunks. `measured` holds further named counts."""

    name: str
    entered: int = Field(alias="in")
    added: int
    left: int = Field(alias="out")
    dropped: dict[str, int]
    ms: float
    measured: dict[str, int] | None = None

    @classmethod
    def of(cls, stage: Stage) -> StagePart:
        """From the ledger."""
        return cls(
            name=stage.name,
            entered=stage.entered,
            added=stage.added,
            left=stage.left,
            dropped=dict(stage.dropped),
            ms=round(stage.milliseconds, 3),
            measured=stage.measured or None,
        )


class Trace(Envelope):
    """Everything one execution saw and did; `ms` is all of its time, also what belongs to no stage.

    `unranked` says why chunks that may match were never candidates; absent: all that matches was ranked. `truncated`
    counts candidates left out of this listing by a limit.
    """

    schema_: Literal["glassdex.trace/1"] = Field("glassdex.trace/1", alias="schema")
    request: RequestPart
    query: QueryPart
    scope: ScopePart
    engine: EnginePart
    readiness: ReadinessPart
    stages: tuple[StagePart, ...]
    candidates: tuple[CandidatePart, ...]
    watched: tuple[WatchedPart, ...] | None = None
    verdict: VerdictPart
    notes: tuple[str, ...] | None = None
    unranked: tuple[str, ...] | None = None
    ms: float
    truncated: int


def make_trace(execution: Execution, max_candidates: int | None = None) -> Trace:
    """The trace of an execution, candidates in fused order, then those that the graph added.

    `max_candidates` leaves out whole candidates from the end, never one that was returned.
    """
    ledger = execution.ledger
    ordered = sorted(ledger.candidates.values(), key=lambda candidate: candidate.place)
    listed = ordered
    if max_candidates is not None:
        listed = [c for position, c in enumerate(ordered) if position < max_candidates or c.final is not None]
    return Trace(
        request=RequestPart.of(ledger.request),
        query=QueryPart(
            raw=ledger.query.raw,
            mode=ledger.request.mode,
            terms=tuple(TermPart.of(term, ledger.suggestions) for term in ledger.terms),
            phrases=tuple(
                f"{clause.field}:{clause.surface}" if clause.field else clause.surface
                for clause in ledger.query.required
            ),
            excluded=tuple(clause.surface for clause in ledger.query.excluded),
            rewrite=ledger.rewriting and RewritePart.of(ledger.rewriting),
            feedback=ledger.feedback and FeedbackPart.of(ledger.feedback),
        ),
        scope=ScopePart(filters=tuple(FilterPart.of(f) for f in ledger.scope_filters), total=ledger.scope_total),
        engine=_engine_part(execution),
        readiness=ReadinessPart(
            ready=execution.readiness.ready,
            pending=execution.readiness.pending,
            other_identity=execution.readiness.other_identity,
        ),
        stages=tuple(StagePart.of(stage) for stage in ledger.stages),
        candidates=tuple(CandidatePart.of(candidate) for candidate in listed),
        watched=tuple(WatchedPart.of(watched, execution.engine.window) for watched in ledger.watched) or None,
        verdict=VerdictPart.of(execution.verdict),
        notes=tuple(ledger.notes) or None,
        unranked=tuple(ledger.unranked) or None,
        ms=round(ledger.milliseconds, 3),
        truncated=len(ordered) - len(listed),
    )


def _weights_part(ledger: Ledger) -> WeightsPart | None:
    if ledger.weight_rules is None:
        return None
    keys = {key: dict(choices) for key, choices in ledger.weight_rules.items()}
    return WeightsPart(formula=weight.FORMULA, keys=keys)


def _engine_part(execution: Execution) -> EnginePart:
    facts, request = execution.engine, execution.request
    name, version = facts.fusion.name.split("/")
    thresholds = []
    if request.min_similarity is not None:
        thresholds.append(ThresholdPart(stage="threshold", scale="cosine", value=request.min_similarity))
    if request.min_score is not None:
        thresholds.append(ThresholdPart(stage="threshold", scale="final score", value=request.min_score))
    return EnginePart(
        versions={"glassdex": __version__, "python": facts.python},
        generation=facts.generation,
        embedding_identity=facts.embedding_identity,
        lexical_identity=facts.lexical_identity,
        lexical_index=facts.lexical_index,
        vector_index=facts.vector_index,
        fusion=FusionPart(
            name=name,
            version=int(version),
            formula=facts.fusion.formula,
            params=dict(facts.fusion.parameters),
        ),
        rescoring={stage: RESCORING[stage] for stage in execution.ledger.rescored_by if stage in RESCORING} or None,
        weights=_weights_part(execution.ledger),
        reranker=execution.ledger.reranking and RerankerPart.of(execution.ledger.reranking),
        diversity=DiversityPart.of(request),
        thresholds=tuple(thresholds),
        windows=dict.fromkeys(("lexical", "dense"), facts.window),
    )
