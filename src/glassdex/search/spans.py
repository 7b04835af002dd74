"""Ranges of places: pages, rows, slides, records, lines; 1-based and inclusive."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from glassdex.errors import InvalidRange

if TYPE_CHECKING:
    from glassdex.storage.records import PlaceColumn

SPANS: Mapping[str, PlaceColumn] = {
    "pages": "page",
    "rows": "row",
    "slide": "slide",
    "records": "record",
    "lines": "line",
}
"""The filter's name, and the beginning of its two fields in `SearchRequest`."""

_SPAN = re.compile(r"(?P<first>[0-9]{1,9})(?:\s*[-–]\s*(?P<last>[0-9]{1,9}))?")


def parse_span(name: str, text: str) -> tuple[int, int | None]:
    """`30` or `30-90` as a person writes it.

    Raises:
        InvalidRange: it is neither, such as an open `30-`.
    """
    match = _SPAN.fullmatch(text.strip())
    if match is None:
        raise InvalidRange(f"{text!r} is no range of {name}", "write one number, or the first and the last: 30-90")
    return int(match["first"]), int(match["last"]) if match["last"] else None


def refuse_bad_span(name: str, first: int | str | None, last: int | str | None) -> None:
    """Refuses a range without a beginning, before 1, or reversed.

    Raises:
        InvalidRange: says which.
    """
    if first is None and last is not None:
        raise InvalidRange(f"the range of {name}s has no beginning", f"name the first {name} too")
    if not isinstance(first, int):
        return
    if first < 1:
        raise InvalidRange(f"{name} {first} does not exist", f"{name}s count from 1")
    if isinstance(last, int) and last < first:
        raise InvalidRange(f"the {name}s {first}-{last} are reversed", f"swap them: {last}-{first}")
