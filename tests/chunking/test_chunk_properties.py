from __future__ import annotations

import re
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from glassdex.chunking import MAX_BREADCRUMB_TOKENS, MAX_CHARACTERS, MAX_TOKENS
from glassdex.embedding.tokens import token_counter
from glassdex.model import Block, Chunk, Document, Locator, Row, text_hash
from glassdex.reading.text import LineIndex
from tests.chunking.cutting import chunks_of
from tests.reading.notes import read, sources

_LONG_LINES = st.sampled_from((
    "A sentence of some length, which says nothing much. " * 40, "word " * 600, "営業は順調です。" * 80,
    "營收下降" * 150,
    "x" * 3000, "ありがとう" * 120, "a1-b2_c3/" * 200, "한국어 문장입니다. " * 60, "🙂" * 500, "- item text " * 120,
    "| a | b |\n|---|---|\n" + "| cell one | cell two |\n" * 60, "```\n" + "code line here()\n" * 80 + "```",
    "# " + "Long heading " * 100, "## " + "見出し語" * 100, "0f3a9c" * 30 + " ", "e\u0301" * 700, "\u0e01\u0e33" * 600,
))  # fmt: skip
long_sources = st.lists(st.one_of(_LONG_LINES, sources()), min_size=1, max_size=4).map("\n\n".join)


@given(st.one_of(sources(), long_sources))
def test_a_chunk_is_a_slice_of_its_row_and_of_the_file(text: str) -> None:
    document = read(text)
    for chunk in chunks_of(document):
        assert chunk.row.text[chunk.start : chunk.end] == chunk.text
        assert document.text[chunk.char_start : chunk.char_end] == chunk.text
        assert chunk.text.strip()


@given(st.one_of(sources(), long_sources))
def test_a_chunk_keeps_both_limits_by_the_shipped_tokenizer(text: str) -> None:
    for chunk in chunks_of(read(text)):
        assert len(chunk.text) <= MAX_CHARACTERS
        assert token_counter().count(chunk.embedded_text) <= MAX_TOKENS
        assert token_counter().count(chunk.breadcrumb) <= MAX_BREADCRUMB_TOKENS


@given(st.one_of(sources(), long_sources))
def test_chunks_are_in_order_and_leave_no_text_out(text: str) -> None:
    document = read(text)
    found = chunks_of(document)
    assert [chunk.ordinal for chunk in found] == list(range(len(found)))
    for row in document.rows:
        own = [chunk for chunk in found if chunk.row is row]
        assert all(a.end <= b.start for a, b in pairwise(own))
        covered = {offset for chunk in own for offset in range(chunk.start, chunk.end)}
        for block in row.blocks:
            if block.kind != "row" and not _stands_in_a_breadcrumb(block, row, found):
                assert all(offset in covered or row.text[offset].isspace() for offset in range(block.start, block.end))


def _stands_in_a_breadcrumb(block: Block, row: Row, found: list[Chunk]) -> bool:
    depth = len(block.headings)
    return block.kind == "heading" and any(
        chunk.char_start >= row.start + block.end and chunk.headings[:depth] == block.headings for chunk in found
    )


@given(st.one_of(sources(), long_sources))
def test_no_chunk_reaches_into_a_line_that_is_a_row_of_its_own(text: str) -> None:
    document = read(text)
    note = document.rows[0]
    for chunk in chunks_of(document):
        if chunk.row is note:
            assert not any(b.kind == "row" and b.start < chunk.end and chunk.start < b.end for b in note.blocks)


@given(st.one_of(sources(), long_sources))
def test_the_lines_of_a_chunk_are_those_of_its_first_and_last_character(text: str) -> None:
    document = read(text)
    lines = LineIndex(document.text)
    for chunk in chunks_of(document):
        assert chunk.locator == Locator(lines.line_of(chunk.char_start), lines.line_of(chunk.char_end - 1))


@given(st.one_of(sources(), long_sources))
def test_keys_are_unique_and_say_kind_hash_and_occurrence(text: str) -> None:
    found = chunks_of(read(text))
    assert len({chunk.key for chunk in found}) == len(found)
    for chunk in found:
        assert re.fullmatch(r"(entity|observation|relation):[0-9a-f]{16}:\d+", chunk.key)
        assert chunk.key.split(":")[1] == text_hash(chunk.text)[:16]


@given(st.one_of(sources(), long_sources))
def test_the_same_text_gives_the_same_chunks(text: str) -> None:
    assert chunks_of(read(text)) == chunks_of(read(text))


@given(st.one_of(sources(), long_sources))
def test_windows_newlines_change_no_embedded_text(text: str) -> None:
    plain = text.replace("\r\n", "\n").replace("\r", "\n")

    def embedded(document: Document) -> list[str]:
        return [chunk.embedded_text for chunk in chunks_of(document) if len(chunk.text) < MAX_CHARACTERS // 2]

    if len(plain) < MAX_CHARACTERS // 2:
        assert embedded(read(plain)) == embedded(read(plain.replace("\n", "\r\n")))
