"""JSON, and JSON by lines: one record for each element of a top-level array, for each line, or for the whole.

`Document.text` is extracted: each value on a line of its own behind the path that leads to it, such as
`author.names[0]: Zoë`, with escapes decoded, so that what a program wrote as `\\u00eb` is found as a person writes it.
Numbers stand as in the file. Places lead back to the record and its lines in the file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from glassdex.errors import FileDamaged, LimitExceeded
from glassdex.model import Block, Document, Place, ReadingWarning, Row
from glassdex.reading.protocol import HEAD_BYTES, LINE_SUFFIXES, Limits, ReadingOptions
from glassdex.reading.text import LineIndex, decode_utf8

_BID = 60
"""Less than a reader that knows what the records mean, such as one of transcripts."""
_LOCK_FILES = frozenset({"package-lock.json", "npm-shrinkwrap.json", "packages.lock.json", "project.assets.json"})
_TITLE_KEYS = ("title", "name", "id")
_MAX_PATH_CHARACTERS = 300
_MAX_TITLE_CHARACTERS = 200
_MAX_BROKEN_LINES_NAMED = 20
_SPACE = re.compile(r"[ \t\r\n]*")
_SURROGATE = re.compile("[\ud800-\udfff]")
_BOM = b"\xef\xbb\xbf"


class JsonReader:
    """Reads records: a `record` row each, a block for each of its values."""

    name: str = "json"
    version: int = 1
    format: str = "json"
    isolated: bool = True

    def bid(self, path: PurePosixPath, head: bytes) -> int:
        """60 for `.json`, `.jsonl` and `.ndjson`; 0 for lock files and JSON that is one endless line."""
        suffix = path.suffix.lower()
        if suffix in LINE_SUFFIXES:
            return _BID
        machine_made = path.name.lower() in _LOCK_FILES or path.name.lower().endswith(".min.json")
        endless = len(head) >= HEAD_BYTES and b"\n" not in head
        return _BID if suffix == ".json" and not machine_made and not endless else 0

    def read(self, path: PurePosixPath, content: bytes, options: ReadingOptions = ReadingOptions()) -> Document:
        """The records' document.

        Raises:
            UnsupportedEncoding: the bytes are not UTF-8.
            FileDamaged: no JSON; of JSON by lines, no line is.
            LimitExceeded: deeper, or with more text, than allowed.

        """
        gathered = _Gathered(options.limits)
        if path.suffix.lower() in LINE_SUFFIXES:
            _read_lines(content, gathered)
        else:
            _read_whole(content, gathered)
        return Document(
            format=self.format,
            title=path.stem,
            title_source="file_name",
            text="".join(gathered.texts),
            rows=tuple(gathered.rows),
            warnings=tuple(gathered.warnings),
            places=tuple(gathered.places) or (Place(0, 0, line_start=1, line_end=1),),
        )


class _Members(list[tuple[str, object]]):
    """A JSON object as it is written: a name that comes twice is there twice."""


_DECODER = json.JSONDecoder(object_pairs_hook=_Members, parse_int=str, parse_float=str, parse_constant=str)


@dataclass(slots=True)
class _Gathered:
    """The document so far."""

    limits: Limits
    texts: list[str] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    warnings: list[ReadingWarning] = field(default_factory=list)
    length: int = 0

    def add(self, value: object, record: int, line_start: int, line_end: int) -> None:
        lines: list[str] = []
        blocks: list[Block] = []
        headings = _headings(value)
        at = 0
        for depth, line in _lines(value, self.limits.nesting):
            if self.length + at > self.limits.characters:
                raise LimitExceeded(
                    f"the records hold more than {self.limits.characters:,} characters (limit characters)",
                    suggestion="Split the file, or raise the limit if you trust it.",
                )
            blocks.append(Block("list_item", at, at + len(line), headings, depth))
            lines.append(line)
            at += len(line) + 1
        text = "\n".join(lines)
        start, end = self.length, self.length + len(text)
        self.rows.append(Row("record", len(self.rows), text, start, tuple(blocks)))
        self.places.append(Place(start, end, record=record, line_start=line_start, line_end=line_end))
        self.texts += (text, "\n\n")
        self.length = end + 2


def _read_lines(content: bytes, gathered: _Gathered) -> None:
    """Read a record from each line; only `\\n` ends one, as the format says, and U+2028 in a value does not."""
    lines = content.removeprefix(_BOM).split(b"\n")
    record = broken = 0
    reason: Exception | None = None
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        record += 1
        try:
            value = _decoded(line)
        except (json.JSONDecodeError, UnicodeDecodeError) as error:
            broken += 1
            reason = reason or error
            if broken <= _MAX_BROKEN_LINES_NAMED:
                gathered.warnings.append(_line_warning(error, number, last=number == len(lines)))
            continue
        gathered.add(value, record, number, number)
    if broken > _MAX_BROKEN_LINES_NAMED:
        more = broken - _MAX_BROKEN_LINES_NAMED
        gathered.warnings.append(ReadingWarning("broken_lines", f"{more} more lines are no JSON and were left out"))
    if broken and broken == record and len(lines) > 1:
        _refuse(content, reason)


def _refuse(content: bytes, reason: Exception | None) -> None:
    decode_utf8(content)
    raise FileDamaged(
        f"none of the file's lines is JSON; the first fails with: {reason}",
        suggestion="A file of JSON by lines has one whole value on each line.",
    )


def _line_warning(error: Exception, line: int, *, last: bool) -> ReadingWarning:
    if last:
        return ReadingWarning("unfinished_line", f"line {line} has no end yet and was left out", line)
    return ReadingWarning("broken_line", f"line {line} is no JSON and was left out: {error}", line)


def _decoded(line: bytes) -> object:
    try:
        return _DECODER.decode(line.decode("utf-8"))
    except RecursionError:
        raise _too_deep() from None


def _read_whole(content: bytes, gathered: _Gathered) -> None:
    text = decode_utf8(content)
    try:
        values = list(_values(text))
    except RecursionError:
        raise _too_deep() from None
    except json.JSONDecodeError as error:
        if _is_by_lines(text, error):
            _read_lines(content, gathered)
            return
        raise FileDamaged(
            f"the file is no JSON: {error.msg} at line {error.lineno}, column {error.colno}",
            suggestion="JSON allows neither comments nor commas behind the last element.",
        ) from None
    lines = LineIndex(text)
    for record, (value, start, end) in enumerate(values, start=1):
        gathered.add(value, record, lines.line_of(start), lines.line_of(end - 1))


def _is_by_lines(text: str, error: json.JSONDecodeError) -> bool:
    """Whether a file that is no single JSON value begins with a whole object on its first line, and goes on."""
    first = text.lstrip()[:1]
    return first == "{" and error.msg == "Extra data" and "\n" in text[: error.pos]


def _values(text: str) -> Iterator[tuple[object, int, int]]:
    """Each element of a top-level array, or the one value, with its offsets."""
    start = _skip_space(text, 0)
    if text[start : start + 1] != "[":
        value, end = _DECODER.raw_decode(text, start)
        yield value, start, end
    else:
        end = start + 1
        first = _skip_space(text, end)
        if text[first : first + 1] == "]":
            end = first + 1
        else:
            separator = ","
            while separator == ",":
                start = _skip_space(text, end)
                value, end = _DECODER.raw_decode(text, start)
                yield value, start, end
                end = _skip_space(text, end)
                separator = text[end : end + 1]
                end += 1
            if separator != "]":
                raise json.JSONDecodeError("Expecting ',' delimiter", text, end - 1)
    end = _skip_space(text, end)
    if end != len(text):
        raise json.JSONDecodeError("Extra data", text, end)


def _skip_space(text: str, offset: int) -> int:
    match = _SPACE.match(text, offset)
    return match.end() if match else offset


def _path(path: str, step: str) -> str:
    """The path to a member; what stands far up in it is left out, since a file may repeat it for each value."""
    longer = path + step
    return longer if len(longer) <= _MAX_PATH_CHARACTERS else "…" + longer[1 - _MAX_PATH_CHARACTERS :]


def _lines(value: object, most_nesting: int) -> Iterator[tuple[int, str]]:
    """Each value that holds no other, as a line with its path, and how deep it lies."""
    pending = [("", 0, value)]
    while pending:
        path, depth, found = pending.pop()
        if depth > most_nesting:
            raise _too_deep(most_nesting)
        if isinstance(found, _Members) and found:
            inner = [
                (_path(path, f".{_clean(key)}" if path else _clean(key)), depth + 1, member) for key, member in found
            ]
            pending += reversed(inner)
        elif isinstance(found, list) and found:
            inner = [(_path(path, f"[{index}]"), depth + 1, member) for index, member in enumerate(found)]
            pending += reversed(inner)
        else:
            shown = _shown(found)
            yield max(0, depth - 1), f"{path}: {shown}" if path else shown


def _shown(value: object) -> str:
    if isinstance(value, str):
        return _clean(value)
    if isinstance(value, list):
        return "{}" if isinstance(value, _Members) else "[]"
    return "null" if value is None else "true" if value else "false"


def _clean(text: str) -> str:
    """Half a pair of surrogates is no character and cannot be written anywhere."""
    return _SURROGATE.sub("\ufffd", text)


def _headings(value: object) -> tuple[str, ...]:
    members = {key.casefold(): member for key, member in reversed(value)} if isinstance(value, _Members) else {}
    for key in _TITLE_KEYS:
        title = members.get(key)
        if isinstance(title, str) and title.strip():
            return (_clean(" ".join(title.split()))[:_MAX_TITLE_CHARACTERS],)
    return ()


def _too_deep(limit: int | None = None) -> LimitExceeded:
    named = f"{limit} levels" if limit is not None else "Python's decoder goes"
    return LimitExceeded(
        f"values are nested deeper than {named} (limit nesting)",
        suggestion="Flatten the file, or raise the limit if you trust it.",
    )
