"""Running the command line: in this process, and as one of its own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from glassdex.cli.main import main

SOURCES = Path(__file__).resolve().parents[2] / "src"
VAULT = Path(__file__).resolve().parents[2] / "examples" / "vault"
QUERY = "why is the embedding model swappable"


@dataclass(frozen=True)
class Ran:
    """How a run ended and what it wrote."""

    code: int
    out: str
    err: str

    @property
    def answer(self) -> dict[str, Any]:
        """Standard output is one JSON object on one line."""
        assert self.out.count("\n") == 1
        assert self.err == ""
        return dict(json.loads(self.out))

    @property
    def error(self) -> dict[str, Any]:
        """Standard error is one JSON object on one line, and nothing is on standard output."""
        assert self.out == ""
        assert self.err.count("\n") == 1
        found = dict(json.loads(self.err))
        assert found["schema"] == "glassdex.error/1"
        return found


Run = Callable[..., Ran]


def runner(capsys: pytest.CaptureFixture[str]) -> Run:
    """Calls `main` in this process."""

    def run(*arguments: str | Path) -> Ran:
        capsys.readouterr()
        with pytest.raises(SystemExit) as left:
            main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        assert isinstance(left.value.code, int)
        return Ran(left.value.code, captured.out, captured.err)

    return run


def environment(home: Path, **more: str) -> dict[str, str]:
    """For a process of its own: nothing of the developer's terminal or settings comes in."""
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "SYSTEMROOT", "LD_LIBRARY_PATH")}
    return {**kept, "PYTHONPATH": str(SOURCES), "GLASSDEX_HOME": str(home), "HOME": str(home), **more}


def command(*arguments: str) -> list[str]:
    """The command line of a process of its own."""
    return [sys.executable, "-m", "glassdex.cli.main", *arguments]


def in_process_of_its_own(
    home: Path, folder: Path, *arguments: str, given: bytes = b"", variables: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Runs to the end; bytes in, bytes out."""
    return subprocess.run(
        command(*arguments),
        cwd=folder,
        env=environment(home, **(variables or {})),
        input=given,
        capture_output=True,
        check=False,
        timeout=120,
    )


def indexed_vault(folder: Path) -> Path:
    """A home whose only project is a copy of the example vault, which lies beside it as `vault`."""
    from glassdex.project import Project

    home, vault = folder / "home", folder / "vault"
    shutil.copytree(VAULT, vault)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GLASSDEX_HOME", str(home))
        with Project.create("vault", [vault]) as project:
            project.index()
    return home


def write(folder: Path, **notes: str) -> Path:
    """Writes `name.md` for each note; returns the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in notes.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    return folder
