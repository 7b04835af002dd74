"""A pointer to a message of a conversation: `session:claude/<id>#<uuid>.<block>,c=120-980@3fa9c1d2e4b5`.

It names the message, not a place in a file: it stays right when the file is moved, grows or is written anew. `c` are
code points of the message's text as its reader makes it, left out where the passage is the whole message. The hash is
the first 12 hex digits of the passage's SHA-256 with `\\n` newlines, over the original text, before any secret in it
was redacted.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from glassdex.errors import InvalidPointer
from glassdex.pointers.encoding import NAME, decode_name, encode_name

SESSION_EXAMPLE = "session:claude/0d3f…#7b5e….0,c=0-612@3fa9c1d2e4b5"
_FORM = re.compile(
    rf"(?:(?P<project>{NAME}):)?session:(?P<source>[a-z0-9][a-z0-9._-]*)/(?P<session>{NAME})#(?P<uuid>{NAME})"
    r"\.(?P<block>[0-9]{1,6})(?:,c=(?P<start>[0-9]{1,12})-(?P<end>[0-9]{1,12}))?@(?P<hash>[0-9a-f]{12})"
)


@dataclass(frozen=True, slots=True)
class SessionPointer:
    """A passage of a message, or, without offsets, the whole message."""

    source: str
    session: str
    uuid: str
    block: int
    passage_hash: str
    char_start: int | None = None
    char_end: int | None = None
    project: str | None = None


def format_session_pointer(pointer: SessionPointer) -> str:
    """The text form."""
    project = f"{encode_name(pointer.project)}:" if pointer.project else ""
    passage = "" if pointer.char_start is None else f",c={pointer.char_start}-{pointer.char_end}"
    return (
        f"{project}session:{pointer.source}/{encode_name(pointer.session)}"
        f"#{encode_name(pointer.uuid)}.{pointer.block}{passage}@{pointer.passage_hash}"
    )


def parse_session_pointer(text: str) -> SessionPointer | None:
    """Reads the text form; nothing where the text is a pointer of another form, or none.

    Raises:
        InvalidPointer: it has this form, and an empty or reversed range or a damaged name.
    """
    match = _FORM.fullmatch(text.strip())
    if match is None:
        return None
    start, end = (None if match[name] is None else int(match[name]) for name in ("start", "end"))
    if start is not None and end is not None and end <= start:
        raise InvalidPointer(f"the range of {text[:200]!r} is empty or reversed", "copy the pointer again, whole")
    return SessionPointer(
        source=match["source"],
        session=decode_name(match["session"], text),
        uuid=decode_name(match["uuid"], text),
        block=int(match["block"]),
        passage_hash=match["hash"],
        char_start=start,
        char_end=end,
        project=decode_name(match["project"], text) if match["project"] else None,
    )
