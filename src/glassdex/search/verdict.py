"""The verdict: can these results be relied on? It reads the ledger and changes nothing.

Two questions, two kinds of evidence.

*Is the project about this at all?* The best cosine and the best coverage are held against floors. Questions about
something else stay below both (AUROC of the cosine ≥ .999); below both the verdict is `nothing_relevant`.

*Is the answer among what was found?* That is much harder: the documents around a missing one look much like it.
`confidence` = σ(b + Σ w · signal), a logistic regression over three signals of the ledger, fitted on questions whose
relevant documents were in the scope against the same questions with these documents taken out of it. Predictors of this
kind are surveyed in Carmel and Yom-Tov, "Estimating the Query Difficulty for Information Retrieval" (2010). Where the
confidence is below its floor the verdict is `weak`. AUROC is about .62 on a collection that the weights were not fitted
on, so `ok` means "no reason for doubt was measured", not "the answer is there". Figures: docs/benchmarks.md, "Verdict".
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from glassdex.search.floors import SHIPPED_MODEL, Floors
from glassdex.search.identity import Readiness
from glassdex.search.ledger import Candidate, Ledger
from glassdex.search.page import Page
from glassdex.search.results import Result
from glassdex.search.scope import REQUIRED
from glassdex.wording import counted

VerdictStatus = Literal["ok", "weak", "nothing_relevant", "scope_empty", "index_empty", "not_ready"]
WEIGHTS = {"closeness": 2.69, "agreement": 1.48, "coverage": 0.90}
BIAS = -2.49
CLOSEST = 3
"""Closeness is the mean of so many best cosines: one alone may be chance, many are rarely about the same thing."""
BEST_COVERED = 5
COVERAGE_DEPTH = 10
NOT_RERANKED = "not reranked: the order is that of retrieval"
NOT_REWRITTEN = "not rewritten: the query ran as it is"
PERSISTENCE = 0.9
"""p of rank-biased overlap: Webber, Moffat, Zobel, "A Similarity Measure for Indefinite Rankings" (TOIS 2010)."""
OVERLAP_DEPTH = 30
MIN_READY_SHARE = 0.5
"""Of the passages in scope. Below it a hybrid search goes by words alone: a passage without a vector gets half a score
at most, and while most have none, the few that have one would lead, however far from the question they are."""


@dataclass(frozen=True, slots=True)
class Signals:
    """What the confidence is made of, each about 0..1.

    `closeness`: mean of the three best cosines. `agreement`: rank-biased overlap (p = .9) of the documents as words and
    as meaning rank them. `coverage`: mean share of the query's weight in the five best passages.
    """

    closeness: float
    agreement: float
    coverage: float

    @property
    def confidence(self) -> float:
        """The logistic of their weighted sum, 0..1."""
        logit = BIAS + sum(weight * getattr(self, name) for name, weight in WEIGHTS.items())
        return round(1 / (1 + math.exp(-logit)), 6)


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the verdict rests on.

    `similarity` is the best cosine in the ranking, `coverage` the best of its first ten passages, whatever the page.
    `confidence` and its `signals` are there where both legs ran under the model that the weights were measured with.
    `freshness` counts the returned documents by state. `vector_index` is its name, `vectors` how complete it is.
    `rerank` is there where reranking was asked for: `fallback`, where it failed and the order is that of retrieval. It
    changes no number here: the floors were measured on the order of retrieval, and hold for that. `rewrite` likewise:
    similarity, closeness and coverage are those of the user's own words, whatever a rewriter added to them. Nor does
    a passage that the graph added: its signals are left out.
    """

    similarity: float | None
    coverage: float | None
    confidence: float | None
    signals: Signals | None
    floors: Floors
    vector_index: str
    vectors: Readiness
    freshness: Mapping[str, int] = field(default_factory=dict)
    rerank: Literal["done", "fallback"] | None = None
    rewrite: Literal["done", "fallback"] | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """`similarity` and `coverage` are those of the evidence; absent where nothing is shown."""

    status: VerdictStatus
    reason: str
    evidence: Evidence
    similarity: float | None = None
    coverage: float | None = None


def judge(
    ledger: Ledger,
    page: Page,
    results: Sequence[Result],
    *,
    readiness: Readiness,
    floors: Floors,
    embedding_identity: str,
    vector_index: str,
) -> Verdict:
    """Tells empty, not ready, out of scope and found nothing apart, then weighs what was found."""
    evidence = _evidence(ledger, results, readiness, floors, embedding_identity, vector_index)
    status, reason, shown = _status(ledger, page, evidence)
    fallbacks = ((evidence.rewrite, NOT_REWRITTEN), (evidence.rerank, NOT_RERANKED))
    reason = "; ".join(filter(None, (reason, *(said for state, said in fallbacks if state == "fallback"))))
    if not shown:
        return Verdict(status, reason, evidence)
    return Verdict(status, reason, evidence, evidence.similarity, evidence.coverage)


def decide(
    similarity: float | None, coverage: float, confidence: float | None, floors: Floors
) -> tuple[VerdictStatus, str]:
    """Status and reason of results that are there.

    A cosine without a known floor says nothing; without a confidence both floors have to be reached.
    """
    near = None if similarity is None or floors.similarity is None else similarity >= floors.similarity
    worded = coverage >= floors.coverage
    if near is False and not worded:
        return "nothing_relevant", "no nearer than unrelated questions come"
    if confidence is not None and floors.confidence is not None:
        if confidence < floors.confidence:
            return "weak", f"confidence {confidence:.2f} < {floors.confidence:.2f}: the answer may not be there"
        return "ok", ""
    return _by_floors(near, worded, floors)


def _by_floors(near: bool | None, worded: bool, floors: Floors) -> tuple[VerdictStatus, str]:
    if near is not False and worded:
        return "ok", ""
    if near is None:
        alone = "judged by words alone"
        known = floors.similarity is not None
        return "weak", alone if known else f"{alone}, no floor is known for this model: run `glassdex calibrate`"
    return "weak", "near in meaning, but few of the words" if near else "the words are there, but not the meaning"


def _status(ledger: Ledger, page: Page, evidence: Evidence) -> tuple[VerdictStatus, str, bool]:
    """Status, reason, and whether there are results whose numbers are to be shown."""
    vectors = evidence.vectors
    nowhere = _nowhere_to_search(ledger, vectors)
    if nowhere is not None:
        return (*nowhere, False)
    if ledger.request.mode == "hybrid" and ledger.scope_ready == 0:
        reason = f"{_zero_ready(vectors)}, so only words were searched: run `glassdex index`"
        return "not_ready", reason, page.total > 0
    if not page.total:
        return (*_nothing_found(ledger), False)
    status, reason = _weighed(ledger, evidence)
    if status == "ok" and ledger.request.mode == "hybrid" and too_few_ready(ledger):
        status, reason = "weak", f"judged by words alone: {ready_share(ledger)}"
    if page.past_end:
        unit = "passage" if ledger.request.mode == "positional" else "document"
        return status, f"page {page.number} is past the last of {counted(page.total, unit)}", False
    pending = ledger.scope_total - ledger.scope_ready
    if status == "nothing_relevant" and pending:
        return "weak", f"{reason}, but {pending} of {ledger.scope_total} chunks in scope have no vector yet", True
    return status, reason, True


def too_few_ready(ledger: Ledger) -> bool:
    """Whether so few passages in scope have a vector that a hybrid search would put these before better ones."""
    return 0 < ledger.scope_ready < MIN_READY_SHARE * ledger.scope_total


def ready_share(ledger: Ledger) -> str:
    """How many passages in scope can be compared, in words."""
    return f"{ledger.scope_ready:,} of {counted(ledger.scope_total, 'passage')} in scope have a vector yet"


def _weighed(ledger: Ledger, evidence: Evidence) -> tuple[VerdictStatus, str]:
    if ledger.request.mode == "positional":  # what is asked for by its place is what is there
        return "ok", ""
    return decide(evidence.similarity, evidence.coverage or 0.0, evidence.confidence, evidence.floors)


def _zero_ready(vectors: Readiness) -> str:
    """Why nothing in scope can be compared."""
    if vectors.ready:
        return "no chunk in scope has a vector yet"
    return "the vectors are another model's" if vectors.other_identity else "no chunk has a vector yet"


def _nothing_found(ledger: Ledger) -> tuple[VerdictStatus, str]:
    """Without a result; where the model failed on the query, that no word matched says little."""
    dropped = sum(stage.dropped.total() for stage in ledger.stages if stage.name == "threshold")
    if dropped:
        return "nothing_relevant", f"{counted(dropped, 'passage')} matched, all below the threshold"
    if ledger.request.mode == "hybrid" and all(stage.name != "dense" for stage in ledger.stages):
        return "not_ready", "no words matched, and meaning could not be searched"
    return "nothing_relevant", "nothing matched"


def _nowhere_to_search(ledger: Ledger, vectors: Readiness) -> tuple[VerdictStatus, str] | None:
    if vectors.ready + vectors.pending == 0:
        return "index_empty", "the project has no chunks: index a folder first"
    absent = _absent_clause(ledger)
    if absent is not None:
        return "nothing_relevant", f"no passage in scope has {absent.removeprefix(REQUIRED)}"
    if ledger.scope_total == 0:
        return "scope_empty", f"the filters leave nothing to search in: {_emptied(ledger)}"
    if ledger.request.mode == "dense" and ledger.scope_ready == 0:
        return "not_ready", f"{_zero_ready(vectors)}: run `glassdex index`"
    return None


def _emptied(ledger: Ledger) -> str:
    """The filter that let nothing through, with its values and the number of chunks that came to it."""
    request = ledger.request
    days = [f"{name} {day}" for name, day in (("since", request.since), ("until", request.until)) if day]
    values = {"path": request.paths, "tag": request.tags, "kind": request.kinds, "date": (", ".join(days),)}
    emptying = next(scope_filter for scope_filter in ledger.scope_filters if not scope_filter.left)
    named = " ".join((emptying.name, " or ".join(values.get(emptying.name, ())))).rstrip()
    return f"{named} lets through 0 of {emptying.entered:,} chunks"


def _absent_clause(ledger: Ledger) -> str | None:
    """The phrase or field clause that nothing met, where it alone emptied the scope."""
    for scope_filter in ledger.scope_filters:
        if scope_filter.left == 0:
            return scope_filter.name if scope_filter.entered and scope_filter.name.startswith(REQUIRED) else None
    return None


def _evidence(
    ledger: Ledger,
    results: Sequence[Result],
    readiness: Readiness,
    floors: Floors,
    embedding_identity: str,
    vector_index: str,
) -> Evidence:
    # What links added was never fused, and is no evidence: the floors were measured without it.
    fused = [candidate for candidate in ledger.candidates.values() if candidate.fused is not None]
    ranking = [candidate for candidate in fused if candidate.exit is None or candidate.exit.stage != "threshold"]
    ranking.sort(key=lambda candidate: candidate.fused_order)  # what the floors and weights were measured in
    cosines = sorted(_similarities(ledger, ranking), reverse=True)
    signals = None
    positional = ledger.request.mode == "positional"
    if ledger.request.mode == "hybrid" and embedding_identity == SHIPPED_MODEL and cosines:
        signals = Signals(
            closeness=_mean(cosines[:CLOSEST]),
            agreement=_overlap(_documents(ranking, "lexical"), _documents(ranking, "dense")),
            coverage=_mean([candidate.coverage for candidate in ranking[:BEST_COVERED]]),
        )
    return Evidence(
        similarity=cosines[0] if cosines else None,
        coverage=None if positional else max((c.coverage for c in ranking[:COVERAGE_DEPTH]), default=None),
        confidence=signals.confidence if signals else None,
        signals=signals,
        floors=floors,
        vector_index=vector_index,
        vectors=readiness,
        freshness=dict(sorted(Counter(result.freshness.state for result in results).items())),
        rerank=None if ledger.reranking is None else "fallback" if ledger.reranking.fallback else "done",
        rewrite=None if ledger.rewriting is None else "fallback" if ledger.rewriting.fallback else "done",
    )


def _similarities(ledger: Ledger, ranking: Sequence[Candidate]) -> list[float]:
    """The cosines of the ranking with the user's own words."""
    if ledger.own_similarities is None:
        return [c.legs["dense"].score for c in ranking if "dense" in c.legs]
    own = ledger.own_similarities
    return [own[c.record.chunk_id] for c in ranking if c.record.chunk_id in own]


def _documents(candidates: Sequence[Candidate], leg: str) -> list[int]:
    """Documents in the order in which a leg's window has them."""
    inside = [(c.legs[leg].rank or 0, c.record.document_id) for c in candidates if leg in c.legs and c.legs[leg].rank]
    return list(dict.fromkeys(document_id for _, document_id in sorted(inside)))


def _overlap(first: Sequence[int], second: Sequence[int]) -> float:
    """Rank-biased overlap down to the end of the shorter list, at most 30 places, as a share of what is possible."""
    common, weight, agreed, possible = 0, 1.0, 0.0, 0.0
    seen: set[int] = set()
    for depth, pair in enumerate(zip(first[:OVERLAP_DEPTH], second[:OVERLAP_DEPTH], strict=False), start=1):
        for document_id in pair:
            common += document_id in seen
            seen.add(document_id)
        agreed += weight * common / depth
        possible += weight
        weight *= PERSISTENCE
    return round(agreed / possible, 6) if possible else 0.0


def _mean(values: Sequence[float]) -> float:
    return round(sum(values) / len(values), 6)
