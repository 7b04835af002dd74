"""What a pointer says, and its text form: `notes/a.md#L12-L14,c=120-980@3fa9c1d2e4b5`.

`project:` may stand in front. `L` are lines, `c` code points of the decoded file, the hash is the first 12 hex digits
of the passage's SHA-256 with `\\n` newlines. Whatever is not an ASCII letter, digit or one of `._~/-` is
percent-encoded in names, so a pointer goes through a shell, a URL or JSON as it is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import quote, unquote

from glassdex.errors import InvalidPointer

HASH_DIGITS = 12
_FORM = re.compile(
    r"(?:(?P<project>(?:[A-Za-z0-9._~-]|%[0-9A-Fa-f]{2})+):)?(?P<path>(?:[A-Za-z0-9._~/-]|%[0-9A-Fa-f]{2})+)"
    r"#L(?P<line_start>[0-9]{1,9})(?:-L(?P<line_end>[0-9]{1,9}))?,c=(?P<start>[0-9]{1,12})-(?P<end>[0-9]{1,12})"
    r"@(?P<hash>[0-9a-f]{12})"
)


@dataclass(frozen=True, slots=True)
class Pointer:
    """A passage: lines 1-based and inclusive, code points 0-based and half-open, and its hash."""

    path: str
    line_start: int
    line_end: int
    char_start: int
    char_end: int
    passage_hash: str
    project: str | None = None


def format_pointer(pointer: Pointer) -> str:
    """The text form."""
    project = f"{_encode(pointer.project).replace('/', '%2F')}:" if pointer.project else ""
    lines = f"L{pointer.line_start}" + (f"-L{pointer.line_end}" if pointer.line_end != pointer.line_start else "")
    return f"{project}{_encode(pointer.path)}#{lines},c={pointer.char_start}-{pointer.char_end}@{pointer.passage_hash}"


def parse_pointer(text: str) -> Pointer:
    """Reads the text form.

    Raises:
        InvalidPointer: the text has another form, or a reversed or impossible range.
    """
    match = _FORM.fullmatch(text.strip())
    if match is None:
        raise InvalidPointer(
            f"not a pointer: {text[:200]!r}", "a pointer looks like notes/a.md#L12-L14,c=120-980@3fa9c1d2e4b5"
        )
    line_start = int(match["line_start"])
    pointer = Pointer(
        path=_decode(match["path"], text),
        line_start=line_start,
        line_end=int(match["line_end"] or line_start),
        char_start=int(match["start"]),
        char_end=int(match["end"]),
        passage_hash=match["hash"],
        project=_decode(match["project"], text) if match["project"] else None,
    )
    if pointer.line_end < line_start or line_start < 1 or pointer.char_end <= pointer.char_start:
        raise InvalidPointer(f"the ranges of {text[:200]!r} are empty or reversed", "copy the pointer again, whole")
    return pointer


def _decode(name: str, pointer: str) -> str:
    try:
        return unquote(name, errors="surrogatepass")
    except UnicodeDecodeError as error:
        raise InvalidPointer(
            f"the percent-encoding in {pointer[:200]!r} is not UTF-8", "copy the pointer again, whole"
        ) from error


def _encode(name: str) -> str:
    return quote(name.encode("utf-8", "surrogatepass"), safe="._~/-")
