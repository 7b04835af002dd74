"""ISO 8601 dates → seconds since 1970; a day without a zone is a day in UTC."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta


def parse_instant(text: str) -> tuple[float, bool]:
    """(seconds since 1970 UTC, whether the text named only a day). Raises ValueError for anything else."""
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return moment.timestamp(), len(text) <= len("2026-01-01")


def end_of(text: str) -> float:
    """The first instant after what `text` names, be it a whole day or a moment: both are included."""
    seconds, is_day = parse_instant(text)
    return seconds + timedelta(days=1).total_seconds() if is_day else math.nextafter(seconds, math.inf)
