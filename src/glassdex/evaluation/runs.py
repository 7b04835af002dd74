"""A run: what a set of judged queries found, how good that is, and what exactly was measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from glassdex.evaluation.resolve import Unresolved
from glassdex.evaluation.revision import FreshnessCounts, Revision
from glassdex.model import Json
from glassdex.wording import counted


@dataclass(frozen=True, slots=True)
class Ranked:
    """A returned unit: its place, score and the pointers of the passages shown of it; `grade` where it was judged.

    A unit that was judged by a passage has that grade only where the passage is among those shown.
    """

    rank: int
    unit: str
    document: str
    score: float
    pointers: tuple[str, ...]
    grade: int | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """What became of a judged unit: its rank, and where it ranks with another passage than the judged, that rank."""

    unit: str
    document: str
    targets: tuple[str, ...]
    grade: int
    rank: int | None
    other_passage_rank: int | None = None


@dataclass(frozen=True, slots=True)
class QueryRun:
    """One query's ranking. `trace` is its `glassdex.trace/1` as JSON text; `left_out` says why it is in no mean."""

    id: str
    query: str
    options: Mapping[str, Json]
    verdict: str | None
    ranked: tuple[Ranked, ...]
    judged: tuple[Found, ...]
    metrics: Mapping[str, float] | None
    left_out: str | None = None
    notes: tuple[str, ...] = ()
    trace: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Identity:
    """What was measured. Two runs whose `revision`, models or judgments differ compare more than their options."""

    project: str
    made_at: str
    glassdex: str
    python: str
    judgments: str
    judgments_form: str
    judgments_hash: str
    revision: Revision
    freshness: FreshnessCounts
    embedding_identity: str
    lexical_identity: str
    lexical_index: str
    vector_index: str
    mode: str
    fusion: str
    fusion_parameters: Mapping[str, float]
    reranker: str | None
    options: Mapping[str, Json]
    depth: int


@dataclass(frozen=True, slots=True)
class Run:
    """A whole run; `overall` are the means over the queries that are not left out."""

    identity: Identity
    measures: tuple[str, ...]
    queries: tuple[QueryRun, ...]
    unresolved: tuple[Unresolved, ...]
    overall: Mapping[str, float]
    notes: tuple[str, ...] = ()

    @property
    def per_query(self) -> dict[str, Mapping[str, float]]:
        """The measures of each query that was measured, by id."""
        return {query.id: query.metrics for query in self.queries if query.metrics is not None}

    @property
    def left_out(self) -> list[QueryRun]:
        """The queries that are in no mean."""
        return [query for query in self.queries if query.metrics is None]


DEGRADED = ("searched by words only", "not rewritten", "not reranked")
"""How the notes of a search begin that did not do what it was asked to do."""


def doubts(run: Run, saved: str = "") -> list[str]:
    """What stands against relying on a run by itself: an index behind its files, a model that did not answer.

    `saved` is what to call a run of another time, `the baseline` or `run A`: of that one nothing can be mended now.
    """
    freshness, project = run.identity.freshness, run.identity.project
    mend = f"run: glassdex index --project {project}"
    again = "measure it and save it again"
    found = []
    if freshness.behind:
        counts = {state: count for state, count in freshness.states.items() if state != "fresh" and count}
        parts = [f"{counted(count, 'document')} ({state.replace('_', ' ')})" for state, count in counts.items()]
        parts += [counted(freshness.new_files, "new file")] if freshness.new_files else []
        behind = ", ".join(parts)
        found.append(
            f"{saved} was saved while the index of {project} was behind: {behind}; {again}"
            if saved
            else f"{project}: the index is behind: {behind}; {mend}"
        )
    if freshness.pending and run.identity.mode != "lexical":
        pending = counted(freshness.pending, "chunk")
        found.append(
            f"{saved} was saved while {project} had {pending} without a vector; {again}"
            if saved
            else f"{project}: {pending} without a vector; {mend}"
        )
    degraded = [note for query in run.queries for note in query.notes if note.startswith(DEGRADED)]
    if degraded:
        queries = counted(len(degraded), "query", "queries")
        prefix = f"{saved}: " if saved else ""
        found.append(f"{prefix}{queries} not answered as asked, the first: {degraded[0]}")
    return found


def share_no_query(a: Run, b: Run) -> bool:
    """Whether each run measured queries, and none of them is the other's."""
    return bool(a.per_query and b.per_query) and not a.per_query.keys() & b.per_query.keys()


def differences(a: Run, b: Run) -> list[str]:
    """What two runs do not share besides their options, each in a line; where any is, a comparison measures it too."""
    here, there = a.identity, b.identity
    pairs = (
        ("content of the index (revision)", here.revision.fingerprint, there.revision.fingerprint),
        ("embedding model", here.embedding_identity, there.embedding_identity),
        ("analyser of words", here.lexical_identity, there.lexical_identity),
        ("judgments", here.judgments_hash, there.judgments_hash),
        ("depth of the ranking", str(here.depth), str(there.depth)),
    )
    return [f"not the same {what}: {one} and {other}" for what, one, other in pairs if one != other]
