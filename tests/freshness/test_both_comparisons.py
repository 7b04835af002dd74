"""Freshness in full: file against rows, rows against index, on real files and a real store."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from glassdex import chunking
from glassdex.inspection.freshness import DocumentFreshness, document_freshness
from glassdex.project import Project
from tests.search.vaults import HashedWords, root_of, write_notes

LONG_AGO = 1_700_000_000
LONG_NOTE = "# Log\n\n" + "".join(f"- [fact] entry number {number} of the log\n" for number in range(300))


def make(folder: Path, notes: Mapping[str, str | bytes], *, embed: bool = True) -> Project:
    """A project on disk over notes whose time lies far enough back."""
    root = write_notes(folder / "vault", notes)
    for path in notes:
        os.utime(root / path, (LONG_AGO, LONG_AGO))
    project = Project.create(folder.name, [root], embedder=HashedWords())
    project.index(embed=embed)
    return project


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    notes = {"note.md": "# Note\n\nharbour at dawn\n\n- [fact] boats sleep\n", "other.md": "tide\n"}
    with make(tmp_path, notes) as opened:
        yield opened


def freshness(project: Project, document: str = "note.md") -> DocumentFreshness:
    return project.chunks(document).freshness


def hit_state(project: Project, query: str = "harbour dawn", document: str = "note.md") -> str:
    return next(r.freshness.state for r in project.search(query).results if r.path == document)


def execute(project: Project, sql: str) -> None:
    """What somebody does to the store with another tool."""
    with project.store.write() as writer:
        writer.connection.execute(sql)


def test_an_untouched_document_agrees_in_both_comparisons(project: Project):
    found = freshness(project)
    assert (found.state, found.file_vs_rows.state, found.rows_vs_index.state) == ("fresh", "equal", "equal")
    assert found.file_vs_rows.current_hash == found.file_vs_rows.rows_hash == found.file_vs_rows.observed_hash
    assert found.file_vs_rows.write_status == "settled"
    assert found.file_vs_rows.rows_at is not None
    assert found.rows_vs_index.manifest_fingerprint == found.rows_vs_index.index_fingerprint
    assert found.rows_vs_index.diverged_at is None
    assert found.rows_vs_index.reasons == ()


def test_a_note_edited_after_indexing_is_found_by_its_old_text_and_marked_as_behind(project: Project):
    (root_of(project) / "note.md").write_text("# Note\n\nharbour at dusk\n")
    assert hit_state(project) == "rows_behind_file"
    found = freshness(project)
    assert found.state == "rows_behind_file"
    assert found.file_vs_rows.current_hash != found.file_vs_rows.rows_hash
    assert found.rows_vs_index.state == "equal"
    project.index()
    assert (hit_state(project), freshness(project).state) == ("fresh", "fresh")


def test_both_divergences_at_once_are_both_reported_and_the_headline_is_the_upstream_one(tmp_path: Path):
    with make(tmp_path, {"note.md": "harbour at dawn\n"}, embed=False) as project:
        (root_of(project) / "note.md").write_text("harbour at dusk\n")
        found = freshness(project)
        assert found.state == "rows_behind_file"
        assert found.file_vs_rows.state == "differs"
        assert found.rows_vs_index.state == "behind"
        assert found.rows_vs_index.reasons == ("1 of 1 chunks wait for their vector",)
        assert "changed since its rows" in found.detail
        assert "wait for their vector" in found.detail


def test_a_file_that_cannot_be_read_is_unknown_and_a_lag_below_it_is_still_named(tmp_path: Path):
    with make(tmp_path, {"note.md": "harbour at dawn\n"}, embed=False) as project:
        (root_of(project) / "note.md").unlink()
        found = freshness(project)
        assert found.state == "unknown"
        assert found.file_vs_rows.state == "unreadable"
        assert found.file_vs_rows.current_hash is None
        assert found.file_vs_rows.lineage_proves is None
        assert found.rows_vs_index.state == "behind"
        assert "cannot be read" in found.detail
        assert "1 of 1 chunks wait for their vector" in found.detail


@pytest.mark.parametrize(
    ("write_status", "proof"), [("settled", "rows_behind_file"), ("writing", None), ("failed", None)]
)
def test_of_an_unreadable_file_only_settled_lineage_proves_a_lag(
    project: Project, write_status: str, proof: str | None
):
    (root_of(project) / "note.md").unlink()
    execute(project, f"UPDATE file SET observed_hash = 'newer', write_status = '{write_status}' WHERE path = 'note.md'")
    found = freshness(project)
    assert found.state == "unknown"
    assert found.file_vs_rows.state == "unreadable"
    assert found.file_vs_rows.lineage_proves == proof
    assert ("proves nothing" in found.detail) == (proof is None)


def test_settled_lineage_without_an_observed_hash_proves_nothing(project: Project):
    (root_of(project) / "note.md").unlink()
    execute(project, "UPDATE file SET observed_hash = NULL WHERE path = 'note.md'")
    found = freshness(project)
    assert found.file_vs_rows.lineage_proves is None
    assert "proves nothing" in found.detail


def test_in_a_long_note_of_which_only_the_end_changed_the_divergence_is_at_the_end(tmp_path: Path):
    with make(tmp_path, {"log.md": LONG_NOTE}) as project:
        before = freshness(project, "log.md").rows_vs_index
        (root_of(project) / "log.md").write_text(LONG_NOTE.replace("number 299", "number two hundred and ninety-nine"))
        project.index(embed=False)
        found = freshness(project, "log.md").rows_vs_index
        assert found.chunks > 256
        assert found.state == "behind"
        assert (found.pending, found.ready) == (1, found.chunks - 1)
        with project.store.read() as snapshot:
            document = snapshot.document("log.md")
            assert document is not None
            assert found.diverged_at == snapshot.document_chunks(document.document_id)[-1].ordinal
        assert found.manifest_fingerprint not in (found.index_fingerprint, before.manifest_fingerprint)


def test_a_manifest_whose_first_part_agrees_is_still_behind(tmp_path: Path):
    with make(tmp_path, {"log.md": LONG_NOTE}) as project:
        execute(project, "DELETE FROM posting WHERE rowid = (SELECT max(id) FROM chunk)")
        found = freshness(project, "log.md")
        assert found.state == "index_behind_rows"
        assert found.rows_vs_index.diverged_at == found.rows_vs_index.chunks - 1
        assert found.rows_vs_index.reasons == ("1 chunks are not in the lexical index",)


def test_an_unedited_document_rebuilds_to_the_same_fingerprint(project: Project, tmp_path: Path):
    first = freshness(project).rows_vs_index
    (root_of(project) / "note.md").rename(root_of(project) / "kept.txt")
    project.index()
    (root_of(project) / "kept.txt").rename(root_of(project) / "note.md")
    project.index()
    again = freshness(project).rows_vs_index
    assert again == first
    edited = root_of(project) / "note.md"
    edited.write_text(edited.read_text().replace("dawn", "dusk"))
    project.index()
    assert freshness(project).rows_vs_index.manifest_fingerprint != first.manifest_fingerprint


def test_embedding_brings_the_fingerprint_of_the_index_to_that_of_the_manifest(tmp_path: Path):
    with make(tmp_path, {"note.md": "# Note\n\nharbour at dawn\n"}, embed=False) as project:
        before = freshness(project).rows_vs_index
        assert before.manifest_fingerprint != before.index_fingerprint
        assert (before.vectors_present, before.lexical_present, before.diverged_at) == (0, before.chunks, 0)
        project.index()
        after = freshness(project).rows_vs_index
        assert after.manifest_fingerprint == after.index_fingerprint == before.manifest_fingerprint


@pytest.mark.parametrize("deletion", ["DELETE FROM vector", "DELETE FROM slab"])
def test_a_vector_deleted_behind_the_manifests_back_is_noticed_and_mended_by_the_next_run(
    project: Project, deletion: str
):
    execute(project, deletion)
    found = freshness(project)
    assert found.state == "index_behind_rows"
    assert found.rows_vs_index.pending == 0
    assert found.rows_vs_index.reasons == (
        f"{found.rows_vs_index.chunks} vectors are gone that the manifest calls ready",
    )
    report = project.index()
    assert (report.unchanged, report.embedded) == (2, 3)
    assert freshness(project).state == "fresh"
    assert project.search("harbour").results[0].similarity is not None


def test_a_lexical_entry_deleted_behind_the_manifests_back_is_mended_by_the_next_run(project: Project):
    execute(project, "DELETE FROM posting")
    assert freshness(project).rows_vs_index.lexical_present == 0
    report = project.index()
    assert (report.changed, report.embedded) == (2, 0)
    assert freshness(project).state == "fresh"
    assert project.search("harbour", mode="lexical").results


def test_an_entry_of_a_chunk_that_is_gone_is_dropped_by_the_next_run(project: Project):
    execute(project, "INSERT INTO posting (rowid, body) VALUES (9999, 'harbour')")
    assert project.index().unchanged == 2
    with project.store.read() as snapshot:
        assert snapshot.connection.execute("SELECT count(*) FROM posting_docsize WHERE id = 9999").get == 0


def test_a_file_deleted_between_search_and_open(project: Project):
    match = project.search("harbour dawn").results[0].matches[0]
    (root_of(project) / "note.md").unlink()
    passage = project.open_pointer(match.pointer)
    assert (passage.state, passage.text) == ("gone", None)
    assert hit_state(project) == "unknown"
    assert freshness(project).state == "unknown"


def test_a_file_that_fails_keeps_its_older_rows_and_says_that_they_are_behind(project: Project):
    (root_of(project) / "note.md").write_bytes(b"harbour \xff\xfe at noon\n")
    project.index()
    found = freshness(project)
    assert found.state == hit_state(project) == "rows_behind_file"
    assert found.file_vs_rows.write_status == "failed"
    assert found.file_vs_rows.observed_hash == found.file_vs_rows.current_hash
    assert found.rows_vs_index.state == "equal"
    (root_of(project) / "note.md").unlink()
    assert freshness(project).state == "unknown"


def test_a_file_that_fails_and_gets_its_old_bytes_back_is_fresh(project: Project):
    file = root_of(project) / "note.md"
    old = file.read_bytes()
    file.write_bytes(b"\xff\xfe\x00")
    project.index()
    file.write_bytes(old)
    assert freshness(project).state == hit_state(project) == "fresh"


def test_another_chunker_makes_both_forms_say_that_the_index_is_behind(
    project: Project, monkeypatch: pytest.MonkeyPatch
):
    cutter = chunking.IDENTITY
    monkeypatch.setattr(chunking, "IDENTITY", "glassdex-chunker/99")
    assert hit_state(project) == freshness(project).state == "index_behind_rows"
    assert freshness(project).rows_vs_index.reasons == (f"cut by {cutter}, now glassdex-chunker/99",)


def test_rows_of_an_older_reader_are_behind_although_everything_is_there(project: Project):
    execute(project, "UPDATE file SET reader = 'markdown/0'")
    found = freshness(project)
    assert found.state == "index_behind_rows"
    assert found.rows_vs_index.manifest_fingerprint == found.rows_vs_index.index_fingerprint
    assert found.rows_vs_index.diverged_at is None
    project.index()
    assert freshness(project).state == "fresh"


def test_words_of_another_analysis_are_behind(project: Project):
    execute(project, "UPDATE file SET lexical_identity = 'older'")
    assert hit_state(project) == freshness(project).state == "index_behind_rows"


def test_another_model_is_an_index_that_is_behind(project: Project):
    project.embedder = HashedWords(48)
    found = freshness(project)
    assert found.state == "index_behind_rows"
    assert "the embedder is" in found.detail
    assert hit_state(project) == "index_behind_rows"


def test_a_file_that_never_became_rows_is_not_indexed(tmp_path: Path):
    with make(tmp_path, {"bad.md": b"\xff\xfe\x00"}) as project, project.store.read() as snapshot:
        file = snapshot.file("bad.md")
        assert file is not None
        identity = project.embedder.identity.key
        found = document_freshness(
            snapshot.roots()[0],
            file,
            [],
            {},
            active_identity=identity,
            embedding_identity=identity,
            lexical_identity=project.status().lexical_identity,
            readers=frozenset(),
        )
        assert (found.state, found.file_vs_rows.state, found.rows_vs_index.state) == ("not_indexed",) * 3
        assert "nothing was built" in found.detail


def test_a_chunk_that_names_the_place_of_another_ones_vector_is_stale_and_mended_by_the_next_run(project: Project):
    execute(project, "UPDATE chunk SET vector_slot = 1 - vector_slot WHERE vector_slot IN (0, 1)")
    conditions = [view.condition for row in project.chunks("note.md").rows for view in row.chunks]
    assert conditions == ["stale", "stale"]
    assert freshness(project).state == "index_behind_rows"
    assert project.index().embedded == 0
    assert freshness(project).state == "fresh"


def test_a_chunk_whose_row_is_gone_is_orphaned_and_keeps_the_index_behind(project: Project):
    connection = project.store._writing_connection
    connection.execute(
        "PRAGMA foreign_keys = OFF; DELETE FROM row WHERE kind = 'observation'; PRAGMA foreign_keys = ON"
    )
    document = project.chunks("note.md")
    assert [view.condition for view in document.orphans] == ["orphaned"]
    assert [row.kind for row in document.rows] == ["entity"]
    assert document.freshness.state == "index_behind_rows"
    assert document.freshness.rows_vs_index.reasons == (
        "1 of 2 rows are there",
        "1 chunks are left of a row that is gone",
    )
    assert document.freshness.rows_vs_index.diverged_at == document.orphans[0].ordinal
    project.index()
    assert freshness(project).state == "fresh"


def test_a_folder_that_became_a_link_out_of_the_root_is_not_read(tmp_path: Path):
    (tmp_path / "p").mkdir()
    with make(tmp_path / "p", {"sub/note.md": "harbour\n"}) as project:
        folder = root_of(project) / "sub"
        folder.rename(tmp_path / "outside")
        folder.symlink_to(tmp_path / "outside")
        assert project.chunks("note.md").freshness.state == "unknown"
        assert project.search("harbour").results[0].freshness.state == "unknown"


def test_a_file_that_failed_names_its_error_on_the_ladder(project: Project):
    (root_of(project) / "note.md").write_bytes(b"\xff\xfe\x00")
    project.index()
    rungs = {rung.name: rung for rung in project.why_not("tide", "note.md").rungs}
    assert rungs["read"].passed is False
    assert "unsupported_encoding" in rungs["read"].detail
