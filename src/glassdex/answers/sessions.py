"""Conversations: which there are, and a page of one."""

from __future__ import annotations

from dataclasses import replace
from datetime import tzinfo

from glassdex.answers.questions import SessionQuestion, SessionsQuestion
from glassdex.dates import zone
from glassdex.envelopes.session import SessionAnswer, SessionsAnswer, session_answer, sessions_answer
from glassdex.errors import InvalidRequest
from glassdex.project import Project
from glassdex.settings import MAX_LIMIT


def sessions_asked(project: Project, question: SessionsQuestion) -> SessionsAnswer:
    """A page of the list, the session with the latest message first.

    Raises:
        InvalidRequest: a date or the zone cannot be read, or limit or offset is outside its domain.
    """
    printed_in = named_zone(question.tz)
    if not 1 <= question.limit <= MAX_LIMIT or question.offset < 0:
        raise InvalidRequest(
            f"limit {question.limit} at offset {question.offset} is no page", f"limit is 1 to {MAX_LIMIT}, offset 0 …"
        )
    listed = project.sessions(
        since=question.since, until=question.until, tz=question.tz, limit=question.offset + question.limit
    )
    return sessions_answer(replace(listed, sessions=listed.sessions[question.offset :]), project.name, printed_in)


def session_asked(project: Project, question: SessionQuestion) -> SessionAnswer:
    """A page of a conversation, read from its file as it is now; secrets stay redacted."""
    printed_in = named_zone(question.tz)
    page = project.session(
        question.session, at=question.at, offset=question.offset, limit=question.limit, full=question.full
    )
    return session_answer(page, project.name, printed_in)


def named_zone(name: str | None) -> tzinfo:
    """The time zone of that name; UTC without one.

    Raises:
        InvalidRequest: there is none.
    """
    try:
        return zone(name)
    except ValueError as error:
        raise InvalidRequest(f"tz: {error}", "for example Europe/Berlin") from error
