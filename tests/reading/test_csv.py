"""CSV and its relatives: records and their physical lines, whatever parts and quotes the fields."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassdex.errors import UnsupportedEncoding
from glassdex.model import Document
from glassdex.reading.csv_table import CsvReader, Dialect, sniffed
from glassdex.reading.protocol import Reader
from glassdex.testing.reader import ReaderConformance
from tests.chunking.cutting import chunks_of

CASES = Path(__file__).parents[1] / "data" / "cases"
FACTS: list[dict[str, Any]] = [
    fact
    for fact in json.loads((CASES / "expected-tables.json").read_text(encoding="utf-8"))
    if fact["file"].endswith(".csv")
]


def read(content: str | bytes, name: str = "table.csv") -> Document:
    raw = content.encode() if isinstance(content, str) else content
    return CsvReader().read(PurePosixPath(name), raw)


def case(name: str) -> Document:
    return read((CASES / name).read_bytes(), name)


def records(document: Document) -> list[str]:
    return [document.text[place.start : place.end] for place in document.places]


def spans(document: Document) -> list[tuple[int | None, int | None, int | None]]:
    return [(place.row, place.line_start, place.line_end) for place in document.places]


class TestConformance(ReaderConformance):
    def reader(self) -> Reader:
        return CsvReader()

    def samples(self) -> Mapping[str, bytes]:
        return {
            "bom.csv": (CASES / "bom.csv").read_bytes(),
            "movies.csv": (CASES / "wiki_movie_plots_small.csv").read_bytes(),
            "quoted.csv": b'a;b\r\n1;"two\r\nlines"\r\n\r\n3;"un""quoted"',
            "tabs.tsv": b"a\tb\n1\t2\n",
            "open.csv": b'a,b\n1,"never closed\n2,x\n',
            "empty.csv": b"",
        }


@pytest.mark.parametrize("fact", [fact for fact in FACTS if "line_start" in fact], ids=lambda fact: fact["title"])
def test_a_record_stands_on_its_lines(fact: dict[str, Any]) -> None:
    document = case(fact["file"])
    place = document.places[fact["record"] - 1]
    assert (place.row, place.line_start, place.line_end) == (fact["record"], fact["line_start"], fact["line_end"])
    fields = Dialect(",").fields(document.text[place.start : place.end])
    assert fields[1].text == fact["title"]


@pytest.mark.parametrize("fact", [fact for fact in FACTS if "columns" in fact], ids=lambda fact: fact["file"])
def test_records_are_counted_with_the_header_as_the_first(fact: dict[str, Any]) -> None:
    document = case(fact["file"])
    assert len(document.places) == fact["records"]
    assert [field.text for field in Dialect(",").fields(records(document)[0])] == fact["columns"]
    several = [place.row for place in document.places if place.line_start != place.line_end]
    assert several == fact.get("embedded_newline_records", [])
    if "physical_lines" in fact:
        assert document.places[-1].line_end == fact["physical_lines"]
    if "cells" in fact:
        place = document.places[fact["record"] - 1]
        assert place.line_start == fact["line"]
        assert [field.text for field in Dialect(",").fields(records(document)[place.row - 1])] == list(
            fact["cells"].values()
        )


def test_a_mark_windows_newlines_and_a_quoted_line_break_in_one_file() -> None:
    document = read(b'\xef\xbb\xbfid,note\r\n1,"first\r\nsecond"\r\n2,plain\r\n')
    assert records(document) == ["id,note", '1,"first\r\nsecond"', "2,plain"]
    assert spans(document) == [(1, 1, 1), (2, 2, 3), (3, 4, 4)]
    assert document.text.startswith("id")


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_lines_are_those_of_the_file_whatever_ends_them(newline: str) -> None:
    document = read('a,b\n\n1,"x\ny"\n2,z'.replace("\n", newline))
    assert spans(document) == [(1, 1, 1), (2, 3, 4), (3, 5, 5)]


@pytest.mark.parametrize(
    ("text", "delimiter", "quote"),
    [
        ("a,b\n1,2\n", ",", '"'),
        ("a;b\n1,5;2,5\n3,5;4,5\n", ";", '"'),
        ("1,5;2,5\n3,5;4,5\n", ";", '"'),
        ("a\tb, c\n1\t2\n", "\t", '"'),
        ("a|b\n1|2\n", "|", '"'),
        ("a,b\n'x, y',2\n'z, w',3\n", ",", "'"),
        ('a,b\n"x;y;z",2\n"x;y;z",3\n', ",", '"'),
        ("only one column\nit is, here\n", ",", '"'),
        ("", ",", '"'),
    ],
)
def test_the_dialect_is_what_splits_the_records_evenly(text: str, delimiter: str, quote: str) -> None:
    assert sniffed(text) == Dialect(delimiter, quote)


def test_a_stated_delimiter_is_no_record() -> None:
    document = read("sep=;\na;b\n1;2,3\n")
    assert document.metadata["delimiter"] == ";"
    assert spans(document) == [(1, 2, 2), (2, 3, 3)]


def test_tabs_are_expected_where_the_name_says_so() -> None:
    assert read("a\tb,c,d\n1\t2,3,4\n", "x.tsv").metadata["delimiter"] == "\t"
    assert read("one\ntwo\n", "x.tab").metadata["delimiter"] == "\t"


def test_every_passage_but_the_first_carries_the_header() -> None:
    rows = "".join(f'{number},"word {number}\nand more words in the second line"\n' for number in range(100))
    document = read("number,what it says\n" + rows)
    chunks = chunks_of(document)
    assert len(chunks) > 3
    assert [chunk.context for chunk in chunks] == ["", *["number,what it says"] * (len(chunks) - 1)]
    assert {chunk.text.count('"') % 2 for chunk in chunks} == {0}, "a record was cut in two"
    ends = [chunk.locator.row_end or 0 for chunk in chunks]
    assert [chunk.locator.row_start for chunk in chunks] == [1, *(end + 1 for end in ends[:-1])]


def test_a_record_that_is_too_long_is_cut_at_its_lines() -> None:
    long = "\n".join(f"line {number} of a long note" for number in range(80))
    chunks = chunks_of(read(f'id,note\n1,"{long}"\n'))
    assert len(chunks) > 1
    assert all(chunk.text.strip('"\n').split("\n")[-1].endswith("note") for chunk in chunks)


def test_without_a_header_there_is_no_context() -> None:
    document = read("".join(f"{number},{number * 7}\n" for number in range(300)))
    assert {block.context for block in document.rows[0].blocks} == {""}
    assert {chunk.context for chunk in chunks_of(document)} == {""}


def test_a_quote_that_is_never_closed_costs_no_record() -> None:
    document = read('a,b\n1,"open\n2,x\n3,y\n')
    assert spans(document) == [(1, 1, 1), (2, 2, 2), (3, 3, 3), (4, 4, 4)]
    (warning,) = document.warnings
    assert (warning.code, warning.line) == ("unclosed_quote", 2)


def test_a_quote_inside_a_field_is_text() -> None:
    assert records(read('a,b\n5" disk,6" disk\nx,y\n')) == ["a,b", '5" disk,6" disk', "x,y"]


def test_other_encodings_are_an_error_that_says_how_to_convert() -> None:
    with pytest.raises(UnsupportedEncoding):
        read("a,ü\n".encode("latin-1"))
    with pytest.raises(UnsupportedEncoding, match="UTF-16"):
        read("a,b\n".encode("utf-16"))


def test_it_bids_by_name() -> None:
    reader = CsvReader()
    assert [reader.bid(PurePosixPath(name), b"a,b") for name in ("a.csv", "a.TSV", "a.tab", "a.txt")] == [80, 80, 80, 0]


_cell = st.text(alphabet='ab ,;"\n\r', max_size=6)


@given(st.lists(st.lists(_cell, min_size=2, max_size=4), min_size=1, max_size=12), st.sampled_from(["\n", "\r\n"]))
def test_records_and_lines_are_those_of_the_csv_module(table: list[list[str]], newline: str) -> None:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator=newline, quoting=csv.QUOTE_ALL).writerows(table)
    document = read("sep=,\n" + buffer.getvalue())
    found = [[field.text for field in Dialect(",").fields(record)] for record in records(document)]
    assert found == table
    ends = [place.line_end for place in document.places]
    reader = csv.reader(io.StringIO(buffer.getvalue(), newline=""))
    assert ends == [reader.line_num + 1 for _ in reader]


@given(st.text(alphabet="a1,;\t|\"'\n\r \u2028", max_size=60))
def test_every_character_that_is_no_white_space_is_in_a_record(text: str) -> None:
    document = read(text)
    ends = 0
    for place in document.places:
        assert not document.text[ends : place.start].strip()
        ends = place.end
    assert not document.text[ends:].strip()
