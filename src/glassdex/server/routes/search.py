"""Searches and their traces."""

from __future__ import annotations

from typing import Annotated

from fastapi import FastAPI, Path, Query, Response

from glassdex.answers.questions import MAX_NUMBER, SearchQuestion
from glassdex.answers.search import search_asked, several_asked
from glassdex.envelopes.trace import make_trace
from glassdex.errors import InvalidRequest
from glassdex.server.logs import log
from glassdex.server.queries import SearchQuery
from glassdex.server.routes.answering import PREFIX, answered
from glassdex.server.services import Services, refuse_foreign_models


def add_search_routes(app: FastAPI, services: Services) -> None:
    """Adds them."""

    def search(question: SearchQuestion) -> Response:
        question.refuse_oversized()
        refuse_foreign_models(question.rerank, question.rewrite)
        if services.config.log_queries:
            log("info", "query", query=question.query)
        names = services.several(question)
        if names is not None:
            return answered(several_asked(question, names, services.projects.embedder))
        with services.project(question.project or next(iter(question.projects), None)) as project:
            done, answer = search_asked(project, question)
        return answered(answer, headers={"X-Trace-ID": services.traces.keep(done.execution)})

    @app.post(f"{PREFIX}/search", operation_id="search", summary="Search by words and by meaning", tags=["search"])
    def post_search(question: SearchQuestion) -> Response:
        """The answer is what `glassdex search --json` prints; `X-Trace-ID` names the trace of one project's."""
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
