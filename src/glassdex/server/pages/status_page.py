"""The state of a project, what is wrong with it, and its indexing as it happens."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from glassdex.answers.looking import doctor_asked, status_asked
from glassdex.envelopes.index_run import IndexRunAnswer
from glassdex.errors import IndexRunNotFound
from glassdex.server.pages.asked import address, question_of
from glassdex.server.pages.rendering import Pages
from glassdex.server.queries import IndexQuery, StatusQuery


def status_page(pages: Pages, request: Request) -> Response:
    """`/status`: figures, failures and findings; with `run` also that run."""
    question = question_of(StatusQuery, request, "run")
    with pages.services.project(question.project) as project:
        answer, doctor = status_asked(project, question), doctor_asked(project)
    return pages.page(
        "status.html",
        request,
        answer=answer,
        doctor=doctor,
        run=_run(pages, request.query_params.get("run")),
        with_files=address("/status", project=question.project, files=True),
    )


def start_index(pages: Pages, request: Request) -> Response:
    """`POST /status`: starts a run, and goes to where it can be followed."""
    question = question_of(IndexQuery, request)
    run = pages.services.runs.start(pages.services.name(question.project), embed=question.embed)
    return RedirectResponse(address("/status", project=question.project, run=run.id), 303)


def _run(pages: Pages, run_id: str | None) -> IndexRunAnswer | None:
    """A run that is not known any more is none: its address may be an old one."""
    try:
        return None if run_id is None else pages.services.runs.run(run_id).standing()[1]
    except IndexRunNotFound:
        return None
