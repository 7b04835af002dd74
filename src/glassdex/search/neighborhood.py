"""Neighborhood: what is near to good passages is likely to be good.

Diaz, "Regularizing Ad Hoc Retrieval Scores" (CIKM 2005), over the nearest neighbours within the head alone: each
passage of the head is averaged with those of the head that are nearest to it by their vectors. What stands behind it
keeps its order below: its score is damped by the same share, and gets nothing in return.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from glassdex.search.ledger import Candidate, Ledger
from glassdex.vectors.protocol import StoredVectors, VectorIndex

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

HEAD = 50
"""A constant, never derived from limit or page, as pages are slices of one ranking."""
NEIGHBORS = 10
WEIGHT = 0.5
FORMULA = (
    "(1 - w) · score + w · Σ cosine · score / Σ cosine over the nearest of the head with a cosine above 0; "
    "without any, its own score; behind the head (1 - w) · score"
)


def neighborhood(ledger: Ledger, dense: tuple[VectorIndex, NDArray[np.float32]] | None) -> None:
    """Averages the head of the ranking with its neighbours; an index that does not give its vectors has none."""
    import numpy as np

    vectors = None if dense is None else dense[0]
    if not isinstance(vectors, StoredVectors):
        return
    with ledger.stage("neighborhood") as stage:
        ranking = ledger.ranked()
        head = ranking[:HEAD]
        scores = np.array([candidate.score for candidate in head])
        lent = _lent(_cosines(head, vectors), scores)
        stage.measured["head"] = len(head)
        parts = {
            candidate.record.chunk_id: {"own": (1 - WEIGHT) * candidate.score, "neighbors": WEIGHT * mean}
            for candidate, mean in zip(head, lent.tolist(), strict=True)
        }
        parts |= {c.record.chunk_id: {"own": (1 - WEIGHT) * c.score} for c in ranking[HEAD:]}
        ledger.rescore("neighborhood", parts)


def _cosines(head: Sequence[Candidate], vectors: StoredVectors) -> NDArray[np.float64]:
    """Cosine of each pair, rounded; 0 of a passage with itself and of one without a vector."""
    import numpy as np

    rows = vectors.stored_vectors(np.array([candidate.record.chunk_id for candidate in head], dtype=np.int64))
    rows = np.nan_to_num(rows.astype(np.float64))
    cosines: NDArray[np.float64] = np.round(np.einsum("id,jd->ij", rows, rows), 6)
    np.fill_diagonal(cosines, 0.0)
    return cosines


def _lent(cosines: NDArray[np.float64], scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """The mean score of each passage's nearest ones, weighted by cosine; its own where it has none."""
    import numpy as np

    if len(scores) > NEIGHBORS:
        border = np.partition(cosines, len(scores) - NEIGHBORS, axis=1)[:, len(scores) - NEIGHBORS, None]
        cosines = np.where(cosines >= border, cosines, 0.0)
    cosines = np.maximum(cosines, 0.0)
    weight = cosines.sum(axis=1)
    means: NDArray[np.float64] = np.where(weight > 0, cosines @ scores / np.maximum(weight, 1e-9), scores)
    return means
