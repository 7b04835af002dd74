"""Facts about real files: tests/data/markdown/expected.json."""

from __future__ import annotations

import json
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

from glassdex.model import Block, Document
from glassdex.reading.markdown import MarkdownReader
from glassdex.reading.text import LineIndex

CASES = Path(__file__).parents[1] / "data" / "markdown"
FACTS: list[dict[str, Any]] = json.loads((CASES / "expected.json").read_text(encoding="utf-8"))


def facts_with(*fields: str) -> pytest.MarkDecorator:
    """The facts that have one of the fields, as the test's argument `fact`."""
    chosen = [fact for fact in FACTS if any(field in fact for field in fields)]
    return pytest.mark.parametrize("fact", chosen, ids=lambda fact: f"{fact['file']}:{fact.get('line', 'file')}")


def note(fact: dict[str, Any]) -> Document:
    path = CASES / fact["file"]
    return MarkdownReader().read(PurePosixPath(fact["file"]), path.read_bytes())


def first_lines(document: Document, kind: str) -> dict[int, Block]:
    lines = LineIndex(document.text)
    return {lines.line_of(block.start): block for block in document.rows[0].blocks if block.kind == kind}


def block_at(document: Document, line: int) -> Block:
    lines = LineIndex(document.text)
    for block in document.rows[0].blocks:
        if lines.line_of(block.start) <= line <= lines.line_of(block.end - 1):
            return block
    raise AssertionError(f"no block covers line {line}")


@facts_with("not_headings_lines")
def test_lines_that_are_no_headings_are_none(fact: dict[str, Any]) -> None:
    document = note(fact)
    headings = first_lines(document, "heading")
    for line in fact["not_headings_lines"]:
        assert line not in headings
        assert block_at(document, line).kind == "fence"


@facts_with("line")
def test_text_stands_on_its_line_under_its_headings(fact: dict[str, Any]) -> None:
    document = note(fact)
    lines = LineIndex(document.text)
    wanted = fact.get("contains") or fact["heading"]
    line = fact["line"]
    assert wanted in document.text[lines.start_of(line) : lines.end_of(line)]
    if "heading_path" in fact:
        assert list(block_at(document, line).headings) == fact["heading_path"]
    if "heading_level" in fact:
        assert document.text.startswith("#" * fact["heading_level"] + " ", lines.start_of(line))
        assert line in first_lines(document, "heading")


@facts_with("headings", "first_heading")
def test_headings_have_their_lines_and_levels(fact: dict[str, Any]) -> None:
    document = note(fact)
    headings = {line: block.headings for line, block in first_lines(document, "heading").items()}
    for level, text, line in fact.get("headings", ()):
        assert headings[line][-1] == text
        assert len(headings[line]) == level
    if "headings" in fact:
        listed = [line for _, _, line in fact["headings"]]
        assert [line for line in sorted(headings) if line <= listed[-1]] == listed
    if "first_heading" in fact:
        text, line = fact["first_heading"]
        assert min(headings) == line
        assert document.title == text


@facts_with("front_matter")
def test_front_matter_is_metadata_and_no_block(fact: dict[str, Any]) -> None:
    document = note(fact)
    assert document.metadata == fact["front_matter"]
    lines = LineIndex(document.text)
    _, last = fact["front_matter_lines"]
    assert lines.line_of(document.rows[0].blocks[0].start) > last
