"""The legs: each brings in its window of candidates, inside the scope."""

from __future__ import annotations

from typing import TYPE_CHECKING

from glassdex.lexical.protocol import LexicalIndex
from glassdex.search.ledger import WINDOW, Ledger, LegSignal, Stage
from glassdex.storage.sqlite.snapshot import SqliteSnapshot
from glassdex.vectors.protocol import VectorIndex

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def lexical_leg(ledger: Ledger, snapshot: SqliteSnapshot, index: LexicalIndex, scope: NDArray[np.int64] | None) -> None:
    """Brings in the best chunks by BM25; a request for meaning alone only gets to know what the words weigh."""
    if ledger.request.mode == "dense":
        ledger.terms = index.statistics(ledger.query)
        return
    with ledger.stage("lexical") as stage:
        # Looking a term up is most of a first search's work: it belongs to the leg's time.
        ledger.terms = index.statistics(ledger.query)
        hits = index.search(ledger.query, scope, WINDOW + 1)
        _enter(ledger, stage, snapshot, "lexical", hits.chunk_ids, hits.scores)


def dense_leg(
    ledger: Ledger,
    snapshot: SqliteSnapshot,
    index: VectorIndex | None,
    query_vector: NDArray[np.float32] | None,
    scope: NDArray[np.int64] | None,
) -> None:
    """Brings in the nearest chunks by cosine, where there is an index and a vector to search with."""
    if index is None or query_vector is None:
        return
    with ledger.stage("dense") as stage:
        hits = index.search(query_vector, scope, WINDOW + 1)
        if hits.eligible is not None:
            stage.measured["eligible"] = hits.eligible
        _enter(ledger, stage, snapshot, "dense", hits.chunk_ids, hits.scores)


def _enter(
    ledger: Ledger,
    stage: Stage,
    snapshot: SqliteSnapshot,
    leg: str,
    chunk_ids: NDArray[np.int64],
    scores: NDArray[np.float64],
) -> None:
    """Ranks a leg's hits, ties by document and key, and writes the window to the ledger."""
    records = snapshot.candidates(chunk_ids)
    scored = dict(zip(chunk_ids.tolist(), scores.tolist(), strict=True))
    ranking = sorted(records.values(), key=lambda record: (-scored[record.chunk_id], record.path, record.key))
    window = ranking[:WINDOW]
    ledger.admit(stage, window)
    for rank, record in enumerate(window, start=1):
        ledger.candidates[record.chunk_id].legs[leg] = LegSignal(scored[record.chunk_id], rank)
    stage.measured["returned"] = len(window)
    if len(ranking) > WINDOW:
        stage.measured["beyond_window"] = 1  # at least: one more was asked for, to know whether there are more
