"""JSON and JSON by lines: records, the values in them as people write them, and the lines they stand on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassdex.errors import FileDamaged, LimitExceeded, UnsupportedEncoding
from glassdex.model import Document
from glassdex.reading.json_records import JsonReader
from glassdex.reading.protocol import Limits, Reader, ReadingOptions
from glassdex.testing.reader import ReaderConformance
from tests.chunking.cutting import chunks_of


def read(content: str | bytes, name: str = "records.json", **limits: int) -> Document:
    raw = content.encode() if isinstance(content, str) else content
    options = ReadingOptions(limits=Limits(**limits))
    return JsonReader().read(PurePosixPath(name), raw, options)


def records(document: Document) -> list[str]:
    return [row.text for row in document.rows]


def spans(document: Document) -> list[tuple[int | None, int | None, int | None]]:
    return [(place.record, place.line_start, place.line_end) for place in document.places]


class TestConformance(ReaderConformance):
    text_format = False

    def reader(self) -> Reader:
        return JsonReader()

    def samples(self) -> Mapping[str, bytes]:
        return {
            "array.json": b'[{"title": "One", "n": 1},\n {"title": "Two", "tags": ["a", "b"]}\n]',
            "object.json": b'{"name": "x", "deep": {"er": [[1, 2], {}]}, "none": null}',
            "lines.jsonl": '{"id": "a\u2028b"}\n\n{"half": tru\n{"n": 1.50}\n{"open'.encode(),
            "marked.ndjson": b'\xef\xbb\xbf{"a": 1}\r\n[2]\r\n',
            "empty.jsonl": b"",
            "nothing.json": b"[]",
        }


def test_values_are_lines_behind_their_path() -> None:
    document = read('{"a": {"b": ["x", {"c": 1.50}]}, "t": true, "n": null, "e": {}, "l": [], "s": ""}')
    assert records(document) == ["a.b[0]: x\na.b[1].c: 1.50\nt: true\nn: null\ne: {}\nl: []\ns: "]


def test_escapes_are_found_as_people_write_them() -> None:
    assert records(read(r'{"who": "Zo\u00eb \ud83e\udd89", "what": "two\nlines \"said\""}')) == [
        'who: Zoë 🦉\nwhat: two\nlines "said"'
    ]


def test_half_a_surrogate_pair_is_replaced() -> None:
    assert records(read(r'{"\ud800": "a\udc00b"}')) == ["\ufffd: a\ufffdb"]


def test_numbers_stand_as_in_the_file() -> None:
    long = "9" * 5000
    assert records(read(f"[1.0, -0, 1e5, {long}, NaN]")) == ["1.0", "-0", "1e5", long, "NaN"]


def test_a_name_that_comes_twice_loses_nothing() -> None:
    assert records(read('{"a": 1, "a": 2}')) == ["a: 1\na: 2"]


def test_each_element_of_an_array_is_a_record_with_its_lines() -> None:
    document = read('[\n  {"a": 1},\n  {\n    "b": 2\n  }, [3,\n4]\n]\n')
    assert records(document) == ["a: 1", "b: 2", "[0]: 3\n[1]: 4"]
    assert spans(document) == [(1, 2, 2), (2, 3, 5), (3, 5, 6)]
    assert {row.kind for row in document.rows} == {"record"}


@pytest.mark.parametrize("newline", ["\r\n", "\r"])
def test_other_newlines_count_the_same_lines(newline: str) -> None:
    assert spans(read(f'[{newline}1,{newline}{{"a":{newline}2}}]')) == [(1, 2, 2), (2, 3, 4)]


def test_an_object_and_a_lone_value_are_one_record() -> None:
    assert spans(read('\n{"a":\n1}\n')) == [(1, 2, 3)]
    assert records(read('"words"')) == ["words"]


def test_lines_end_at_line_feeds_only() -> None:
    document = read('{"a": "one\u2028two\x85three"}\n{"b": 2}\n', "x.jsonl")
    assert records(document) == ["a: one\u2028two\x85three", "b: 2"]
    assert spans(document) == [(1, 1, 1), (2, 2, 2)]


def test_a_broken_line_is_a_warning_and_the_rest_is_read() -> None:
    document = read('{"a": 1}\n\n{"b": \n{"c": 3}\n', "x.jsonl")
    assert records(document) == ["a: 1", "c: 3"]
    assert spans(document) == [(1, 1, 1), (3, 4, 4)], "the broken line keeps its number"
    (warning,) = document.warnings
    assert (warning.code, warning.line) == ("broken_line", 3)


def test_bytes_that_are_no_text_break_their_line_alone() -> None:
    document = read(b'{"a": 1}\n{"b": "\xff"}\n\0\0\n{"c": 3}\n', "x.jsonl")
    assert records(document) == ["a: 1", "c: 3"]
    assert [(warning.code, warning.line) for warning in document.warnings] == [("broken_line", 2), ("broken_line", 3)]


@pytest.mark.parametrize("tail", ['{"b": "half', '{"b": "\N{SNOWMAN}', '{"b"'])
def test_an_unfinished_last_line_is_left_out(tail: str) -> None:
    raw = b'{"a": 1}\n' + tail.encode()
    document = read(raw[:-1] if tail.endswith("\N{SNOWMAN}") else raw, "x.jsonl")
    assert records(document) == ["a: 1"]
    (warning,) = document.warnings
    assert (warning.code, warning.line) == ("unfinished_line", 2)


def test_a_whole_last_line_without_newline_is_read() -> None:
    assert records(read('{"a": 1}\n{"b": 2}', "x.jsonl")) == ["a: 1", "b: 2"]


def test_many_broken_lines_are_summed_up() -> None:
    warnings = read('{"a": 1}\n' + "x\n" * 50, "x.jsonl").warnings
    assert len(warnings) == 21
    assert warnings[-1].message == "30 more lines are no JSON and were left out"


def test_a_file_without_a_single_good_line_is_damaged() -> None:
    with pytest.raises(FileDamaged, match="none of the file's lines"):
        read("no\njson\n", "x.jsonl")
    with pytest.raises(UnsupportedEncoding):
        read('{"a": 1}\n{"b": 2}\n'.encode("utf-16"), "x.jsonl")


def test_lines_in_a_file_called_json_are_read_as_lines() -> None:
    assert spans(read('{"a": 1}\n{"b": 2}\n')) == [(1, 1, 1), (2, 2, 2)]


@pytest.mark.parametrize("text", ["", "{", "[1,]", "[1 2]", "[1", '{"a": 1} // no', "{'a': 1}", "[]]", "[,]"])
def test_what_is_no_json_is_damaged(text: str) -> None:
    with pytest.raises(FileDamaged, match="line 1, column"):
        read(text)


@pytest.mark.parametrize(
    ("record", "heading"),
    [
        ('{"id": "7", "Title": "Owls"}', ("Owls",)),
        ('{"id": "7", "name": "Ann\\n  B"}', ("Ann B",)),
        ('{"id": 7}', ("7",)),
        ('{"title": "", "name": "x"}', ("x",)),
        ('{"title": {"en": "x"}}', ()),
        ("[1]", ()),
    ],
)
def test_a_records_title_is_its_heading(record: str, heading: tuple[str, ...]) -> None:
    assert read(f"[{record}]").rows[0].blocks[0].headings == heading


def test_a_long_record_is_cut_between_its_values_under_its_title() -> None:
    record = {"title": "Owls", "notes": [f"a note of some words, number {number}" for number in range(60)]}
    chunks = chunks_of(read(json.dumps([record, {"title": "Bees", "note": "short"}])))
    assert len(chunks) > 2
    assert {chunk.breadcrumb for chunk in chunks[:-1]} == {"Owls"}
    assert [chunk.locator.record for chunk in chunks] == [1] * (len(chunks) - 1) + [2]
    assert all(line.startswith(("title: ", "notes[")) for chunk in chunks[:-1] for line in chunk.text.split("\n"))


@pytest.mark.parametrize("name", ["x.json", "x.jsonl"])
def test_values_nested_too_deep_are_given_up(name: str) -> None:
    for depth in (150, 200_000):
        with pytest.raises(LimitExceeded, match="nesting"):
            read('{"a":' * depth + "1" + "}" * depth, name)
        with pytest.raises(LimitExceeded, match="nesting"):
            read("[" * depth + "]" * depth, name)
    assert records(read("[" * 90 + "1" + "]" * 90, "x.jsonl")) == ["[0]" * 90 + ": 1"]


def test_too_much_text_is_given_up() -> None:
    wide = json.dumps([{"key" * 100: number} for number in range(100)])
    with pytest.raises(LimitExceeded, match="limit characters"):
        read(wide, characters=20_000)
    long_paths = json.dumps({"k" * 5000: list(range(1000))})
    with pytest.raises(LimitExceeded, match="limit characters"):
        read(long_paths, characters=100_000)


@pytest.mark.parametrize(
    ("name", "head", "bid"),
    [
        ("a.json", b"{}", 60),
        ("a.JSONL", b"{}", 60),
        ("a.ndjson", b"{}", 60),
        ("package-lock.json", b"{}", 0),
        ("a.min.json", b"{}", 0),
        ("a.json", b"[" * 65_536, 0),
        ("a.jsonl", b"[" * 65_536, 60),
        ("a.txt", b"{}", 0),
    ],
)
def test_bids(name: str, head: bytes, bid: int) -> None:
    assert JsonReader().bid(PurePosixPath(name), head) == bid


_scalars = st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=8))
_json = st.recursive(
    _scalars, lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=4), inner))
)


def leaves(value: Any) -> list[str]:
    if isinstance(value, dict) and value:
        return [leaf for member in value.values() for leaf in leaves(member)]
    if isinstance(value, list) and value:
        return [leaf for member in value for leaf in leaves(member)]
    return [value if isinstance(value, str) else json.dumps(value)]


@given(st.lists(_json, max_size=6), st.sampled_from([None, 2]), st.booleans())
def test_every_value_is_in_its_record_at_its_lines(values: list[Any], indent: int | None, ascii_only: bool) -> None:
    source = json.dumps(values, indent=indent, ensure_ascii=ascii_only)
    document = read(source)
    assert len(document.rows) == len(values)
    lines = source.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for row, place, value in zip(document.rows, document.places, values, strict=False):
        assert all(leaf in row.text for leaf in leaves(value))
        assert place.line_start is not None
        stretch = "\n".join(lines[place.line_start - 1 : place.line_end])
        assert json.dumps(value, indent=indent, ensure_ascii=ascii_only).split("\n")[0] in stretch


@given(st.lists(_json, max_size=6))
def test_every_line_is_a_record(values: list[Any]) -> None:
    source = "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values)
    document = read(source, "x.jsonl")
    assert len(document.rows) == len(values)
    assert [row.text for row in document.rows] == [
        row.text for row in read(json.dumps(values, ensure_ascii=False)).rows
    ]


def test_a_long_key_over_many_values_is_not_repeated_for_each() -> None:
    content = b'{"' + b"k" * 100_000 + b'": [' + b",".join([b"0"] * 5_000) + b"]}"
    text = JsonReader().read(PurePosixPath("a.json"), content).text
    assert len(text) < 5_000 * 400
    assert text.count("[4999]: 0") == 1
