"""A pointer's text form goes through a shell, a URL or JSON as it is, and comes back the same."""

from __future__ import annotations

import re
import shlex
from urllib.parse import urlsplit

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from glassdex.errors import InvalidPointer
from glassdex.model import Locator
from glassdex.pointers import Pointer, format_pointer, parse_file_pointer

names = st.text(st.characters(), min_size=1, max_size=40) | st.text("'\" #,=@:/%&\\\n$`", min_size=1, max_size=9)
numbers = st.integers(1, 999_999_999)
ranges = st.tuples(numbers, numbers).map(lambda pair: (min(pair), max(pair)))
hashes = st.text("0123456789abcdef", min_size=12, max_size=12)


def of_pages(pages: tuple[int, int]) -> Locator:
    return Locator(page_start=pages[0], page_end=pages[1])


def of_rows(sheet: str | None, rows: tuple[int, int]) -> Locator:
    return Locator(sheet=sheet, row_start=rows[0], row_end=rows[1])


def of_record(record: int, lines: tuple[int, int]) -> Locator:
    return Locator(lines[0], lines[1], record=record)


def of_everything(
    lines: tuple[int, int], pages: tuple[int, int], sheet: str, rows: tuple[int, int], number: int
) -> Locator:
    return Locator(lines[0], lines[1], pages[0], pages[1], None, sheet, rows[0], rows[1], number, number)


locators = st.one_of(
    st.builds(lambda lines: Locator(*lines), ranges),
    ranges.map(of_pages),
    st.builds(of_rows, st.none() | names, ranges),
    names.map(lambda sheet: Locator(sheet=sheet)),
    numbers.map(lambda slide: Locator(slide=slide)),
    numbers.map(lambda record: Locator(record=record)),
    st.builds(of_record, numbers, ranges),
    st.builds(of_everything, ranges, ranges, names, ranges, numbers),
    st.just(Locator()),
)


@st.composite
def pointers(draw: st.DrawFn) -> Pointer:
    start = draw(st.integers(0, 999_999_990_000))
    return Pointer(
        path=draw(names),
        locator=draw(locators),
        char_start=start,
        char_end=start + draw(st.integers(1, 9_000)),
        passage_hash=draw(hashes),
        project=draw(st.none() | names),
    )


def at(path: str, project: str | None = None, locator: Locator = Locator(12, 14)) -> Pointer:
    return Pointer(path, locator, 120, 980, "3fa9c1d2e4b5", project)


FORMS = [
    ("a.md#L3", Locator(3, 3)),
    ("notes/a.md#L12-L14", Locator(12, 14)),
    ("report.pdf#page=30", of_pages((30, 30))),
    ("report.pdf#page=29-31", of_pages((29, 31))),
    ("numbers.xlsx#sheet=Summary,rows=12-20", of_rows("Summary", (12, 20))),
    ("numbers.xlsx#sheet=Q%201%23%2C%3D%22,rows=7", of_rows('Q 1#,="', (7, 7))),
    ("numbers.xlsx#sheet=Plan", Locator(sheet="Plan")),
    ("cities.csv#rows=2-9", of_rows(None, (2, 9))),
    ("deck.pptx#slide=4", Locator(slide=4)),
    ("log.jsonl#record=7,L7", Locator(7, 7, record=7)),
    ("log.json#record=7,L40-L52", Locator(40, 52, record=7)),
    ("letter.docx", Locator()),
]


@given(pointers())
@example(at("notes/two words.md"))
@example(at("日記/一月 (草稿).md"))
@example(at("c#/a@b:c%20d.md"))
@example(at("🛟/'quoted' \"name\".md", "my project"))
@example(at("a:b", "p:q"))
@example(at("%"))
@example(at("odd\ud800name.md"))
@example(at("a.xlsx", locator=of_rows("page=3,c=0-9@", (1, 2))))
@example(at("a.xlsx", locator=of_rows("100% \"odd\" 'names'/日記 \udc80", (1, 1))))
def test_every_path_comes_back_and_is_printed_in_safe_characters_only(pointer: Pointer):
    text = format_pointer(pointer)
    assert parse_file_pointer(text) == pointer
    assert re.fullmatch(r"[A-Za-z0-9._~/%:#,=@-]+", text)
    assert shlex.split(text) == [text]


def test_the_form_is_the_documented_one():
    assert format_pointer(at("notes/a.md")) == "notes/a.md#L12-L14,c=120-980@3fa9c1d2e4b5"
    assert format_pointer(at("a b.md", "work")) == "work:a%20b.md#L12-L14,c=120-980@3fa9c1d2e4b5"
    one_line = Pointer("a.md", Locator(3, 3), 0, 9, "3fa9c1d2e4b5")
    assert format_pointer(one_line) == "a.md#L3,c=0-9@3fa9c1d2e4b5"


@pytest.mark.parametrize(("place", "locator"), FORMS)
def test_every_format_has_its_own_form_of_place(place: str, locator: Locator):
    text = f"{place}{',' if '#' in place else '#'}c=120-980@3fa9c1d2e4b5"
    assert parse_file_pointer(text) == at(place.split("#")[0], locator=locator)
    assert format_pointer(parse_file_pointer(text)) == text
    assert parse_file_pointer(f"work:{text}").project == "work"


def test_pointers_of_before_there_were_pages_still_parse():
    pointer = parse_file_pointer("work:two%20words.md#L12-L14,c=120-980@3fa9c1d2e4b5")
    assert pointer == at("two words.md", "work")
    assert parse_file_pointer("a.md#L3-L3,c=0-9@3fa9c1d2e4b5").locator == Locator(3, 3)


def test_what_only_people_are_told_of_a_place_is_no_part_of_the_pointer():
    labelled = Locator(page_start=4, page_end=4, page_label="iv", hidden=True)
    assert format_pointer(at("a.pdf", locator=labelled)) == "a.pdf#page=4,c=120-980@3fa9c1d2e4b5"


@pytest.mark.parametrize("name", ["L", "page=", "rows=", "sheet=a,rows=", "record=1,L"])
@given(ranges.filter(lambda pair: pair[0] < pair[1]))
def test_a_reversed_range_is_refused(name: str, pair: tuple[int, int]):
    mark = "L" if name.endswith("L") else ""
    first, last = pair
    assert parse_file_pointer(f"a#{name}{first}-{mark}{last},c=0-9@3fa9c1d2e4b5")
    with pytest.raises(InvalidPointer, match="empty or reversed"):
        parse_file_pointer(f"a#{name}{last}-{mark}{first},c=0-9@3fa9c1d2e4b5")


def test_a_pointer_is_a_path_and_a_fragment_to_a_url_parser():
    parts = urlsplit("http://localhost/open/" + format_pointer(at("c#/a?b.md")))
    assert parts.path == "/open/c%23/a%3Fb.md"
    assert parts.fragment == "L12-L14,c=120-980@3fa9c1d2e4b5"


def test_white_space_around_a_pasted_pointer_is_no_matter():
    assert parse_file_pointer("  a.md#L3,c=0-9@3fa9c1d2e4b5\n") == Pointer("a.md", Locator(3, 3), 0, 9, "3fa9c1d2e4b5")


@pytest.mark.parametrize(
    "text",
    [
        "", "a.md", "a.md#L3", "a.md#L3,c=0-9", "a.md#L3,c=0-9@3fa9c1d2e4b", "a.md#L3,c=0-9@3fa9c1d2e4b5f",
        "a.md#L3,c=0-9@3FA9C1D2E4B5", "#L3,c=0-9@3fa9c1d2e4b5", "a b.md#L3,c=0-9@3fa9c1d2e4b5",
        "a.md#L0,c=0-9@3fa9c1d2e4b5", "a.md#L4-L3,c=0-9@3fa9c1d2e4b5", "a.md#L3,c=9-9@3fa9c1d2e4b5",
        "a.md#L3,c=9-3@3fa9c1d2e4b5", "a.md#L-3,c=0-9@3fa9c1d2e4b5", "a.md#L3,c=٣-٩@3fa9c1d2e4b5",
        "a:b:c.md#L3,c=0-9@3fa9c1d2e4b5", "a%2.md#L3,c=0-9@3fa9c1d2e4b5", "a%zz.md#L3,c=0-9@3fa9c1d2e4b5",
        "a%FF.md#L3,c=0-9@3fa9c1d2e4b5", "%FF:a.md#L3,c=0-9@3fa9c1d2e4b5", "a.md#L3,c=0-9@3fa9c1d2e4b5 b",
        f"a.md#L{10**12},c=0-9@3fa9c1d2e4b5", "日.md#L3,c=0-9@3fa9c1d2e4b5",
        "a.pdf#page=0,c=0-9@3fa9c1d2e4b5", "a.pdf#page=31-29,c=0-9@3fa9c1d2e4b5", "a.pdf#page=iv,c=0-9@3fa9c1d2e4b5",
        "a.pdf#page=3", "a.pdf#page=3-,c=0-9@3fa9c1d2e4b5", f"a.pdf#page={10**12},c=0-9@3fa9c1d2e4b5",
        "a.xlsx#rows=1-2,sheet=a,c=0-9@3fa9c1d2e4b5",
        "a.xlsx#sheet=a b,c=0-9@3fa9c1d2e4b5", "a.xlsx#sheet=%FF,c=0-9@3fa9c1d2e4b5",
        "a.xlsx#sheet=a,rows=0-2,c=0-9@3fa9c1d2e4b5", "a.csv#rows=20-12,c=0-9@3fa9c1d2e4b5",
        "a.pptx#slide=0,c=0-9@3fa9c1d2e4b5", "a.pptx#slide=1-2,c=0-9@3fa9c1d2e4b5",
        "a.jsonl#record=0,c=0-9@3fa9c1d2e4b5", "a.jsonl#record=1-2,c=0-9@3fa9c1d2e4b5",
        "a.md#L3-4,c=0-9@3fa9c1d2e4b5", "a.md#lines=3-4,c=0-9@3fa9c1d2e4b5",
    ],
)  # fmt: skip
def test_what_is_no_pointer_is_refused_by_name(text: str):
    with pytest.raises(InvalidPointer) as refused:
        parse_file_pointer(text)
    assert refused.value.code == "invalid_pointer"
    assert repr(text) in refused.value.message
    assert refused.value.suggestion


@given(st.text(st.characters(), max_size=60))
def test_any_other_text_is_refused_and_never_another_error(text: str):
    with pytest.raises(InvalidPointer):
        parse_file_pointer(text + " is no pointer")
