"""A pointer to a message goes through a shell, a URL or JSON as it is, and comes back the same."""

from __future__ import annotations

import re
import shlex
from urllib.parse import urlsplit

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from glassdex.errors import InvalidPointer
from glassdex.pointers import Pointer, SessionPointer, format_session_pointer, parse_file_pointer, parse_pointer

names = st.text(st.characters(), min_size=1, max_size=40) | st.text("'\" #,=@:/%&\\\n$`.", min_size=1, max_size=9)
sources = st.from_regex(r"[a-z0-9][a-z0-9._-]{0,20}", fullmatch=True)
hashes = st.text("0123456789abcdef", min_size=12, max_size=12)
HASH = "3fa9c1d2e4b5"


@st.composite
def pointers(draw: st.DrawFn) -> SessionPointer:
    start = draw(st.none() | st.integers(0, 999_999_990_000))
    return SessionPointer(
        source=draw(sources),
        session=draw(names),
        uuid=draw(names),
        block=draw(st.integers(0, 999_999)),
        passage_hash=draw(hashes),
        char_start=start,
        char_end=None if start is None else start + draw(st.integers(1, 9_000)),
        project=draw(st.none() | names),
    )


def to(session: str, uuid: str = "7b5e", project: str | None = None) -> SessionPointer:
    return SessionPointer("claude", session, uuid, 0, HASH, 120, 980, project)


@given(pointers())
@example(to("two words"))
@example(to("日本", "🛟"))
@example(to("a/b#c@d:e%20f,c=0-9"))
@example(to("x", "u.1", "p:q"))
@example(to("\x1b[31m\u202e\u2028", "\r\n\0"))
@example(to("odd\ud800id", "\udcff"))
@example(to("session:claude/x#y.0@" + HASH))
@example(to("[red]x[/red] <script>", "$(rm -rf ~)"))
@example(to("."))
@example(to("%", "%41"))
def test_every_id_comes_back_and_is_printed_in_safe_characters_only(pointer: SessionPointer):
    text = format_session_pointer(pointer)
    assert parse_pointer(text) == pointer
    assert re.fullmatch(r"[A-Za-z0-9._~/%:#,=@-]+", text)
    assert shlex.split(text) == [text]


def test_the_form_is_the_documented_one():
    whole = SessionPointer("claude", "0d3f", "7b5e", 2, HASH)
    assert format_session_pointer(whole) == f"session:claude/0d3f#7b5e.2@{HASH}"
    assert format_session_pointer(to("0d3f")) == f"session:claude/0d3f#7b5e.0,c=120-980@{HASH}"
    assert (
        format_session_pointer(to("a b/c", "d e", "work")) == f"work:session:claude/a%20b%2Fc#d%20e.0,c=120-980@{HASH}"
    )


def test_the_last_dot_is_that_of_the_block():
    assert parse_pointer(f"session:chat/a.b#m.1.20@{HASH}") == SessionPointer("chat", "a.b", "m.1", 20, HASH)


def test_a_pointer_is_a_path_and_a_fragment_to_a_url_parser():
    parts = urlsplit("http://localhost/open/" + format_session_pointer(to("a?b#c")))
    assert parts.path == "/open/session:claude/a%3Fb%23c"
    assert parts.fragment == f"7b5e.0,c=120-980@{HASH}"


def test_white_space_around_a_pasted_pointer_is_no_matter():
    assert parse_pointer(f"  session:claude/x#y.0@{HASH}\n") == SessionPointer("claude", "x", "y", 0, HASH)


def test_a_file_may_lie_in_a_folder_that_is_called_like_a_source():
    assert isinstance(parse_pointer(f"session/claude/x.md#L1,c=0-9@{HASH}"), Pointer)
    assert isinstance(parse_pointer(f"work:session/x.md#L1,c=0-9@{HASH}"), Pointer)


def test_where_a_file_is_wanted_a_message_is_refused():
    with pytest.raises(InvalidPointer):
        parse_file_pointer(f"session:claude/x#y.0@{HASH}")


@pytest.mark.parametrize(
    "text",
    [
        "session:", "session:claude", "session:claude/x", "session:claude/x#y", "session:claude/x#y.0",
        f"session:x#y.0@{HASH}", f"session:claude/x#y@{HASH}", f"session:claude/x#.0@{HASH}",
        f"session:claude/#y.0@{HASH}", f"session:/x#y.0@{HASH}",
        f"session:Claude/x#y.0@{HASH}", f"session:-a/x#y.0@{HASH}", f"session:claude/x/z#y.0@{HASH}",
        f"session:claude/x#y.-1@{HASH}", f"session:claude/x#y.1234567@{HASH}", f"session:claude/x#y.٣@{HASH}",
        f"session:claude/x#y.0,c=9-9@{HASH}", f"session:claude/x#y.0,c=9-3@{HASH}", f"session:claude/x#y.0,c=9@{HASH}",
        f"session:claude/x#y.0@{HASH[:-1]}", f"session:claude/x#y.0@{HASH}0", f"session:claude/x#y.0@{HASH.upper()}",
        f"session:claude/x y#z.0@{HASH}", f"session:claude/日#y.0@{HASH}", f"session:claude/x#%FF.0@{HASH}",
        f"session:claude/%FF#y.0@{HASH}", f"session:claude/%2#y.0@{HASH}", f"%FF:session:claude/x#y.0@{HASH}",
        f"a:b:session:claude/x#y.0@{HASH}", f"session:claude/x#y.0@{HASH} b", f"session:claude/\x1b[31m#y.0@{HASH}",
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
        parse_pointer(f"session:claude/{text} is no pointer")
