"""Three projects: two that are asked, and one that nobody names."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from glassdex.project import Project
from glassdex.several.projects import Projects
from tests.cli.running import write

NOTES = {
    "inland": {
        "harbour": "# Harbour\n\nThe harbour freezes in winter, and the ferry waits.\n",
        "report": "# Report\n\nQuarterly figures of the harbour office, with tables.\n",
        "owls": "# Owls\n\nOwls hunt at night over the meadow.\n",
    },
    "island": {
        "ice": "# Ice\n\nIce in the harbour stops ships in winter.\n",
        "report": "# Report\n\nThe ferry to the island is late again.\n",
    },
    "private": {
        "xylograph": "# Xylograph\n\nThe harbour of xylographs: plankton and zymurgy in winter.\n",
        "report": "# Report\n\nPrivate report on the harbour.\n",
    },
}


@pytest.fixture(scope="session")
def three_homes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of the three; look, do not change."""
    folder = tmp_path_factory.mktemp("three")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GLASSDEX_HOME", str(folder / "home"))
        for name, notes in NOTES.items():
            with Project.create(name, [write(folder / name, **notes)]) as project:
                project.index()
    return folder / "home"


@pytest.fixture
def home(three_homes: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The current home is theirs, and the current folder nobody's."""
    monkeypatch.setenv("GLASSDEX_HOME", str(three_homes))
    monkeypatch.chdir(tmp_path)
    return three_homes


@pytest.fixture
def both(home: Path) -> Iterator[Projects]:
    """The two that are asked."""
    with Projects.open(["inland", "island"]) as projects:
        yield projects
