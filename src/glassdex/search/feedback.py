"""Feedback: the candidates are weighed once more, also by the words that the best passages share.

Pseudo-relevance feedback (Lavrenko and Croft, "Relevance-Based Language Models", SIGIR 2001; the mixture is that of
RM3, Abdul-Jaleel et al., TREC 2004), with BM25's weights in place of a language model. It helps where passages say in
other words what the query says, and hurts where the query's own words are there already: so by default it switches
itself on only where the best passages have, on average, less than half of the query's weight, and none of them has
nearly all of it, as that of somebody who looks for one passage has. It brings in nobody: candidates are those of the
legs. Figures: docs/benchmarks.md, "Feedback".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from glassdex.analysis import Analyzer
from glassdex.lexical.bm25 import K1, idf
from glassdex.lexical.protocol import LexicalIndex
from glassdex.model import compose_embedded_text
from glassdex.search.fuse import LEG_WEIGHTS
from glassdex.search.ledger import Candidate, Feedback, FeedbackTerm, Ledger
from glassdex.storage.sqlite.snapshot import SqliteSnapshot

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PASSAGES = 10
"""The best of the fused order that are learned from; a constant, as pages are slices of one ranking."""
TERMS = 20
SHORT_LIST = 40
SHARED_BY = 2
"""A word that only one of the passages has says more about that passage than about the question."""
WEIGHT = 0.4
MAX_COVERAGE = 0.5
"""Of the best passages on average."""
MAX_BEST_COVERAGE = 0.9
MIN_CANDIDATES = 50
"""With fewer there is little to put in order, and nothing was measured."""
FORMULA = (
    "lexical = (1 - w) · bm25 / Σ counts of the query's terms + w · Σ share(t) · idf(t) · tf factor(t); "
    "score = w_lexical · lexical / max + w_dense · max(cosine, 0) / max cosine"
)


def feedback(
    ledger: Ledger, snapshot: SqliteSnapshot, lexical: LexicalIndex, analyzer: Analyzer, total_chunks: int
) -> bool:
    """Says whether it weighed the candidates anew; where it did not, the ledger has the reason."""
    request = ledger.request
    both = {"lexical", "dense"} <= {stage.name for stage in ledger.stages}
    if request.feedback == "off" or request.fusion != "convex/1" or not both:
        if request.feedback == "on" and request.mode != "positional":
            ledger.notes.append("no feedback: it works over convex/1 of both legs alone")
        return False
    with ledger.stage("feedback") as stage:
        ranking = ledger.ranked()
        best = ranking[:PASSAGES]
        coverage = round(sum(candidate.coverage for candidate in best) / len(best), 6) if best else 0.0
        highest = max((candidate.coverage for candidate in best), default=0.0)
        reason = _reason_against(len(ranking), coverage, highest) if request.feedback == "auto" else ""
        if reason or not best:
            ledger.feedback = Feedback(False, reason or "nothing was found to learn from", coverage, highest)
            return False
        terms = _terms(_texts(snapshot, best), lexical, analyzer, _ids(best), total_chunks)
        ledger.feedback = Feedback(True, "", coverage, highest, len(best), terms)
        _weigh(ledger, ranking, lexical, terms)
        stage.measured["terms"] = len(terms)
    return True


def _reason_against(candidates: int, coverage: float, highest: float) -> str:
    if candidates < MIN_CANDIDATES:
        return f"{candidates} candidates, fewer than {MIN_CANDIDATES}"
    if coverage >= MAX_COVERAGE:
        return f"the best passages have {coverage:.2f} of the query's weight, not less than {MAX_COVERAGE}"
    if highest >= MAX_BEST_COVERAGE:
        return f"a passage has {highest:.2f} of the query's weight, not less than {MAX_BEST_COVERAGE}"
    return ""


def _texts(snapshot: SqliteSnapshot, best: Sequence[Candidate]) -> list[str]:
    chunks = snapshot.chunks(candidate.record.chunk_id for candidate in best)
    found = (chunks[candidate.record.chunk_id] for candidate in best)
    return [compose_embedded_text(chunk.breadcrumb, chunk.context, chunk.text) for chunk in found]


def _terms(
    texts: Sequence[str], lexical: LexicalIndex, analyzer: Analyzer, chunk_ids: NDArray[np.int64], total: int
) -> tuple[FeedbackTerm, ...]:
    """The words that add most to the BM25 of the passages, on average; their shares add up to 1.

    A short list is estimated from the texts at hand: to read what the index has of every word in them would take longer
    than the search.
    """
    counts = [Counter(analyzer.terms(text)[0]) for text in texts]
    having = Counter(term for count in counts for term in count)
    shared = [term for term, passages in having.items() if passages >= SHARED_BY and not analyzer.is_stopword(term)]
    frequencies = dict(zip(shared, lexical.estimated_frequencies(shared).tolist(), strict=True))
    estimates = {
        term: idf(frequencies[term], total) * sum(count[term] / (count[term] + K1) for count in counts)
        for term in shared
    }
    listed = sorted(shared, key=lambda term: (-round(estimates[term], 6), term))[:SHORT_LIST]
    means = dict(zip(listed, lexical.weights(listed, chunk_ids).mean(axis=0).tolist(), strict=True))
    chosen = sorted((term for term in listed if means[term] > 0), key=lambda term: (-means[term], term))[:TERMS]
    whole = sum(means[term] for term in chosen)
    return tuple(FeedbackTerm(term, round(means[term] / whole, 6)) for term in chosen)


def _weigh(ledger: Ledger, ranking: Sequence[Candidate], lexical: LexicalIndex, terms: Sequence[FeedbackTerm]) -> None:
    import numpy as np

    asked = sum(term.count * term.weight for term in ledger.scored_query.scored_terms)
    weight = WEIGHT if terms else 0.0
    own = np.array([c.legs["lexical"].score if "lexical" in c.legs else 0.0 for c in ranking])
    shares = np.array([term.share for term in terms])
    added = (lexical.weights([term.term for term in terms], _ids(ranking)) * shares).sum(axis=1)
    words = np.round((1 - weight) * own / max(asked, 1.0) + weight * added, 6)
    words = np.round(words / words.max(), 6) if words.max() > 0 else words
    ledger.rescore(
        "feedback",
        {
            candidate.record.chunk_id: {
                "lexical": LEG_WEIGHTS["lexical"] * word,
                "dense": LEG_WEIGHTS["dense"] * _closeness(candidate),
            }
            for candidate, word in zip(ranking, words.tolist(), strict=True)
        },
    )


def _closeness(candidate: Candidate) -> float:
    signal = candidate.legs.get("dense")
    return 0.0 if signal is None or signal.normalized is None else signal.normalized


def _ids(candidates: Sequence[Candidate]) -> NDArray[np.int64]:
    import numpy as np

    return np.array([candidate.record.chunk_id for candidate in candidates], dtype=np.int64)
