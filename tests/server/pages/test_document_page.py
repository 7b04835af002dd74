"""The document page: the chunks of the API on the text, with the numbers of one search's trace."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from glassdex.project import Project
from glassdex.server.app import create_app
from glassdex.server.config import ServerConfig
from glassdex.server.pages.document_page import A_PAGE
from glassdex.server.pages.inspector import add_inspector
from tests.cli.running import write
from tests.server.pages.conftest import Read
from tests.server.pages.files import TURNS
from tests.server.pages.test_search_page import text
from tests.server.serving import HERE


def chunks_of(pages: TestClient, document: str) -> list[Any]:
    rows = pages.get("/api/v1/chunks", params={"document": document}).json()["rows"]
    found = [chunk for row in rows for chunk in row["chunks"]]
    return sorted(found, key=lambda chunk: chunk["locator"]["chars"])


@pytest.mark.parametrize("document", ["owls.md", "hostile.md", "report.pdf", "copy.md"])
def test_every_chunk_is_drawn_with_what_is_known_of_it(pages: TestClient, read: Read, document: str) -> None:
    shown = read("/document", document=document).cssselect("section.chunk")
    chunks = chunks_of(pages, document)
    assert len(shown) == len(chunks) > 0
    for one, chunk in zip(shown, chunks, strict=True):
        assert one.get("id") == f"c{chunk['key']}"
        facts = text(one.cssselect(".facts")[0])
        for part in (chunk["key"], chunk["pointer"], chunk["source_hash"][:16], f"{chunk['tokens']} of"):
            assert part in facts


def test_the_text_between_chunks_is_there_and_apart(read: Read, pages_files: Path) -> None:
    page = read("/document", document="owls.md")
    column = page.cssselect(".text-column")[0]
    drawn = [one.text_content() for one in column.cssselect(".gap, .chunk .body")]
    written = (pages_files / "owls.md").read_text(encoding="utf-8")
    assert "".join("".join(drawn).split()) == "".join(written.split())
    assert "tags: [birds]" in column.cssselect(".gap")[0].text_content()


def test_the_heat_strip_has_the_scores_of_the_search(pages: TestClient, read: Read) -> None:
    asked = {"query": "owls mice", "fusion": "rrf/1"}
    trace = pages.get("/api/v1/search", params={**asked, "watch": "owls.md", "explain": True}).json()["trace"]
    legs = {chunk["chunk_key"]: chunk["legs"] for chunk in trace["watched"][0]["chunks"]}
    assert legs
    page = read("/document", document="owls.md", **asked)
    for one in page.cssselect("section.chunk"):
        words = {strip.get("class"): strip.get("aria-label") for strip in one.cssselect(".heat svg")}
        own = legs[one.get("id")[1:]]
        for leg, scale, places in (("lexical", "bm25", 2), ("dense", "cos", 3)):
            said = words[f"stage-{leg}"]
            if leg in own:
                assert float(said.partition(scale)[2].split(",")[0]) == pytest.approx(
                    own[leg]["score"], abs=10**-places
                )
            else:
                assert said == f"{leg}: no score"


def test_without_a_query_there_are_no_strips(read: Read) -> None:
    assert not read("/document", document="owls.md").cssselect(".heat svg")


def test_a_sheet_is_a_grid_with_its_own_numbers_and_letters(read: Read) -> None:
    page = read("/document", document="ships.xlsx")
    table = page.cssselect(".sheet table")[0]
    assert [text(one) for one in table.cssselect("thead th")] == ["A", "B", "C"]
    rows = [[text(cell) for cell in row] for row in table.cssselect("tbody tr")]
    assert rows[2] == ["3", "February", "9", "7"]
    assert rows[3] == ["4", "March", "31", "<b>none</b>"]


def test_a_page_of_a_pdf_is_a_picture_with_the_chosen_passage_marked(pages: TestClient, read: Read) -> None:
    chunk = chunks_of(pages, "report.pdf")[0]
    page = read("/document", document="report.pdf", chunk=chunk["key"])
    pictures = [one.get("src") for one in page.cssselect("img.page-image")]
    assert len(pictures) == 2
    for picture in pictures:
        answered = pages.get(picture)
        assert answered.headers["content-type"] == "image/png"


def test_a_transcript_is_its_turns_a_page_of_them(read: Read) -> None:
    first = read("/document", document="talk.jsonl")
    turns = first.cssselect("h2.turn")
    assert len(turns) == A_PAGE
    assert [text(one.cssselect(".who")[0]) for one in turns[:2]] == ["user", "assistant"]
    second = read(first.cssselect("a[rel=next]")[0].get("href"))
    assert len(second.cssselect("section.chunk")) == TURNS - A_PAGE
    marked = read(turns[5].cssselect("a")[0].get("href")).cssselect(".is-match")
    assert "Turn 5 is" in text(marked[0])


def test_the_chosen_chunk_is_on_the_page(pages: TestClient, read: Read) -> None:
    last = chunks_of(pages, "talk.jsonl")[-1]
    chosen = read("/document", document="talk.jsonl", chunk=last["key"]).cssselect(".is-chosen")
    assert [one.get("id") for one in chosen] == [f"c{last['key']}"]


def test_a_file_that_changed_says_so_with_both_comparisons(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLASSDEX_HOME", str(tmp_path / "home"))
    write(tmp_path / "notes", owls="# Owls\n\nOwls sleep in barns.\n")
    with Project.create("notes", [tmp_path / "notes"]) as project:
        project.index()
    (tmp_path / "notes" / "owls.md").write_text("# Owls\n\nA secret that is not indexed.\n", encoding="utf-8")
    with TestClient(create_app(ServerConfig(), add_pages=add_inspector), base_url=HERE) as pages:
        shown = pages.get("/document", params={"document": "owls.md"}).text
        chunks = pages.get("/api/v1/chunks", params={"document": "owls.md"}).json()
    assert "rows behind file" in shown
    assert "the file is not as it was indexed" in shown
    assert "Owls sleep in barns." in shown
    assert "secret" not in shown
    versus = chunks["freshness"]["file_vs_rows"]
    assert versus["current_hash"] in shown
    assert versus["rows_hash"] in shown
    assert chunks["freshness"]["rows_vs_index"]["manifest_fingerprint"] in shown


def test_why_it_is_there_can_be_asked_from_any_search(read: Read) -> None:
    page = read("/document", document="owls.md", query="owls", watch="buoys.md", projects="files", limit="2")
    (link,) = (one.get("href") for one in page.cssselect("a") if (one.get("href") or "").startswith("/why-not"))
    assert read(link).cssselect("#why-not .rungs")
