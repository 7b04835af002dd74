"""`glassdex doctor` on the command line."""

from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import home, run
from tests.cli.running import Run, write

__all__ = ["home", "run"]


def test_the_page_and_the_exit_code(run: Run, tmp_path: Path) -> None:
    notes = write(tmp_path / "notes", harbour="# Harbour\n\nboats at dawn", bread="# Bread\n\noven")
    assert run("index", notes).code == 0
    healthy = run("doctor")
    assert (healthy.code, healthy.err) == (0, "")
    assert healthy.out.splitlines()[0] == "project  notes · 2 documents · 2 chunks"
    assert healthy.out.splitlines()[-1] == "nothing is wrong"
    (notes / "bread.md").unlink()
    sick = run("doctor", "--project", "notes")
    assert sick.code == 1
    assert sick.out.splitlines()[1:4] == [
        "warning  1 file deleted since the last run, and still answering [missing_files]",
        "  bread.md",
        "  → index again: glassdex index --project notes",
    ]
    assert sick.out.splitlines()[-1] == "1 thing to do"
    answer = run("doctor", "--json")
    assert answer.code == 1
    assert answer.answer["findings"][0]["code"] == "missing_files"


def test_many_examples_are_cut(run: Run, tmp_path: Path) -> None:
    notes = write(tmp_path / "notes", **{f"n{number}": f"note {number}" for number in range(9)})
    run("index", "--no-embed", notes)
    for file in notes.iterdir():
        file.unlink()
    lines = run("doctor").out.splitlines()
    assert lines[1].startswith("warning  9 files deleted")
    assert lines[2:8] == [*(f"  n{number}.md" for number in range(5)), "  …"]


def test_a_name_that_steers_the_terminal_is_made_visible(run: Run, tmp_path: Path) -> None:
    notes = write(tmp_path / "notes", **{"evil\x1b[31m": "note"})
    run("index", "--no-embed", notes)
    (notes / "evil\x1b[31m.md").unlink()
    out = run("doctor").out
    assert "\x1b" not in out
    assert "evil\\x1b[31m.md" in out


def test_help_says_what_the_exit_code_means(run: Run) -> None:
    assert "Exit code 0: nothing is wrong" in " ".join(run("doctor", "--help").out.split())


def test_without_a_project(run: Run) -> None:
    assert run("doctor", "--json").error["code"] == "project_not_found"
