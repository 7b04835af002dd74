"""Facts about real workbooks, from tests/data/cases/expected-tables.json: see tests/data/README.md."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any, Literal

import pytest

from glassdex.model import Document
from glassdex.project import Project

from .workbooks import CASES, case, lines, places_of, read

FACTS: list[dict[str, Any]] = [
    fact
    for fact in json.loads((CASES / "expected-tables.json").read_text(encoding="utf-8"))
    if fact["file"].endswith(".xlsx")
]


@cache
def document_of(name: str) -> Document:
    return read(case(name), name)


def facts(*keys: str) -> list[Any]:
    found = [fact for fact in FACTS if all(key in fact for key in keys)]
    assert found
    return [pytest.param(fact, id=f"{fact['file']}-{number}") for number, fact in enumerate(found)]


def row_of(cell: str) -> int:
    return int(cell.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ"))


def shown(value: object) -> str:
    return " ".join(str(value).split("\n")).partition(" (duration")[0]


@pytest.mark.parametrize("fact", facts("cells"))
def test_cells_stand_in_their_row(fact: dict[str, Any]) -> None:
    found = lines(document_of(fact["file"]), fact["sheet"])
    for cell, value in fact["cells"].items():
        assert shown(value) in found[row_of(cell)].split(" | ")


@pytest.mark.parametrize("fact", facts("cell", "value"))
def test_a_cell_is_shown_on_one_line(fact: dict[str, Any]) -> None:
    assert shown(fact["value"]) in lines(document_of(fact["file"]), fact["sheet"])[row_of(fact["cell"])]


@pytest.mark.parametrize("fact", facts("cell", "cached"))
def test_a_formula_shows_its_result_and_without_one_itself(fact: dict[str, Any]) -> None:
    document = document_of(fact["file"])
    line = lines(document, fact["sheet"])[row_of(fact["cell"])]
    if fact["cached"] is not None:
        assert str(fact["cached"]) in line.split(" | ")
        return
    (warning,) = document.warnings
    assert warning.code == "uncached_formulas"
    assert f"{fact['sheet']}!{fact['cell']}" in warning.message
    assert "=IF(" in line


@pytest.mark.parametrize("fact", facts("formula_contains"))
def test_a_formula_without_result_is_found_by_its_words(fact: dict[str, Any]) -> None:
    assert fact["formula_contains"] in lines(document_of(fact["file"]), fact["sheet"])[row_of(fact["cell"])]


@pytest.mark.parametrize("fact", facts("error"))
def test_an_error_is_its_text(fact: dict[str, Any]) -> None:
    assert lines(document_of(fact["file"]), fact["sheet"])[row_of(fact["cell"])] == fact["error"]


@pytest.mark.parametrize("fact", facts("contains"))
def test_text_stands_in_its_row_and_merged_text_once(fact: dict[str, Any]) -> None:
    document = document_of(fact["file"])
    assert fact["contains"] in lines(document, fact["sheet"])[fact["row"]]
    rows = [number for number, line in lines(document, fact["sheet"]).items() if fact["contains"] in line]
    assert rows == [fact["row"]] or "merged" not in fact.get("note", "")


@pytest.mark.parametrize("fact", facts("state"))
def test_hidden_sheets_are_read_and_say_so(fact: dict[str, Any]) -> None:
    document = document_of(fact["file"])
    assert {place.hidden for place in places_of(document, fact["sheet"])} == {fact["state"] == "hidden"}
    assert lines(document, fact["sheet"]) == {1: fact["value"]}


@pytest.mark.parametrize("fact", facts("first_used"))
def test_rows_are_numbered_as_on_the_sheet(fact: dict[str, Any]) -> None:
    first, last = row_of(fact["first_used"]), row_of(fact["last_used"])
    assert list(lines(document_of(fact["file"]), fact["sheet"])) == list(range(first, last + 1))


@pytest.mark.parametrize("fact", facts("sheets"))
def test_every_sheet_is_there_by_its_own_name(fact: dict[str, Any]) -> None:
    assert list(dict.fromkeys(place.sheet for place in document_of(fact["file"]).places)) == fact["sheets"]


def test_an_empty_sheet_has_a_place_without_text() -> None:
    empty = [place for place in document_of("errors.xlsx").places if place.start == place.end]
    assert [place.sheet for place in empty] == ["Feuil2", "Feuil3"]


def test_each_of_two_stacked_tables_carries_its_own_year() -> None:
    sheet = "OS-Rev.and results 30 06 2023"
    document = document_of("2023-half-year-analyses-by-segment.xlsx")
    first, second, notes = (row for row in document.rows if row.blocks[0].headings == (sheet,))
    assert "January–June 2023" in first.blocks[0].context and "2022" not in first.blocks[0].context
    assert "January–June 2022" in second.blocks[0].context and "January–June 2023" not in second.blocks[0].context
    assert "Zone NA | 12553" in first.text and "Zone NA | 12138" in second.text
    assert notes.text.startswith("(a) Inter-segment") and notes.blocks[0].context == ""


@pytest.mark.parametrize("fact", facts("query"))
@pytest.mark.parametrize("mode", ["lexical", "hybrid"])
def test_the_year_of_a_table_finds_its_rows(
    fact: dict[str, Any], mode: Literal["lexical", "hybrid"], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GLASSDEX_HOME", str(tmp_path / "home"))
    root = tmp_path / "files"
    root.mkdir()
    (root / fact["file"]).write_bytes(case(fact["file"]))
    with Project.create("tables", [root]) as project:
        project.index(embed=mode != "lexical")
        first = project.search(fact["query"], mode=mode).results[0].matches[0]
    assert first.locator.sheet == fact["sheet"]
    assert first.locator.row_start is not None and first.locator.row_end is not None
    assert first.locator.row_start <= fact["row"] <= first.locator.row_end
    assert not first.locator.row_start <= fact["not_row"] <= first.locator.row_end
