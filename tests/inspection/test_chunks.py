"""A document as the index sees it: everything that is stored, and what is really there."""

from __future__ import annotations

from collections.abc import Iterator

import apsw
import pytest

from glassdex.chunking import MAX_TOKENS
from glassdex.inspection.chunks import ChunkView, DocumentChunks
from glassdex.model import compose_embedded_text, text_hash
from glassdex.project import Project
from tests.search.vaults import HashedWords, root_of, write_notes

NOTE = "# Log\n\nthe winter harbour\n\n- [fact] tide at noon\n- sails_with [[Tide]] (often)\n\n## Two\n\nthe end\n"


@pytest.fixture
def project(tmp_path) -> Iterator[Project]:
    root = write_notes(tmp_path / "vault", {"log.md": NOTE, "other.md": "another\n"})
    with Project.create(f"chunks-{tmp_path.name}", [root], embedder=HashedWords()) as made:
        made.index()
        yield made


def execute(project: Project, statement: str, *bindings: object) -> None:
    """Changes the store behind the manifest's back."""
    connection = apsw.Connection(str(project.store.path))
    connection.execute("PRAGMA foreign_keys = OFF")
    connection.execute(statement, bindings)
    connection.execute("UPDATE meta SET value = value + 1 WHERE key = 'generation'")
    connection.close()


def chunks_of(found: DocumentChunks) -> list[ChunkView]:
    return [chunk for row in found.rows for chunk in row.chunks]


def conditions(project: Project) -> list[str]:
    return [chunk.condition for chunk in sorted(chunks_of(project.chunks("log.md")), key=lambda c: c.ordinal)]


def test_rows_hold_their_chunks_and_every_number_is_that_of_the_file(project: Project):
    found = project.chunks("log.md")
    assert (found.document.title, found.freshness.state, found.orphans) == ("Log", "fresh", ())
    assert [row.kind for row in found.rows] == ["entity", "observation", "relation"]
    assert (found.rows[1].category, found.rows[2].target) == ("fact", "Tide")
    chunks = chunks_of(found)
    assert sorted(chunk.ordinal for chunk in chunks) == list(range(len(chunks)))
    for chunk in chunks:
        assert chunk.text == NOTE[chunk.char_start : chunk.char_end]
        assert chunk.locator.line_start is not None
        assert chunk.text.splitlines()[0] == NOTE.splitlines()[chunk.locator.line_start - 1]
        assert chunk.characters == len(chunk.text)
        assert 0 < chunk.tokens <= chunk.token_limit == MAX_TOKENS
        embedded = compose_embedded_text(chunk.breadcrumb, chunk.context, chunk.text)
        assert chunk.source_hash == text_hash(embedded)[:32]
        assert (chunk.embedding_status, chunk.condition, chunk.in_lexical_index) == ("ready", "current", True)
        assert (chunk.embedding_identity, chunk.vector_index) == (HashedWords().identity.key, "exact")
        assert project.open_pointer(chunk.pointer).state == "exact"


def test_without_vectors_chunks_are_pending_and_missing(tmp_path):
    root = write_notes(tmp_path / "vault", {"log.md": NOTE})
    with Project.in_memory(root, embedder=HashedWords()) as project:
        project.index(embed=False)
        assert set(conditions(project)) == {"missing"}
        assert {chunk.embedding_status for chunk in chunks_of(project.chunks("log.md"))} == {"pending"}
        project.index()
        assert set(conditions(project)) == {"current"}


def test_a_vector_that_was_deleted_is_missing_though_the_manifest_says_ready(project: Project):
    execute(
        project,
        "DELETE FROM vector WHERE embedded_hash = (SELECT embedded_hash FROM chunk"
        " JOIN file ON file.id = document_id WHERE path = 'log.md' AND ordinal = 1)",
    )
    found = conditions(project)
    assert found[1] == "missing"
    assert set(found[:1] + found[2:]) == {"current"}
    assert {chunk.embedding_status for chunk in chunks_of(project.chunks("log.md"))} == {"ready"}
    freshness = project.chunks("log.md").freshness
    assert (freshness.state, freshness.rows_vs_index.diverged_at) == ("index_behind_rows", 1)


def test_a_slot_that_is_another_texts_is_stale(project: Project):
    execute(project, "UPDATE chunk SET vector_slot = vector_slot + 1 WHERE ordinal = 0")
    assert conditions(project)[0] == "stale"
    assert project.chunks("log.md").freshness.rows_vs_index.diverged_at == 0


def test_a_slab_that_is_gone_makes_its_vectors_stale(project: Project):
    execute(project, "DELETE FROM slab")
    assert set(conditions(project)) == {"stale"}


def test_another_models_vectors_are_of_another_identity(project: Project):
    project.embedder = HashedWords(dimensions=12)
    assert set(conditions(project)) == {"other_identity"}
    assert project.chunks("log.md").freshness.state == "index_behind_rows"


def test_a_chunk_whose_row_is_gone_stands_apart(project: Project):
    execute(project, "DELETE FROM row WHERE kind = 'observation'")
    found = project.chunks("log.md")
    assert [(chunk.condition, "tide at noon" in chunk.text) for chunk in found.orphans] == [("orphaned", True)]
    assert [row.kind for row in found.rows] == ["entity", "relation"]
    # A search and a ladder go on without it.
    assert project.search("winter", watch=("log.md",)).results
    assert project.why_not("winter", "log.md").returned_at == 1


def test_a_lexical_entry_that_is_gone_is_seen(project: Project):
    execute(project, "DELETE FROM posting WHERE rowid = (SELECT min(id) FROM chunk)")
    everything = [*chunks_of(project.chunks("log.md")), *chunks_of(project.chunks("other.md"))]
    assert sum(not chunk.in_lexical_index for chunk in everything) == 1


def test_looking_changes_nothing(project: Project):
    with project.store.read() as snapshot:
        before = snapshot.generation
    project.chunks("log.md")
    (root_of(project) / "log.md").write_text("changed\n")
    assert project.chunks("log.md").freshness.state == "rows_behind_file"
    with project.store.read() as snapshot:
        assert snapshot.generation == before
