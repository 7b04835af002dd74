"""Which conversations there are, the one with the latest message first."""

from __future__ import annotations

import math
from dataclasses import dataclass

from glassdex.dates import end_of, parse_instant, zone
from glassdex.errors import InvalidRequest
from glassdex.storage.records import SessionRecord
from glassdex.storage.sqlite.snapshot import SqliteSnapshot


@dataclass(frozen=True, slots=True)
class SessionList:
    """`sessions` are the first `limit` of `total`; `undated` have no known time, so a range of dates left them out."""

    sessions: tuple[SessionRecord, ...]
    total: int
    undated: int = 0


def list_sessions(
    snapshot: SqliteSnapshot,
    *,
    since: str | None = None,
    until: str | None = None,
    tz: str | None = None,
    limit: int | None = None,
) -> SessionList:
    """Conversations with a message within the range, both ends included whole; none without messages of its own.

    Raises:
        InvalidRequest: a date or the zone cannot be read, or `limit` is not 1 or more.
    """
    if limit is not None and limit < 1:
        raise InvalidRequest(f"limit = {limit} is not 1 or more")
    begin = -math.inf if since is None else _instant("since", since, tz)
    end = math.inf if until is None else _instant("until", until, tz, end=True)
    told = [session for session in snapshot.sessions() if session.total]
    if since is None and until is None:
        within, undated = told, 0
    else:
        spoken = snapshot.sessions_dated(begin, end)
        within = [one for one in told if one.session_id in spoken]
        undated = sum(one.started_at is None for one in told)
    within.sort(key=lambda one: (-(one.ended_at if one.ended_at is not None else -math.inf), one.source, one.name))
    return SessionList(tuple(within[:limit]), len(within), undated)


def _instant(name: str, text: str, tz: str | None, *, end: bool = False) -> float:
    try:
        return end_of(text, zone(tz)) if end else parse_instant(text, zone(tz))[0]
    except ValueError as error:
        raise InvalidRequest(
            f"{name}: {error} is no date", "for example 2026-11-30 or 2026-11-30T14:00+01:00"
        ) from error
