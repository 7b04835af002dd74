"""A pointer's text form goes through a shell, a URL or JSON as it is, and comes back the same."""

from __future__ import annotations

import re
import shlex
from urllib.parse import urlsplit

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from glassdex.errors import InvalidPointer
from glassdex.pointers import Pointer, format_pointer, parse_pointer

names = st.text(st.characters(), min_size=1, max_size=40)
hashes = st.text("0123456789abcdef", min_size=12, max_size=12)


@st.composite
def pointers(draw: st.DrawFn) -> Pointer:
    line, start = draw(st.integers(1, 999_999_000)), draw(st.integers(0, 999_999_990_000))
    return Pointer(
        path=draw(names),
        line_start=line,
        line_end=line + draw(st.integers(0, 900)),
        char_start=start,
        char_end=start + draw(st.integers(1, 9_000)),
        passage_hash=draw(hashes),
        project=draw(st.none() | names),
    )


def at(path: str, project: str | None = None) -> Pointer:
    return Pointer(path, 12, 14, 120, 980, "3fa9c1d2e4b5", project)


@given(pointers())
@example(at("notes/two words.md"))
@example(at("日記/一月 (草稿).md"))
@example(at("c#/a@b:c%20d.md"))
@example(at("🛟/'quoted' \"name\".md", "my project"))
@example(at("a:b", "p:q"))
@example(at("%"))
@example(at("odd\ud800name.md"))
def test_every_path_comes_back_and_is_printed_in_safe_characters_only(pointer: Pointer):
    text = format_pointer(pointer)
    assert parse_pointer(text) == pointer
    assert re.fullmatch(r"[A-Za-z0-9._~/%:#,=@-]+", text)
    assert shlex.split(text) == [text]


def test_the_form_is_the_documented_one():
    assert format_pointer(at("notes/a.md")) == "notes/a.md#L12-L14,c=120-980@3fa9c1d2e4b5"
    assert format_pointer(at("a b.md", "work")) == "work:a%20b.md#L12-L14,c=120-980@3fa9c1d2e4b5"
    one_line = Pointer("a.md", 3, 3, 0, 9, "3fa9c1d2e4b5")
    assert format_pointer(one_line) == "a.md#L3,c=0-9@3fa9c1d2e4b5"


def test_a_pointer_is_a_path_and_a_fragment_to_a_url_parser():
    parts = urlsplit("http://localhost/open/" + format_pointer(at("c#/a?b.md")))
    assert parts.path == "/open/c%23/a%3Fb.md"
    assert parts.fragment == "L12-L14,c=120-980@3fa9c1d2e4b5"


def test_white_space_around_a_pasted_pointer_is_no_matter():
    assert parse_pointer("  a.md#L3,c=0-9@3fa9c1d2e4b5\n") == Pointer("a.md", 3, 3, 0, 9, "3fa9c1d2e4b5")


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
    ],
)  # fmt: skip
def test_what_is_no_pointer_is_refused_by_name(text: str):
    with pytest.raises(InvalidPointer) as refused:
        parse_pointer(text)
    assert refused.value.code == "invalid_pointer"
    assert repr(text) in refused.value.message
    assert refused.value.suggestion


@given(st.text(st.characters(), max_size=60))
def test_any_other_text_is_refused_and_never_another_error(text: str):
    with pytest.raises(InvalidPointer):
        parse_pointer(text + " is no pointer")
