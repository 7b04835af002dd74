"""Two ways to search, side by side on one query."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import ConfigDict, Field
from starlette.requests import Request
from starlette.responses import Response

from glassdex.answers.measuring import compare_asked
from glassdex.answers.questions import CompareQuestion, JudgedEntry, Question, Text
from glassdex.answers.search import search
from glassdex.envelopes.comparison import ComparedQuery
from glassdex.envelopes.search import SearchAnswer
from glassdex.errors import InvalidRequest, MissingExtra
from glassdex.evaluation.options import options_from_text, search_options
from glassdex.model import Json
from glassdex.project import Project
from glassdex.server.pages.asked import question_of
from glassdex.server.pages.rendering import Pages
from glassdex.server.services import refuse_foreign_models
from glassdex.settings import load_settings

MOST = 50
EXAMPLES = (
    "mode=lexical", "mode=dense", "fusion=rrf/1", "fusion=bonus/1", "feedback=off", "feedback=on",
    "rerank=late-interaction", "min_similarity=0.3", "identity=previous",
)  # fmt: skip


class ComparePageQuery(Question):
    """A query and two lists of options, as `glassdex compare --a … --b …` takes them."""

    model_config = ConfigDict(strict=False)

    query: Text = ""
    a: Text = ""
    b: Text = ""
    top: Annotated[int, Field(ge=1, le=MOST)] = 10


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two: its options as written, and what it answers."""

    name: str
    options: str
    answer: SearchAnswer


def compare_page(pages: Pages, request: Request) -> Response:
    """`/compare`: what each side returns, and the stage that moved what moved."""
    question = question_of(ComparePageQuery, request)
    common = {"question": question, "examples": EXAMPLES}
    if not question.query.strip():
        return pages.page("compare.html", request, **common, sides=(), compared=None, missing=None)
    options = [_options(text) for text in (question.a, question.b)]
    missing, compared = None, None
    with pages.services.project(question.project) as project:
        asked = zip("AB", (question.a, question.b), options, strict=True)
        sides = [Side(name, text, _answer(project, question, own)) for name, text, own in asked]
        try:
            with pages.services.measuring():
                compared = _compared(project, question, options)
        except MissingExtra as error:
            missing = error
    return pages.page("compare.html", request, **common, sides=sides, compared=compared, missing=missing)


def _options(text: str) -> dict[str, Json]:
    options = options_from_text(text)
    refuse_foreign_models(options.get("rerank"), options.get("rewrite"))
    return options


def _answer(project: Project, question: ComparePageQuery, options: dict[str, Json]) -> SearchAnswer:
    """As a comparison searches: the fusion is the user's own where none is named."""
    asked = search_options({"fusion": load_settings().fusion, **options})
    asked["limit"] = question.top
    return search(project, question.query, asked).answer()


def _compared(project: Project, question: ComparePageQuery, options: list[dict[str, Json]]) -> ComparedQuery | None:
    a, b = ({name: _option(value) for name, value in own.items()} for own in options)
    asked = CompareQuestion(a=a, b=b, top=question.top, queries=[JudgedEntry(query=question.query)])
    found = compare_asked(project, asked).queries
    return found[0] if found else None


def _option(value: Json) -> str | int | float | bool | list[str] | None:
    if isinstance(value, list):
        return [str(item) for item in value]
    if isinstance(value, dict):  # no option is one
        raise InvalidRequest("an option is a mapping")
    return value
