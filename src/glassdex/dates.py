"""ISO 8601 dates → seconds since 1970; a day, month or year without a zone is one in UTC."""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime, timedelta, tzinfo

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_MONTH_OR_YEAR = re.compile(r"([0-9]{4})(?:-([0-9]{2}))?")


def zone(name: str | None) -> tzinfo:
    """The zone of that IANA name, such as `Europe/Berlin`; UTC without one.

    Raises:
        ValueError: there is none of that name.
    """
    if name is None or name.upper() in ("UTC", "Z"):
        return UTC
    from zoneinfo import ZoneInfo

    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        raise ValueError(f"{name!r} is no time zone, such as Europe/Berlin or UTC") from None


def parse_instant(text: str, default: tzinfo = UTC) -> tuple[float, bool]:
    """(first instant of what `text` names, whether that is a day or longer); seconds since 1970 UTC.

    What names no zone is in the `default` one.

    Raises:
        ValueError: the text is something else; the message is the text.
    """
    begin, end = _span(text, default)
    return begin, end is not None


def end_of(text: str, default: tzinfo = UTC) -> float:
    """The first instant after what `text` names, be it a year, a month, a day or a moment: all are included."""
    begin, end = _span(text, default)
    return math.nextafter(begin, math.inf) if end is None else end


def day_in_words(seconds: float | None) -> str:
    """`8 May 2023` in UTC, as people ask for it; nothing for a time that is unknown or no date."""
    if seconds is None:
        return ""
    try:
        moment = _EPOCH + timedelta(seconds=seconds)
    except OverflowError:
        return ""
    return f"{moment.day} {_MONTHS[moment.month - 1]} {moment.year}"


def _span(text: str, default: tzinfo) -> tuple[float, float | None]:
    """Begin and end of what `text` names; a moment has no end."""
    try:
        whole = _MONTH_OR_YEAR.fullmatch(text)
        if whole:
            year, month = int(whole[1]), int(whole[2] or 1)
            begin = datetime(year, month, 1, tzinfo=default)
            following = begin.replace(year=year + 1) if not whole[2] or month == 12 else begin
            return begin.timestamp(), following.replace(month=month % 12 + 1 if whole[2] else 1).timestamp()
        moment = datetime.fromisoformat(text)
    except (ValueError, OverflowError):
        raise ValueError(repr(text)) from None
    begin = moment if moment.tzinfo else moment.replace(tzinfo=default)
    if len(text) > len("2026-01-01"):
        return begin.timestamp(), None
    try:
        return begin.timestamp(), (begin + timedelta(days=1)).timestamp()  # 23 hours where clocks are put on
    except OverflowError:  # after the last day that there is
        return begin.timestamp(), begin.timestamp() + timedelta(days=1).total_seconds()
