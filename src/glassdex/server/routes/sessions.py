"""Conversations with agents."""

from __future__ import annotations

from typing import Annotated

from fastapi import FastAPI, Query, Response

from glassdex.answers import sessions
from glassdex.server.queries import SessionQuery, SessionsQuery
from glassdex.server.routes.answering import PREFIX, answered
from glassdex.server.services import Services


def add_session_routes(app: FastAPI, services: Services) -> None:
    """Adds them."""

    @app.get(f"{PREFIX}/sessions", operation_id="sessions", summary="Conversations with agents", tags=["sessions"])
    def get_sessions(question: Annotated[SessionsQuery, Query()]) -> Response:
        """The one with the latest message first."""
        question.refuse_oversized()
        with services.project(question.project, of_sessions=True) as project:
            return answered(sessions.sessions_asked(project, question))

    @app.get(f"{PREFIX}/session", operation_id="session", summary="A page of a conversation", tags=["sessions"])
    def get_session(question: Annotated[SessionQuery, Query()]) -> Response:
        """From an offset, a pointer or a cursor on; `next` and `previous` are cursors. Secrets stay redacted."""
        question.refuse_oversized()
        with services.project(question.project, question.at, of_sessions=True) as project:
            return answered(sessions.session_asked(project, question))
