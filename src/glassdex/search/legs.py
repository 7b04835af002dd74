"""The legs: each brings in its window of candidates, inside the scope."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
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
    if ledger.request.mode == "positional":
        return
    if ledger.request.mode == "dense":
        ledger.terms = index.statistics(ledger.query)
        return
    with ledger.stage("lexical") as stage:
        # Looking a term up is most of a first search's work: it belongs to the leg's time.
        ledger.terms = index.statistics(ledger.query)
        if ledger.rewriting is not None:
            own = len(ledger.terms)
            ledger.rewriting = replace(ledger.rewriting, statistics=index.statistics(ledger.scored_query)[own:])
        hits = index.search(ledger.scored_query, scope, WINDOW + 1)
        _enter(ledger, stage, snapshot, "lexical", hits.chunk_ids, hits.scores, hits.eligible)
    withheld = ("too_common", "beyond_limit") if scope is None else ("beyond_limit",)
    if any(term.status in withheld for term in ledger.terms):
        ledger.unranked.append("some words brought in no candidates of their own")


def dense_leg(
    ledger: Ledger,
    snapshot: SqliteSnapshot,
    prepare: Callable[[], tuple[VectorIndex, NDArray[np.float32]] | None],
    scope: NDArray[np.int64] | None,
) -> tuple[VectorIndex, NDArray[np.float32]] | None:
    """Brings in the nearest chunks by cosine; returns the index and the query's vector, for the completion.

    `prepare` embeds the query and opens the index, which belongs to the leg's time; it gives nothing where meaning is
    not asked for or there is nothing to search.
    """
    started = time.perf_counter()
    side = prepare()
    preparing_ms = (time.perf_counter() - started) * 1000
    if side is None:
        if ledger.request.mode in ("hybrid", "dense") and ledger.scope_total:
            ledger.unranked.append("meaning was not searched")
        return None
    index, query_vector = side
    with ledger.stage("dense") as stage:
        hits = index.search(query_vector, scope, WINDOW + 1)
        _enter(ledger, stage, snapshot, "dense", hits.chunk_ids, hits.scores, hits.eligible)
    if hits.eligible is not None:
        ledger.scope_ready = hits.eligible
        if hits.eligible < ledger.scope_total:
            ledger.unranked.append("some chunks in scope have no vector yet")
    stage.milliseconds += preparing_ms
    return side


def _enter(
    ledger: Ledger,
    stage: Stage,
    snapshot: SqliteSnapshot,
    leg: str,
    chunk_ids: NDArray[np.int64],
    scores: NDArray[np.float64],
    eligible: int | None,
) -> None:
    """Ranks a leg's hits, ties by document and key, and writes the window to the ledger."""
    known = {id_: ledger.candidates[id_].record for id_ in chunk_ids.tolist() if id_ in ledger.candidates}
    new = chunk_ids[[id_ not in known for id_ in chunk_ids.tolist()]] if known else chunk_ids
    records = {**known, **snapshot.candidates(new)}
    scored = dict(zip(chunk_ids.tolist(), scores.tolist(), strict=True))
    ranking = sorted(records.values(), key=lambda record: (-scored[record.chunk_id], record.path, record.key))
    window = ranking[:WINDOW]
    ledger.admit(stage, window)
    for rank, record in enumerate(window, start=1):
        ledger.candidates[record.chunk_id].legs[leg] = LegSignal(scored[record.chunk_id], rank)
    stage.measured["returned"] = len(window)
    if eligible is not None:
        stage.measured["eligible"] = eligible
        stage.measured["beyond_window"] = eligible - len(window)
    if len(ranking) > WINDOW:  # one more than the window was asked for, to know whether there are more
        ledger.unranked.append(f"the {leg} window was full")
