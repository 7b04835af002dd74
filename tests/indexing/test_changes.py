from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

import numpy as np
import pytest

from glassdex.errors import RootNotFound
from glassdex.indexing.progress import NoProgress
from glassdex.storage.sqlite import SqliteStore
from tests.indexing.runs import LONG_AGO, Vault, contents, vault_at


def test_a_first_run_indexes_every_note(vault: Vault) -> None:
    vault.write({"a.md": "alpha\n", "sub/b.md": "beta\n"})
    report = vault.index()
    assert (report.files, report.added, report.chunks_added, report.pending) == (2, 2, 2, 2)
    assert vault.texts() == {"a.md": ["alpha"], "sub/b.md": ["beta"]}


def test_a_second_run_reads_nothing_that_did_not_change(vault: Vault) -> None:
    vault.write({"a.md": "alpha\n", "b.md": "beta\n"})
    vault.index()
    with vault.store.read() as snapshot:
        generation = snapshot.generation
    report = vault.index()
    assert (report.unchanged, report.added, report.changed, report.chunks_added) == (2, 0, 0, 0)
    with vault.store.read() as snapshot:
        assert snapshot.generation == generation


def test_a_changed_note_replaces_what_it_said(vault: Vault) -> None:
    vault.write({"a.md": "alpha\n", "b.md": "beta\n"})
    vault.index()
    vault.write({"a.md": "gamma delta\n"})
    report = vault.index()
    assert (report.changed, report.unchanged, report.chunks_added, report.chunks_removed) == (1, 1, 1, 1)
    assert vault.texts() == {"a.md": ["gamma delta"], "b.md": ["beta"]}


def test_a_deleted_note_is_forgotten(vault: Vault) -> None:
    vault.write({"a.md": "alpha\n", "b.md": "beta\n"})
    vault.index()
    (vault.root / "a.md").unlink()
    report = vault.index()
    assert (report.removed, report.chunks_removed) == (1, 1)
    assert vault.texts() == {"b.md": ["beta"]}


def test_changes_one_by_one_lead_to_the_index_of_a_fresh_start(vault: Vault, tmp_path: Path) -> None:
    vault.write({"a.md": "# A\n\nalpha #x\n", "b.md": "- [fact] beta\n", "c.md": "gamma\n"})
    vault.index()
    vault.write({"a.md": "# A\n\nalpha again\n", "d.md": "delta\n"})
    vault.index()
    (vault.root / "c.md").rename(vault.root / "e.md")
    (vault.root / "b.md").unlink()
    vault.index()
    fresh = vault_at(tmp_path / "fresh")
    shutil.copytree(vault.root, fresh.root, dirs_exist_ok=True)
    fresh.index()
    assert contents(vault.store) == contents(fresh.store)
    fresh.store.close()


def test_a_touched_note_with_the_same_content_is_unchanged(vault: Vault) -> None:
    vault.write({"a.md": "alpha\n"})
    vault.index()
    os.utime(vault.root / "a.md", (LONG_AGO + 50, LONG_AGO + 50))
    report = vault.index()
    assert (report.unchanged, report.changed) == (1, 0)
    assert vault.index().unchanged == 1


def test_a_note_changed_within_the_same_time_stamp_is_noticed(vault: Vault) -> None:
    path = vault.root / "a.md"
    now = time.time()
    vault.write({"a.md": "alpha\n"}, age=now)
    vault.index()
    before = path.stat()
    with path.open("r+b") as file:
        file.write(b"omega\n")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert (path.stat().st_size, path.stat().st_mtime_ns) == (before.st_size, before.st_mtime_ns)
    assert vault.index().changed == 1
    assert vault.texts() == {"a.md": ["omega"]}


def test_a_renamed_folder_of_a_thousand_notes_embeds_nothing(vault: Vault) -> None:
    vault.write({f"old/{i:04}.md": f"note of kind {i % 25}\n" for i in range(1000)})
    first = vault.index(embed=True)
    assert (first.added, first.embedded, first.pending) == (1000, 25, 0)
    (vault.root / "old").rename(vault.root / "new")
    report = vault.index(embed=True)
    assert (report.embedded, report.pending, report.moved, report.removed) == (0, 0, 1000, 1000)
    assert list(vault.texts()) == [f"new/{i:04}.md" for i in range(1000)]


def test_the_same_text_in_two_notes_is_embedded_once(vault: Vault) -> None:
    vault.write({"a.md": "the same words\n", "b.md": "the same words\n"})
    assert vault.index(embed=True).embedded == 1


def test_an_edit_embeds_the_edited_note_alone(vault: Vault) -> None:
    vault.write({"a.md": "alpha\n", "b.md": "beta\n"})
    vault.index(embed=True)
    vault.write({"b.md": "beta and more\n"})
    assert vault.index(embed=True).embedded == 1


def test_a_vector_is_that_of_the_chunk_s_text(vault: Vault) -> None:
    vault.write({"a.md": "# Buoys\n\nThey float.\n"})
    vault.index(embed=True)
    with vault.store.read() as snapshot:
        (stored,) = snapshot.vectors(vault.embedder.identity)
    expected = vault.embedder.embed_documents(["Buoys\n# Buoys\n\nThey float."])[0]
    assert np.dot(stored, expected) > 0.999


def test_two_roots_are_indexed_side_by_side(vault: Vault, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "a.md").write_text("in the other root\n")
    with vault.store.write() as writer:
        writer.add_root(str(other), "other")
    vault.write({"a.md": "in the first root\n"})
    vault.index()
    assert vault.texts() == {"a.md": ["in the first root"], "other/a.md": ["in the other root"]}


def test_a_missing_root_touches_nothing(vault: Vault) -> None:
    vault.write({"a.md": "alpha\n"})
    vault.index()
    before = contents(vault.store)
    vault.root.rename(vault.root.with_name("elsewhere"))
    with pytest.raises(RootNotFound):
        vault.index()
    assert contents(vault.store) == before


def test_one_missing_root_of_two_keeps_its_documents_and_is_reported(vault: Vault, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "b.md").write_text("beta\n")
    with vault.store.write() as writer:
        writer.add_root(str(other), "other")
    vault.write({"a.md": "alpha\n"})
    vault.index()
    shutil.rmtree(other)
    report = vault.index()
    assert [failure.code for failure in report.failures] == ["root_not_found"]
    assert set(vault.texts()) == {"a.md", "other/b.md"}


def test_a_project_without_a_root_says_so() -> None:
    store = SqliteStore(None)
    with pytest.raises(RootNotFound, match="no root folder"):
        Vault(Path(), store).index()
    store.close()


def test_a_document_without_a_date_is_dated_by_its_file(vault: Vault) -> None:
    vault.write({"a.md": "alpha\n", "b.md": "---\ndate: 2024-05-06\n---\nbeta\n"})
    vault.index()
    os.utime(vault.root / "a.md", (LONG_AGO + 50, LONG_AGO + 50))
    os.utime(vault.root / "b.md", (LONG_AGO + 50, LONG_AGO + 50))
    with vault.store.read() as snapshot:
        generation = snapshot.generation
    vault.index()
    with vault.store.read() as snapshot:
        assert snapshot.generation == generation + 1, "a search by date finds something else now"
        dates = dict(snapshot.connection.execute("SELECT path, dated_at FROM document JOIN file USING (id)"))
    assert dates == {"a.md": LONG_AGO + 50, "b.md": 1714953600.0}


def test_a_word_is_remembered_as_the_vault_writes_it(vault: Vault) -> None:
    vault.write({"a.md": "Connections drift.\n"})
    vault.index()
    with vault.store.read() as snapshot:
        assert ("connect", "connections") in snapshot.similar_words("c", 1, 20, 10)


def test_a_renamed_folder_is_never_out_of_the_index(vault: Vault) -> None:
    vault.write({f"old/{n}.md": f"tide number{n}" for n in range(20)})
    vault.index()
    (vault.root / "old").rename(vault.root / "new")
    seen: list[int] = []

    class Watcher(NoProgress):
        def published(self, done: int, total: int) -> None:
            seen.append(len(vault.texts()))

    report = vault.index(progress=Watcher())
    assert report.moved == 20
    assert min(seen) >= 20
    assert sorted(vault.texts()) == sorted(f"new/{n}.md" for n in range(20))
