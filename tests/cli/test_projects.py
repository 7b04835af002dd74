"""`glassdex projects`, `status` and `demo`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import Run, write


@pytest.fixture
def notes(tmp_path: Path, run: Run) -> Path:
    folder = write(tmp_path / "notes", a="# Owls\n\nOwls hunt at night.\n")
    run("index", folder, "--no-embed")
    return folder


def test_no_projects_yet(run: Run) -> None:
    assert run("projects", "list").out == "no projects yet; make one: glassdex index FOLDER\n"
    assert run("projects", "list", "--json").answer == {"schema": "glassdex.projects/1", "projects": []}


def test_the_current_project_is_marked(run: Run, notes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("projects", "list").out.startswith("  notes  1 document · 1 chunk · 1 pending · ")
    monkeypatch.chdir(notes)
    out = run("projects", "list").out
    assert out.startswith("* notes  ")
    assert out.endswith(f"\n    {notes}\n")
    answer = run("projects", "list", "--json").answer
    assert answer["current"] == "notes"
    assert answer["projects"][0]["roots"] == [str(notes)]


def test_rename(run: Run, notes: Path) -> None:
    assert run("projects", "rename", "notes", "owls").out == "notes is now owls\n"
    answer = run("projects", "rename", "owls", "birds", "--json").answer
    assert [project["name"] for project in answer["projects"]] == ["birds"]
    assert run("projects", "rename", "birds", "no/name").code == 2
    assert run("projects", "rename", "nobody", "x", "--json").error["code"] == "project_not_found"
    assert run("search", "owls", "-l", "-p", "birds").out == "a.md\n"


def test_relocate(run: Run, notes: Path) -> None:
    new = notes.rename(notes.with_name("moved here"))
    assert run("projects", "relocate", "notes", new).out == f"notes is now over {new}\n"
    assert run("index", "-p", "notes", "--no-embed").out.startswith("notes: 1 file (1 unchanged)")
    ran = run("projects", "relocate", "notes", new, "--from", "/nowhere")
    assert ran.code == 2
    assert f"there is: {new}" in ran.err
    answer = run("projects", "relocate", "notes", new, "--from", new, "--json").answer
    assert answer["projects"][0]["roots"] == [str(new)]


def test_removing_takes_a_yes(run: Run, notes: Path) -> None:
    ran = run("projects", "remove", "notes")
    assert ran.code == 2
    assert "try: glassdex projects remove notes --yes" in ran.err
    assert run("projects", "remove", "notes", "--json").error["code"] == "invalid_request"
    ran = run("projects", "remove", "notes", "--yes")
    assert ran.out == "notes is removed; the files it was made from are where they were\n"
    assert (notes / "a.md").is_file()
    assert run("projects", "remove", "notes", "-y", "--json").error["code"] == "project_not_found"


def test_removed_as_json(run: Run, notes: Path) -> None:
    assert run("projects", "remove", "notes", "--yes", "--json").answer["projects"] == []


def test_a_damaged_store_is_listed_with_its_error(run: Run, home: Path, notes: Path) -> None:
    (home / "projects" / "broken.db").write_bytes(b"this is no database" * 100)
    ran = run("projects", "list")
    assert ran.code == 0
    assert ran.out.startswith("  broken  error: the store ")
    assert "\n  notes  1 document" in ran.out
    listed = run("projects", "list", "--json").answer["projects"]
    assert [(project["name"], "error" in project, "chunks" in project) for project in listed] == [
        ("broken", True, False),
        ("notes", False, True),
    ]
    ran = run("status", "-p", "broken", "--json")
    assert (ran.code, ran.error["code"]) == (3, "store_corrupt")
    assert run("search", "owls", "-p", "notes", "--mode", "lexical").code == 0


def test_status(run: Run, notes: Path) -> None:
    (notes / "big.bin").write_bytes(b"\0" * 10)
    (notes / "a.md").write_bytes(b"\xff")
    run("index", notes, "--no-embed")
    lines = run("status").out.splitlines()
    assert [line.split()[0] for line in lines[:8]] == [
        "project",
        "root",
        "files",
        "rows",
        "vectors",
        "model",
        "words",
        "store",
    ]
    assert lines[8] == "failed     1"
    assert lines[9].endswith("[unsupported_encoding] (an older state is searchable)")
    assert lines[10:] == ["skipped    1: 1 binary [binary]", "  big.bin: binary"]
    answer = run("status", "--json").answer
    assert answer["failures"][0]["has_older_rows"] is True
    assert answer["ready"] + answer["pending"] == answer["chunks"]


def test_status_lists_every_file_when_asked(run: Run, notes: Path) -> None:
    (notes / "b.md").write_bytes(b"\xff")
    run("index", notes, "--no-embed")
    assert "listed" not in run("status", "--json").answer
    assert run("status", "--files").out.endswith(
        "    chunks  file\n         1  a.md  (1 without a vector)\n         0  b.md  (failed)\n"
    )
    assert run("status", "--files", "--json").answer["listed"] == [
        {"path": "a.md", "state": "settled", "chunks": 1, "pending": 1},
        {"path": "b.md", "state": "failed", "chunks": 0, "pending": 0},
    ]
    assert "glassdex status --files" in run("inspect", "chunks", "zyzzyva").err


def test_the_demo_shows_an_explained_search(run: Run) -> None:
    ran = run("demo", "--query", "who went to the cold chamber in Kiel")
    assert ran.code == 0
    assert ran.out.startswith("glassdex-demo: 33 files (33 new)")
    assert '$ glassdex search "who went to the cold chamber in Kiel" --explain -n 3' in ran.out
    assert "scope " in ran.out
    assert "\n  glassdex index ~/notes\n  cd ~/notes " in ran.out, "then there are two projects"
    again = run("demo", "--json")
    assert again.answer["results"][0]["document"]["title"] == "Embedding providers"
    assert again.answer["trace"]["request"]["limit"] == 3
