from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassdex.errors import UnsupportedEncoding
from glassdex.reading.text import LineIndex, decode_utf8

LINE_TEXT = st.text(alphabet=st.sampled_from("ab\r\n\u2028\x0b\x0c\x85\x1c"))


def test_a_byte_order_mark_is_not_part_of_the_text() -> None:
    assert decode_utf8(b"\xef\xbb\xbfa\r\nb") == "a\r\nb"


def test_nul_bytes_are_text() -> None:
    assert decode_utf8(b"a\0b") == "a\0b"


@pytest.mark.parametrize(("content", "offset"), [(b"caf\xe9 bar", 3), (b"\xef\xbb\xbfab\xff", 5), (b"ab\xc3", 2)])
def test_a_file_in_another_encoding_is_told_the_byte(content: bytes, offset: int) -> None:
    with pytest.raises(UnsupportedEncoding, match=f"byte offset {offset}") as raised:
        decode_utf8(content)
    assert "UTF-8" in raised.value.suggestion
    assert raised.value.code == "unsupported_encoding"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
def test_a_file_with_a_utf_16_mark_is_called_by_its_name(encoding: str) -> None:
    with pytest.raises(UnsupportedEncoding, match=encoding.upper()) as raised:
        decode_utf8("Grüße".encode(encoding))
    assert f"iconv -f {encoding.upper()}" in raised.value.suggestion


def test_only_the_three_newlines_end_a_line() -> None:
    lines = LineIndex("a\u2028b\x0bc\x85d\ne\r\nf\rg")
    assert lines.line_count == 4
    assert [lines.start_of(line) for line in (1, 2, 3, 4)] == [0, 8, 11, 13]
    assert [lines.end_of(line) for line in (1, 2, 3, 4)] == [7, 9, 12, 14]


def test_a_final_newline_opens_no_line() -> None:
    assert LineIndex("a\n").line_count == 1
    assert LineIndex("a\n").line_of(2) == 1
    assert LineIndex("\n\n").line_count == 2
    assert LineIndex("").line_count == 1


@given(LINE_TEXT)
def test_lines_put_together_are_the_text(text: str) -> None:
    lines = LineIndex(text)
    whole = [text[lines.start_of(line) : lines.end_of(line)] for line in range(1, lines.line_count + 1)]
    pieces = re.split(r"\r\n|\r|\n", text)
    assert whole == (pieces[:-1] if len(pieces) > 1 and pieces[-1] == "" else pieces)


@given(LINE_TEXT)
def test_every_offset_lies_in_its_line(text: str) -> None:
    lines = LineIndex(text)
    for offset in range(len(text)):
        line = lines.line_of(offset)
        following = lines.start_of(line + 1) if line < lines.line_count else len(text)
        assert lines.start_of(line) <= offset < following
