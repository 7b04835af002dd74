"""One indexed project for all tests that only look."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from glassdex.project import Project
from tests.cli.running import Run, runner
from tests.server.serving import client, make_files


@pytest.fixture(scope="session")
def shared_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home; the project's files lie beside it in `files`."""
    folder = tmp_path_factory.mktemp("server")
    files = make_files(folder / "files")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GLASSDEX_HOME", str(folder / "home"))
        with Project.create("files", [files]) as project:
            project.index()
    return folder / "home"


@pytest.fixture
def files(shared_home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the project, and the current one."""
    monkeypatch.setenv("GLASSDEX_HOME", str(shared_home))
    monkeypatch.delenv("GLASSDEX_TOKEN", raising=False)
    monkeypatch.chdir(shared_home.parent / "files")
    return shared_home.parent / "files"


@pytest.fixture
def api(files: Path) -> Iterator[TestClient]:
    """The API over it."""
    with client() as made:
        yield made


@pytest.fixture
def run(files: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """The command line, standing in the project's folder."""
    return runner(capsys)
