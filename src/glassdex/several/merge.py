"""Merge: one ranking out of several projects' rankings, by evidence that means the same in all of them.

A score of a project's own ranking means nothing in another one: the best passage has the highest score everywhere, also
where nothing is about the question. Raw BM25 is of another scale in each project, for idf and lengths are its own. What
can be compared is

- the cosine of query and passage, where all projects have vectors of one embedding identity;
- BM25 as a share of the most that the formula can give this query in that project, Σ count · idf · (k1 + 1): 0..1.

A document's evidence is that of its best match. Each project keeps its own order, which knows more than the evidence
does (a reranker, feedback): its documents' scores are the isotonic regression of their evidence, the nearest numbers by
least squares that do not rise down its ranking (Barlow, Bartholomew, Bremner, Brunk, "Statistical Inference under Order
Restrictions", 1972; by pooling adjacent violators). Measured beside the alternatives in docs/benchmarks.md, "Several
projects".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from glassdex.lexical.bm25 import K1, idf
from glassdex.search.engine import Ranked
from glassdex.search.fuse import RRF_K
from glassdex.search.ledger import Candidate, Merged

WEIGHTS = {"similarity": 0.5, "words": 0.5}


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known of a document in numbers that all projects share; absent where its project did not measure it.

    `similarity` is a cosine (−1..1), `words` the share of the highest possible BM25 (0..1).
    """

    similarity: float | None = None
    words: float | None = None


@dataclass(frozen=True, slots=True)
class Share:
    """A project's documents, best first. `embedding_identity` is absent where it was not searched by meaning."""

    project: str
    documents: Sequence[Evidence]
    embedding_identity: str | None = None


@dataclass(frozen=True, slots=True)
class Merge:
    """How several rankings became one. `comparable` names the evidence that was used; `notes` say what was not and why.

    `places[i][j]` is the place of the i-th project's j-th document; its `rank` is in the merged ranking.
    """

    name: str
    formula: str
    parameters: Mapping[str, float]
    comparable: tuple[str, ...]
    notes: tuple[str, ...]
    places: tuple[tuple[Merged, ...], ...] = field(repr=False)

    @property
    def total(self) -> int:
        """How many documents were merged."""
        return sum(len(places) for places in self.places)


_FORMULAS = {
    "similarity": "w_similarity · max(cosine, 0)",
    "words": "w_words · bm25 / Σ count · idf · (k1 + 1)",
}
_FITTED = "; of each document's best match, then the isotonic regression down its project's ranking"


def merge(shares: Sequence[Share], mode: str) -> Merge:
    """Merges rankings; ties go to the document with the better rank in its project, then by the project's name.

    `mode` is that of the searches. Where no evidence is comparable, ranks are: Σ 1 / (k + rank), and the notes say so.
    """
    if mode == "positional":
        places = _placed(shares, [[(0.0 - position, {}) for _ in s.documents] for position, s in enumerate(shares)])
        return Merge("in_order/1", "projects as they were named, each in its own order", {}, (), (), places)
    found = [share for share in shares if share.documents]
    comparable, notes = _comparable(found, mode)
    if not comparable:
        ranked: list[list[Scored]] = [
            [(1 / (RRF_K + rank), {}) for rank in range(1, len(s.documents) + 1)] for s in shares
        ]
        return Merge("rrf/1", "1 / (k + rank in its project)", {"k": RRF_K}, (), notes, _placed(shares, ranked))
    weights = {name: WEIGHTS[name] if len(comparable) > 1 else 1.0 for name in comparable}
    scored = [_fitted([_parts(evidence, weights) for evidence in share.documents]) for share in shares]
    return Merge(
        name="merge/1",
        formula=" + ".join(_FORMULAS[name] for name in comparable) + _FITTED,
        parameters={**{f"w_{name}": weight for name, weight in weights.items()}, "k1": K1},
        comparable=comparable,
        notes=notes,
        places=_placed(shares, scored),
    )


def evidence_of(ranked: Ranked) -> list[Evidence]:
    """The evidence of each document of a ranking, read out of its ledger."""
    ledger = ranked.ledger
    further = () if ledger.rewriting is None else ledger.rewriting.statistics
    known = {term.term: term.idf for term in (*ledger.terms, *further)}
    highest = 0.0
    for term in ledger.scored_query.scored_terms:
        # A word that the project does not have weighs like one that is rarer than any it has.
        rarity = known.get(term.term) or idf(0, ranked.total_chunks)
        highest += term.count * term.weight * rarity * (K1 + 1)
    return [_evidence(matches[0], highest) for matches in ranked.documents]


def _evidence(best: Candidate, highest: float) -> Evidence:
    lexical, dense = best.legs.get("lexical"), best.legs.get("dense")
    bm25 = 0.0 if lexical is None else lexical.score
    return Evidence(
        similarity=None if dense is None else round(dense.score, 6),
        words=round(bm25 / highest, 6) if highest else 0.0,
    )


def _comparable(shares: Sequence[Share], mode: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names of the evidence that all of these projects share, and why another is left out."""
    words = () if mode == "dense" else ("words",)
    if mode == "lexical":
        return words, ()
    identities = sorted({share.embedding_identity for share in shares if share.embedding_identity})
    without = sorted(share.project for share in shares if not share.embedding_identity)
    instead = "words alone" if words else "rank alone"
    if len(identities) > 1:
        models = ", ".join(identities)
        return words, (f"cosines of different models cannot be compared ({models}): merged by {instead}",)
    if without and identities:
        return words, (f"{', '.join(without)} could not be searched by meaning: merged by {instead}",)
    return (("similarity", *words), ()) if identities or not words else (words, ())


def _parts(evidence: Evidence, weights: Mapping[str, float]) -> dict[str, float] | None:
    """The summands of a document's evidence; nothing where a part of it is missing, such as a vector."""
    values = {"similarity": evidence.similarity, "words": evidence.words}
    parts = {name: weight * max(value, 0.0) for name, weight in weights.items() if (value := values[name]) is not None}
    return parts if len(parts) == len(weights) else None


Scored = tuple[float, dict[str, float]]
"""(score in the merged ranking, summands of the document's own evidence)."""


def _fitted(documents: Sequence[dict[str, float] | None]) -> list[Scored]:
    """Scores that never rise, as near to the evidence as such scores can be.

    A document whose evidence is incomplete stands where its project put it: with the one above, or, where there is
    none, with the first below.
    """
    fitted = _not_rising([sum(parts.values()) for parts in documents if parts is not None])
    score, following = next(iter(fitted), 0.0), iter(fitted)
    scored: list[Scored] = []
    for parts in documents:
        score = score if parts is None else next(following)
        scored.append((score, parts or {}))
    return scored


def _not_rising(values: Sequence[float]) -> list[float]:
    """Isotonic regression by pooling adjacent violators: where a later value is higher, both become their mean."""
    pools: list[tuple[float, int]] = []
    for value in values:
        mean, count = value, 1
        while pools and pools[-1][0] < mean:
            above, others = pools.pop()
            mean, count = (above * others + mean * count) / (others + count), others + count
        pools.append((mean, count))
    return [mean for mean, count in pools for _ in range(count)]


def _placed(shares: Sequence[Share], scored: Sequence[Sequence[Scored]]) -> tuple[tuple[Merged, ...], ...]:
    order = sorted(
        (-round(score, 6), rank, share.project, position)
        for position, (share, documents) in enumerate(zip(shares, scored, strict=True))
        for rank, (score, _) in enumerate(documents)
    )
    ranks = {(position, rank): place for place, (_, rank, _, position) in enumerate(order, start=1)}
    return tuple(
        tuple(
            Merged(
                rank_before=rank + 1,
                rank=ranks[position, rank],
                score=round(score, 6),
                evidence=round(sum(parts.values()), 6),
                parts={name: round(part, 6) for name, part in parts.items()},
            )
            for rank, (score, parts) in enumerate(documents)
        )
        for position, documents in enumerate(scored)
    )
