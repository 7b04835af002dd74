"""Position: without words the passages in scope are candidates in the order in which they stand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from glassdex.search.ledger import Ledger, LegSignal
from glassdex.storage.sqlite.snapshot import SqliteSnapshot

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

POSITIONS = 2_000
"""Passages that are brought in, by path and then by place; a constant like the legs' window."""


def position_leg(ledger: Ledger, snapshot: SqliteSnapshot, scope: NDArray[np.int64] | None) -> None:
    """Brings in the passages in scope. The score is 1 for the first and falls evenly to 1 / passages for the last."""
    if ledger.request.mode != "positional":
        return
    with ledger.stage("position") as stage:
        ordered = snapshot.in_order(scope, POSITIONS + 1)
        if len(ordered) > POSITIONS:
            ledger.unranked.append(f"only the first {POSITIONS:,} passages are listed")
            ledger.notes.append(f"only the first {POSITIONS:,} passages in scope are listed: name rows or pages")
        records = snapshot.candidates(ordered[:POSITIONS])
        shown = [chunk_id for chunk_id in ordered[:POSITIONS].tolist() if chunk_id in records]
        ledger.admit(stage, (records[chunk_id] for chunk_id in shown))
        for rank, chunk_id in enumerate(shown, start=1):
            score = round(1 - (rank - 1) / len(shown), 6)
            ledger.candidates[chunk_id].legs["position"] = LegSignal(score, rank)
