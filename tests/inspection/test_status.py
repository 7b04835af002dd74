"""A project at a glance: what it holds, what failed and why, what was left out."""

from __future__ import annotations

from glassdex.project import Project
from glassdex.projects import list_projects
from tests.search.vaults import HashedWords, indexed, root_of, write_notes

NOTES: dict[str, str | bytes] = {
    "a.md": "# A\n\nharbour\n\n- [fact] tide\n",
    "bad.md": b"harbour \xff\n",
    "picture.bin": b"\0\1\2",
}


def test_counts_failures_and_skipped_files_are_all_accounted_for():
    with indexed(NOTES, embed=False) as project:
        status = project.status()
        assert (status.counts.documents, status.counts.chunks, status.counts.failed) == (1, 2, 1)
        assert (status.counts.ready, status.counts.pending) == (0, 2)
        assert [(f.path, f.code, f.has_older_rows) for f in status.failures] == [
            ("bad.md", "unsupported_encoding", False)
        ]
        assert "byte offset 8" in status.failures[0].message
        assert {skipped.path for skipped in status.skipped} == {"picture.bin"}
        assert status.roots == (str(root_of(project)),)
        project.index()
        assert project.status().counts.ready == 2


def test_a_file_that_broke_keeps_its_older_rows_and_says_so():
    with indexed({"a.md": "harbour\n"}) as project:
        (root_of(project) / "a.md").write_bytes(b"\xff")
        project.index()
        assert [(f.path, f.has_older_rows) for f in project.status().failures] == [("a.md", True)]
        assert project.search("harbour").results


def test_identities_are_those_that_searches_run_under():
    with indexed({"a.md": "harbour\n"}) as project:
        status, execution = project.status(), project.search("harbour")
        assert status.embedding_identity == execution.engine.embedding_identity == HashedWords().identity.key
        assert status.lexical_identity == execution.engine.lexical_identity
        assert status.generation == execution.engine.generation


def test_vectors_of_another_model_are_not_ready():
    with indexed({"a.md": "harbour\n", "b.md": "tide\n"}) as project:
        project.embedder = HashedWords(48)
        counts, readiness = project.status().counts, project.search("harbour").readiness
        assert (counts.ready, counts.pending, counts.other_identity) == (0, 2, 2)
        assert (readiness.ready, readiness.pending, readiness.other_identity) == (0, 2, 2)


def test_a_store_that_cannot_be_opened_is_listed_with_its_error(tmp_path):
    root = write_notes(tmp_path / "listed", {"a.md": "harbour\n"})
    with Project.create("listed", [root], embedder=HashedWords()) as project:
        project.index(embed=False)
        assert project.store.path is not None
        (project.store.path.parent / "broken.db").write_bytes(
            b"this is no database, and long enough to be looked at" * 40
        )
    listings = {listing.name: listing for listing in list_projects()}
    assert (listings["listed"].documents, listings["listed"].pending, listings["listed"].error) == (1, 1, None)
    assert listings["listed"].roots == (str(root),)
    assert listings["broken"].error
    (tmp_path / "listed" / "a.md").unlink()
    for name in ("listed", "broken"):
        remove(name)


def remove(name: str) -> None:
    from glassdex.projects import store_path

    for file in store_path(name).parent.glob(f"{name}.*"):
        file.unlink()
