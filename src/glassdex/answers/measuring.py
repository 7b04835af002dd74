"""Measuring searches by judgments that come with the question."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from glassdex.answers.questions import CompareQuestion, EvalQuestion, Measurement, Option
from glassdex.envelopes.comparison import CompareAnswer, compare_answer
from glassdex.envelopes.evaluation import EvalAnswer, eval_answer
from glassdex.envelopes.run import trace_text
from glassdex.errors import InvalidRequest
from glassdex.evaluation.compare import compare
from glassdex.evaluation.judgments import Judgments
from glassdex.evaluation.judgments_yaml import judgments_from_json
from glassdex.evaluation.metrics import DEEPEST
from glassdex.evaluation.options import options_from_json
from glassdex.evaluation.runs import Run, doubts
from glassdex.model import Json
from glassdex.project import Project
from glassdex.settings import MAX_LIMIT, load_settings


def eval_asked(project: Project, question: EvalQuestion) -> EvalAnswer:
    """How well searches find what was judged relevant.

    Raises:
        JudgmentsInvalid, InvalidRequest, InvalidRange: a judgment, a measure or an option is wrong.
        MissingExtra: the extra `eval` is not installed.
    """
    _refuse_beyond("depth", question.depth)
    run = project.evaluate(
        _judgments(question, need_relevant=True),
        measures=question.measures,
        options=_options(question.options),
        depth=question.depth,
    )
    return eval_answer(run, warnings=doubts(run))


def compare_asked(project: Project, question: CompareQuestion) -> CompareAnswer:
    """What ranks otherwise in B than in A, and the stage of the search that made the difference."""
    _refuse_beyond("top", question.top)
    judgments = _judgments(question, need_relevant=False)
    first, second = (_asked(project, question, judgments, _options(options)) for options in (question.a, question.b))
    found = compare(first, second, question.top)
    return compare_answer(found, tuple(dict.fromkeys((*doubts(first), *doubts(second), *found.warnings))))


def _asked(project: Project, question: CompareQuestion, judgments: Judgments, options: dict[str, Json]) -> Run:
    depth = max(question.top, DEEPEST)
    return project.evaluate(judgments, measures=question.measures, options=options, depth=depth, trace_of=trace_text)


def _judgments(question: Measurement, *, need_relevant: bool) -> Judgments:
    entries: list[Json] = []
    for query in question.queries:
        entry: dict[str, Json] = {"query": query.query, "options": _json(query.options)}
        if query.relevant or need_relevant:
            entry["relevant"] = dict(query.relevant) if isinstance(query.relevant, dict) else list(query.relevant)
        if query.id is not None:
            entry["id"] = query.id
        entries.append(entry)
    return judgments_from_json(entries, "the request", need_relevant=need_relevant)


def _options(options: Mapping[str, Option]) -> dict[str, Json]:
    """As on the command line: the fusion is the user's own where none is named."""
    return {"fusion": load_settings().fusion, **options_from_json(_json(options))}


def _json(options: Mapping[str, Option]) -> dict[str, Json]:
    return cast("dict[str, Json]", dict(options))


def _refuse_beyond(name: str, value: int | None) -> None:
    if value is not None and not 1 <= value <= MAX_LIMIT:
        raise InvalidRequest(f"{name} is {value}; it must be between 1 and {MAX_LIMIT}")
