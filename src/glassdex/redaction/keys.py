"""Private keys of which a part is missing, as tools print them: cut short, numbered, indented, quoted, with a gap.

From the first of its lines to the last all goes, what a tool put between them too. A key that is whole is a matter of
one pattern (contexts.py); this looks at the lines after a BEGIN, and before an END, one by one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from glassdex.redaction.assignments import Found

_REACH = 65_536
"""Bytes that are looked at from the line that frames the key."""
_MOST_IN_A_LINE = 400
_BREAK = re.compile(rb"\r\n|\r|\n|\\{1,7}[nr]")
_BEFORE = rb"(?:[^\s:]{1,120}:)?[^A-Za-z+/]{0,40}"
"""What a tool puts before a line: a file's name, a number, marks, blanks."""
_BODY = re.compile(_BEFORE + rb"([A-Za-z0-9+/]{16,}={0,2})[\s\"'+,|]*")
_SHORT = re.compile(_BEFORE + rb"([A-Za-z0-9+/]{2,}={0,2})[\s\"'+,|]*")
_BESIDE_A_BODY = re.compile(
    rb"[^A-Za-z0-9]*\Z"  # blank
    rb"|[^A-Za-z]*\Z"  # a number
    rb"|.*(?:Proc-Type|DEK-Info|Version|Comment|Hash): "
    rb"|.*(?:\.\.\.|\?|truncated|omitted|more lines)",
    re.IGNORECASE | re.DOTALL,
)
_SHORTEST = 24
_KINDS = tuple(map(re.compile, (rb"[A-Z]", rb"[a-z]", rb"[0-9+/]")))
_FRAME = re.compile(rb"-----(?:BEGIN|END) ")


def lines_after(begin: re.Match[bytes]) -> Found:
    """The lines of a key that follow its BEGIN, whether or not there is an END."""
    text = begin.string[begin.end() : begin.end() + _REACH]
    spans = _body_lines(_lines(text), begin.end(), is_short_last=True)
    return Found(((spans[0][0], spans[-1][1]),), spans[-1][1]) if spans else Found((), begin.end())


def lines_before(end: re.Match[bytes]) -> Found:
    """The lines of a key that stand before its END, whether or not there is a BEGIN."""
    first = max(0, end.start() - _REACH)
    lines = list(_lines(end.string[first : end.start()]))
    spans = _body_lines(reversed(lines[:-1]), first, is_short_last=False)
    return Found(((spans[-1][0], spans[0][1]),) if spans else (), end.end())


def _lines(text: bytes) -> Iterator[tuple[int, bytes]]:
    """(offset, line) of every line, also of those whose breaks are escaped."""
    at = 0
    for found in _BREAK.finditer(text):
        yield at, text[at : found.start()]
        at = found.end()
    yield at, text[at:]


def _body_lines(lines: Iterator[tuple[int, bytes]], offset: int, *, is_short_last: bool) -> list[tuple[int, int]]:
    """Where the base 64 of each line stands, as far as the lines are a key's.

    A short line is the key's last one: read forwards it ends the key, read backwards it begins it.
    """
    spans: list[tuple[int, int]] = []
    base64 = b""
    for at, line in lines:
        if len(line) > _MOST_IN_A_LINE or _FRAME.search(line):
            break
        body = _BODY.fullmatch(line)
        short = None if body else _SHORT.fullmatch(line)
        if body:
            spans.append((offset + at + body.start(1), offset + at + body.end(1)))
            base64 += body[1]
        elif short and (spans if is_short_last else not spans) and not _BESIDE_A_BODY.match(line):
            spans.append((offset + at + short.start(1), offset + at + short.end(1)))
            if is_short_last:
                break
        elif not _BESIDE_A_BODY.match(line):
            break
    return spans if is_varied_base64(base64) else []


def is_varied_base64(text: bytes) -> bool:
    """Whether it may be a key's body: long enough, and with all kinds of signs."""
    return len(text) >= _SHORTEST and all(kind.search(text) for kind in _KINDS)
