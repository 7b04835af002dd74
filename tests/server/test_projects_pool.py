"""Open projects: each once, a bounded number, none closed under somebody's hands."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from glassdex.errors import ProjectNotFound, UnavailableError
from glassdex.project import Project
from glassdex.server.projects import OpenProjects
from tests.cli.running import write


@pytest.fixture
def names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Three projects without an index."""
    monkeypatch.setenv("GLASSDEX_HOME", str(tmp_path / "home"))
    for name in ("a", "b", "c"):
        Project.create(name, [write(tmp_path / name, note=f"# {name}\n")]).close()
    return ["a", "b", "c"]


def test_a_project_is_opened_once(names: list[str]) -> None:
    pool = OpenProjects()
    with pool.project("a") as first, pool.project("a") as second:
        assert first is second
    with pool.project("a") as third:
        assert third is first
    pool.close()


def test_only_so_many_stay_open_and_none_that_is_in_use_is_closed(names: list[str]) -> None:
    pool = OpenProjects(most=1)
    with pool.project("a") as first:
        for name in ("b", "c"):
            with pool.project(name) as other:
                assert other.status().project == name
        assert first.status().project == "a"
    with pool.project("c"), pool.project("a") as again:
        assert again.status().project == "a"
    pool.close()


def test_one_that_is_in_use_when_all_are_closed_is_closed_afterwards(names: list[str]) -> None:
    pool = OpenProjects()
    with pool.project("a") as project:
        pool.close()
        assert project.status().project == "a"
    with pytest.raises(UnavailableError), pool.project("a"):
        pass


def test_an_unknown_project_lists_those_there_are(names: list[str]) -> None:
    with pytest.raises(ProjectNotFound) as raised, OpenProjects().project("d"):
        pass
    assert list(raised.value.candidates) == names


def test_many_threads_share_them(names: list[str]) -> None:
    pool, failed = OpenProjects(most=2), []

    def look(start: int) -> None:
        try:
            for step in range(20):
                name = names[(start + step) % 3]
                with pool.project(name) as project:
                    assert project.status().project == name
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=look, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    pool.close()
