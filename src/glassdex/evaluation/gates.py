"""Gates: what a run has to reach for a build to pass.

`--fail-under nDCG@10=0.43` bounds a mean from below. `--max-drop nDCG@10=0.01` bounds what it may lose against the
baseline, over the queries that both measured. A run that cannot be relied on, or not be compared with its baseline,
fails every gate unless that is allowed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from glassdex.errors import InvalidRequest
from glassdex.evaluation.runs import Run
from glassdex.evaluation.significance import Difference, compared
from glassdex.wording import fixed

GateKind = Literal["fail_under", "max_drop"]


@dataclass(frozen=True, slots=True)
class Bound:
    """A gate as it was asked for."""

    kind: GateKind
    measure: str
    value: float


@dataclass(frozen=True, slots=True)
class Gate:
    """A gate and what it found: the mean, or the drop (positive: worse than the baseline)."""

    bound: Bound
    found: float | None
    passed: bool
    reason: str


def bound(kind: GateKind, text: str, name_of: Callable[[str], str]) -> Bound:
    """`nDCG@10=0.43` as a bound; `name_of` gives a measure its own name.

    Raises:
        InvalidRequest: it is neither, negative, or no measure.
    """
    option = "--" + kind.replace("_", "-")
    measure, equals, number = text.rpartition("=")
    try:
        value = float(number)
    except ValueError:
        value = math.nan
    if not equals or not measure or not math.isfinite(value):
        raise InvalidRequest(f"{option} {text!r} is no bound", f"write {option} nDCG@10=0.43")
    if value < 0:
        advice = "what may be lost is written as --max-drop nDCG@10=0.01, with --baseline RUN"
        raise InvalidRequest(f"{option} {text!r}: a bound is 0 or more", advice)
    return Bound(kind, name_of(measure.strip()), value)


def against(run: Run, baseline: Run) -> list[Difference]:
    """Each measure that both runs have: baseline first, over the queries that both measured."""
    found = (compared(name, baseline.per_query, run.per_query) for name in run.measures)
    return [difference for difference in found if difference is not None]


def gates(
    bounds: Sequence[Bound],
    run: Run,
    changes: Sequence[Difference],
    refusals: Sequence[str],
    baseline: Run | None = None,
) -> list[Gate]:
    """What each bound says of the run; `refusals` are what stands against judging it at all."""
    return [_gate(bound, run, changes, refusals, baseline) for bound in bounds]


def _gate(bound: Bound, run: Run, changes: Sequence[Difference], refusals: Sequence[str], baseline: Run | None) -> Gate:
    found: float | None
    if bound.kind == "fail_under":
        found = run.overall.get(bound.measure) if run.per_query else None
        passed = found is not None and found >= bound.value
        said = "nothing could be measured" if found is None else f"{found:.4f}, at least {bound.value:g} is asked"
    else:
        change = next((change for change in changes if change.measure == bound.measure), None)
        found = None if change is None else round(-change.difference, 6) + 0.0  # never -0.0
        passed = found is not None and found <= bound.value
        if found is not None:
            said = f"lost {fixed(found)} of {bound.value:g} allowed"
        elif baseline is not None and bound.measure in baseline.measures:
            said = "no query was measured in both runs"
        else:
            said = f"the baseline has no {bound.measure}"
    if refusals:
        return Gate(bound, found, False, f"{said}; not to be relied on: {refusals[0]}")
    return Gate(bound, found, passed, said)
