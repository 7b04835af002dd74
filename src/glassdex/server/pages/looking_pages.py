"""Documents, an opened passage, and what stands near a chunk."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from glassdex.answers.looking import documents_asked, neighbors_asked, open_asked
from glassdex.server.pages import forms
from glassdex.server.pages.asked import address, given_in, question_of
from glassdex.server.pages.rendering import Pages
from glassdex.server.queries import DocumentsQuery, NeighborsQuery, OpenQuery, SearchQuery

RANKING = frozenset(SearchQuery.model_fields) - set(OpenQuery.model_fields)
"""What a link from a search carries along, so that a document can be shown in its light."""


def documents_page(pages: Pages, request: Request) -> Response:
    """`/documents`: by path, a page of them."""
    question = question_of(DocumentsQuery, request)
    with pages.services.project(question.project) as project:
        answer = documents_asked(project, question)
    given = given_in(question)
    before = max(0, question.offset - question.limit)
    return pages.page(
        "documents.html",
        request,
        answer=answer,
        previous=address("/documents", given, offset=before or None) if question.offset else None,
        next=None if answer.next is None else address("/documents", given, offset=answer.next),
    )


def open_page(pages: Pages, request: Request) -> Response:
    """`/open`: the passage behind a pointer, checked against its file."""
    question = question_of(OpenQuery, request, *RANKING)
    of_sessions = question.pointer.startswith("session:")
    with pages.services.project(question.project, question.pointer, of_sessions=of_sessions) as project:
        answer = open_asked(project, question, passwords=pages.services.config.passwords)
    asked = {name: request.query_params.getlist(name) for name in request.query_params if name in RANKING}
    return pages.page("open.html", request, question=question, answer=answer, of_sessions=of_sessions, asked=asked)


def neighbors_page(pages: Pages, request: Request) -> Response:
    """`/neighbors`: the nearest chunks of a chunk; near-duplicates marked."""
    question = question_of(NeighborsQuery, request)
    with pages.services.project(question.project, question.chunk) as project:
        answer = neighbors_asked(project, question)
    fields = [forms.field(question, name) for name in ("paths", "tags", "kinds", "limit", "embed")]
    return pages.page("neighbors.html", request, question=question, answer=answer, fields=fields)
