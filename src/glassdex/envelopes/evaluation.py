"""`glassdex.eval/1`: what an evaluation measured, against a baseline and its gates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from glassdex.envelopes.base import Envelope, Part
from glassdex.envelopes.run import FoundPart, IdentityPart, UnresolvedPart
from glassdex.evaluation.gates import Gate
from glassdex.evaluation.runs import QueryRun, Run
from glassdex.evaluation.significance import Difference


class EvaluatedQuery(Part):
    """One query's measures, and where its judged documents rank; `left_out` says why it is in no mean."""

    id: str
    query: str
    verdict: str | None = None
    metrics: dict[str, float] | None = None
    left_out: str | None = None
    notes: tuple[str, ...] | None = None
    judged: tuple[FoundPart, ...]

    @classmethod
    def of(cls, query: QueryRun) -> EvaluatedQuery:
        """From the run."""
        return cls(
            id=query.id,
            query=query.query,
            verdict=query.verdict,
            metrics=None if query.metrics is None else dict(query.metrics),
            left_out=query.left_out,
            notes=query.notes or None,
            judged=tuple(FoundPart.of(found) for found in query.judged),
        )


class DifferencePart(Part):
    """A measure in A (the baseline) and B, over the queries that both measured; B wins where its value is higher.

    `p` is that of a two-sided paired randomisation test.
    """

    measure: str
    queries: int
    a: float
    b: float
    difference: float
    p: float
    wins: int
    ties: int
    losses: int

    @classmethod
    def of(cls, difference: Difference) -> DifferencePart:
        """From the evaluation."""
        return cls(
            measure=difference.measure,
            queries=difference.queries,
            a=difference.a,
            b=difference.b,
            difference=difference.difference,
            p=difference.p,
            wins=difference.wins,
            ties=difference.ties,
            losses=difference.losses,
        )


class GatePart(Part):
    """A gate: `found` is the mean (`fail_under`) or what was lost against the baseline (`max_drop`)."""

    kind: Literal["fail_under", "max_drop"]
    measure: str
    bound: float
    found: float | None = None
    passed: bool
    reason: str

    @classmethod
    def of(cls, gate: Gate) -> GatePart:
        """From the evaluation."""
        return cls(
            kind=gate.bound.kind,
            measure=gate.bound.measure,
            bound=gate.bound.value,
            found=gate.found,
            passed=gate.passed,
            reason=gate.reason,
        )


class EvalAnswer(Envelope):
    """`overall` are the means over the `measured` queries. `warnings` are what stands against relying on them.

    `baseline` compares with an earlier run; gates fail while there are warnings, unless `stale_allowed`.
    """

    schema_: Literal["glassdex.eval/1"] = Field("glassdex.eval/1", alias="schema")
    identity: IdentityPart
    measured: int
    left_out: int
    overall: dict[str, float]
    queries: tuple[EvaluatedQuery, ...]
    unresolved: tuple[UnresolvedPart, ...]
    notes: tuple[str, ...] | None = None
    warnings: tuple[str, ...] | None = None
    baseline: tuple[DifferencePart, ...] | None = None
    gates: tuple[GatePart, ...] | None = None
    stale_allowed: bool | None = None
    saved: str | None = None


class ProposedAnswer(Envelope):
    """What `eval --init` wrote: the file, and how many queries stand in it."""

    schema_: Literal["glassdex.proposed/1"] = Field("glassdex.proposed/1", alias="schema")
    file: str
    queries: int


def eval_answer(
    run: Run,
    *,
    warnings: Sequence[str] = (),
    changes: Sequence[Difference] | None = None,
    gates: Sequence[Gate] = (),
    stale_allowed: bool = False,
    saved: str | None = None,
) -> EvalAnswer:
    """The envelope of a run; `changes` is what it is against its baseline, where there is one."""
    return EvalAnswer(
        identity=IdentityPart.of(run.identity),
        measured=len(run.per_query),
        left_out=len(run.left_out),
        overall=dict(run.overall),
        queries=tuple(EvaluatedQuery.of(query) for query in run.queries),
        unresolved=tuple(UnresolvedPart.of(unresolved) for unresolved in run.unresolved),
        notes=run.notes or None,
        warnings=tuple(warnings) or None,
        baseline=None if changes is None else tuple(DifferencePart.of(change) for change in changes),
        gates=tuple(GatePart.of(gate) for gate in gates) or None,
        stale_allowed=True if stale_allowed else None,
        saved=saved,
    )
