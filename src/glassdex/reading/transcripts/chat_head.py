"""The beginning of a JSON file as a value, though it ends in the middle of one."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator

from glassdex.model import Json
from glassdex.reading.protocol import HEAD_BYTES

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*(?P<end>"?)|[\[\]{},]', re.DOTALL)
_HALF_ESCAPE = re.compile(r"(?<!\\)((?:\\\\)*)\\(?:u[0-9a-fA-F]{0,3})?\Z")
_CLOSERS = {"[": "]", "{": "}"}
_MAX_NESTING = 500
_BOM = b"\xef\xbb\xbf"


def head_value(head: bytes) -> Json:
    """The value that `head` is or begins with; None where it is no JSON."""
    text = _text(head)
    if text.lstrip()[:1] not in ("{", "["):
        return None
    is_cut = len(head) >= HEAD_BYTES
    return next((value for value in map(_decoded, _completions(text) if is_cut else [text]) if value is not None), None)


def head_records(head: bytes, most: int) -> list[Json]:
    """The first records of JSON by lines, None for a line that is no JSON; of a first line beyond the head its part."""
    lines = head.removeprefix(_BOM).split(b"\n")
    is_cut = len(head) >= HEAD_BYTES
    if is_cut and len(lines) == 1:
        return [head_value(head)]
    whole = lines[:-1] if is_cut else lines
    said = [line for line in whole if line.strip(b" \t\r\0")]
    unfinished = not is_cut and bool(lines[-1].strip())
    records = [_decoded(_text(line)) for line in said[:most]]
    if unfinished and len(said) <= most and len(records) > 1 and records[-1] is None:
        records.pop()  # it is being written
    return records


def _text(head: bytes) -> str:
    decoder = codecs.getincrementaldecoder("utf-8")("strict")
    try:
        return decoder.decode(head.removeprefix(_BOM))  # a character that the head cuts in two is left out
    except UnicodeDecodeError:
        return ""


def _decoded(text: str) -> Json:
    try:
        value: Json = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value


def _completions(text: str) -> Iterator[str]:
    """`text`, with its last string and all that is open closed; then only up to its last comma."""
    closers = ""  # of what is open, the innermost first
    last_comma, at_comma = 0, ""
    in_string = False
    for token in _TOKEN.finditer(text):
        first = token[0][0]
        in_string = first == '"' and not token["end"]
        if first in _CLOSERS:
            closers = _CLOSERS[first] + closers
            if len(closers) > _MAX_NESTING:
                return
        elif first in "]}":
            closers = closers[1:]
        elif first == ",":
            last_comma, at_comma = token.start(), closers
    if in_string:
        yield _HALF_ESCAPE.sub(r"\1", text) + '"' + closers
    yield text + closers
    yield text[:last_comma] + at_comma
