"""Parts of a trace about one candidate, and about one watched document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from glassdex.envelopes.base import Part
from glassdex.envelopes.merge import MergedPart
from glassdex.envelopes.shared import LocatorPart, rounded
from glassdex.search.ledger import Candidate, Diversified, Exit, Final, LegSignal, Linked, Reranked, Rescored
from glassdex.search.results import pointer_of
from glassdex.search.watch import Watched, WatchedChunk

PLACES = 6


class RowPart(Part):
    """The row that a chunk was cut from."""

    kind: str
    key: str


class LegPart(Part):
    """A leg's signal: its rank within the window (absent for a completed one), raw and normalised score."""

    rank: int | None = None
    score: float
    normalized: float | None = None
    in_window: bool

    @classmethod
    def of(cls, signal: LegSignal) -> LegPart:
        """From the ledger."""
        return cls(
            rank=signal.rank,
            score=round(signal.score, PLACES),
            normalized=rounded(signal.normalized, PLACES),
            in_window=signal.in_window,
        )


class FusedPart(Part):
    """Rank and score after fusion; `parts` add up to the score."""

    rank: int
    score: float
    parts: dict[str, float]


class RescoredPart(Part):
    """Rank and score after a stage between fusion and reranking that ranks anew; `parts` add up to the score."""

    rank: int
    score: float
    parts: dict[str, float]


def _rescored(stages: Mapping[str, Rescored]) -> dict[str, RescoredPart] | None:
    made = {name: RescoredPart(rank=own.rank, score=own.score, parts=own.parts) for name, own in stages.items()}
    return made or None


class WeightPart(Part):
    """What the document's front matter weighs its passages with (0..2), and where that stands."""

    weight: float
    source: str


class LinkedPart(Part):
    """Which link leads to the document: from which other one (`seed`), by which words, and who states it.

    `route`: `successor` stands in the place of the seed, `related` is another stated relation, `mention` a link in the
    text. `direction`: `out`, the seed states it; `in`, this document does. A successor that is several steps away comes
    `via` the documents between; kind and direction are those of the last step. Of a long chain `via` has the first and
    the last ten, and `via_left_out` is how many stand between these.
    """

    seed: str
    route: Literal["successor", "related", "mention"]
    kind: str
    direction: Literal["out", "in"]
    via: tuple[str, ...] | None = None
    via_left_out: int | None = None

    @classmethod
    def of(cls, linked: Linked) -> LinkedPart:
        """From the ledger."""
        return cls(
            seed=linked.seed,
            route=linked.route,
            kind=linked.kind,
            direction=linked.direction,
            via=linked.via or None,
            via_left_out=linked.via_left_out or None,
        )


class GraphPart(LinkedPart):
    """The same of a candidate, with its rank and score where the links changed the ranking; `parts` add up to it."""

    rank: int | None = None
    score: float | None = None
    parts: dict[str, float] | None = None


def _graph(linked: Linked | None, rescored: Mapping[str, Rescored]) -> GraphPart | None:
    if linked is None:
        return None
    facts, own = LinkedPart.of(linked).model_dump(), rescored.get("graph")
    return GraphPart(**facts, rank=own and own.rank, score=own and own.score, parts=own and own.parts)


class RerankPart(Part):
    """What the reranker did: ranks before and after, its score on its own scale, the blended one on the fusion's."""

    rank_before: int
    score: float
    blended: float
    rank: int

    @classmethod
    def of(cls, reranked: Reranked) -> RerankPart:
        """From the ledger."""
        return cls(
            rank_before=reranked.rank_before,
            score=round(reranked.score, PLACES),
            blended=reranked.blended,
            rank=reranked.rank,
        )


class DiversifyPart(Part):
    """A place in the head after it was diversified: ranks before and after, and what it was taken for.

    `score` is the marginal relevance, to which `parts` add up; `relevance` and `similarity` are 0..1, the latter
    that to `nearest`, the most similar passage above. `vector_pending`: it has no vector, so that nothing but the same
    text is similar to it.
    """

    rank_before: int
    rank: int
    score: float
    relevance: float
    similarity: float
    parts: dict[str, float]
    nearest: str | None = None
    vector_pending: bool | None = None

    @classmethod
    def of(cls, diversified: Diversified) -> DiversifyPart:
        """From the ledger."""
        return cls(
            rank_before=diversified.rank_before,
            rank=diversified.rank,
            score=diversified.score,
            relevance=diversified.relevance,
            similarity=diversified.similarity,
            parts=diversified.parts,
            nearest=diversified.nearest,
            vector_pending=True if diversified.vector_pending else None,
        )


class FinalPart(Part):
    """The document's rank, its score, and which of the document's matches this is."""

    rank: int
    score: float
    match: int

    @classmethod
    def of(cls, final: Final) -> FinalPart:
        """From the ledger."""
        return cls(rank=final.rank, score=final.score, match=final.match)


class ExitPart(Part):
    """Where and why the candidate left."""

    stage: str
    reason: str
    detail: str

    @classmethod
    def of(cls, left: Exit) -> ExitPart:
        """From the ledger."""
        return cls(stage=left.stage, reason=left.reason, detail=left.detail)


class CandidatePart(Part):
    """A chunk that was considered: every number that was known of it, and how it ended."""

    chunk_key: str
    document: str
    row: RowPart
    section: tuple[str, ...]
    pointer: str
    locator: LocatorPart
    legs: dict[str, LegPart]
    vector_pending: bool | None = None
    matched_terms: tuple[str, ...]
    coverage: float
    fused: FusedPart | None = None
    rescored: dict[str, RescoredPart] | None = None
    weight: WeightPart | None = None
    graph: GraphPart | None = None
    rerank: RerankPart | None = None
    diversify: DiversifyPart | None = None
    merge: MergedPart | None = None
    final: FinalPart | None = None
    exit: ExitPart | None = None
    tied_with: tuple[str, ...] | None = None

    @classmethod
    def of(cls, candidate: Candidate) -> CandidatePart:
        """From the ledger."""
        record, fused, final, left = candidate.record, candidate.fused, candidate.final, candidate.exit
        return cls(
            chunk_key=record.key,
            document=record.path,
            row=RowPart(kind=record.kind, key=record.row_key),
            section=record.headings,
            pointer=pointer_of(record),
            locator=LocatorPart.of(record.locator, (record.char_start, record.char_end)),
            legs={name: LegPart.of(signal) for name, signal in candidate.legs.items()},
            vector_pending=True if candidate.vector_pending else None,
            matched_terms=candidate.matched_terms,
            coverage=candidate.coverage,
            fused=fused and FusedPart(rank=fused.rank, score=fused.score, parts=fused.parts),
            rescored=_rescored(candidate.rescored),
            weight=candidate.weighted
            and WeightPart(weight=candidate.weighted.weight, source=candidate.weighted.source),
            graph=_graph(candidate.linked, candidate.rescored),
            rerank=candidate.reranked and RerankPart.of(candidate.reranked),
            diversify=candidate.diversified and DiversifyPart.of(candidate.diversified),
            merge=candidate.merged and MergedPart.of(candidate.merged),
            final=final and FinalPart.of(final),
            exit=left and ExitPart.of(left),
            tied_with=candidate.tied_with or None,
        )


class WatchedFilter(Part):
    """How many of the watched document's chunks a filter lets through."""

    name: str
    passing: int


class WatchedFused(Part):
    """Rank and score after fusion: the candidate's, or what the chunk would have got as one."""

    rank: int
    score: float


class WatchedChunkPart(Part):
    """A chunk of a watched document; ranks count within the scope, also beyond the windows.

    `outside` names the filters that keep it out of the scope. `rerank_score` is the reranker's also where the chunk is
    not among those that were reranked.
    """

    chunk_key: str
    pointer: str
    locator: LocatorPart
    outside: tuple[str, ...] | None = None
    legs: dict[str, LegPart]
    vector_pending: bool | None = None
    matched_terms: tuple[str, ...]
    candidate: bool
    fused: WatchedFused | None = None
    rescored: dict[str, RescoredPart] | None = None
    graph: GraphPart | None = None
    rerank: RerankPart | None = None
    rerank_score: float | None = None
    diversify: DiversifyPart | None = None
    final: FinalPart | None = None
    exit: ExitPart | None = None

    @classmethod
    def of(cls, chunk: WatchedChunk, window: int) -> WatchedChunkPart:
        """From the ledger."""
        record = chunk.record
        fused = None
        if chunk.fused_rank is not None and chunk.fused_score is not None:
            fused = WatchedFused(rank=chunk.fused_rank, score=chunk.fused_score)
        signals = {
            "lexical": (chunk.lexical_score, chunk.lexical_rank),
            "dense": (chunk.similarity, chunk.dense_rank),
        }
        return cls(
            chunk_key=record.key,
            pointer=pointer_of(record),
            locator=LocatorPart.of(record.locator, (record.char_start, record.char_end)),
            outside=chunk.outside or None,
            legs={
                leg: LegPart(rank=rank, score=round(score, PLACES), in_window=rank is not None and rank <= window)
                for leg, (score, rank) in signals.items()
                if score is not None
            },
            vector_pending=True if chunk.vector_pending else None,
            matched_terms=chunk.matched_terms,
            candidate=chunk.candidate,
            fused=fused,
            rescored=_rescored(chunk.rescored),
            graph=_graph(chunk.linked, chunk.rescored),
            rerank=chunk.reranked and RerankPart.of(chunk.reranked),
            rerank_score=rounded(chunk.rerank_score, PLACES),
            diversify=chunk.diversified and DiversifyPart.of(chunk.diversified),
            final=chunk.final and FinalPart.of(chunk.final),
            exit=chunk.exit and ExitPart.of(chunk.exit),
        )


class WatchedPart(Part):
    """A document that the request watched; `document_rank` is its place in the whole ranking, whatever the page."""

    document: str
    filters: tuple[WatchedFilter, ...]
    missing_terms: tuple[str, ...]
    document_rank: int | None = None
    chunks: tuple[WatchedChunkPart, ...]

    @classmethod
    def of(cls, watched: Watched, window: int) -> WatchedPart:
        """From the ledger."""
        return cls(
            document=watched.path,
            filters=tuple(WatchedFilter(name=name, passing=passing) for name, passing in watched.filters),
            missing_terms=watched.missing_terms,
            document_rank=watched.document_rank,
            chunks=tuple(WatchedChunkPart.of(chunk, window) for chunk in watched.chunks),
        )
