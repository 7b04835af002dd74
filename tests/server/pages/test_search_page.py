"""The search page says what the API and the command line say of the same search."""

from __future__ import annotations

import re
import shlex
from typing import Any

import pytest
from starlette.testclient import TestClient

from glassdex.cli import render_search
from glassdex.server.pages.stages import LETTERS
from glassdex.server.queries import SearchQuery
from tests.cli.running import runner
from tests.server.pages.conftest import Read
from tests.server.pages.files import HOSTILE_NAME

SEARCHES: list[dict[str, Any]] = [
    {"query": "where do owls sleep"},
    {"query": "owls", "mode": "lexical"},
    {"query": "owls", "mode": "dense", "limit": 2, "page": 2},
    {"query": "ships fog", "fusion": "rrf/1", "feedback": "on", "rerank": "late-interaction"},
    {"query": "owls", "tags": ["birds"], "kinds": ["entity", "section"], "paths": ["*.md"]},
    {"query": "", "in_document": "report.pdf"},
    {"query": "lantern", "roles": ["assistant"], "tz": "Europe/Berlin"},
    {"query": "weather", "min_similarity": 0.2, "matches": 1},
]


def text(node: Any) -> str:
    return " ".join(node.text_content().split())


@pytest.mark.parametrize("asked", SEARCHES)
def test_results_are_those_of_the_api(pages: TestClient, read: Read, asked: dict[str, Any]) -> None:
    answer = pages.get("/api/v1/search", params=asked).json()
    page = read("/search", **asked)
    results = page.cssselect("li.result")
    assert len(results) == len(answer["results"]) > 0
    for shown, result in zip(results, answer["results"], strict=True):
        assert text(shown.cssselect("h2")[0]) == " ".join(result["document"]["title"].split())
        assert [text(one) for one in shown.cssselect("article code.pointer")] == [
            m["pointer"] for m in result["matches"]
        ]
        assert float(text(shown.cssselect(".score")[0])) == pytest.approx(result["score"], abs=6e-4)
        assert result["freshness"]["state"] in text(shown.cssselect(".fresh")[0])
    assert text(page.cssselect(".verdict strong")[0]) == answer["verdict"]["status"].replace("_", " ")


def test_the_ladder_has_the_ranks_of_the_trace(pages: TestClient, read: Read) -> None:
    asked = {"query": "owls in barns", "feedback": "on", "rerank": "late-interaction"}
    answer = pages.get("/api/v1/search", params={**asked, "explain": True}).json()
    known = {(c["document"], c["chunk_key"]): c for c in answer["trace"]["candidates"]}
    shown = read("/search", **asked).cssselect("li.result")
    assert shown
    for one, result in zip(shown, answer["results"], strict=True):
        candidate = known[result["document"]["path"], result["matches"][0]["chunk_key"]]
        words = one.cssselect("svg.ladder")[0].get("aria-label")
        ranks = {name: int(rank) for name, rank in re.findall(r"(\w+): rank (\d+)", words)}
        expected = {
            **{name: leg["rank"] for name, leg in candidate["legs"].items() if "rank" in leg},
            "fuse": candidate["fused"]["rank"],
            **{name: own["rank"] for name, own in candidate.get("rescored", {}).items()},
            "rerank": candidate["rerank"]["rank"],
            "final": result["rank"],
        }
        assert ranks == expected


def test_stages_add_up_and_are_those_of_the_trace(pages: TestClient, read: Read) -> None:
    stages = pages.get("/api/v1/search", params={"query": "owls", "explain": True}).json()["trace"]["stages"]
    rows = [[text(cell) for cell in row] for row in read("/search", query="owls").cssselect(".stages tbody tr")]
    assert [row[:4] for row in rows] == [[s["name"], *(f"{s[k]:,}" for k in ("in", "added", "out"))] for s in stages]


def test_misses_are_folded_with_their_reasons(pages: TestClient, read: Read) -> None:
    answer = pages.get("/api/v1/search", params={"query": "owls", "show_misses": True, "limit": 1}).json()
    misses = read("/search", query="owls", limit=1).cssselect("details#misses")[0]
    assert "open" not in misses.attrib
    assert text(misses.cssselect("summary")[0]).startswith(f"{sum(g['total'] for g in answer['misses']):,} considered")
    assert len(misses.cssselect("h3")) == len(answer["misses"])
    first = answer["misses"][0]["listed"][0]
    assert first["pointer"] in text(misses)
    assert first["detail"] in text(misses)


def test_the_form_has_every_field_of_a_search(read: Read) -> None:
    names = {one.get("name") for one in read("/").cssselect("form.query [name]")}
    filled_in = {"project", "page", "explain", "show_misses", "max_candidates", "watch", "matches"}
    assert names == set(SearchQuery.model_fields) - filled_in | {"passages"}


def test_an_address_holds_the_whole_question(read: Read) -> None:
    asked = {"query": "owls", "tags": "birds", "kinds": ["entity", "section"], "passages": "2", "weights": "false"}
    page = read("/search", **asked)
    fields = page.cssselect("form.query")[0].form_values()
    kept = {("query", "owls"), ("tags", "birds"), ("kinds", "entity"), ("kinds", "section"), ("passages", "2")}
    assert {*kept, ("weights", "false")} <= set(fields)
    without = {text(one): one.cssselect("a")[0].get("href") for one in page.cssselect(".chosen li")}
    assert "kinds=section" in without["kinds: entity ×"]
    assert "kinds=entity" not in without["kinds: entity ×"]


def test_what_a_form_leaves_empty_is_left_out(read: Read) -> None:
    page = read("/search?query=owls&since=&tags=&page_from=&identity=active&weights=&rerank=")
    assert page.cssselect("li.result")
    assert not page.cssselect(".chosen")


@pytest.mark.parametrize("asked", SEARCHES[:5])
def test_the_command_shown_finds_the_same(
    read: Read, pages_files: Any, capsys: pytest.CaptureFixture[str], asked: dict[str, Any]
) -> None:
    page = read("/search", **asked)
    command = shlex.split(text(page.cssselect(".command code")[0]))
    found = runner(capsys)(*command[1:2], "--json", *command[2:]).answer
    assert [r["matches"][0]["pointer"] for r in found["results"]] == [
        text(one.cssselect("article code.pointer")[0]) for one in page.cssselect("li.result")
    ]


def test_pages_of_results_lead_to_each_other(read: Read) -> None:
    first = read("/search", query="weather owls", limit=1)
    second = read(first.cssselect("a[rel=next]")[0].get("href"))
    assert text(second.cssselect(".number")[0]) == "2"
    back = read(second.cssselect("a[rel=prev]")[0].get("href"))
    assert text(back.cssselect("li.result h2")[0]) == text(first.cssselect("li.result h2")[0])


def test_why_not_has_the_rungs_of_the_api_and_its_proposals_return_the_document(pages: TestClient, read: Read) -> None:
    asked = {"query": "owls", "paths": "owls.md", "document": "copy.md"}
    answer = pages.get("/api/v1/why-not", params=asked).json()
    page = read("/why-not", **asked)
    rungs = [text(one.cssselect("strong")[0]) for one in page.cssselect(".rungs li")]
    assert rungs == [rung["name"] for rung in answer["rungs"]]
    links = [one.get("href") for one in page.cssselect(".proposals a")]
    assert links
    for link in links:
        assert any("copy.md" in text(one) for one in read(link).cssselect("li.result"))


@pytest.mark.parametrize(
    ("asked", "status"), [({"limit": "0"}, 422), ({"document": ""}, 422), ({"mode": "hybird"}, 422)]
)
def test_a_refused_why_not_says_so_in_its_box(read: Read, asked: dict[str, str], status: int) -> None:
    (box,) = read("/why-not", status, **({"query": "owls", "document": "copy.md"} | asked)).cssselect("#why-not")
    assert box.cssselect(".problem")


def test_the_why_not_box_asks_what_can_be_asked_there(read: Read) -> None:
    page = read("/search", query="owls", watch="buoys.md", projects="files", limit="2")
    (form,) = page.cssselect("form.whynot")
    assert form.cssselect("#why-not-document[required]")
    carried = {one.get("name"): one.get("value") for one in form.cssselect("input[type=hidden]")}
    assert carried == {"query": "owls", "project": "files", "limit": "2"}
    assert read("/why-not", **carried, document="copy.md").cssselect("#why-not .rungs")


def test_a_watched_document_has_its_ladder_on_the_page(read: Read) -> None:
    page = read("/search", query="owls", watch="buoys.md")
    assert text(page.cssselect(".why h2")[0]) == "buoys.md"
    assert page.cssselect(".why .rungs li")


def test_an_unknown_word_has_links_to_words_that_are_there(read: Read) -> None:
    note = read("/search", query="lighthose").cssselect(".note")[0]
    assert "lighthouse" in note.cssselect("a")[0].get("href")


@pytest.mark.parametrize(
    ("address", "code"),
    [
        ("/search?query=owls&pages=3", "invalid_request"),
        ("/search?query=owls&limit=many", "invalid_request"),
        ("/search?query=owls&limit=0", "invalid_request"),
        ("/search?query=owls&query=buoys", "invalid_request"),
        ("/search?query=&mode=lexical", "invalid_request"),
        ("/search?query=owls&rerank=cross-encoder:/etc", "invalid_request"),
        ("/search?query=owls&project=nope", "project_not_found"),
        ("/search?query=owls&in_document=nope.md", "document_not_found"),
        ("/open?pointer=nonsense", "invalid_pointer"),
        ("/open", "invalid_request"),
        ("/document?document=nope", "document_not_found"),
        ("/neighbors?chunk=nope", "chunk_not_found"),
        ("/session?session=nope", "session_not_found"),
        ("/compare?query=owls&a=nope", "invalid_request"),
    ],
)
def test_what_cannot_be_asked_is_a_page_that_says_so(pages: TestClient, address: str, code: str) -> None:
    answered = pages.get(address)
    assert answered.status_code in (404, 422)
    assert answered.headers["content-type"].startswith("text/html")
    assert f"<code>{code}</code>" in answered.text


def test_a_path_with_markup_in_it_is_text(read: Read) -> None:
    page = read("/search", query="heron with a hostile name")
    assert HOSTILE_NAME in [text(one) for one in page.cssselect(".where")]
    assert not page.cssselect("img")


def test_letters_are_those_of_the_command_line() -> None:
    assert {name: LETTERS[name] for name in render_search.LETTERS} == render_search.LETTERS
