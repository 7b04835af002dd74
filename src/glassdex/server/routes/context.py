"""What to read for a task."""

from __future__ import annotations

from typing import Annotated

from fastapi import FastAPI, Query, Response

from glassdex.answers.questions import ContextQuestion
from glassdex.answers.search import context_asked
from glassdex.server.queries import ContextQuery
from glassdex.server.routes.answering import PREFIX, answered
from glassdex.server.services import Services, refuse_foreign_models


def add_context_routes(app: FastAPI, services: Services) -> None:
    """Adds them."""

    def context(question: ContextQuestion) -> Response:
        question.refuse_oversized()
        refuse_foreign_models(question.rerank, question.rewrite)
        with services.project(question.project) as project:
            return answered(context_asked(project, question, passwords=services.config.passwords))

    @app.post(f"{PREFIX}/context", operation_id="context", summary="What to read for a task", tags=["search"])
    def post_context(question: ContextQuestion) -> Response:
        """The passages worth reading, packed into a budget of tokens, each with the reason it is there."""
        return context(question)

    @app.get(f"{PREFIX}/context", operation_id="contextByQuery", summary="What to read, as a query", tags=["search"])
    def get_context(question: Annotated[ContextQuery, Query()]) -> Response:
        """As POST."""
        return context(question)
