"""Conversations: which there are, and a page of one around the message that matched."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from glassdex.answers.sessions import session_asked, sessions_asked
from glassdex.server.pages import forms
from glassdex.server.pages.asked import address, given_in, question_of
from glassdex.server.pages.rendering import Pages
from glassdex.server.queries import SessionQuery, SessionsQuery

BEFORE = 3
"""Messages that stand above the one that a pointer leads to."""


def sessions_page(pages: Pages, request: Request) -> Response:
    """`/sessions`: the one with the latest message first."""
    question = question_of(SessionsQuery, request)
    with pages.services.project(question.project, of_sessions=True) as project:
        answer = sessions_asked(project, question)
    given = given_in(question)
    before, after = max(0, question.offset - question.limit), question.offset + question.limit
    return pages.page(
        "sessions.html",
        request,
        answer=answer,
        fields=[forms.field(question, name) for name in ("since", "until", "tz", "limit")],
        previous=address("/sessions", given, offset=before or None) if question.offset else None,
        next=address("/sessions", given, offset=after) if after < answer.total else None,
    )


def session_page(pages: Pages, request: Request) -> Response:
    """`/session`: by pointer a few messages before it, with that one marked; else from an offset on."""
    question = question_of(SessionQuery, request)
    matched = None
    with pages.services.project(question.project, question.at, of_sessions=True) as project:
        if question.at is not None and question.offset is None:
            found = session_asked(project, question.model_copy(update={"limit": 1}))
            matched = found.offset
            name = f"{found.session.source}/{found.session.id}"
            start = str(max(0, matched - BEFORE))
            question = question.model_copy(update={"at": None, "session": name, "offset": start})
        answer = session_asked(project, question)
    given = {**given_in(question), "session": f"{answer.session.source}/{answer.session.id}"}
    return pages.page(
        "session.html",
        request,
        answer=answer,
        matched=matched,
        full=None if question.full else address("/session", given, full=True, offset=answer.offset),
        previous=answer.previous and address("/session", given, offset=answer.previous),
        next=answer.next and address("/session", given, offset=answer.next),
    )
