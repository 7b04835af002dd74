"""Documents on the command line: inside a page range, a sheet, and back to the page."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.cli.running import Run
from tests.documents import pdf, slides, workbook


@pytest.fixture
def library(tmp_path: Path, run: Run) -> Path:
    folder = tmp_path / "library"
    folder.mkdir()
    (folder / "report.pdf").write_bytes(pdf([f"Page {n} tells of the harbour.\nIt is deep." for n in range(1, 6)]))
    (folder / "figures.xlsx").write_bytes(
        workbook({"Summary": [["Pier", "Boats"], ["North", 12]], "Other": [["x"], [1]]})
    )
    (folder / "deck.pptx").write_bytes(slides(["The harbour opens.", "The harbour is sold."], hidden=[2]))
    (folder / "note.md").write_text("# Note\n\nThe harbour again.\n")
    assert run("index", folder).code == 0
    return folder


def test_a_sheet_is_shown_without_a_query(run: Run, library: Path) -> None:
    answer = run("search", "--in", "figures.xlsx", "--sheet", "Summary", "--json").answer
    assert (answer["mode"], answer["verdict"]["status"]) == ("positional", "ok")
    assert answer["scope"] == {
        "filters": [{"name": "in", "in": 6, "out": 2}, {"name": "sheet", "in": 2, "out": 1}],
        "scope_total": 1,
        "returned": 1,
        "exhaustive": True,
    }
    locator = answer["results"][0]["matches"][0]["locator"]
    assert (locator["sheet"], locator["rows"]) == ("Summary", [1, 2])
    assert "passages 1-1 of 1" in run("search", "--in", "figures.xlsx", "--sheet", "Summary").out


def test_words_inside_a_range_of_pages(run: Run, library: Path) -> None:
    answer = run("search", "harbour", "--in", "report", "--pages", "2-3", "--json", "--explain").answer
    assert {candidate["document"] for candidate in answer["trace"]["candidates"]} == {"report.pdf"}
    assert answer["trace"]["request"]["pages"] == [2, 3]
    assert run("inspect", "query", "harbour", "--in", "report", "--pages", "2-3").code in (0, 1)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--in", "report.pdf", "--pages", "3-"], "invalid_range"),
        (["--in", "report.pdf", "--pages", "3-2"], "invalid_range"),
        (["--in", "report.pdf", "--pages", "9"], "page_out_of_range"),
        (["--in", "report.pdf", "--sheet", "Summary"], "filter_not_applicable"),
        (["--in", "figures.xlsx", "--sheet", "Summa"], "sheet_not_found"),
        (["--in", "repor"], "document_not_found"),
        (["--lines", "1-2"], "filter_not_applicable"),
    ],
)
def test_a_wrong_place_is_bad_input_with_what_there_is(
    run: Run, library: Path, arguments: list[str], code: str
) -> None:
    if code == "filter_not_applicable" and "--lines" in arguments:
        arguments = ["--path", "*.pdf", *arguments]
    ran = run("search", "harbour", *arguments, "--json")
    assert ran.code == 2
    assert ran.error["code"] == code
    assert ran.error["suggestion"]


def test_why_not_names_the_places_that_stand_in_the_way(run: Run, library: Path) -> None:
    answer = run("inspect", "why-not", "harbour", "deck.pptx", "--in", "report.pdf", "--pages", "2", "--json").answer
    changes = [proposal["change"] for proposal in answer["proposals"]]
    assert changes == ["without --in and without --pages"]
    hidden = run("search", "sold", "--in", "deck.pptx", "--slide", "2", "--json").answer
    pointer = hidden["results"][0]["matches"][0]["pointer"]
    shown = run("inspect", "why-not", "sold", pointer, "--in", "deck.pptx", "--slide", "1-2").out
    assert "glassdex search --in=deck.pptx --slide=1-2 --hidden -- sold" in shown


def test_the_page_of_a_passage_is_drawn_with_its_words_marked(run: Run, library: Path, tmp_path: Path) -> None:
    found = run("search", "harbour", "--in", "report.pdf", "--pages", "4", "-n", "1", "--json").answer
    pointer = found["results"][0]["matches"][0]["pointer"]
    ran = run("open", pointer, "--image", tmp_path / "page.png", "--json")
    assert ran.code == 0
    pages = found["results"][0]["matches"][0]["locator"]["pages"]
    drawn = [Path(path) for path in ran.answer["images"]]
    assert len(drawn) == pages[1] - pages[0] + 1
    for path in drawn:
        picture = np.asarray(Image.open(io.BytesIO(path.read_bytes())).convert("RGB"), dtype=int)
        assert ((picture[..., 0] > 200) & (picture[..., 1] > 200) & (picture[..., 2] < 180)).any()


def test_a_picture_is_never_written_over_anything_but_a_picture(run: Run, library: Path, tmp_path: Path) -> None:
    found = run("search", "harbour", "--in", "report.pdf", "--pages", "4", "-n", "1", "--json").answer
    pointer = found["results"][0]["matches"][0]["pointer"]
    (tmp_path / "notes.png").write_text("no picture")
    kept = (library / "report.pdf").read_bytes()
    for target in (library / "report.pdf", tmp_path / "notes.png", tmp_path, tmp_path / "page.jpg", Path("/")):
        ran = run("open", pointer, "--image", target, "--json")
        assert (ran.code, ran.error["code"]) == (2, "invalid_request"), target
    assert (library / "report.pdf").read_bytes() == kept
    assert run("open", pointer, "--image", tmp_path / "page.png").code == 0
    assert run("open", pointer, "--image", tmp_path / "page.png").code == 0


def test_a_row_of_figures_is_shown_with_its_header(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "books"
    folder.mkdir()
    rows: list[list[object]] = [["Pier", "Boats in 2022"], *([f"Pier {n}", n] for n in range(1, 200))]
    (folder / "piers.xlsx").write_bytes(workbook({"Summary": rows}))
    run("index", folder)
    answer = run("search", "Pier 150", "--in", "piers.xlsx", "--rows", "151", "--json").answer
    match = answer["results"][0]["matches"][0]
    assert "Boats" not in match["text"]
    assert match["context"] == "Pier | Boats in 2022"
    assert "Pier | Boats in 2022" in run("search", "Pier 150", "--in", "piers.xlsx", "--rows", "151").out
    assert run("open", match["pointer"], "--json").answer["context"] == match["context"]
    listed = run("search", "--in", "piers.xlsx", "--rows", "151").out
    assert all(line in listed for line in match["text"].splitlines())


def test_a_document_that_could_not_be_read_is_not_denied(run: Run, library: Path) -> None:
    (library / "broken.pdf").write_bytes(b"%PDF-1.7 and nothing more")
    run("index", library)
    ran = run("search", "harbour", "--in", "broken.pdf", "--json")
    assert ran.error["code"] == "document_not_found"
    assert "could not be read" in ran.error["message"]


def test_only_a_pdf_can_be_drawn_and_only_text_opens_in_an_editor(run: Run, library: Path, tmp_path: Path) -> None:
    note = run("search", "harbour", "--in", "note.md", "--json").answer["results"][0]["matches"][0]["pointer"]
    ran = run("open", note, "--image", tmp_path / "page.png", "--json")
    assert (ran.code, ran.error["code"]) == (2, "invalid_request")
    sheet = run("search", "--in", "figures.xlsx", "--json").answer["results"][0]["matches"][0]["pointer"]
    assert run("open", sheet).out.startswith("exact: ")
    ran = run("open", sheet, "--editor")
    assert ran.code == 2
    assert "no lines" in ran.err


def test_places_are_brought_up_to_date_by_name_or_everywhere(run: Run, library: Path) -> None:
    assert run("projects", "upgrade", "library").out == "library: up to date\n"
    assert run("projects", "upgrade", "--json").answer["projects"][0]["name"] == "library"
