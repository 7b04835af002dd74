"""Neighbours, sessions, comparisons, the state of a project; and what every page keeps to."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterator
from importlib.resources import files
from typing import Any
from urllib.parse import quote

import pytest
from lxml import html
from starlette.testclient import TestClient

from glassdex.escaping import UNSAFE
from glassdex.server.app import create_app
from glassdex.server.config import ServerConfig
from glassdex.server.guard import PAGE_POLICY
from glassdex.server.pages.inspector import PAGES, add_inspector
from glassdex.server.pages.rendering import STATIC
from glassdex.server.pages.sessions_pages import BEFORE
from tests.server.pages.conftest import Read
from tests.server.pages.files import HOSTILE_NAME, MATCHED, SESSION, TURNS
from tests.server.pages.test_search_page import text
from tests.server.serving import HERE

BREAKING_OUT = quote("</title>\"'><img src=x onerror=alert(1)><script>alert(1)</script>\u202e\x1b")
"""What an address may hold, as well as a file."""
TOKEN = "correct-horse-battery-staple"
EVERY = [
    "/",
    "/search?query=hostile+heron&explain=true&watch=owls.md",
    "/search?in_document=hostile.md&line_from=1&line_to=9",
    "/why-not?query=owls&document=hostile.md",
    "/documents",
    "/document?document=hostile.md&query=heron",
    "/document?document=report.pdf",
    "/sessions",
    f"/session?session={SESSION[:8]}&offset=29",
    "/compare?query=hostile+heron&b=mode%3Dlexical",
    "/status?files=true",
    f"/search?query={BREAKING_OUT}&tags={BREAKING_OUT}&mode=lexical",
    f"/search?query=owls&in_document={BREAKING_OUT}",
    f"/search?query=owls&project={BREAKING_OUT}",
    f"/why-not?query={BREAKING_OUT}&document={BREAKING_OUT}",
    f"/compare?query={BREAKING_OUT}&top=1",
    f"/compare?query=owls&a={BREAKING_OUT}",
    f"/document?document={quote(HOSTILE_NAME)}&query={BREAKING_OUT}",
    f"/sessions?since={BREAKING_OUT}",
]


def pointer(pages: TestClient, query: str) -> str:
    found = pages.get("/api/v1/search", params={"query": query}).json()
    return str(found["results"][0]["matches"][0]["pointer"])


def session_of(pages: TestClient) -> str:
    found = pages.get("/api/v1/sessions").json()["sessions"][0]
    return f"{found['source']}/{found['id']}"


def test_neighbours_are_those_of_the_api_and_near_duplicates_are_marked(pages: TestClient, read: Read) -> None:
    where = pointer(pages, "owls hunt at night")
    answer = pages.get("/api/v1/neighbors", params={"chunk": where}).json()
    shown = read("/neighbors", chunk=where).cssselect("li.turn")
    assert [text(one.cssselect(".pointer")[0]) for one in shown] == [one["pointer"] for one in answer["neighbors"]]
    marked = [bool(one.cssselect(".near")) for one in shown]
    assert marked == [one.get("near_duplicate", False) for one in answer["neighbors"]]


def test_a_session_is_entered_at_the_message_that_matched_and_read_both_ways(pages: TestClient, read: Read) -> None:
    result = read("/search", query="lantern flickers").cssselect("li.result h2 a")[0].get("href")
    page = read(result)
    matched = page.cssselect(".is-match")
    assert [one.get("id") for one in matched] == [f"m{MATCHED}"]
    assert result.endswith(f"#m{MATCHED}")
    assert "Which lantern flickers <i>today</i>?" in text(matched[0])
    offsets = [int(one.get("id")[1:]) for one in page.cssselect("li.turn")]
    assert offsets[0] == MATCHED - BEFORE
    later = read(page.cssselect("a[rel=next]")[0].get("href"))
    assert int(later.cssselect("li.turn")[0].get("id")[1:]) == offsets[-1] + 1
    earlier = read(page.cssselect("a[rel=prev]")[0].get("href"))
    assert int(earlier.cssselect("li.turn")[-1].get("id")[1:]) == offsets[0] - 1


def test_sessions_are_listed(read: Read) -> None:
    row = read("/sessions").cssselect("tbody tr")[0]
    assert str(TURNS) in text(row)
    assert read(row.cssselect("a")[0].get("href")).cssselect("li.turn")


def test_documents_are_listed_a_page_at_a_time(read: Read) -> None:
    first = read("/documents", limit=3)
    second = read(first.cssselect("a[rel=next]")[0].get("href"))
    paths = [text(row.cssselect("a")[0]) for page in (first, second) for row in page.cssselect("tbody tr")]
    assert len(paths) == 6
    assert paths == sorted(paths)


def test_an_opened_passage_says_whether_it_is_the_one(pages: TestClient, read: Read) -> None:
    where = pointer(pages, "buoy channel lamp")
    page = read("/open", pointer=where)
    assert text(page.cssselect(".state-exact strong")[0]) == "exact"
    assert "its lamp burns all night" in text(page.cssselect("blockquote")[0])
    gone = read("/open", pointer=where.partition("@")[0] + "@000000000000")
    assert not gone.cssselect("blockquote")


def test_two_ways_to_search_stand_side_by_side(pages: TestClient, read: Read) -> None:
    page = read("/compare", query="where do birds rest", a="mode=dense", b="mode=lexical")
    sides = page.cssselect(".two > section")
    for side, mode in zip(sides, ("dense", "lexical"), strict=True):
        asked = {"query": "where do birds rest", "mode": mode, "feedback": "auto"}
        answer = pages.get("/api/v1/search", params=asked).json()
        titles = [" ".join(one["document"]["title"].split()) for one in answer["results"]]
        assert [text(one) for one in side.cssselect("h2 a")] == titles
    queries = [{"query": "where do birds rest"}]
    body = {"a": {"mode": "dense"}, "b": {"mode": "lexical"}, "queries": queries}
    moves = pages.post("/api/v1/compare", json=body).json()["queries"][0]["moves"]
    assert len(page.cssselect("#moves tbody tr")) == len(moves) > 0


def test_the_state_of_a_project_is_that_of_the_api(pages: TestClient, read: Read) -> None:
    answer = pages.get("/api/v1/status").json()
    shown = text(read("/status").cssselect(".facts")[0])
    assert f"{answer['documents']:,} of {answer['files']:,} files" in shown
    assert answer["embedding_identity"] in shown


def test_indexing_is_started_by_a_form_and_followed_where_it_leads(pages: TestClient, read: Read) -> None:
    answered = pages.post("/status")
    assert answered.status_code == 303
    where = answered.headers["location"]
    run = where.rpartition("run=")[2]
    assert read(where).cssselect(f"[data-run='{run}']")
    pages.get(f"/api/v1/index/{run}/events")  # until it is over
    assert text(read(where).cssselect("[data-state]")[0]) == "done"


def test_a_run_of_long_ago_is_none(read: Read) -> None:
    assert not read("/status?run=0123456789abcdef").cssselect("[data-run]")


@pytest.mark.parametrize(
    "headers", [{"Origin": "http://evil.example"}, {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}]
)
def test_another_site_cannot_start_indexing(pages: TestClient, headers: dict[str, str]) -> None:
    assert pages.post("/status", headers=headers).status_code == 403


@pytest.mark.parametrize("address", EVERY)
def test_no_page_has_script_or_style_in_it_nor_text_of_a_file_as_markup(pages: TestClient, address: str) -> None:
    if "session=" in address:
        address = re.sub("session=[0-9a-f]+", f"session={session_of(pages)}", address)
    answered = pages.get(address)
    assert answered.headers["content-security-policy"] == PAGE_POLICY
    assert answered.headers["cache-control"] == "no-store"
    tree = html.fromstring(answered.text)
    assert all(one.get("src", "").startswith("/static/") and not one.text for one in tree.iter("script"))
    assert not list(tree.iter("style"))
    for node in tree.iter(html.etree.Element):
        assert not [name for name in node.attrib if name == "style" or name.startswith(("on", "hx-on"))]
        assert not node.get("href", "").lower().startswith(("javascript:", "data:", "http"))
        assert not node.get("src", "").startswith(("x", "http", "data"))
    for node in tree.iter():
        attributes = [value for name, value in node.attrib.items() if name != "value"]  # what was written stays so
        assert not any(UNSAFE.search(part.strip("\r\n")) for part in (node.text or "", node.tail or "", *attributes))


def test_every_page_is_looked_at_here(pages: TestClient) -> None:
    looked_at = {address.partition("?")[0] for address in EVERY} | {"/open", "/neighbors"}
    assert looked_at == set(PAGES)


def test_what_pages_load_is_kept_by_its_hash_and_nothing_else_is_there(pages: TestClient, read: Read) -> None:
    head = read("/").cssselect("head")[0]
    addresses = [one.get("href") or one.get("src") for one in head.cssselect("link, script")]
    assert len(addresses) == len(STATIC)
    for address in addresses:
        answered = pages.get(address)
        assert answered.status_code == 200
        assert "immutable" in answered.headers["cache-control"]
        assert hashlib.sha256(answered.content).hexdigest().startswith(address.partition("?")[2])
    for name in ("VENDORED.md", "..%2frendering.py", "%2e%2e/rendering.py", "nope"):
        assert pages.get(f"/static/{name}").status_code == 404


def test_the_vendored_file_is_the_one_that_is_told_of() -> None:
    folder = files("glassdex.server.pages").joinpath("static")
    told = folder.joinpath("VENDORED.md").read_text(encoding="utf-8")
    assert hashlib.sha256(folder.joinpath("htmx.min.js").read_bytes()).hexdigest() in told
    assert folder.joinpath("htmx.LICENSE").is_file()


def test_the_first_page_with_all_that_it_loads_is_below_100_kilobytes(pages: TestClient, read: Read) -> None:
    loaded = [one.get("href") or one.get("src") for one in read("/").cssselect("head link, head script")]
    assert len(pages.get("/").content) + sum(len(pages.get(address).content) for address in loaded) < 100_000


def test_there_are_no_pages_in_the_description_of_the_api(pages: TestClient) -> None:
    assert all(path.startswith("/api/") for path in pages.get("/api/v1/openapi.json").json()["paths"])


@pytest.fixture
def guarded(pages_files: Any) -> Iterator[TestClient]:
    with TestClient(create_app(ServerConfig(token=TOKEN), add_pages=add_inspector), base_url=HERE) as made:
        yield made


def basic(password: str) -> dict[str, str]:
    return {"Authorization": "Basic " + base64.b64encode(f"anyone:{password}".encode()).decode()}


def test_a_browser_is_asked_for_the_token_as_a_password(guarded: TestClient) -> None:
    refused = guarded.get("/search?query=owls", headers={"Accept": "text/html,*/*;q=0.8"})
    assert refused.status_code == 401
    assert refused.headers["www-authenticate"].startswith("Basic ")
    assert guarded.get("/search?query=owls", headers=basic(TOKEN)).status_code == 200
    assert guarded.get("/api/v1/status", headers=basic(TOKEN)).status_code == 200
    assert guarded.get("/api/v1/status").headers["www-authenticate"].startswith("Bearer ")
    for wrong in (basic("wrong"), basic(""), {"Authorization": "Basic !"}, {"Authorization": "Basic"}):
        assert guarded.get("/", headers=wrong).status_code == 401
