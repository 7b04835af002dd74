"""`glassdex index`: what it finds, what it says, and which project it means."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.cli.running import Run, write


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    return write(tmp_path / "notes", a="# A\n\nowls hunt at night\n", b="# B\n\nbees sleep\n")


def test_a_new_project_is_named_after_its_folder(run: Run, notes: Path) -> None:
    ran = run("index", notes)
    assert ran.code == 0
    assert ran.out.startswith("notes: 2 files (2 new), 2 passages embedded  (")
    assert ran.err == ""


def test_a_second_run_finds_what_changed(run: Run, notes: Path) -> None:
    run("index", notes)
    write(notes, a="# A\n\nowls hunt at dusk\n", c="# C\n\nnew\n")
    (notes / "b.md").rename(notes / "moved.md")
    out = run("index", notes).out
    assert out.startswith("notes: 3 files (1 new, 1 changed, 1 moved), 2 passages embedded  (")
    assert run("index", notes).out.startswith("notes: 3 files (3 unchanged)  (")


def test_the_current_folder_chooses_the_project(run: Run, notes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (notes / "deeper").mkdir()
    monkeypatch.chdir(notes)
    assert run("index").out.startswith("notes: ")
    monkeypatch.chdir(notes / "deeper")
    assert run("index").out.startswith("notes: 2 files (2 unchanged)")
    assert len(run("projects", "list", "--json").answer["projects"]) == 1


def test_a_named_project_gains_a_folder(run: Run, notes: Path, tmp_path: Path) -> None:
    more = write(tmp_path / "more", c="# C\n\nfoxes\n")
    run("index", notes, "--project", "all")
    assert run("index", more, "-p", "all").out.startswith("all: 3 files (1 new, 2 unchanged)")
    assert run("search", "foxes", "-l", "--mode", "lexical").out == "more/c.md\n"
    run("index", more, "-p", "all")
    assert run("status", "--json").answer["roots"] == [str(notes), str(more)]


def test_without_vectors_for_now(run: Run, notes: Path) -> None:
    assert run("index", notes, "--no-embed").out.startswith("notes: 2 files (2 new), 2 without a vector  (")
    found = run("search", "owls")
    reason = "no chunk has a vector yet, so only words were searched: run `glassdex index`"
    assert " ".join(found.out.split()).startswith(f"verdict not ready ({reason}; 100 % of the query's weight)")
    assert "2 chunks without a vector yet" in found.out
    assert found.code == 1, "words alone are not an answer to rely on"
    assert run("index", notes).out.startswith("notes: 2 files (2 unchanged), 2 passages embedded  (")


def test_a_bad_file_is_named_and_strict_makes_it_count(run: Run, notes: Path) -> None:
    (notes / "bad.md").write_bytes(b"\xff\xfe")
    ran = run("index", notes, "--no-embed")
    assert ran.code == 0
    assert "1 failed" in ran.out
    assert "\n  failed: bad.md: " in ran.out
    assert "[unsupported_encoding]\n" in ran.out
    assert run("index", notes, "--no-embed", "--strict").code == 3


def test_many_failures_are_shortened(run: Run, notes: Path) -> None:
    for number in range(25):
        (notes / f"bad{number:02}.md").write_bytes(b"\xff")
    out = run("index", notes, "--no-embed").out
    assert out.count("  failed: ") == 20
    assert out.endswith("  … and 5 more: glassdex status --all\n")
    assert "… all of them: glassdex status --all" in run("status").out
    assert run("status").out.count("[unsupported_encoding]") == 20
    assert run("status", "--all").out.count("[unsupported_encoding]") == 25


def test_as_json(run: Run, notes: Path) -> None:
    (notes / "bad.md").write_bytes(b"\xff\xfe")
    answer = run("index", notes, "--json").answer
    assert answer["schema"] == "glassdex.index/1"
    assert (answer["project"], answer["files"], answer["added"], answer["embedded"]) == ("notes", 3, 2, 2)
    assert [failure["path"] for failure in answer["failures"]] == ["bad.md"]


def test_a_language_is_chosen_once(run: Run, notes: Path) -> None:
    assert run("index", notes, "--language", "german", "--no-embed").code == 0
    assert run("status", "--json").answer["language"] == "german"
    assert run("index", notes, "--language", "german", "--no-embed").code == 0
    ran = run("index", notes, "--language", "french", "--json")
    assert ran.code == 2
    assert ran.error["message"] == "the project's language is german, not french"
    assert run("index", notes, "-p", "notes", "--language", "french").code == 2


def test_an_unknown_language_makes_no_project(run: Run, notes: Path) -> None:
    assert run("index", notes, "--language", "klingon").code == 2
    assert run("projects", "list").out.startswith("no projects yet")


def test_a_folder_that_is_not_there(run: Run, tmp_path: Path) -> None:
    ran = run("index", tmp_path / "nowhere", "--json")
    assert ran.code == 2
    assert ran.error["code"] == "root_not_found"


def test_a_root_that_went_away_is_bad_input_and_keeps_the_index(run: Run, notes: Path) -> None:
    run("index", notes, "--no-embed")
    notes.rename(notes.with_name("elsewhere-now"))
    ran = run("index", "-p", "notes", "--json")
    assert ran.code == 2
    assert ran.error["code"] == "root_not_found"
    assert "glassdex projects relocate notes NEW_FOLDER" in ran.error["suggestion"]
    assert run("search", "owls", "-l", "--mode", "lexical").out == "a.md\n"


@pytest.mark.skipif(os.name == "nt", reason="POSIX modes")
def test_a_store_is_private(run: Run, home: Path, notes: Path) -> None:
    run("index", notes, "--no-embed")
    assert (home / "projects" / "notes.db").stat().st_mode & 0o777 == 0o600


def test_a_folder_called_tilde_is_itself_and_not_the_home_folder(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "home", diary="private")
    write(tmp_path / "here" / "~", a="owls")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path / "here")
    run("index", "./~", "--project", "tilde")
    assert run("search", "owls", "--project", "tilde", "-l").out == "a.md\n"


def test_the_home_of_nobody_is_no_folder(run: Run) -> None:
    ran = run("index", "~nobody-of-that-name/notes")
    assert ran.code == 2
    assert "root_not_found" in ran.err


def test_a_damaged_store_is_not_passed_by(run: Run, notes: Path, tmp_path: Path) -> None:
    run("index", notes, "--no-embed")
    (store,) = (tmp_path / "home" / "projects").glob("*.db")
    store.write_bytes(b"\xff" * 4096)
    ran = run("index", notes)
    assert ran.code == 3
    assert "store_corrupt" in ran.err
    assert len(list(store.parent.glob("*.db"))) == 1


def test_the_files_of_the_summary_add_up_and_status_counts_the_same(run: Run, notes: Path) -> None:
    (notes / "bad.md").write_bytes(b"\xff\xfe")
    (notes / "picture.png").write_bytes(b"\0")
    (notes / "table.xyz").write_text("1;2\n", encoding="utf-8")
    (notes / ".obsidian").mkdir()
    out = run("index", notes, "--no-embed").out
    assert out.startswith("notes: 3 files (2 new, 1 failed), 3 skipped (glassdex status says why), ")
    answer, status = run("index", notes, "--json").answer, run("status", "--json").answer
    assert answer["files"] == sum(answer[part] for part in ("added", "changed", "unchanged", "failed"))
    assert (answer["files"], sum(answer["skipped"].values())) == (status["files"], len(status["skipped"]))


def test_glassdex_never_indexes_its_own_data(run: Run, tmp_path: Path, home: Path) -> None:
    write(tmp_path / "notes", a="owls")
    write(home / "projects", secret="owls")
    assert run("index", tmp_path, "--project", "all", "--no-embed").out.startswith("all: 1 file (1 new), 1 skipped")
    assert [(left["path"], left["reason"]) for left in run("status", "--json").answer["skipped"]] == [
        ("home/projects/", "own_data")
    ]
    write(home, beside="the folder is also somebody's notes")
    assert run("index", home, "--project", "own", "--no-embed").out.startswith("own: 1 file (1 new), 1 skipped")


def test_a_project_that_shares_files_with_another_says_so_once(run: Run, notes: Path, tmp_path: Path) -> None:
    run("index", notes, "--no-embed")
    warning = f"warning: it shares files with {notes} of project notes, so they are indexed twice\n"
    assert run("index", tmp_path, "--project", "all", "--no-embed").err == warning
    assert run("index", tmp_path, "--project", "all", "--no-embed").err == ""
