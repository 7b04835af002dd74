"""Diversify: the head of the ranking is ordered anew, so that each passage adds to those above it. Off by default.

Maximal Marginal Relevance: Carbonell, Goldstein, "The Use of MMR, Diversity-Based Reranking for Reordering Documents
and Producing Summaries" (SIGIR 1998). One passage after the other is taken, each time the one with the highest

    λ · relevance − (1 − λ) · similarity

where the relevance is the passage's score, spread over the head to 0..1, and the similarity its highest to a passage
that was taken before: the cosine of the stored vectors, 1 for the same text. The order alone changes: scores stay those
that thresholds and readers know, and what stands behind the head keeps its order below it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from glassdex.search.ledger import Candidate, Diversified, Ledger
from glassdex.vectors.protocol import StoredVectors
from glassdex.wording import counted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

HEAD = 50
"""Candidates that are ordered anew; a constant, as pages are slices of one ranking."""
NAME = "mmr/1"
FORMULA = (
    "λ · (score - lowest score) / (highest score - lowest score) - (1 - λ) · highest similarity to a passage above;"
    " similarity = max(cosine, 0), 1 for the same text, 0 without a vector; lowest and highest within the head"
)


def diversify(ledger: Ledger, opened: Callable[[], StoredVectors | None]) -> None:
    """Orders the head by maximal marginal relevance; `opened` gives the stored vectors, if there are any."""
    trade_off = ledger.request.diversify
    if trade_off is None or ledger.request.mode == "positional":
        return
    with ledger.stage("diversify") as stage:
        head = ledger.ranked()[:HEAD]
        vectors = opened()
        stored = [None if vectors is None else vectors.stored(candidate.record.chunk_id) for candidate in head]
        similar = _similarities(head, stored)
        for rank, taken in enumerate(mmr([candidate.score for candidate in head], similar, trade_off), start=1):
            candidate = head[taken.place]
            candidate.diversified = Diversified(
                rank_before=taken.place + 1,
                rank=rank,
                score=taken.value,
                relevance=taken.relevance,
                similarity=taken.similarity,
                parts=taken.parts,
                nearest=None if taken.nearest is None else head[taken.nearest].name,
                vector_pending=stored[taken.place] is None,
            )
        pending = sum(vector is None for vector in stored)
        stage.measured["diversified"] = len(head)
        stage.measured["vector_pending"] = pending
    if pending:
        ledger.notes.append(
            f"{pending} of the {counted(len(head), 'passage')} to diversify have no vector:"
            " only the same text is similar to them"
        )


class Taken(NamedTuple):
    """A passage in the order in which it was taken: its place before (from 0), and what it was taken for.

    `value` is the sum of `parts`; `nearest` is the place of the passage above that it is most similar to.
    """

    place: int
    value: float
    relevance: float
    similarity: float
    parts: dict[str, float]
    nearest: int | None


def mmr(scores: Sequence[float], similar: Sequence[Sequence[float]], trade_off: float) -> list[Taken]:
    """Takes passages by maximal marginal relevance; `scores` are best first, `similar` is symmetric, 0..1.

    Values are rounded to 1e-6 before they are compared; ties go to the passage that stood higher. A later value is
    never above an earlier one.
    """
    lowest, span = min(scores, default=0.0), max(scores, default=0.0) - min(scores, default=0.0)
    relevance = [round((score - lowest) / span, 6) if span > 0 else 1.0 for score in scores]
    left = list(range(len(scores)))
    closest: list[tuple[float, int | None]] = [(0.0, None)] * len(scores)
    taken: list[Taken] = []
    while left:
        exact = {p: (trade_off * relevance[p], -(1 - trade_off) * closest[p][0]) for p in left}
        best = min(left, key=lambda place: (-round(sum(exact[place]), 6), place))
        parts = {name: round(part, 6) for name, part in zip(("relevance", "similarity"), exact[best], strict=True)}
        nearness, nearest = closest[best]
        taken.append(Taken(best, round(sum(exact[best]), 6), relevance[best], nearness, parts, nearest))
        left.remove(best)
        for place in left:
            if similar[best][place] > closest[place][0]:
                closest[place] = (similar[best][place], best)
    return taken


def _similarities(head: Sequence[Candidate], stored: Sequence[NDArray[np.float32] | None]) -> list[list[float]]:
    """Of each two passages of the head, 0..1: the cosine of their vectors, 1 where their texts are the same."""
    import numpy as np

    matrix = np.zeros((len(head), max((len(vector) for vector in stored if vector is not None), default=0)))
    for row, vector in enumerate(stored):
        if vector is not None:
            matrix[row] = vector
    cosines = np.round(np.clip(np.einsum("id,jd->ij", matrix, matrix), 0.0, 1.0), 6)
    texts = [candidate.record.key.split(":")[1] for candidate in head]
    return [
        [1.0 if mine == other else float(cosine) for other, cosine in zip(texts, row, strict=True)]
        for mine, row in zip(texts, cosines, strict=True)
    ]
