"""Projects: made, opened, renamed, relocated, removed, and never in each other's way."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from glassdex.errors import (
    InputError,
    InvalidPointer,
    InvalidSetting,
    ProjectExists,
    ProjectNotFound,
    RootConflict,
    RootNotFound,
    StoreCorrupt,
    StoreLocked,
)
from glassdex.project import Project
from glassdex.projects import (
    free_project_name,
    list_projects,
    project_containing,
    project_names,
    project_roots,
    relocate_root,
    remove_project,
    rename_project,
    store_path,
)
from tests.cli.running import SOURCES, write


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GLASSDEX_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    return write(tmp_path / "notes", a="# Owls\n\nOwls hunt at night.\n", b="# Bees\n\nBees sleep.\n")


def paths(project: Project, query: str) -> list[str]:
    return [result.path for result in project.search(query, mode="lexical").results]


def test_a_project_is_one_file_in_the_home(home: Path, notes: Path) -> None:
    with Project.create("notes", [notes]) as project:
        assert project.index(embed=False).added == 2
        assert paths(project, "owls") == ["a.md"]
    assert store_path("notes") == home / "projects" / "notes.db"
    assert project_names() == ["notes"]
    with Project.open("notes") as project:
        assert paths(project, "bees") == ["b.md"]
        assert project.status().roots == (str(notes),)


def test_a_closed_project_leaves_nothing_beside_its_file(home: Path, notes: Path) -> None:
    with Project.create("notes", [notes]) as project:
        project.index(embed=False)
    left = {path.suffix for path in (home / "projects").iterdir()}
    assert ".json" not in left


def test_the_current_folder_opens_its_project(notes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Project.create("notes", [notes]).close()
    monkeypatch.chdir(notes)
    with Project.open() as project:
        assert project.name == "notes"
    monkeypatch.chdir(notes.parent)
    with pytest.raises(ProjectNotFound) as raised:
        Project.open()
    assert raised.value.candidates == ("notes",)


def test_the_deepest_root_wins(notes: Path) -> None:
    inner = write(notes / "inner" / "deep", c="# C\n\nx\n").parent
    Project.create("outer", [notes]).close()
    Project.create("inner", [inner]).close()
    assert project_containing(notes) == "outer"
    assert project_containing(inner) == "inner"
    assert project_containing(inner / "deep") == "inner"
    assert project_containing(notes.parent) is None
    assert project_containing(notes.with_name("notes-2")) is None


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_a_folder_behind_a_link_is_the_folder(notes: Path, tmp_path: Path) -> None:
    Project.create("notes", [notes]).close()
    (tmp_path / "link").symlink_to(notes)
    assert project_containing(tmp_path / "link") == "notes"
    with pytest.raises(RootConflict):
        Project.create("again", [tmp_path / "link"])


def test_several_roots_are_told_apart_by_their_names(notes: Path, tmp_path: Path) -> None:
    second = write(tmp_path / "x" / "more", c="# C\n\nowls too\n")
    third = write(tmp_path / "y" / "more", c="# C\n\nowls as well\n")
    with Project.create("all", [notes, second, third]) as project:
        project.index(embed=False)
        assert sorted(paths(project, "owls")) == ["a.md", "more-2/c.md", "more/c.md"]
        for result in project.search("owls", mode="lexical").results:
            assert project.open_pointer(result.matches[0].pointer).state == "exact"
    assert project_roots("all") == [notes, second, third]


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "a b", "-a", ".hidden", "ü", "x" * 65, "a\n", "a\x00"])
def test_a_name_is_fit_for_a_file(notes: Path, name: str) -> None:
    for attempt in (
        lambda: Project.create(name, [notes]),
        lambda: Project.open(name),
        lambda: remove_project(name),
    ):
        with pytest.raises(InputError, match="is no project name"):
            attempt()


@pytest.mark.parametrize("name", ["a", "A-b_c.1", "x" * 64])
def test_names_that_are_fine(notes: Path, name: str) -> None:
    Project.create(name, [notes]).close()
    assert project_names() == [name]


def test_a_name_or_a_folder_is_taken_once(notes: Path, tmp_path: Path) -> None:
    Project.create("notes", [notes]).close()
    with pytest.raises(ProjectExists):
        Project.create("notes", [tmp_path])
    with pytest.raises(RootConflict) as raised:
        Project.create("again", [notes])
    assert "'notes'" in raised.value.message
    assert project_names() == ["notes"]
    with Project.open("notes") as project, pytest.raises(RootConflict):
        project.add_root(notes)


def test_a_folder_that_is_not_there_makes_no_project(tmp_path: Path, notes: Path) -> None:
    with pytest.raises(RootNotFound):
        Project.create("x", [tmp_path / "nowhere"])
    with pytest.raises(RootNotFound):
        Project.create("x", [notes / "a.md"])
    with pytest.raises(InvalidSetting):
        Project.create("x", [notes], language="klingon")
    assert project_names() == []


def test_a_free_name_comes_from_the_folder(tmp_path: Path, notes: Path) -> None:
    assert free_project_name(notes) == "notes"
    Project.create("notes", [notes]).close()
    assert free_project_name(Path("/elsewhere/notes")) == "notes-2"
    assert free_project_name(Path("/My Notes (2026)")) == "My-Notes-2026"
    assert free_project_name(Path("/...")) == "notes-2"
    assert free_project_name(Path("/ключ")) == "notes-2"
    long_name = free_project_name(Path("/" + "x" * 200))
    assert store_path(long_name)


def test_rename_keeps_everything_else(home: Path, notes: Path) -> None:
    with Project.create("old", [notes]) as project:
        project.index(embed=False)
    rename_project("old", "new")
    assert project_names() == ["new"]
    assert not list((home / "projects").glob("old.*"))
    with Project.open("new") as project:
        assert paths(project, "owls") == ["a.md"]
        assert project.index(embed=False).unchanged == 2


def test_rename_takes_no_other_project_away(notes: Path, tmp_path: Path) -> None:
    Project.create("one", [notes]).close()
    Project.create("two", [write(tmp_path / "two", x="# X\n\nx\n")]).close()
    with pytest.raises(ProjectExists):
        rename_project("one", "two")
    with pytest.raises(ProjectNotFound):
        rename_project("three", "four")
    with pytest.raises(InputError):
        rename_project("one", "a/b")
    assert project_names() == ["one", "two"]


def test_relocate_reads_nothing_again(notes: Path, tmp_path: Path) -> None:
    with Project.create("notes", [notes]) as project:
        project.index(embed=False)
        pointer = project.search("owls", mode="lexical").results[0].matches[0].pointer
    moved = notes.rename(tmp_path / "moved")
    relocate_root("notes", moved)
    assert project_roots("notes") == [moved]
    with Project.open("notes") as project:
        assert project.open_pointer(pointer).state == "exact"
        report = project.index(embed=False)
        assert (report.unchanged, report.added, report.removed) == (2, 0, 0)


def test_relocate_asks_which_root(notes: Path, tmp_path: Path) -> None:
    second = write(tmp_path / "second", c="# C\n\nx\n")
    Project.create("all", [notes, second]).close()
    new = write(tmp_path / "new", c="# C\n\nx\n")
    with pytest.raises(InputError, match="several roots") as raised:
        relocate_root("all", new)
    assert raised.value.candidates == (str(notes), str(second))
    with pytest.raises(RootNotFound):
        relocate_root("all", tmp_path / "nowhere", second)
    with pytest.raises(RootNotFound, match="is not a root"):
        relocate_root("all", new, tmp_path)
    relocate_root("all", new, second)
    assert project_roots("all") == [notes, new]


def test_a_root_is_not_moved_onto_another_ones(notes: Path, tmp_path: Path) -> None:
    second = write(tmp_path / "second", c="# C\n\nx\n")
    Project.create("one", [notes]).close()
    Project.create("two", [second]).close()
    with pytest.raises(RootConflict):
        relocate_root("one", second)
    assert project_roots("one") == [notes]
    relocate_root("one", notes)


def test_remove_leaves_the_files(home: Path, notes: Path) -> None:
    with Project.create("notes", [notes]) as project:
        project.index(embed=False)
    remove_project("notes")
    assert project_names() == []
    assert not list((home / "projects").glob("notes.*"))
    assert (notes / "a.md").is_file()
    with pytest.raises(ProjectNotFound):
        remove_project("notes")
    Project.create("notes", [notes]).close()


def test_in_memory_nothing_is_written(home: Path, notes: Path) -> None:
    with Project.in_memory(notes) as project:
        project.index(embed=False)
        assert paths(project, "owls") == ["a.md"]
        assert project.status().store is None
    assert not home.exists()
    with pytest.raises(RootNotFound):
        Project.in_memory(notes / "nowhere")


def test_in_memory_is_in_nobodys_way(notes: Path) -> None:
    Project.create("notes", [notes]).close()
    with Project.in_memory(notes) as project, Project.in_memory(notes) as other:
        assert project.index(embed=False).added == other.index(embed=False).added == 2


def test_projects_see_only_their_own(notes: Path, tmp_path: Path) -> None:
    other = write(tmp_path / "other", a="# Foxes\n\nFoxes run.\n")
    with Project.create("notes", [notes]) as one, Project.create("other", [other]) as two:
        one.index(embed=False)
        two.index(embed=False)
        assert paths(one, "foxes") == []
        assert paths(two, "foxes owls") == ["a.md"]
        pointer = two.search("foxes", mode="lexical").results[0].matches[0].pointer
        assert one.open_pointer(pointer).state == "changed"
        with pytest.raises(ProjectNotFound):
            one.open_pointer(f"other:{pointer}")
        assert two.open_pointer(f"other:{pointer}").state == "exact"
        with pytest.raises(InvalidPointer):
            one.open_pointer("no pointer")


def test_homes_are_apart(notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Project.create("notes", [notes]).close()
    monkeypatch.setenv("GLASSDEX_HOME", str(tmp_path / "second home"))
    assert project_names() == []
    Project.create("notes", [notes]).close()
    assert store_path("notes").is_file()


HOLD = """
import sys
from glassdex.projects import store_path
from glassdex.storage.sqlite import SqliteStore

with SqliteStore(store_path(sys.argv[1])).lock("index"):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_another_writer_is_named(home: Path, notes: Path) -> None:
    with Project.create("notes", [notes]) as project:
        project.index(embed=False)
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, "notes"],
        env={**os.environ, "PYTHONPATH": str(SOURCES), "GLASSDEX_HOME": str(home)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert holder.stdin and holder.stdout
    try:
        assert holder.stdout.readline() == "held\n"
        with Project.open("notes") as project:
            with pytest.raises(StoreLocked) as raised:
                project.index(embed=False)
            assert f"process {holder.pid} (index, since " in raised.value.message
            assert raised.value.code == "store_locked"
            assert paths(project, "owls") == ["a.md"], "who only reads is not kept out"
    finally:
        holder.communicate("")
    assert holder.returncode == 0
    with Project.open("notes") as project:
        assert project.index(embed=False).unchanged == 2


READ = """
import sys
from glassdex.project import Project

with Project.open(sys.argv[1]) as project, project.store.read():
    print("reading", flush=True)
    sys.stdin.read()
"""


def test_a_project_that_is_being_read_elsewhere_is_not_renamed_and_loses_nothing(home: Path, notes: Path) -> None:
    with Project.create("notes", [notes]) as project:
        reader = subprocess.Popen(
            [sys.executable, "-c", READ, "notes"],
            env={**os.environ, "PYTHONPATH": str(SOURCES), "GLASSDEX_HOME": str(home)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert reader.stdin and reader.stdout
        try:
            assert reader.stdout.readline() == "reading\n"
            project.index(embed=False)
            project.close()
            with pytest.raises(StoreLocked, match="in use by another process"):
                rename_project("notes", "renamed")
            assert project_names() == ["notes"]
        finally:
            reader.communicate("")
    rename_project("notes", "renamed")
    with Project.open("renamed") as project:
        assert paths(project, "owls") == ["a.md"]


def test_a_damaged_store_is_its_own_problem(
    home: Path, notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Project.create("notes", [notes]) as project:
        project.index(embed=False)
    store_path("broken").write_bytes(b"no database at all " * 400)
    with pytest.raises(StoreCorrupt):
        Project.open("broken")
    listed = {listing.name: listing for listing in list_projects()}
    assert "damaged" in (listed["broken"].error or "")
    assert (listed["notes"].error, listed["notes"].documents) == (None, 2)
    monkeypatch.chdir(notes)
    with Project.open() as project:
        assert paths(project, "owls") == ["a.md"]
    assert project_containing(tmp_path) is None


def test_a_damaged_store_does_not_stop_a_new_project(home: Path, notes: Path) -> None:
    Project.create("notes", [notes]).close()
    store_path("broken").write_bytes(b"no database at all " * 400)
    with Project.create("more", [write(notes.parent / "more", x="# X\n\nx\n")]) as project:
        assert project.index(embed=False).added == 1


def test_a_damaged_store_can_be_removed(home: Path, notes: Path) -> None:
    Project.create("notes", [notes]).close()
    store_path("broken").write_bytes(b"no database at all " * 400)
    remove_project("broken")
    assert project_names() == ["notes"]


def test_a_stray_file_is_listed_with_its_error(home: Path, notes: Path) -> None:
    Project.create("notes", [notes]).close()
    (home / "projects" / "my own.db").write_bytes(b"")
    errors = {listing.name: listing.error for listing in list_projects()}
    assert errors["notes"] is None
    assert "is no project name" in (errors["my own"] or "")


def test_roots_of_a_project_do_not_lie_within_each_other(notes: Path, tmp_path: Path) -> None:
    (notes / "inner").mkdir()
    with Project.create("notes", [notes]) as project:
        for folder in (notes / "inner", tmp_path):
            with pytest.raises(RootConflict, match="lie within each other"):
                project.add_root(folder)
