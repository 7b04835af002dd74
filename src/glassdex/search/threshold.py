"""Threshold: off unless asked for; each on its own scale, at its own stage."""

from __future__ import annotations

from glassdex.search.ledger import Ledger


def threshold(ledger: Ledger) -> None:
    """Drops candidates below `min_similarity` (cosine, inclusive; no vector passes) or `min_score` (fused)."""
    request = ledger.request
    with ledger.stage("threshold") as stage:
        for candidate in ledger.live():
            dense = candidate.legs.get("dense")
            if request.min_similarity is not None and dense is not None and dense.score < request.min_similarity:
                detail = f"similarity {dense.score:.6f} < {request.min_similarity:g}"
                ledger.drop(stage, candidate, "below_min_similarity", detail)
            elif request.min_score is not None and candidate.score < request.min_score:
                detail = f"score {candidate.score:.6f} < {request.min_score:g}"
                ledger.drop(stage, candidate, "below_min_score", detail)
