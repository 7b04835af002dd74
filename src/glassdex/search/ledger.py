"""The ledger: one record per candidate that every stage writes to, and one record per stage.

Results are computed from it, explanations are views of it. At every stage `entered + added = left + Σ dropped`.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from glassdex.lexical.protocol import TermStatistics
from glassdex.lexical.query import LexicalQuery, QueryTerm
from glassdex.rewriting.protocol import FurtherWords
from glassdex.search.request import SearchRequest
from glassdex.storage.records import CandidateRecord

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from glassdex.search.watch import Watched

MAX_TIES_NAMED = 10
WINDOW = 200
"""Candidates that a leg may bring in; a constant, never derived from limit or page."""


@dataclass(slots=True)
class LegSignal:
    """What a leg says of a candidate. `score` is on the leg's own scale (BM25, cosine).

    `rank` counts from 1 within the leg's window and is absent for a completed signal, whose `in_window` is false.
    `normalized` is the leg's contribution to the fusion, 0..1, written by the fusion.
    """

    score: float
    rank: int | None = None
    normalized: float | None = None

    @property
    def in_window(self) -> bool:
        """Whether the leg itself returned the candidate."""
        return self.rank is not None


@dataclass(frozen=True, slots=True)
class Fused:
    """Rank (from 1) and score after fusion, and what each leg added to it."""

    rank: int
    score: float
    parts: dict[str, float]


@dataclass(frozen=True, slots=True)
class Rescored:
    """A place after a stage that ranks anew: rank (from 1) among all that is live, score on the scale of the fusion.

    `parts` add up to the score.
    """

    rank: int
    score: float
    parts: dict[str, float]


@dataclass(frozen=True, slots=True)
class FeedbackTerm:
    """A word that the best passages share, as the analyser has it, and its share of what they add, 0..1."""

    term: str
    share: float


@dataclass(frozen=True, slots=True)
class Feedback:
    """What became of the feedback. The mean and the highest coverage of the best passages decide whether it runs.

    `reason` says why it did not; `terms` is what was learned from so many `passages`.
    """

    ran: bool
    reason: str
    coverage: float
    highest_coverage: float
    passages: int = 0
    terms: tuple[FeedbackTerm, ...] = ()


@dataclass(frozen=True, slots=True)
class Weighted:
    """What a document's front matter weighs its passages with, 0..2, and where that stands.

    `source` reads `front matter status=draft`.
    """

    weight: float
    source: str


@dataclass(frozen=True, slots=True)
class Linked:
    """Which link leads to a candidate's document: from the document `seed`, which ranked among the best.

    `route` is `successor` where it stands in the place of the seed, `related` for other stated relations, `mention` for
    a link in the text. `kind` is that of the link as its author wrote it, `direction` says who states it: the seed
    (`out`) or the candidate's document (`in`). A successor may be several steps away: `via` has the documents between,
    which are superseded, too, and kind and direction are those of the last step. Of a long chain `via` has the first
    and the last ten; `via_left_out` is how many stand between these.
    """

    seed: str
    route: Literal["successor", "related", "mention"]
    kind: str
    direction: Literal["out", "in"]
    via: tuple[str, ...] = ()
    via_left_out: int = 0


@dataclass(frozen=True, slots=True)
class Reranked:
    """What the reranker did to a candidate of the head: its rank before, then its new one (both from 1).

    `score` is on the reranker's own scale, `blended` on that of the fusion.
    """

    rank_before: int
    score: float
    blended: float
    rank: int


@dataclass(frozen=True, slots=True)
class Reranking:
    """Under which configuration a search was reranked. `asked` is how the request names the reranker.

    After a failure `fallback` says why the order is still that of retrieval; what failed early has no identity.
    """

    asked: str
    name: str
    weight: float
    head: int
    identity: str | None = None
    scale: str | None = None
    fallback: str = ""


@dataclass(frozen=True, slots=True)
class Merged:
    """A document's place in the ranking merged over several projects, at its best match: ranks from 1.

    `evidence` is the sum of `parts`, which are there where they are complete; `score` is what the merge ranked by.
    """

    rank_before: int
    rank: int
    score: float
    evidence: float
    parts: dict[str, float]


@dataclass(frozen=True, slots=True)
class Rewriting:
    """What a rewriter made of the query. `asked` is how the request names the rewriter.

    `query` is the user's with the further `terms` behind it, `statistics` are theirs where words were searched. `words`
    and `texts` are what was given, bounded. After a failure `fallback` says why the query ran as it is.
    """

    asked: str
    name: str
    query: LexicalQuery
    identity: str | None = None
    kind: str | None = None
    words: tuple[FurtherWords, ...] = ()
    texts: tuple[str, ...] = ()
    terms: tuple[QueryTerm, ...] = ()
    statistics: tuple[TermStatistics, ...] = ()
    fallback: str = ""


@dataclass(frozen=True, slots=True)
class Diversified:
    """A place in the head after its reordering: its rank before, and its new one (both from 1).

    `score` is its marginal relevance when it was taken, the sum of `parts`; `relevance` (0..1) is its score spread over
    the head, `similarity` (0..1) that to `nearest`, the most similar passage above it. `vector_pending`: it has no
    vector, so that its similarity to another text counts as 0.
    """

    rank_before: int
    rank: int
    score: float
    relevance: float
    similarity: float
    parts: dict[str, float]
    nearest: str | None
    vector_pending: bool


@dataclass(frozen=True, slots=True)
class Final:
    """A place in the ranking: of the document (`rank`, from 1), and of the match within it (`match`, from 1)."""

    rank: int
    score: float
    match: int


@dataclass(frozen=True, slots=True)
class Exit:
    """Where and why a candidate left; `detail` gives the number that failed."""

    stage: str
    reason: str
    detail: str


@dataclass(slots=True)
class Candidate:
    """A chunk that a leg returned inside its window, or that the graph added: that one was never fused."""

    record: CandidateRecord
    legs: dict[str, LegSignal] = field(default_factory=dict)
    matched_terms: tuple[str, ...] = ()
    coverage: float = 0.0
    vector_pending: bool = False
    fused: Fused | None = None
    rescored: dict[str, Rescored] = field(default_factory=dict)
    """By stage, in the order of the pipeline, where one between fusion and reranking ranked anew."""
    weighted: Weighted | None = None
    """Where a search goes by weights and the document states one."""
    linked: Linked | None = None
    """Where links were followed, and one leads to its document."""
    reranked: Reranked | None = None
    diversified: Diversified | None = None
    merged: Merged | None = None
    final: Final | None = None
    exit: Exit | None = None
    tied_with: tuple[str, ...] = ()

    @property
    def score(self) -> float:
        """The score that ranking goes by: the blended one of what was reranked, else that of the last that ranked."""
        if self.reranked is not None:
            return self.reranked.blended
        if self.rescored:
            return next(reversed(self.rescored.values())).score
        assert self.fused is not None
        return self.fused.score

    @property
    def name(self) -> str:
        """By which other candidates refer to it: its document and key."""
        return f"{self.record.path}#{self.record.key}"

    @property
    def order(self) -> tuple[float, float, bool, str, str]:
        """Sort key: what was diversified in its new order, then the best score first, what was reranked before what
        was not, ties by document and key.
        """
        diversified = math.inf if self.diversified is None else self.diversified.rank
        return (diversified, -self.score, self.reranked is None, self.record.path, self.record.key)

    @property
    def is_by_link(self) -> bool:
        """Whether a link brought it in, lifted it, or says that it stands in the place of another."""
        if self.linked is None:
            return False
        own = self.rescored.get("graph")
        lifted = own is not None and own.parts.get("graph", 0.0) > 0
        return lifted or self.fused is None or self.linked.route == "successor"

    @property
    def place(self) -> tuple[int, int]:
        """Sort key for listings: the fused rank, then what was never fused."""
        return (0, self.fused.rank) if self.fused is not None else (1, self.record.chunk_id)

    @property
    def fused_order(self) -> tuple[float, str, str]:
        """Sort key of the order of the fusion, before anything ranked anew."""
        assert self.fused is not None
        return (-self.fused.score, self.record.path, self.record.key)


@dataclass(slots=True)
class Stage:
    """What one stage did, in candidates (the scope stage: in chunks). `measured` holds further named counts."""

    name: str
    entered: int
    added: int = 0
    left: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    milliseconds: float = 0.0
    measured: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ScopeFilter:
    """Chunks before and after one filter."""

    name: str
    entered: int
    left: int


@dataclass(slots=True)
class Ledger:
    """Everything one search saw and did."""

    request: SearchRequest
    query: LexicalQuery
    terms: tuple[TermStatistics, ...] = ()
    suggestions: dict[str, tuple[str, ...]] = field(default_factory=dict)
    scope_filters: list[ScopeFilter] = field(default_factory=list)
    scope_total: int = 0
    scope_ready: int = 0
    """How many chunks in scope have a vector that this search can compare."""
    candidates: dict[int, Candidate] = field(default_factory=dict)
    departed: int = 0
    """How many of the candidates have left."""
    stages: list[Stage] = field(default_factory=list)
    filter_sets: list[tuple[str, NDArray[np.int64]]] = field(default_factory=list)
    """What each filter lets through, kept for a search that watches."""
    watched: list[Watched] = field(default_factory=list)
    milliseconds: float = 0.0
    """The whole search, with what belongs to no stage: parsing, snippets, freshness, the verdict."""
    rewriting: Rewriting | None = None
    """Absent where no rewriter was asked for."""
    own_similarities: dict[int, float] | None = None
    """Where the query's vector was averaged with others: each candidate's cosine with the query's own, by chunk id."""
    seeds: tuple[int, ...] = ()
    """Documents whose links were followed, the best first."""
    linked: dict[int, Linked] = field(default_factory=dict)
    """By id the documents in scope that a link joins with one of the best, candidates or not."""
    feedback: Feedback | None = None
    """Absent where it does not apply: a single leg, another fusion, or switched off."""
    weight_rules: Mapping[str, Mapping[str, float]] | None = None
    """What the search weighed by, as `Settings.weights`; absent where it did not."""
    reranking: Reranking | None = None
    """Absent where no reranker was asked for."""
    unranked: list[str] = field(default_factory=list)
    """Why chunks that may match were never candidates; empty: all that matches was ranked."""
    notes: list[str] = field(default_factory=list)
    """Facts that change how far the answer can be trusted: a leg that could not run, a truncated query."""

    @property
    def scored_query(self) -> LexicalQuery:
        """What words are scored by: the user's query, with the further words where it was rewritten."""
        return self.query if self.rewriting is None else self.rewriting.query

    @contextmanager
    def stage(self, name: str) -> Iterator[Stage]:
        """Opens a stage; counts what is live before and after it, and times it."""
        stage = Stage(name, entered=self.live_count)
        started = time.perf_counter()
        yield stage
        stage.milliseconds = (time.perf_counter() - started) * 1000
        stage.left = self.live_count
        self.stages.append(stage)

    @property
    def live_count(self) -> int:
        """How many candidates have not left."""
        return len(self.candidates) - self.departed

    def live(self) -> list[Candidate]:
        """Candidates that have not left."""
        return [candidate for candidate in self.candidates.values() if candidate.exit is None]

    def admit(self, stage: Stage, records: Iterable[CandidateRecord]) -> None:
        """Adds the candidates that nobody brought in before."""
        for record in records:
            if record.chunk_id not in self.candidates:
                self.candidates[record.chunk_id] = Candidate(record)
                stage.added += 1

    def drop(self, stage: Stage, candidate: Candidate, reason: str, detail: str) -> None:
        """Records that a candidate leaves here, and why."""
        self.departed += candidate.exit is None
        candidate.exit = Exit(stage.name, reason, detail)
        stage.dropped[reason] += 1

    def ranked(self) -> list[Candidate]:
        """Live candidates, best first."""
        return sorted(self.live(), key=lambda candidate: candidate.order)

    @property
    def rescored_by(self) -> tuple[str, ...]:
        """The stages between fusion and reranking that ranked anew, in order."""
        return tuple(dict.fromkeys(stage for c in self.candidates.values() for stage in c.rescored))

    def rescore(self, stage: str, scored: Mapping[int, dict[str, float]]) -> None:
        """Ranks all that is live anew by the parts of its score, by chunk id; rounds, and marks ties."""
        live = [self.candidates[chunk_id] for chunk_id in scored]
        for candidate in live:
            exact = scored[candidate.record.chunk_id]
            parts = {name: round(part, 6) for name, part in exact.items()}
            candidate.rescored[stage] = Rescored(0, round(sum(exact.values()), 6), parts)
        live.sort(key=lambda candidate: candidate.order)
        for rank, candidate in enumerate(live, start=1):
            candidate.rescored[stage] = replace(candidate.rescored[stage], rank=rank)
        mark_ties(live)


def mark_ties(ranking: Sequence[Candidate]) -> None:
    """Names to each candidate the others of its score."""
    by_score: dict[float, list[Candidate]] = {}
    for candidate in ranking:
        by_score.setdefault(candidate.score, []).append(candidate)
    for tied in by_score.values():
        named = [(other, other.name) for other in tied[: MAX_TIES_NAMED + 1]]
        for candidate in tied:
            others = tuple(name for other, name in named if other is not candidate)
            candidate.tied_with = others[:MAX_TIES_NAMED]
