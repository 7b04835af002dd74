"""The search page: results with their ladders, the stages, the verdict, what was missed."""

from __future__ import annotations

from dataclasses import dataclass, fields

from starlette.requests import Request
from starlette.responses import Response

from glassdex.answers.command import command_of
from glassdex.answers.looking import status_asked
from glassdex.answers.questions import StatusQuestion
from glassdex.answers.search import search_asked, why_not
from glassdex.envelopes.candidate import CandidatePart
from glassdex.envelopes.search import ResultPart, SearchAnswer
from glassdex.envelopes.why_not import why_not_answer
from glassdex.search.request import SearchRequest
from glassdex.server.logs import log
from glassdex.server.pages import forms, ladder
from glassdex.server.pages.asked import IN_FORMS, Value, address, given_in, question_of
from glassdex.server.pages.rendering import Pages
from glassdex.server.pages.stages import chips
from glassdex.server.queries import SearchQuery, WhyNotQuery
from glassdex.server.services import refuse_foreign_models

MISSES_SHOWN = 12
"""Of each group."""
OURS = ("explain", "show_misses", "max_candidates")
"""Fields that the page fills in by itself."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A result and what the trace has of its best passage."""

    result: ResultPart
    candidate: CandidatePart | None
    ladder: ladder.Ladder | None


def search_page(pages: Pages, request: Request) -> Response:
    """`/`, `/search`: without a question the form alone."""
    asked = {"query": request.query_params.get("query", "")}
    question = question_of(SearchQuery, request, *OURS, explain=True, show_misses=True, **asked)
    given = {name: value for name, value in given_in(question).items() if name not in OURS}
    form = {"question": question, "given": given, "groups": forms.form(question), "chosen": _chosen(question, given)}
    if not set(given) - {"project"}:
        return _start(pages, request, form)
    refuse_foreign_models(question.rerank, question.rewrite)
    if pages.services.config.log_queries:
        log("info", "query", query=question.query)
    with pages.services.project(question.project) as project:
        done, answer = search_asked(project, question)
        command = command_of(done.execution.request, question.project, project.default_limit())
    trace = answer.trace
    assert trace is not None
    return pages.page(
        "search.html",
        request,
        **form,
        answer=answer,
        trace=trace,
        trace_id=pages.services.traces.keep(done.execution),
        chips=list(chips(trace)),
        shown=_shown(answer),
        command=command,
        misses_shown=MISSES_SHOWN,
        pager=_pager(answer, given),
    )


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


def _shown(answer: SearchAnswer) -> list[Shown]:
    trace = answer.trace
    assert trace is not None
    names = ladder.columns(trace)
    known = {(candidate.document, candidate.chunk_key): candidate for candidate in trace.candidates}
    made = []
    for result in answer.results:
        candidate = known.get((result.document.path, result.matches[0].chunk_key))
        drawn = answer.mode != "positional" and candidate is not None
        steps = list(ladder.steps(candidate, names)) if drawn and candidate is not None else []
        made.append(Shown(result, candidate, ladder.ladder(steps) if steps else None))
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
