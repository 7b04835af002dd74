"""Evaluations and comparisons by judgments that come with the request."""

from __future__ import annotations

from fastapi import FastAPI, Response

from glassdex.answers.measuring import compare_asked, eval_asked
from glassdex.answers.questions import CompareQuestion, EvalQuestion
from glassdex.server.routes.answering import PREFIX, answered
from glassdex.server.services import Services, refuse_foreign_models


def add_measuring_routes(app: FastAPI, services: Services) -> None:
    """Adds them."""

    @app.post(f"{PREFIX}/eval", operation_id="eval", summary="Measure searches by judgments", tags=["measure"])
    def post_eval(question: EvalQuestion) -> Response:
        """As `glassdex eval`; needs the extra `eval`. One at a time."""
        question.refuse_oversized()
        for options in (question.options, *(query.options for query in question.queries)):
            refuse_foreign_models(options.get("rerank"), options.get("rewrite"))
        with services.measuring(), services.project(question.project) as project:
            return answered(eval_asked(project, question))

    @app.post(f"{PREFIX}/compare", operation_id="compare", summary="Two ways to search, side by side", tags=["measure"])
    def post_compare(question: CompareQuestion) -> Response:
        """As `glassdex compare --queries`: what ranks otherwise in B, and the stage that made the difference."""
        question.refuse_oversized()
        for options in (question.a, question.b, *(query.options for query in question.queries)):
            refuse_foreign_models(options.get("rerank"), options.get("rewrite"))
        with services.measuring(), services.project(question.project) as project:
            return answered(compare_asked(project, question))
