"""The search page: results with their ladders, the stages, the verdict, what was missed."""

from __future__ import annotations

from dataclasses import dataclass, fields

from starlette.requests import Request
from starlette.responses import Response

from glassdex.answers.command import command_of
from glassdex.answers.looking import status_asked
from glassdex.answers.questions import StatusQuestion
from glassdex.answers.search import search_asked, several_asked, why_not
from glassdex.envelopes.candidate import CandidatePart
from glassdex.envelopes.search import ResultPart, SearchAnswer
from glassdex.envelopes.trace import Trace
from glassdex.envelopes.why_not import why_not_answer
from glassdex.search.request import SearchRequest
from glassdex.server.logs import log
from glassdex.server.pages import forms, ladder
from glassdex.server.pages.asked import IN_FORMS, Value, address, given_in, question_of
from glassdex.server.pages.rendering import Pages
from glassdex.server.pages.stages import Chip, chips
from glassdex.server.queries import SearchQuery, WhyNotQuery
from glassdex.server.services import refuse_foreign_models

MISSES_SHOWN = 12
"""Of each group."""
SEVERAL = ("projects", "all_projects")
OURS = ("explain", "show_misses", "max_candidates")
"""Fields that the page fills in by itself."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A result and what the trace has of its best passage; `project` is what links to it name."""

    result: ResultPart
    candidate: CandidatePart | None
    ladder: ladder.Ladder | None
    project: str | None


@dataclass(frozen=True, slots=True)
class Ran:
    """A search in one project: its trace, as chips and whole."""

    project: str
    trace: Trace
    chips: tuple[Chip, ...]


def search_page(pages: Pages, request: Request) -> Response:
    """`/`, `/search`: without a question the form alone."""
    asked = {"query": request.query_params.get("query", "")}
    question = question_of(SearchQuery, request, *OURS, explain=True, show_misses=True, **asked)
    if question.projects or question.all_projects:
        question = question.model_copy(update={"project": None})
    given = {name: value for name, value in given_in(question).items() if name not in OURS}
    form = {"question": question, "given": given, "groups": forms.form(question), "chosen": _chosen(question, given)}
    if not set(given) - {"project"}:
        return _start(pages, request, form)
    refuse_foreign_models(question.rerank, question.rewrite)
    if pages.services.config.log_queries:
        log("info", "query", query=question.query)
    answer, trace_id, command = _answered(pages, question)
    several = answer.projects is not None
    return pages.page(
        "search.html",
        request,
        **form,
        answer=answer,
        carried={name: value for name, value in given.items() if name not in SEVERAL},
        ran=[Ran(one.project, one.trace, tuple(chips(one.trace))) for one in answer.executions or ()],
        trace_id=trace_id,
        shown=_shown(answer, question.project, several=several),
        several=several,
        command=command,
        misses_shown=MISSES_SHOWN,
        pager=_pager(answer, given),
    )


def _answered(pages: Pages, question: SearchQuery) -> tuple[SearchAnswer, str | None, str]:
    """The answer, the id of its trace where it is of one project, and the command that gives the same."""
    services = pages.services
    names = services.several(question)
    if names is not None:
        answer = several_asked(question, names, services.projects.embedder)
        return answer, None, command_of(SearchRequest(question.query, **question.options()), names)
    with services.project(question.project or next(iter(question.projects), None)) as project:
        done, answer = search_asked(project, question)
        command = command_of(done.execution.request, question.project, project.default_limit())
    return answer, services.traces.keep(done.execution), command


def why_not_page(pages: Pages, request: Request) -> Response:
    """`/why-not`: the ladder of a document, and what would return it."""
    question = question_of(WhyNotQuery, request)
    refuse_foreign_models(question.rerank, question.rewrite)
    with pages.services.project(question.project, question.document) as project:
        found, usual = why_not(project, question), project.default_limit()
    answer = why_not_answer(found)
    proposals = [
        (proposal, own.changes and _address_of(own.changes, question.project, usual))
        for proposal, own in zip(answer.proposals, found.proposals, strict=True)
    ]
    given = {name: value for name, value in given_in(question).items() if name != "document"}
    return pages.page("why_not.html", request, question=question, answer=answer, proposals=proposals, given=given)


def _start(pages: Pages, request: Request, form: dict[str, object]) -> Response:
    named = request.query_params.get("project") or None
    with pages.services.project(named) as project:
        status = status_asked(project, StatusQuestion(project=named))
    return pages.page("start.html", request, **form, status=status)


def _shown(answer: SearchAnswer, project: str | None, *, several: bool) -> list[Shown]:
    traces = {one.project: one.trace for one in answer.executions or ()}
    columns = {name: ladder.columns(trace) for name, trace in traces.items()}
    known = {
        (name, candidate.document, candidate.chunk_key): candidate
        for name, trace in traces.items()
        for candidate in trace.candidates
    }
    made = []
    for result in answer.results:
        candidate = known.get((result.project, result.document.path, result.matches[0].chunk_key))
        drawn = None
        if candidate is not None and answer.mode != "positional":
            drawn = ladder.ladder(list(ladder.steps(candidate, columns[result.project])))
        made.append(Shown(result, candidate, drawn, result.project if several else project))
    return made


def _chosen(question: SearchQuery, given: dict[str, Value]) -> list[tuple[str, str, str]]:
    """The filters in force: label, value, and the address without it."""
    found = []
    for name, label, value in forms.chosen(question):
        present = given.get(name)
        rest: Value = [each for each in present if each != value] if isinstance(present, list) else None
        found.append((label, value, address("/search", given, {name: rest, "page": None})))
    return found


def _pager(answer: SearchAnswer, given: dict[str, Value]) -> dict[str, str | None]:
    number = answer.page.number
    return {
        "previous": address("/search", given, page=None if number == 2 else number - 1) if number > 1 else None,
        "next": address("/search", given, page=number + 1) if answer.page.has_more else None,
    }


def _address_of(request: SearchRequest, project: str | None, usual_limit: int) -> str:
    """The search page of a request."""
    given: dict[str, Value] = {"project": project}
    for part in fields(SearchRequest):
        value, usual = getattr(request, part.name), usual_limit if part.name == "limit" else part.default
        if part.name == "query" or (part.name != "watch" and value != usual):
            given[IN_FORMS.get(part.name, part.name)] = value
    return address("/search", given)
