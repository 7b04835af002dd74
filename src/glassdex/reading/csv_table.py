"""Tables in text: CSV, TSV and their relatives, with the record and the physical lines of each passage.

A record ends at a line's end that is not inside quotes, so it may have several lines. Records are counted as a
spreadsheet would: the header is record 1, and a blank line is none.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import PurePosixPath

from glassdex.model import Block, Document, Place, ReadingWarning, Row
from glassdex.reading.protocol import ReadingOptions
from glassdex.reading.tables import has_header
from glassdex.reading.text import LineIndex, decode_utf8

_SUFFIXES = frozenset({".csv", ".tsv", ".tab"})
_TABBED = frozenset({".tsv", ".tab"})
_DELIMITERS = "\t;|,"
"""The likeliest first where several split equally well: a comma also stands inside numbers and prose."""
_RECORDS_SNIFFED = 100
_CHARACTERS_SNIFFED = 65_536
_STATED_DELIMITER = re.compile(r"sep=([\t;|,])(?:\r\n?|\n|\Z)", re.IGNORECASE)
"""The line with which Excel is told the delimiter; it is no record."""


class CsvReader:
    """Reads a file of separated values: one `table` row, a block for each record."""

    name: str = "csv"
    version: int = 1
    format: str = "csv"
    isolated: bool = True

    def bid(self, path: PurePosixPath, head: bytes) -> int:
        """80 for `.csv`, `.tsv` and `.tab`, else 0."""
        return 80 if path.suffix.lower() in _SUFFIXES else 0

    def read(self, path: PurePosixPath, content: bytes, options: ReadingOptions = ReadingOptions()) -> Document:
        """The table's document.

        Raises:
            UnsupportedEncoding: the bytes are not UTF-8.

        """
        text = decode_utf8(content)
        stated = _STATED_DELIMITER.match(text)
        start = stated.end() if stated else 0
        dialect = Dialect(stated[1]) if stated else sniffed(text, path.suffix.lower() in _TABBED)
        scan = _Scan(text, dialect, start)
        records = list(scan.records())
        return Document(
            format=self.format,
            title=path.stem,
            title_source="file_name",
            text=text,
            rows=tuple(_table(text, dialect, records)),
            metadata={"delimiter": dialect.delimiter, "quote": dialect.quote},
            warnings=tuple(scan.warnings),
            places=tuple(
                Place(record.start, record.end, row=number, line_start=record.line_start, line_end=record.line_end)
                for number, record in enumerate(records, start=1)
            ),
        )


@dataclass(frozen=True, slots=True)
class _Record:
    """A record's text, its final newline left out, and its lines from 1."""

    start: int
    end: int
    line_start: int
    line_end: int


@dataclass(frozen=True, slots=True)
class _Field:
    """One value; `closed` is false for one that opens a quote and goes on without it ever being closed."""

    text: str
    closed: bool = True


@dataclass(frozen=True)
class Dialect:
    """What parts the fields of a record, and what a field stands in that holds a delimiter or a line's end."""

    delimiter: str
    quote: str = '"'

    def fields(self, record: str) -> list[_Field]:
        """The fields of one record, without the quotes that they stand in."""
        return [self._field(*match.groups()) for match in self._each_field.finditer(record)]

    def end_of_record(self, text: str, start: int) -> int:
        """Where the record that begins at `start` ends, before its newline."""
        match = self._record.match(text, start)
        return match.end() if match else start

    def _field(self, quoted: str | None, rest: str | None, plain: str | None) -> _Field:
        if quoted is not None:
            return _Field(quoted.replace(2 * self.quote, self.quote) + (rest or "").rstrip())
        text = (plain or "").strip()
        return _Field(text, closed=not text.startswith(self.quote))

    def _pattern(self, group: str) -> str:
        """A field: in quotes, which are doubled inside, or up to the next delimiter or line's end."""
        quote, other = re.escape(self.quote), f"[^{re.escape(self.delimiter)}\\r\\n]*+"
        inside = f"(?:[^{quote}]++|{quote}{quote})*+"
        return f"(?:[ ]*+{quote}({group}{inside}){quote}({group}{other})|({group}{other}))"

    @cached_property
    def _record(self) -> re.Pattern[str]:
        field = self._pattern("?:")
        return re.compile(f"{field}(?:{re.escape(self.delimiter)}{field})*+")

    @cached_property
    def _each_field(self) -> re.Pattern[str]:
        return re.compile(f"(?:^|{re.escape(self.delimiter)}){self._pattern('')}")


def sniffed(text: str, tabbed: bool = False) -> Dialect:
    """The dialect in which the first records have the most even number of fields; `tabbed`: by the file's name."""
    head = text[:_CHARACTERS_SNIFFED]
    quote = _quote(head)
    scores = {delimiter: _evenness(head, Dialect(delimiter, quote)) for delimiter in _DELIMITERS}
    best = max(scores, key=lambda delimiter: scores[delimiter])
    if tabbed and (scores["\t"] or not scores[best]):
        best = "\t"
    return Dialect(best if (best == "\t" and tabbed) or scores[best] else ",", quote)


def _quote(head: str) -> str:
    single = re.search(r"(?:^|[\t;|,])'[^'\r\n]*'(?:[\t;|,\r\n]|\Z)", head, re.MULTILINE)
    return "'" if single and '"' not in head else '"'


def _evenness(head: str, dialect: Dialect) -> float:
    """The share of records that have as many fields as most have, none where most have one."""
    records = list(islice(_Scan(head, dialect, 0).records(), _RECORDS_SNIFFED))
    if len(head) == _CHARACTERS_SNIFFED and len(records) > 1:
        del records[-1]  # it may be cut
    counts = Counter(len(dialect.fields(head[record.start : record.end])) for record in records)
    fields, times = max(counts.items(), key=lambda item: item[1], default=(1, 0))
    return times / counts.total() if fields > 1 else 0.0


class _Scan:
    """The records of a text."""

    def __init__(self, text: str, dialect: Dialect, start: int) -> None:
        self.warnings: list[ReadingWarning] = []
        self._text = text
        self._dialect = dialect
        self._start = start

    def records(self) -> Iterator[_Record]:
        text, lines = self._text, LineIndex(self._text)
        line = lines.line_of(self._start) if self._start else 1
        quoted = True
        while line <= lines.line_count and (start := lines.start_of(line)) < len(text):
            end = lines.end_of(line)
            line_end = line
            if quoted and text.find(self._dialect.quote, start, end) >= 0:
                end = self._dialect.end_of_record(text, start)
                line_end = lines.line_of(max(start, end - 1))
                quoted = self._closed(start, end, line)
            if text[start:end].strip():
                yield _Record(start, end, line, line_end)
            line = line_end + 1

    def _closed(self, start: int, end: int, line: int) -> bool:
        """Whether the record's quotes are closed; where one never is, quotes mean nothing from here on."""
        if all(field.closed for field in self._dialect.fields(self._text[start:end])):
            return True
        self.warnings.append(
            ReadingWarning(
                "unclosed_quote",
                f"line {line} opens a quote that is never closed: from there on each line is read as a record",
                line,
            )
        )
        return False


def _table(text: str, dialect: Dialect, records: list[_Record]) -> Iterator[Row]:
    if not records:
        return
    start, end = records[0].start, records[-1].end
    header = records[0]
    fields = (dialect.fields(text[record.start : record.end]) for record in records[:_RECORDS_SNIFFED])
    named = has_header([tuple(field.text for field in record) for record in fields])
    context = text[header.start : header.end] if named else ""
    blocks = (Block("table", record.start - start, record.end - start, context=context) for record in records)
    yield Row("table", 0, text[start:end], start, tuple(blocks))
