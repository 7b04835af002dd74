"""Complete: every candidate gets the exact score of every leg that took part, whoever brought it in."""

from __future__ import annotations

import math
from functools import cache
from itertools import compress
from typing import TYPE_CHECKING

from glassdex.lexical.bm25 import idf
from glassdex.lexical.protocol import LexicalIndex
from glassdex.search.ledger import Ledger, LegSignal
from glassdex.vectors.protocol import VectorIndex

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def complete(
    ledger: Ledger,
    lexical: LexicalIndex,
    dense: tuple[VectorIndex, NDArray[np.float32]] | None,
    total_chunks: int,
    ready_chunks: int,
) -> None:
    """Fills in missing signals, the matched terms and the coverage.

    A leg that did not run has no signals to complete. Completed signals carry no rank. Matched terms and coverage are
    those of the user's own words, also where the query was rewritten.
    """
    import numpy as np

    if ledger.request.mode == "positional":
        return
    with ledger.stage("complete") as stage:
        chunk_ids = np.fromiter(sorted(ledger.candidates), dtype=np.int64)
        complete_signals(ledger, chunk_ids, lexical, dense, total_chunks, ready_chunks)
        stage.measured["vector_pending"] = sum(c.vector_pending for c in ledger.candidates.values())


def complete_signals(
    ledger: Ledger,
    chunk_ids: NDArray[np.int64],
    lexical: LexicalIndex,
    dense: tuple[VectorIndex, NDArray[np.float32]] | None,
    total_chunks: int,
    ready_chunks: int,
) -> None:
    """The same for the candidates of these chunks alone."""
    _complete_words(ledger, lexical, chunk_ids, total_chunks, score=ledger.request.mode != "dense")
    if dense is not None:
        vectors, query_vector = dense
        for chunk_id, cosine in zip(
            chunk_ids.tolist(), vectors.similarities(query_vector, chunk_ids).tolist(), strict=True
        ):
            candidate = ledger.candidates[chunk_id]
            if math.isnan(cosine):
                candidate.vector_pending = True
            elif "dense" not in candidate.legs:
                candidate.legs["dense"] = LegSignal(cosine)
    elif ledger.request.mode != "lexical" and not ready_chunks:
        for chunk_id in chunk_ids.tolist():
            ledger.candidates[chunk_id].vector_pending = True


def _complete_words(
    ledger: Ledger, lexical: LexicalIndex, chunk_ids: NDArray[np.int64], total_chunks: int, *, score: bool
) -> None:
    found = lexical.scores(ledger.query, chunk_ids)
    scores = found.scores
    if ledger.scored_query is not ledger.query:
        scores = lexical.scores(ledger.scored_query, chunk_ids).scores
    known = {statistics.term: statistics.idf for statistics in ledger.terms}
    # A word that the project does not have weighs like one that is rarer than any it has.
    weights = [known.get(term) or idf(0, total_chunks) for term in found.terms]
    whole = sum(weights)

    @cache  # few combinations of terms occur
    def matched(present: tuple[bool, ...]) -> tuple[tuple[str, ...], float]:
        weight = sum(compress(weights, present))
        return tuple(compress(found.terms, present)), round(weight / whole, 6) if whole else 0.0

    for chunk_id, bm25, row in zip(chunk_ids.tolist(), scores.tolist(), found.matched.tolist(), strict=True):
        candidate = ledger.candidates[chunk_id]
        candidate.matched_terms, candidate.coverage = matched(tuple(row))
        if score and bm25 > 0 and "lexical" not in candidate.legs:
            candidate.legs["lexical"] = LegSignal(bm25)
