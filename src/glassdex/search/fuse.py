"""Fuse: one score out of the legs' signals. Versioned: a formula that changes gets a new number."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from glassdex.search.ledger import Candidate, Fused, Ledger, mark_ties
from glassdex.search.request import Mode

RRF_K = 60
"""Cormack, Clarke, Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and individual rank learning methods"
(SIGIR 2009)."""
LEG_WEIGHTS = {"lexical": 0.5, "dense": 0.5}
BONUS_SHARE = 0.3
LEGS_OF_MODE: Mapping[Mode, Sequence[str]] = {
    "hybrid": ("lexical", "dense"),
    "lexical": ("lexical",),
    "dense": ("dense",),
    "positional": ("position",),
}


@dataclass(frozen=True, slots=True)
class Fusion:
    """A named formula. `parts` gives each leg's summand for one candidate; their sum is the score."""

    name: str
    formula: str
    parameters: Mapping[str, float]
    parts: Callable[[Candidate, Sequence[str]], dict[str, float]]


def _convex(candidate: Candidate, legs: Sequence[str]) -> dict[str, float]:
    return {leg: LEG_WEIGHTS[leg] * _normalized(candidate, leg) for leg in legs}


def _reciprocal_rank(candidate: Candidate, legs: Sequence[str]) -> dict[str, float]:
    parts = {}
    for leg in legs:
        signal = candidate.legs.get(leg)
        parts[leg] = 0.0 if signal is None or signal.rank is None else 1 / (RRF_K + signal.rank)
    return parts


def _bonus(candidate: Candidate, legs: Sequence[str]) -> dict[str, float]:
    strongest = max(legs, key=lambda leg: _normalized(candidate, leg))
    return {leg: (1.0 if leg == strongest else BONUS_SHARE) * _normalized(candidate, leg) for leg in legs}


def _only_leg(candidate: Candidate, legs: Sequence[str]) -> dict[str, float]:
    return {leg: candidate.legs[leg].score if leg in candidate.legs else 0.0 for leg in legs}


FUSIONS = {
    fusion.name: fusion
    for fusion in (
        Fusion(
            "convex/1",
            "w_lexical · bm25 / max bm25 + w_dense · max(cosine, 0) / max cosine",
            {f"w_{leg}": weight for leg, weight in LEG_WEIGHTS.items()},
            _convex,
        ),
        Fusion("rrf/1", "Σ 1 / (k + rank), ranks inside the windows only", {"k": RRF_K}, _reciprocal_rank),
        Fusion("bonus/1", "max + share · min of the normalised scores", {"share": BONUS_SHARE}, _bonus),
    )
}
SINGLE = Fusion("single/1", "the score of the only leg, on its own scale", {}, _only_leg)


def choose_fusion(mode: str, name: str) -> Fusion:
    """A single leg keeps its own scale; two are fused by the formula asked for."""
    return FUSIONS[name] if mode == "hybrid" else SINGLE


def fuse(ledger: Ledger, fusion: Fusion) -> None:
    """Scores and ranks every candidate. Scores are rounded to 1e-6 before they are compared; ties are marked."""
    legs = LEGS_OF_MODE[ledger.request.mode]
    with ledger.stage("fuse"):
        live = ledger.live()
        for leg in legs:
            _normalize(live, leg)
        scored = []
        for candidate in live:
            exact = fusion.parts(candidate, legs)
            parts = {leg: round(part, 6) for leg, part in exact.items()}
            scored.append((round(sum(exact.values()), 6), candidate, parts))
        scored.sort(key=lambda entry: (-entry[0], entry[1].record.path, entry[1].record.key))
        for rank, (score, candidate, parts) in enumerate(scored, start=1):
            candidate.fused = Fused(rank, score, parts)
        mark_ties([candidate for _, candidate, _ in scored])


def highest_scores(ledger: Ledger) -> dict[str, float]:
    """The best score in each leg of the search, by which the fusion normalises."""
    fused = [candidate for candidate in ledger.candidates.values() if candidate.fused is not None]
    return {leg: _highest(fused, leg) for leg in LEGS_OF_MODE[ledger.request.mode]}


def normalized_by(highest: float, score: float) -> float:
    """A score as a share of the best one of its leg, 0..1; a negative one is 0."""
    return round(max(score, 0.0) / highest, 6) if highest > 0 else 0.0


def _normalize(candidates: Sequence[Candidate], leg: str) -> None:
    highest = _highest(candidates, leg)
    for candidate in candidates:
        signal = candidate.legs.get(leg)
        if signal is not None:
            signal.normalized = normalized_by(highest, signal.score)


def _highest(candidates: Sequence[Candidate], leg: str) -> float:
    return max((candidate.legs[leg].score for candidate in candidates if leg in candidate.legs), default=0.0)


def _normalized(candidate: Candidate, leg: str) -> float:
    signal = candidate.legs.get(leg)
    return 0.0 if signal is None or signal.normalized is None else signal.normalized
