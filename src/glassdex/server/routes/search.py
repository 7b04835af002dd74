"""Searches, their traces, and why something is not found."""

from __future__ import annotations

from typing import Annotated

from fastapi import FastAPI, Path, Query, Response

from glassdex.answers.questions import MAX_NUMBER, SearchQuestion, WhyNotQuestion
from glassdex.answers.search import search_asked, why_not_asked
from glassdex.envelopes.trace import make_trace
from glassdex.errors import InvalidRequest
from glassdex.server.logs import log
from glassdex.server.queries import SearchQuery, WhyNotQuery
from glassdex.server.routes.answering import PREFIX, answered
from glassdex.server.services import Services, refuse_foreign_models


def add_search_routes(app: FastAPI, services: Services) -> None:
    """Adds them."""

    def search(question: SearchQuestion) -> Response:
        question.refuse_oversized()
        refuse_foreign_models(question.rerank, question.rewrite)
        if services.config.log_queries:
            log("info", "query", query=question.query)
        with services.project(question.project) as project:
            done, answer = search_asked(project, question)
        return answered(answer, headers={"X-Trace-ID": services.traces.keep(done.execution)})

    def why_not(question: WhyNotQuestion) -> Response:
        question.refuse_oversized()
        refuse_foreign_models(question.rerank, question.rewrite)
        with services.project(question.project, question.document) as project:
            return answered(why_not_asked(project, question))

    @app.post(f"{PREFIX}/search", operation_id="search", summary="Search by words and by meaning", tags=["search"])
    def post_search(question: SearchQuestion) -> Response:
        """The answer is what `glassdex search --json` prints; `X-Trace-ID` names the search's trace."""
        return search(question)

    @app.get(f"{PREFIX}/search", operation_id="searchByQuery", summary="Search, asked in the address", tags=["search"])
    def get_search(question: Annotated[SearchQuery, Query()]) -> Response:
        """As POST; a list is a name given several times."""
        return search(question)

    @app.get(f"{PREFIX}/traces/{{trace_id}}", operation_id="trace", summary="The trace of a search", tags=["search"])
    def get_trace(
        trace_id: Annotated[str, Path(description="What `X-Trace-ID` said; the last 256 are kept.")],
        max_candidates: Annotated[
            int | None,
            Query(
                description="At most so many candidates; those that are returned are always among them.",
                json_schema_extra={"minimum": 0, "maximum": MAX_NUMBER},
            ),
        ] = None,
    ) -> Response:
        """Every stage and every candidate, as `glassdex inspect query --json` has it under `trace`."""
        if max_candidates is not None and not 0 <= max_candidates <= MAX_NUMBER:
            raise InvalidRequest(f"max_candidates is {max_candidates}; it must be 0 or more")
        return answered(make_trace(services.traces.execution(trace_id), max_candidates))

    @app.post(f"{PREFIX}/why-not", operation_id="whyNot", summary="Why a document is not found", tags=["search"])
    def post_why_not(question: WhyNotQuestion) -> Response:
        """Every step from the file to the page, then the smallest changes that would return the document."""
        return why_not(question)

    @app.get(
        f"{PREFIX}/why-not", operation_id="whyNotByQuery", summary="Why not, asked in the address", tags=["search"]
    )
    def get_why_not(question: Annotated[WhyNotQuery, Query()]) -> Response:
        """As POST."""
        return why_not(question)
