"""Several projects on one page, and stages that are not always there."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from lxml import html
from starlette.testclient import TestClient

from glassdex.project import Project
from glassdex.server.app import create_app
from glassdex.server.config import ServerConfig
from glassdex.server.pages.inspector import add_inspector
from tests.cli.running import write
from tests.server.pages.test_search_page import text
from tests.server.serving import HERE


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """Two projects; in one a note supersedes another."""
    folder = tmp_path_factory.mktemp("several")
    write(
        folder / "barn", owls="# Owls\n\nOwls hunt at night.\n", mice="# Mice\n\n- supersedes [[Owls]]\n\nMice hide.\n"
    )
    write(folder / "sea", buoys="# Buoys\n\nA buoy is lit at night.\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GLASSDEX_HOME", str(folder / "home"))
        patch.delenv("GLASSDEX_TOKEN", raising=False)
        patch.chdir(folder)
        for name in ("barn", "sea"):
            with Project.create(name, [folder / name]) as project:
                project.index()
        with TestClient(create_app(ServerConfig(), add_pages=add_inspector), base_url=HERE) as made:
            yield made


def test_all_projects_are_one_ranking_that_tells_which_is_which(two: TestClient) -> None:
    asked: dict[str, str | bool] = {"query": "what is at night", "all_projects": True}
    answer = two.get("/api/v1/search", params=asked).json()
    page = html.fromstring(two.get("/search", params=asked).text)
    shown = [text(one.cssselect(".where b")[0]) for one in page.cssselect("li.result")]
    assert shown == [one["project"] for one in answer["results"]]
    assert set(shown) == {"barn", "sea"}
    assert len(page.cssselect("details.stages")) == 2
    for one, result in zip(page.cssselect("li.result"), answer["results"], strict=True):
        assert f"merge: rank {result['rank']}" in one.cssselect("svg.ladder")[0].get("aria-label")
        for link in one.cssselect("a.open, .links a"):
            followed = two.get(link.get("href"))
            assert followed.status_code == 200
            assert f"project={result['project']}" in link.get("href")


def test_without_a_choice_the_page_asks_for_a_project(two: TestClient) -> None:
    answered = two.get("/search?query=owls")
    assert answered.status_code == 404
    links = [one.get("href") for one in html.fromstring(answered.text).cssselect(".candidates a")]
    assert [two.get(link).status_code for link in links] == [200, 200]


def test_a_link_that_brought_a_document_in_is_told(two: TestClient) -> None:
    asked: dict[str, str | float] = {
        "query": "owls hunt",
        "project": "barn",
        "expand": 3,
        "mode": "lexical",
        "diversify": 0.5,
    }
    answer = two.get("/api/v1/search", params=asked).json()
    through = [one["through"]["seed"] for one in answer["results"] if "through" in one]
    page = html.fromstring(two.get("/search", params=asked).text)
    told = [text(one) for one in page.cssselect("p.context") if text(one).startswith("through")]
    assert len(told) == len(through) > 0
    assert through[0] in told[0]
    assert any("diversify: rank" in one.get("aria-label") for one in page.cssselect("svg.ladder"))
