"""Why something is not found."""

from __future__ import annotations

from typing import Annotated

from fastapi import FastAPI, Query, Response

from glassdex.answers.questions import WhyNotQuestion
from glassdex.answers.search import why_not_asked
from glassdex.server.queries import WhyNotQuery
from glassdex.server.routes.answering import PREFIX, answered
from glassdex.server.services import Services, refuse_foreign_models


def add_why_not_routes(app: FastAPI, services: Services) -> None:
    """Adds them."""

    def why_not(question: WhyNotQuestion) -> Response:
        question.refuse_oversized()
        refuse_foreign_models(question.rerank, question.rewrite)
        with services.project(question.project, question.document) as project:
            return answered(why_not_asked(project, question))

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
