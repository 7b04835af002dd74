"""What a PDF says of itself: title, author, subject, keywords and dates."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from pathlib import PurePosixPath

from glassdex.model import Json
from glassdex.reading.pdf.pdfium import OpenFile

_JUNK_TITLE = re.compile(
    r"untitled.*|\(?(?:anonymous|unspecified|none|null|unknown|title|no title)\)?|(?:pdf )?document\s*\d*"
    r"|microsoft (?:word|powerpoint|excel)\b.*|powerpoint[- ]pr\w+|(?:slide|folie|page|seite) \d+|.*\.\w{2,4}"
    r"|[a-z]:\\.*|file:.*|[\W\d_]*",
    re.IGNORECASE | re.DOTALL,
)
_JUNK_VALUE = re.compile(r"\(?(?:anonymous|unspecified|unknown|none)\)?|\W*", re.IGNORECASE)
_DATE = re.compile(
    r"(?:D:)?(\d{4})(?:(\d\d)(?:(\d\d)(?:(\d\d)(\d\d)(\d\d)?)?)?)?\s*(?:(Z)|([+-])(\d\d)'?(\d\d)?'?)?", re.ASCII
)
_UNWANTED = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]+")
_TEXTS = {"author": b"Author", "subject": b"Subject", "keywords": b"Keywords"}
_DATES = {"created": b"CreationDate", "modified": b"ModDate"}


def stated_title(file: OpenFile, path: PurePosixPath) -> str | None:
    """The title that the author gave; None where a program only filled the field."""
    title = _clean(file.info(b"Title"))
    is_junk = _JUNK_TITLE.fullmatch(title) or title.casefold() in (path.name.casefold(), path.stem.casefold())
    return None if is_junk else title


def metadata_of(file: OpenFile) -> dict[str, Json]:
    """Author, subject and keywords as stated, dates in ISO 8601; what is absent or says nothing is left out."""
    found: dict[str, Json] = {}
    for name, tag in _TEXTS.items():
        value = _clean(file.info(tag))
        if not _JUNK_VALUE.fullmatch(value):
            found[name] = value
    for name, tag in _DATES.items():
        date = iso_date(file.info(tag))
        if date is not None:
            found[name] = date
    return found


def iso_date(stated: str) -> str | None:
    """A PDF date (ISO 32000-1, 7.9.4) as a time in UTC, or as a day where the file names no zone or no time."""
    match = _DATE.match(stated.strip())
    if not match:
        return None
    year, month, day, hour, minute, second = (int(part) if part else None for part in match.groups()[:6])
    try:
        moment = datetime(year or 0, month or 1, day or 1, hour or 0, minute or 0, second or 0, tzinfo=UTC)
        zone = timedelta(hours=int(match[9] or 0), minutes=int(match[10] or 0))
        if hour is None or not (match[7] or match[8]):
            return moment.date().isoformat()
        moment = moment.replace(tzinfo=timezone(-zone if match[8] == "-" else zone)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def _clean(text: str) -> str:
    return " ".join(_UNWANTED.sub(" ", text).split())
