from __future__ import annotations

import json
import re

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from glassdex.model import Document, Row, unify_newlines
from glassdex.reading.front_matter import read_front_matter
from glassdex.reading.text import LineIndex

from .notes import lines_of, lines_of_markdown, read, rows_of, sources

ANY_TEXT = st.one_of(sources(), st.text())
MANY = settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def line_at(text: str, offset: int) -> int:
    return 1 + sum(1 for newline in re.finditer(r"\r\n?|\n", text) if newline.end() <= offset)


@MANY
@given(ANY_TEXT)
@example("")
@example("\0")
@example("---")
@example("---\n---")
@example("\r")
@example("-\n\n  x")
@example("> -\n\n")
def test_every_row_is_the_slice_of_the_file_that_it_says(text: str) -> None:
    document = read(text)
    for row in document.rows:
        assert document.text[row.start : row.start + len(row.text)] == row.text
        last = max(row.start, row.start + len(row.text) - 1)
        assert lines_of(document, row) == (line_at(document.text, row.start), line_at(document.text, last))


@MANY
@given(ANY_TEXT)
def test_blocks_cover_every_character_behind_the_front_matter_once(text: str) -> None:
    document = read(text)
    entity = document.rows[0]
    uncovered = []
    position = body_start(document.text)
    for block in entity.blocks:
        assert position <= block.start < block.end <= len(document.text)
        uncovered.append(document.text[position : block.start])
        position = block.end
        assert document.text[block.end - 1] not in "\r\n"
    uncovered.append(document.text[position:])
    assert "".join(uncovered).strip(" \t\r\n") == ""


def body_start(text: str) -> int:
    lines = LineIndex(text)
    line = read_front_matter(text, lines).body_line
    return lines.start_of(line) if line <= lines.line_count else len(text)


@MANY
@given(ANY_TEXT)
def test_every_observation_and_relation_lies_in_a_row_block(text: str) -> None:
    document = read(text)
    marked = [block for block in document.rows[0].blocks if block.kind == "row"]
    rows = sorted(document.rows[1:], key=lambda row: row.start)
    assert len(marked) == len(rows)
    for block, row in zip(marked, rows, strict=True):
        assert block.start <= row.start
        assert row.start + len(row.text) <= block.end
        assert row.blocks[0].start == 0
        assert row.blocks[0].end == len(row.text)
        assert row.blocks[0].headings == block.headings


@MANY
@given(ANY_TEXT)
def test_rows_have_distinct_keys_and_count_from_zero(text: str) -> None:
    document = read(text)
    assert len({row.key for row in document.rows}) == len(document.rows)
    for kind in ("entity", "observation", "relation"):
        assert [row.ordinal for row in rows_of(document, kind)] == list(range(len(rows_of(document, kind))))


@MANY
@given(lines_of_markdown)
def test_a_note_saved_with_other_newlines_reads_the_same(lines: list[str]) -> None:
    one, two, three = (read("".join(line + end for line in lines)) for end in ("\n", "\r\n", "\r"))
    for other in (two, three):
        assert [as_read(other, row) for row in other.rows] == [as_read(one, row) for row in one.rows]
        assert [(b.kind, b.headings) for b in other.rows[0].blocks] == [
            (b.kind, b.headings) for b in one.rows[0].blocks
        ]
        assert (other.links, other.title, other.tags, other.date) == (
            one.links,
            one.title,
            one.tags,
            one.date,
        )
        assert other.metadata == one.metadata


def as_read(document: Document, row: Row) -> tuple[object, ...]:
    said = (
        row.kind,
        row.ordinal,
        lines_of(document, row),
        row.category,
        row.target,
        row.context,
        row.tags,
    )
    return (*said, row.key, unify_newlines(row.text))


@MANY
@given(ANY_TEXT)
def test_links_name_a_line_of_the_file(text: str) -> None:
    document = read(text)
    _, last = lines_of(document, document.rows[0])
    assert last is not None
    assert all(1 <= link.line <= last and link.target for link in document.links)


YAML_LINES = st.sampled_from(
    """title: x|tags: [a|]|date: 2026-13-45|related:|  - [[A]]|- x|? [a]: b|<<: {a: 1}|a: *b|&b c: d
x: !!binary z|!!omap [a: 1]|k: >|  text|---|...|{a: {b|}}|'|%YAML 9.9""".replace("\n", "|").split("|")
)


@MANY
@given(st.lists(st.one_of(YAML_LINES, st.text(max_size=8))))
def test_no_front_matter_stops_a_note_from_being_read(lines: list[str]) -> None:
    document = read("\n".join(["---", *lines, "---", "# H", "words"]))
    json.dumps(document.metadata, allow_nan=False)
    assert all(warning.line and warning.message for warning in document.warnings)
    assert document.rows[0].blocks
