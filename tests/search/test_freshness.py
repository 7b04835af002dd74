"""Every result says whether the index still agrees with its file, and what settled it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from glassdex.project import Project
from tests.search.vaults import HashedWords, root_of, write_notes

LONG_AGO = 1_700_000_000


@pytest.fixture
def project(tmp_path: Path):
    root = write_notes(tmp_path / "vault", {"note.md": "harbour at dawn\n", "other.md": "tide\n"})
    os.utime(root / "note.md", (LONG_AGO, LONG_AGO))
    with Project.in_memory(root, embedder=HashedWords()) as opened:
        opened.index()
        yield opened


def freshness(project: Project) -> tuple[str, str]:
    result = next(r for r in project.search("harbour dawn").results if r.path == "note.md")
    return result.freshness.state, result.freshness.checked


def test_an_untouched_file_is_fresh_by_its_stat(project: Project):
    assert freshness(project) == ("fresh", "stat")


def test_a_file_written_just_before_it_was_indexed_is_settled_by_its_hash(tmp_path: Path):
    root = write_notes(tmp_path / "vault", {"note.md": "harbour at dawn\n"})
    with Project.in_memory(root, embedder=HashedWords()) as project:
        project.index()
        assert freshness(project) == ("fresh", "hash")


def test_an_edited_file_is_ahead_of_its_rows(project: Project):
    (root_of(project) / "note.md").write_text("harbour at dusk, and more\n")
    assert freshness(project) == ("rows_behind_file", "stat")


def test_an_edit_of_the_same_size_under_the_old_time_is_seen(project: Project):
    file = root_of(project) / "note.md"
    file.write_text("harbour at dusk\n")
    os.utime(file, (LONG_AGO, LONG_AGO))
    assert freshness(project) == ("rows_behind_file", "hash")


def test_a_touched_file_with_the_same_bytes_is_fresh(project: Project):
    os.utime(root_of(project) / "note.md")
    assert freshness(project) == ("fresh", "hash")


def test_a_deleted_file_is_unknown_and_still_answers(project: Project):
    (root_of(project) / "note.md").unlink()
    assert freshness(project)[0] == "unknown"


def test_a_file_that_became_a_folder_is_unknown(project: Project):
    file = root_of(project) / "note.md"
    file.unlink()
    file.mkdir()
    assert freshness(project)[0] == "unknown"


def test_an_edit_is_fresh_again_after_the_next_run(project: Project):
    (root_of(project) / "note.md").write_text("harbour at dawn, twice\n")
    project.index()
    assert freshness(project)[0] == "fresh"


def test_a_file_whose_passages_have_no_vector_yet_is_ahead_of_the_index(tmp_path: Path):
    root = write_notes(tmp_path / "vault", {"note.md": "harbour at dawn\n"})
    os.utime(root / "note.md", (LONG_AGO, LONG_AGO))
    with Project.in_memory(root, embedder=HashedWords()) as project:
        project.index(embed=False)
        assert freshness(project) == ("index_behind_rows", "stat")
        project.index()
        assert freshness(project) == ("fresh", "stat")


def test_freshness_is_per_result(project: Project):
    (root_of(project) / "other.md").write_text("tide, changed\n")
    states = {result.path: result.freshness.state for result in project.search("harbour tide").results}
    assert states == {"note.md": "fresh", "other.md": "rows_behind_file"}


def test_a_file_that_cannot_be_read_any_more_keeps_its_old_rows_and_says_they_are_behind(project: Project):
    (root_of(project) / "note.md").write_bytes(b"harbour \xff\xfe\n")
    project.index()
    assert freshness(project) == ("rows_behind_file", "hash")


def test_rows_of_an_older_chunker_are_behind(project: Project, monkeypatch: pytest.MonkeyPatch):
    with monkeypatch.context() as patch:
        patch.setattr("glassdex.chunking.IDENTITY", "glassdex-chunker/next")
        assert freshness(project) == ("index_behind_rows", "stat")
    assert freshness(project) == ("fresh", "stat")
