"""What a pointer says, and its text form: `notes/a.md#L12-L14,c=120-980@3fa9c1d2e4b5`.

`project:` may stand in front. Where the passage stands depends on the format: `L12-L14` lines, `page=30` or
`page=29-31`, `sheet=Summary,rows=12-20`, `slide=4`, `record=7`. `c` are code points of the document's text, the hash is
the first 12 hex digits of the passage's SHA-256 with `\\n` newlines. Whatever is not an ASCII letter, digit or one of
`._~/-` is percent-encoded in names, so a pointer goes through a shell, a URL or JSON as it is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from glassdex.errors import InvalidPointer
from glassdex.model import Locator
from glassdex.pointers.encoding import NAME, decode_name, encode_name, encode_path
from glassdex.pointers.session_pointer import SESSION_EXAMPLE, SessionPointer, parse_session_pointer

HASH_DIGITS = 12
EXAMPLES = "notes/a.md#L12-L14,c=120-980@3fa9c1d2e4b5 or report.pdf#page=30,c=40-610@3fa9c1d2e4b5"
_FORM = re.compile(
    rf"(?:(?P<project>{NAME}):)?(?P<path>(?:[A-Za-z0-9._~/-]|%[0-9A-Fa-f]{{2}})+)#"
    rf"(?:sheet=(?P<sheet>(?:{NAME.replace('._~-', '._~/-')})?),)?"
    r"(?:rows=(?P<row_start>[0-9]{1,9})(?:-(?P<row_end>[0-9]{1,9}))?,)?"
    r"(?:page=(?P<page_start>[0-9]{1,9})(?:-(?P<page_end>[0-9]{1,9}))?,)?"
    r"(?:slide=(?P<slide>[0-9]{1,9}),)?(?:record=(?P<record>[0-9]{1,9}),)?"
    r"(?:L(?P<line_start>[0-9]{1,9})(?:-L(?P<line_end>[0-9]{1,9}))?,)?"
    r"c=(?P<start>[0-9]{1,12})-(?P<end>[0-9]{1,12})@(?P<hash>[0-9a-f]{12})"
)


@dataclass(frozen=True, slots=True)
class Pointer:
    """A passage: where it stands, its code points (0-based, half-open) in the document's text, and its hash."""

    path: str
    locator: Locator
    char_start: int
    char_end: int
    passage_hash: str
    project: str | None = None


def format_pointer(pointer: Pointer) -> str:
    """The text form."""
    project = f"{encode_name(pointer.project)}:" if pointer.project else ""
    passage = f"c={pointer.char_start}-{pointer.char_end}@{pointer.passage_hash}"
    return f"{project}{encode_path(pointer.path)}#{','.join([*_places(pointer.locator), passage])}"


def parse_pointer(text: str) -> Pointer | SessionPointer:
    """Reads the text form of a pointer into a file or into a conversation.

    Raises:
        InvalidPointer: the text has another form, or a reversed or impossible range.
    """
    session = parse_session_pointer(text)
    return parse_file_pointer(text) if session is None else session


def parse_file_pointer(text: str) -> Pointer:
    """Reads the text form of a pointer into a file; see `parse_pointer`."""
    match = _FORM.fullmatch(text.strip())
    if match is None:
        raise InvalidPointer(f"not a pointer: {text[:200]!r}", f"a pointer looks like {EXAMPLES} or {SESSION_EXAMPLE}")
    pointer = Pointer(
        path=decode_name(match["path"], text),
        locator=Locator(
            *_range(match, "line"),
            *_range(match, "page"),
            None,
            None if match["sheet"] is None else decode_name(match["sheet"], text),
            *_range(match, "row"),
            _number(match["slide"]),
            _number(match["record"]),
        ),
        char_start=int(match["start"]),
        char_end=int(match["end"]),
        passage_hash=match["hash"],
        project=decode_name(match["project"], text) if match["project"] else None,
    )
    if pointer.char_end <= pointer.char_start or not _is_possible(pointer.locator):
        raise InvalidPointer(f"the ranges of {text[:200]!r} are empty or reversed", "copy the pointer again, whole")
    return pointer


def _places(locator: Locator) -> list[str]:
    places = []
    if locator.sheet is not None:
        places.append(f"sheet={encode_path(locator.sheet)}")
    for name, start, end in (
        ("rows=", locator.row_start, locator.row_end),
        ("page=", locator.page_start, locator.page_end),
        ("slide=", locator.slide, locator.slide),
        ("record=", locator.record, locator.record),
        ("L", locator.line_start, locator.line_end),
    ):
        if start is not None:
            mark = "L" if name == "L" else ""
            places.append(f"{name}{start}" + (f"-{mark}{end}" if end != start else ""))
    return places


def _range(match: re.Match[str], name: str) -> tuple[int | None, int | None]:
    start, end = _number(match[f"{name}_start"]), _number(match[f"{name}_end"])
    return start, start if end is None else end


def _number(digits: str | None) -> int | None:
    return None if digits is None else int(digits)


def _is_possible(locator: Locator) -> bool:
    ranges = (
        (locator.line_start, locator.line_end),
        (locator.page_start, locator.page_end),
        (locator.row_start, locator.row_end),
        (locator.slide, locator.slide),
        (locator.record, locator.record),
    )
    return all(start is None or end is None or 1 <= start <= end for start, end in ranges)
