"""One indexed project, its pages in this process, and pages as a tree."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from lxml import html
from starlette.testclient import TestClient

from glassdex.project import Project
from glassdex.server.app import create_app
from glassdex.server.config import ServerConfig
from glassdex.server.pages.inspector import add_inspector
from tests.server.pages.files import make_files
from tests.server.serving import HERE

Read = Callable[..., Any]


@pytest.fixture(scope="session")
def pages_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home; the files lie beside it."""
    folder = tmp_path_factory.mktemp("pages")
    files = make_files(folder / "files")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GLASSDEX_HOME", str(folder / "home"))
        with Project.create("files", [files]) as project:
            project.index()
    return folder / "home"


@pytest.fixture
def pages_files(pages_home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The project's folder, and the current one."""
    folder = pages_home.parent / "files"
    monkeypatch.setenv("GLASSDEX_HOME", str(pages_home))
    monkeypatch.delenv("GLASSDEX_TOKEN", raising=False)
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def pages(pages_files: Path) -> Iterator[TestClient]:
    """The application with its pages."""
    app = create_app(ServerConfig(), add_pages=add_inspector)
    with TestClient(app, base_url=HERE, follow_redirects=False) as made:
        yield made


@pytest.fixture
def read(pages: TestClient) -> Read:
    """A page as a tree; it has to be there."""

    def read(path: str, status: int = 200, **params: Any) -> Any:
        answered = pages.get(path, params=params) if params else pages.get(path)
        assert answered.status_code == status, answered.text
        assert answered.headers["content-type"] == "text/html; charset=utf-8"
        return html.fromstring(answered.text)

    return read
