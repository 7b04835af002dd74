"""Facts about real PPTX, DOCX and HTML files: tests/data/cases/expected-documents.json."""

from __future__ import annotations

import json
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

from glassdex.model import Document
from glassdex.reading.html import HtmlReader
from glassdex.reading.protocol import Reader
from glassdex.reading.slides import SlidesReader
from glassdex.reading.word import WordReader
from tests.reading.office import blocks_of

CASES = Path(__file__).parents[1] / "data" / "cases"
FACTS: list[dict[str, Any]] = json.loads((CASES / "expected-documents.json").read_text(encoding="utf-8"))
READERS: dict[str, Reader] = {".pptx": SlidesReader(), ".docx": WordReader(), ".html": HtmlReader()}


def facts_with(*fields: str) -> pytest.MarkDecorator:
    """The facts that have all of the fields, as the test's argument `fact`."""
    chosen = [fact for fact in FACTS if all(field in fact for field in fields)]
    assert chosen
    return pytest.mark.parametrize("fact", chosen, ids=lambda fact: f"{fact['file']}:{FACTS.index(fact)}")


def case(fact: dict[str, Any]) -> Document:
    path = CASES / fact["file"]
    return READERS[path.suffix].read(PurePosixPath(path.name), path.read_bytes())


def shown(fact: dict[str, Any]) -> str:
    """The text of the fact's slide, or of the whole document."""
    document = case(fact)
    if "slide" not in fact:
        return document.text
    place = next(place for place in document.places if place.slide == fact["slide"])
    return document.text[place.start : place.end]


def rows_of_cells(text: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split("|")] for line in text.split("\n")]


@facts_with("contains")
def test_what_the_file_shows_is_read(fact: dict[str, Any]) -> None:
    assert fact["contains"] in shown(fact)


@facts_with("contains_all")
def test_groups_inside_groups_are_read(fact: dict[str, Any]) -> None:
    assert sorted(shown(fact).split()) == sorted(fact["contains_all"])


@facts_with("slides")
def test_every_slide_is_a_place(fact: dict[str, Any]) -> None:
    assert [place.slide for place in case(fact).places] == list(range(1, fact["slides"] + 1))


@facts_with("slide", "title")
def test_a_slides_title_is_its_heading(fact: dict[str, Any]) -> None:
    row = case(fact).rows[fact["slide"] - 1]
    headings = [row.text[block.start : block.end] for block in row.blocks if block.kind == "heading"]
    assert headings == ([fact["title"]] if fact["title"] else [])


@facts_with("has_table")
def test_a_table_on_a_slide_is_a_block(fact: dict[str, Any]) -> None:
    assert any(block.kind == "table" for block in case(fact).rows[fact["slide"] - 1].blocks) is fact["has_table"]


@facts_with("table_row")
def test_merged_cells_are_said_once(fact: dict[str, Any]) -> None:
    assert fact["table_row"] in rows_of_cells(shown(fact))


@facts_with("notes")
def test_speaker_notes_are_a_block_of_their_own(fact: dict[str, Any]) -> None:
    row = case(fact).rows[fact["slide"] - 1]
    assert row.text[row.blocks[-1].start : row.blocks[-1].end] == f"Notes: {fact['notes']}"


@facts_with("headings")
def test_headings_are_known_by_their_styles(fact: dict[str, Any]) -> None:
    document = case(fact)
    headings = [text for _, block, text in blocks_of(document) if block.kind == "heading"]
    assert headings == [text for _, text in fact["headings"]]
    assert document.title == headings[0]


@facts_with("heading_path")
def test_text_stands_under_its_headings(fact: dict[str, Any]) -> None:
    blocks = [block for _, block, text in blocks_of(case(fact)) if fact["contains"] in text]
    assert [list(block.headings) for block in blocks] == [fact["heading_path"]]


@facts_with("caption")
def test_a_caption_goes_with_its_table(fact: dict[str, Any]) -> None:
    block, text = next((block, text) for _, block, text in blocks_of(case(fact)) if fact["row"][0] in text)
    assert fact["row"] in rows_of_cells(text)
    assert text.startswith(fact["caption"])
    assert block.context.startswith(fact["caption"])


@facts_with("tables_top_level")
def test_a_table_in_a_table_stands_in_its_cell(fact: dict[str, Any]) -> None:
    document = case(fact)
    tables = [text for _, block, text in blocks_of(document) if block.kind == "table"]
    assert len(tables) == fact["tables_top_level"]
    assert ["Quack", "Type, Sound / Short, “quak” / Long, “quaaaaaack”"] in rows_of_cells(tables[2])
    assert document.title == fact["title"]
