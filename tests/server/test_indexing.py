"""Indexing over HTTP: a run in the background, its events, another at the same time, an end before the end."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from glassdex.indexing.run import IndexRun
from glassdex.project import Project
from glassdex.projects import remove_project
from glassdex.server.logs import JsonLinesHandler
from glassdex.server.projects import OpenProjects
from glassdex.server.runs import BackgroundRuns
from tests.cli.running import write
from tests.server.serving import client


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of an empty index with two notes."""
    monkeypatch.setenv("GLASSDEX_HOME", str(tmp_path / "home"))
    folder = write(tmp_path / "notes", one="# One\n\nA heron.\n", two="# Two\n\nA stork.\n")
    monkeypatch.chdir(folder)
    Project.create("notes", [folder]).close()
    return folder


@pytest.fixture
def api(folder: Path) -> Iterator[TestClient]:
    """The API over it."""
    with client() as made:
        yield made


def events(text: str) -> list[tuple[str, dict[str, object]]]:
    """(name, data) of each event of a stream."""
    found = []
    for block in text.strip().split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
        if fields:
            found.append((fields["event"], json.loads(fields["data"])))
    return found


def test_a_run_goes_on_in_the_background_and_says_how_far_it_is(api: TestClient) -> None:
    started = api.post("/api/v1/index", json={})
    assert started.status_code == 202
    where = started.headers["Location"]
    told = events(api.get(f"{where}/events").text)
    names = [name for name, _ in told]
    assert set(names[:-1]) <= {"progress"}
    assert names[-1] == "done"
    last = told[-1][1]
    assert last == api.get(where).json()
    assert last["schema"] == "glassdex.index_run/1"
    assert last["scanned"] == 2
    assert last["published"] == {"done": 2, "total": 2}
    assert last["embedded"] == {"done": 2, "total": 2}
    assert last["report"]["added"] == 2  # type: ignore[index]
    assert api.post("/api/v1/search", json={"query": "heron"}).json()["results"]


def test_without_vectors_words_are_found(api: TestClient) -> None:
    where = api.post("/api/v1/index", json={"embed": False}).headers["Location"]
    _, last = events(api.get(f"{where}/events").text)[-1]
    assert last["report"]["pending"] == 2  # type: ignore[index]


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Runs wait at their beginning until this is set."""
    gate, run = threading.Event(), IndexRun.run

    def waiting(self: IndexRun, **options: bool) -> object:
        assert gate.wait(60)
        return run(self, **options)

    monkeypatch.setattr(IndexRun, "run", waiting)
    yield gate
    gate.set()


def test_one_run_at_a_time_for_a_project(api: TestClient, held: threading.Event) -> None:
    first = api.post("/api/v1/index", json={}).json()
    refused = api.post("/api/v1/index", json={})
    assert refused.status_code == 409
    assert refused.headers["Retry-After"]
    assert refused.json()["code"] == "busy"
    assert refused.json()["candidates"] == [first["id"]]
    held.set()
    assert events(api.get(f"/api/v1/index/{first['id']}/events").text)[-1][0] == "done"
    again = api.post("/api/v1/index", json={})
    assert again.status_code == 202
    assert events(api.get(f"{again.headers['Location']}/events").text)[-1][1]["report"]["unchanged"] == 2  # type: ignore[index]


def test_a_run_can_be_cancelled_and_the_next_one_goes_on(api: TestClient, held: threading.Event) -> None:
    where = api.post("/api/v1/index", json={}).headers["Location"]
    assert api.delete(where).status_code == 202
    held.set()
    name, last = events(api.get(f"{where}/events").text)[-1]
    assert name == last["state"] == "cancelled"
    assert "report" not in last
    again = api.post("/api/v1/index", json={}).headers["Location"]
    assert events(api.get(f"{again}/events").text)[-1][0] == "done"


def test_searches_are_answered_while_a_run_goes_on(api: TestClient, held: threading.Event) -> None:
    api.post("/api/v1/index", json={})
    answered = api.post("/api/v1/search", json={"query": "heron"})
    assert answered.status_code == 200
    assert answered.json()["verdict"]["status"] == "index_empty"


def test_a_run_that_fails_says_why(api: TestClient, folder: Path) -> None:
    folder.rename(folder.with_name("moved"))
    started = api.post("/api/v1/index", json={"project": "notes"})
    name, last = events(api.get(f"{started.headers['Location']}/events").text)[-1]
    assert name == "failed"
    assert last["error"]["code"] == "root_not_found"  # type: ignore[index]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_run_whose_thread_ends_is_over(api: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def ended(self: IndexRun, **options: bool) -> object:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(IndexRun, "run", ended)
        where = api.post("/api/v1/index", json={}).headers["Location"]
        name, last = events(api.get(f"{where}/events").text)[-1]
    assert name == last["state"] == "failed"
    assert last["error"]["code"] == "internal_error"  # type: ignore[index]
    assert api.post("/api/v1/index", json={}).status_code == 202


def test_a_run_that_cannot_be_started_keeps_nothing_busy(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(self: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    projects = OpenProjects()
    runs = BackgroundRuns(projects)
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", refused)
        with pytest.raises(RuntimeError):
            runs.start("notes", embed=False)
    run = runs.start("notes", embed=False)
    runs.close()
    assert run.is_over
    projects.close()


def test_a_logged_exception_without_a_message_is_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    JsonLinesHandler().emit(logging.LogRecord("x", logging.ERROR, "", 0, "", None, (ValueError, ValueError(), None)))
    assert json.loads(capsys.readouterr().err)["exception"] == "ValueError"


def test_a_project_that_was_made_anew_is_answered_from_as_it_is(api: TestClient, folder: Path, tmp_path: Path) -> None:
    assert api.get("/api/v1/documents", params={"project": "notes"}).json()["total"] == 0
    remove_project("notes")
    assert api.get("/api/v1/documents", params={"project": "notes"}).status_code == 404
    with Project.create("notes", [write(tmp_path / "others", three="# Three\n\nA crane.\n")]) as made:
        made.index(embed=False)
    listed = api.get("/api/v1/documents", params={"project": "notes"}).json()
    assert [one["path"] for one in listed["documents"]] == ["three.md"]
