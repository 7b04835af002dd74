"""`glassdex.run/1`: a saved evaluation, with what was measured, every ranking and, unless left out, every trace."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, JsonValue

from glassdex.envelopes.base import Envelope, Part
from glassdex.envelopes.trace import Trace, make_trace
from glassdex.evaluation.resolve import Unresolved
from glassdex.evaluation.revision import FreshnessCounts
from glassdex.evaluation.runs import Found, Identity, QueryRun, Ranked, Run
from glassdex.search.engine import Execution


class JudgmentsPart(Part):
    """The judgments: the file's name, its form, and a hash of everything that is judged."""

    source: str
    form: str
    hash: str


class RevisionPart(Part):
    """The index. `fingerprint` is the same wherever the same files are indexed by the same rules, as completely.

    `generation` only counts the states of one store. `pending` counts chunks without a vector.
    """

    generation: int
    fingerprint: str
    documents: int
    chunks: int
    pending: int


class FreshnessCountsPart(Part):
    """Documents by state; `new_files` were never read, `failed_files` could not be; `pending` chunks have no vector."""

    states: dict[str, int]
    new_files: int
    failed_files: int
    pending: int

    @classmethod
    def of(cls, counts: FreshnessCounts) -> FreshnessCountsPart:
        """From the evaluation."""
        return cls(
            states=counts.states,
            new_files=counts.new_files,
            failed_files=counts.failed_files,
            pending=counts.pending,
        )


class RunFusionPart(Part):
    """How the legs were fused."""

    name: str
    params: dict[str, float]


class IdentityPart(Part):
    """What exactly was measured. `options` are the search's, as given; `depth` is how many results were asked for."""

    project: str
    made_at: str
    glassdex: str
    python: str
    judgments: JudgmentsPart
    revision: RevisionPart
    freshness: FreshnessCountsPart
    embedding_identity: str
    lexical_identity: str
    lexical_index: str
    vector_index: str
    mode: str
    fusion: RunFusionPart
    reranker: str | None = None
    options: dict[str, JsonValue]
    depth: int

    @classmethod
    def of(cls, identity: Identity) -> IdentityPart:
        """From the evaluation."""
        stand = identity.revision
        return cls(
            project=identity.project,
            made_at=identity.made_at,
            glassdex=identity.glassdex,
            python=identity.python,
            judgments=JudgmentsPart(
                source=identity.judgments, form=identity.judgments_form, hash=identity.judgments_hash
            ),
            revision=RevisionPart(
                generation=stand.generation,
                fingerprint=stand.fingerprint,
                documents=stand.documents,
                chunks=stand.chunks,
                pending=stand.pending,
            ),
            freshness=FreshnessCountsPart.of(identity.freshness),
            embedding_identity=identity.embedding_identity,
            lexical_identity=identity.lexical_identity,
            lexical_index=identity.lexical_index,
            vector_index=identity.vector_index,
            mode=identity.mode,
            fusion=RunFusionPart(name=identity.fusion, params=dict(identity.fusion_parameters)),
            reranker=identity.reranker,
            options=_json(identity.options),
            depth=identity.depth,
        )


class RankedPart(Part):
    """A returned document or conversation (`unit`: a pointer before its #), its passages, its grade where judged."""

    rank: int
    unit: str
    document: str
    score: float
    pointers: tuple[str, ...]
    grade: int | None = None

    @classmethod
    def of(cls, ranked: Ranked) -> RankedPart:
        """From the evaluation."""
        return cls(
            rank=ranked.rank,
            unit=ranked.unit,
            document=ranked.document,
            score=ranked.score,
            pointers=ranked.pointers,
            grade=ranked.grade,
        )


class FoundPart(Part):
    """A judged unit: its rank, absent where it was not returned.

    `other_passage_rank`: it was returned there, and none of the passages shown is a judged one.
    """

    unit: str
    document: str
    targets: tuple[str, ...]
    grade: int
    rank: int | None = None
    other_passage_rank: int | None = None

    @classmethod
    def of(cls, found: Found) -> FoundPart:
        """From the evaluation."""
        return cls(
            unit=found.unit,
            document=found.document,
            targets=found.targets,
            grade=found.grade,
            rank=found.rank,
            other_passage_rank=found.other_passage_rank,
        )


class UnresolvedPart(Part):
    """A judgment that means nothing in this index, or several things, and why; it counts in no measure."""

    query_id: str
    target: str
    grade: int
    where: str
    code: str
    reason: str
    candidates: tuple[str, ...] | None = None

    @classmethod
    def of(cls, unresolved: Unresolved) -> UnresolvedPart:
        """From the evaluation."""
        return cls(
            query_id=unresolved.query_id,
            target=unresolved.target,
            grade=unresolved.grade,
            where=unresolved.where,
            code=unresolved.code,
            reason=unresolved.reason,
            candidates=unresolved.candidates or None,
        )


class QueryRunPart(Part):
    """One query. `left_out` says why it is in no mean; `metrics` is absent then."""

    id: str
    query: str
    options: dict[str, JsonValue] | None = None
    verdict: str | None = None
    metrics: dict[str, float] | None = None
    left_out: str | None = None
    notes: tuple[str, ...] | None = None
    judged: tuple[FoundPart, ...]
    ranked: tuple[RankedPart, ...]
    trace: Trace | None = None

    @classmethod
    def of(cls, query: QueryRun) -> QueryRunPart:
        """From the evaluation, without the trace."""
        return cls(
            id=query.id,
            query=query.query,
            options=_json(query.options) or None,
            verdict=query.verdict,
            metrics=None if query.metrics is None else dict(query.metrics),
            left_out=query.left_out,
            notes=query.notes or None,
            judged=tuple(FoundPart.of(found) for found in query.judged),
            ranked=tuple(RankedPart.of(ranked) for ranked in query.ranked),
        )


class RunAnswer(Envelope):
    """A saved run; `overall` are the means over the queries that are not left out."""

    schema_: Literal["glassdex.run/1"] = Field("glassdex.run/1", alias="schema")
    identity: IdentityPart
    measures: tuple[str, ...]
    overall: dict[str, float]
    unresolved: tuple[UnresolvedPart, ...]
    notes: tuple[str, ...] | None = None
    queries: tuple[QueryRunPart, ...]


def trace_text(execution: Execution) -> str:
    """The trace of an execution as a run keeps it."""
    return make_trace(execution).to_json()


def run_lines(run: Run) -> Iterator[str]:
    """The run as JSON, a query a line, traces as they are: they are far too many to be built as one object."""
    head = RunAnswer(
        identity=IdentityPart.of(run.identity),
        measures=run.measures,
        overall=dict(run.overall),
        unresolved=tuple(UnresolvedPart.of(unresolved) for unresolved in run.unresolved),
        notes=run.notes or None,
        queries=(),
    ).to_json()
    opening = head.removesuffix("]}")
    assert opening != head, "the queries come last"
    yield opening
    for number, query in enumerate(run.queries):
        part = _QueryLine(query=QueryRunPart.of(query)).to_json().removeprefix('{"query": ').removesuffix("}")
        if query.trace is not None:
            part = f'{part.removesuffix("}")}, "trace": {query.trace}}}'
        yield ("" if number == 0 else ",") + "\n" + part
    yield "\n]}\n"


class _QueryLine(Envelope):
    query: QueryRunPart


def save_run(run: Run, path: Path) -> None:
    """Writes the run; a file that is there is replaced once the new one is whole."""
    # In the same folder: a rename never crosses file systems.
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            for text in run_lines(run):
                file.write(text)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def trec_lines(run: Run) -> Iterator[str]:
    """The run in TREC's form: query, Q0, document, rank, score, name. A document is its percent-encoded path."""
    for query in run.queries:
        for place, ranked in enumerate(query.ranked):
            # The scores that trec_eval sorts by: those shown may tie.
            score = len(query.ranked) - place
            yield f"{query.id} Q0 {ranked.unit} {ranked.rank} {score} glassdex"


def _json(options: Any) -> dict[str, JsonValue]:  # noqa: ANN401
    return dict(options)
