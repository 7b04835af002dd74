"""Measures by ir-measures, the library that the research field computes them with.

Cited where they are not textbook: nDCG, Järvelin and Kekäläinen, "Cumulated gain-based evaluation of IR techniques"
(TOIS 2002), in trec_eval's form: gain = grade, discount log2(rank + 1).
"""

from __future__ import annotations

import contextlib
import io
import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from glassdex.errors import InvalidRequest, MissingExtra

DEFAULT_MEASURES = ("nDCG@10", "R@10", "RR@10", "P@5", "Success@1", "Success@5")
DEEPEST = 100
"""Documents asked for by a measure that names no cutoff."""


@dataclass(frozen=True, slots=True)
class Measured:
    """Values by query id and measure, and overall by measure; a measure's name is as ir-measures writes it."""

    per_query: Mapping[str, Mapping[str, float]]
    overall: Mapping[str, float]


def measure_names(given: Sequence[str]) -> tuple[str, ...]:
    """The measures by their own names, each once; without any the default ones.

    Raises:
        MissingExtra: ir-measures is not installed.
        InvalidRequest: it knows no such measure.
    """
    return tuple(dict.fromkeys(str(_parsed(name)) for name in given or DEFAULT_MEASURES))


def depth_for(names: Sequence[str]) -> int:
    """How many results of a query the measures look at."""
    cutoffs = [_parsed(name).params.get("cutoff") for name in names]
    return max((DEEPEST if cutoff is None else int(cutoff) for cutoff in cutoffs), default=DEEPEST)


def measured(
    names: Sequence[str], judged: Mapping[str, Mapping[str, int]], ranked: Mapping[str, Sequence[str]]
) -> Measured:
    """Computes the measures of rankings (unit names, best first) by judgments (grade by unit name), by query id.

    Raises:
        MissingExtra: ir-measures, or what one of the measures needs besides, is not installed.
    """
    library = _library()
    wanted = [_parsed(name) for name in names]
    # The order is the ranking; scores that only say so leave no ties to break.
    run = {
        name: {unit: float(len(units) - place) for place, unit in enumerate(units)} for name, units in ranked.items()
    }
    qrels = {name: dict(grades) for name, grades in judged.items()}
    per_query: dict[str, dict[str, float]] = {name: {} for name in judged}
    if not judged:
        return Measured({}, {})
    aggregators = {str(measure): measure.aggregator() for measure in wanted}
    for metric in _computed(library, wanted, qrels, run):
        value = float(metric.value)
        per_query[metric.query_id][str(metric.measure)] = round(value, 6) if math.isfinite(value) else 0.0
    for values in per_query.values():
        for name, value in values.items():
            aggregators[name].add(value)
    return Measured(
        {query: {name: values[name] for name in names if name in values} for query, values in per_query.items()},
        {name: round(float(aggregators[name].result()), 6) for name in names},
    )


def _computed(library: ModuleType, wanted: Sequence[Any], qrels: object, run: object) -> list[Any]:
    try:
        # A provider that fails writes to standard error, which is for our own words.
        with contextlib.redirect_stderr(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return list(library.DefaultPipeline.evaluator(wanted, qrels).iter_calc(run))
    except Exception as error:  # whatever a provider raises: perl that is not there, a measure nobody computes
        reason = " ".join(str(error).split())[:300]
        raise MissingExtra(
            f"one of {', '.join(map(str, wanted))} cannot be computed here: {reason}",
            "leave that measure out, or install what it needs",
        ) from error


def _library() -> ModuleType:
    try:
        import ir_measures
    except ImportError as error:
        raise MissingExtra("measuring needs ir-measures", "pip install 'glassdex[eval]'") from error
    module: ModuleType = ir_measures
    return module


def _parsed(name: str) -> Any:  # noqa: ANN401 - a measure of a library without types
    library = _library()
    try:
        return library.parse_measure(name)
    except (ValueError, NameError, TypeError, SyntaxError, KeyError, RecursionError, MemoryError) as error:
        raise InvalidRequest(
            f"{name[:80]!r} is no measure",
            "for example nDCG@10, R@20, RR@10, AP, P(rel=2)@5; all: https://ir-measur.es",
        ) from error
