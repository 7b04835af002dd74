"""Rerank: the head of the ranking is read once more, together with the query, and blended with what it had.

What stands behind the head was not read, and keeps its order below it: a blended score is never lower than the lowest
fused score of the head. Off unless asked for. A failure leaves the order as it was and says so.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

from glassdex.errors import GlassdexError, InputError, RerankError
from glassdex.model import compose_embedded_text
from glassdex.reranking.protocol import Reranker
from glassdex.search.ledger import Ledger, Reranked, Reranking, Stage, mark_ties
from glassdex.search.watch import Watched
from glassdex.storage.sqlite.snapshot import SqliteSnapshot

HEAD = 50
"""Candidates that are reranked; a constant, never derived from limit or page, as pages are slices of one ranking."""
WATCHED_CHUNKS = 5
"""Of a watched document's chunks outside the head the best placed ones are scored as well, so many of them."""
BLEND = "blend/1"
FORMULA = (
    "(1 - w) · fused + w · (lowest fused + (highest fused - lowest fused) · (score - lowest score)"
    " / (highest score - lowest score)), lowest and highest within the reranked head"
)


def rerank(ledger: Ledger, snapshot: SqliteSnapshot, opened: Callable[[str], Reranker]) -> Reranker | None:
    """Scores the head and ranks it anew; returns the reranker that did, for the watched documents.

    Raises:
        InvalidRequest: there is no reranker of the name that the request gives.
    """
    request = ledger.request
    if request.rerank == "none" or request.mode == "positional":
        return None
    with ledger.stage("rerank") as stage:
        ledger.reranking = Reranking(request.rerank, request.rerank.partition(":")[0], request.rerank_weight, HEAD)
        try:
            reranker = opened(request.rerank)
            ledger.reranking = replace(ledger.reranking, identity=reranker.identity, scale=reranker.scale)
            _rerank_head(ledger, stage, snapshot, reranker)
        except InputError:
            raise
        except Exception as error:  # also what a foreign adapter lets through: the ranking is there without it
            _fall_back(ledger, stage, error)
            return None
    return reranker


def rerank_watched(ledger: Ledger, snapshot: SqliteSnapshot, reranker: Reranker | None) -> None:
    """Scores the best placed chunks of watched documents that the head does not have, apart from the candidates."""
    if reranker is None:
        return
    for position, watched in enumerate(ledger.watched):
        try:
            ledger.watched[position] = _watched(watched, ledger.query.meaning, snapshot, reranker)
        except Exception as error:  # as above
            ledger.notes.append(f"{watched.path} was watched without the reranker's score: {_reason(error)}")


def blend(fused: Sequence[float], scores: Sequence[float], weight: float) -> list[float]:
    """`blend/1`: the scores are spread over the range that the fused ones have, then both are averaged by weight.

    The order is that of averaging both after min-max scaling; the scale stays that of the fusion.
    """
    if not fused:
        return []
    lowest, span = min(fused), max(fused) - min(fused)
    worst, reach = min(scores), max(scores) - min(scores)
    return [
        round((1 - weight) * before + weight * (lowest + (span * ((score - worst) / reach) if reach > 0 else 0.0)), 6)
        for before, score in zip(fused, scores, strict=True)
    ]


def _rerank_head(ledger: Ledger, stage: Stage, snapshot: SqliteSnapshot, reranker: Reranker) -> None:
    ranking = ledger.ranked()
    head = ranking[:HEAD]
    scores = _scores(reranker, ledger.query.meaning, _texts(snapshot, [c.record.chunk_id for c in head]))
    blended = blend([candidate.score for candidate in head], scores, ledger.request.rerank_weight)
    placed = sorted(
        zip(head, scores, blended, strict=True),
        key=lambda entry: (-entry[2], entry[0].record.path, entry[0].record.key),
    )
    before = {candidate.record.chunk_id: rank for rank, candidate in enumerate(head, start=1)}
    for rank, (candidate, score, mixed) in enumerate(placed, start=1):
        candidate.reranked = Reranked(before[candidate.record.chunk_id], score, mixed, rank)
    mark_ties(sorted(ranking, key=lambda candidate: candidate.order))
    stage.measured["reranked"] = len(head)


def _texts(snapshot: SqliteSnapshot, chunk_ids: Sequence[int]) -> list[str]:
    """What was embedded of each chunk: a reranker, too, should see what a passage is about."""
    chunks = snapshot.chunks(chunk_ids)
    found = (chunks[chunk_id] for chunk_id in chunk_ids)
    return [compose_embedded_text(chunk.breadcrumb, chunk.context, chunk.text) for chunk in found]


def _scores(reranker: Reranker, query: str, passages: Sequence[str]) -> list[float]:
    """One finite number a passage, rounded before anything is compared; an adapter that breaks its promise fails."""
    if not passages:
        return []
    scores = [float(score) for score in reranker.rerank(query, passages)]
    if len(scores) != len(passages):
        raise RerankError(f"the reranker {reranker.name!r} gave {len(scores)} scores for {len(passages)} passages")
    if not all(map(math.isfinite, scores)):
        raise RerankError(f"the reranker {reranker.name!r} gave a score that is not finite")
    return [round(score, 6) for score in scores]


def _watched(watched: Watched, query: str, snapshot: SqliteSnapshot, reranker: Reranker) -> Watched:
    apart = [chunk for chunk in watched.chunks if chunk.rerank_score is None][:WATCHED_CHUNKS]
    scores = _scores(reranker, query, _texts(snapshot, [chunk.record.chunk_id for chunk in apart]))
    scored = dict(zip((chunk.record.chunk_id for chunk in apart), scores, strict=True))
    chunks = (
        replace(chunk, rerank_score=scored.get(chunk.record.chunk_id, chunk.rerank_score)) for chunk in watched.chunks
    )
    return replace(watched, chunks=tuple(chunks))


def _fall_back(ledger: Ledger, stage: Stage, error: Exception) -> None:
    assert ledger.reranking is not None
    reason = _reason(error)
    ledger.reranking = replace(ledger.reranking, fallback=reason)
    ledger.notes.append(f"not reranked: {reason}")
    stage.measured["reranked"] = 0


def _reason(error: Exception) -> str:
    return error.message if isinstance(error, GlassdexError) else f"{type(error).__name__}: {error}"
