"""ISO 8601 dates → seconds since 1970; a day, month or year without a zone is one in UTC."""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime, timedelta

_MONTH_OR_YEAR = re.compile(r"([0-9]{4})(?:-([0-9]{2}))?")


def parse_instant(text: str) -> tuple[float, bool]:
    """(first instant of what `text` names, whether that is a day or longer); seconds since 1970 UTC.

    Raises:
        ValueError: the text is something else; the message is the text.
    """
    begin, end = _span(text)
    return begin, end is not None


def end_of(text: str) -> float:
    """The first instant after what `text` names, be it a year, a month, a day or a moment: all are included."""
    begin, end = _span(text)
    return math.nextafter(begin, math.inf) if end is None else end


def _span(text: str) -> tuple[float, float | None]:
    """Begin and end of what `text` names; a moment has no end."""
    try:
        whole = _MONTH_OR_YEAR.fullmatch(text)
        if whole and whole[2]:
            begin = datetime(int(whole[1]), int(whole[2]), 1, tzinfo=UTC)
            return begin.timestamp(), (begin + timedelta(days=31)).replace(day=1).timestamp()
        if whole:
            begin = datetime(int(whole[1]), 1, 1, tzinfo=UTC)
            return begin.timestamp(), (begin + timedelta(days=366)).replace(month=1, day=1).timestamp()
        moment = datetime.fromisoformat(text)
    except (ValueError, OverflowError):
        raise ValueError(repr(text)) from None
    begin = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    is_day = len(text) <= len("2026-01-01")
    return begin.timestamp(), begin.timestamp() + timedelta(days=1).total_seconds() if is_day else None
