"""A home of its own for every test, and one indexed vault for all that only look."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import Run, indexed_vault, runner


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home; the current folder is an empty one, too."""
    monkeypatch.setenv("GLASSDEX_HOME", str(tmp_path / "home"))
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    for name in ("COLUMNS", "VISUAL", "EDITOR", "NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path / "home"


@pytest.fixture
def run(home: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """The command line over an empty home."""
    return runner(capsys)


@pytest.fixture(scope="session")
def vault_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of a project over a copy of the example vault; look, do not change."""
    folder = tmp_path_factory.getbasetemp() / "indexed"
    return folder / "home" if folder.exists() else indexed_vault(folder)


@pytest.fixture
def in_vault(home: Path, vault_home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """The command line, standing inside the indexed vault."""
    monkeypatch.setenv("GLASSDEX_HOME", str(vault_home))
    monkeypatch.chdir(vault_home.parent / "vault")
    return runner(capsys)
