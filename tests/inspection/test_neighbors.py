"""Neighbours by the stored vectors, and by nothing else unless it is asked for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from glassdex.errors import InvalidRequest, VectorMissing
from glassdex.project import Project
from glassdex.storage.records import ChunkRecord
from tests.search.vaults import HashedWords, indexed, root_of, vaults


class Counting(HashedWords):
    """Counts how often it is asked."""

    calls = 0

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.calls += 1
        return super().embed_documents(texts)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        self.calls += 1
        return super().embed_query(text)


def everything(project: Project) -> dict[int, tuple[ChunkRecord, NDArray[np.float64]]]:
    """Every chunk with its vector, read from the store."""
    with project.store.read() as snapshot:
        table = snapshot.chunk_table()
        matrix = snapshot.vectors(project.embedder.identity).astype(np.float64)
        chunks = snapshot.chunks(table.ids.tolist())
        return {i: (chunks[i], matrix[s]) for i, s in zip(table.ids.tolist(), table.slots.tolist(), strict=True)}


@settings(max_examples=40)
@given(vaults, st.data(), st.integers(1, 6), st.sampled_from(((), ("notes/",), ("a.md", "b.md"))))
def test_neighbours_are_those_of_a_brute_force_comparison(notes, data, limit, places):
    with indexed(notes) as project:
        stored = everything(project)
        key_counts = [chunk.key for chunk, _ in stored.values()]
        own_id = data.draw(st.sampled_from(sorted(stored)))
        own, vector = stored[own_id]
        assume(key_counts.count(own.key) == 1)
        found = project.neighbors(own.key, limit=limit, paths=places)
        inside = [
            (chunk, round(float(other @ vector), 6))
            for i, (chunk, other) in stored.items()
            if i != own_id and (not places or chunk.path.startswith(places))
        ]
        inside.sort(key=lambda pair: (-pair[1], pair[0].path, pair[0].key))
        assert [(n.path, n.chunk_key, n.similarity) for n in found.neighbors] == [
            (chunk.path, chunk.key, similarity) for chunk, similarity in inside[:limit]
        ]
        for neighbor in found.neighbors:
            assert neighbor.near_duplicate == (neighbor.path != own.path and neighbor.similarity >= 0.95)
        own_inside = not places or own.path.startswith(places)
        assert (found.scope_total, found.embedded_now) == (len(inside) + own_inside, False)


def test_a_near_duplicate_is_one_in_another_document():
    text = "# {}\n\n- [fact] the winter harbour lies empty\n- [fact] the winter harbour lies empty again\n"
    with indexed({"a.md": text.format("A"), "b.md": text.format("A")}) as project:
        pointer = project.chunks("a.md").rows[1].chunks[0].pointer
        marked = {(n.path, n.near_duplicate) for n in project.neighbors(pointer).neighbors if n.similarity > 0.949}
        assert ("b.md", True) in marked
        assert ("a.md", True) not in marked


def test_nothing_is_embedded_unless_it_is_asked_for():
    embedder = Counting()
    with indexed({"a.md": "winter harbour\n", "b.md": "winter tide\n"}, embedder=embedder) as project:
        (root_of(project) / "c.md").write_text("winter harbour boats\n")
        project.index(embed=False)
        embedder.calls = 0
        known = project.chunks("a.md").rows[0].chunks[0].pointer
        new = project.chunks("c.md").rows[0].chunks[0].pointer
        assert [n.path for n in project.neighbors(known).neighbors] == ["b.md"]
        with pytest.raises(VectorMissing, match="has no stored vector") as error:
            project.neighbors(new)
        assert "--embed" in error.value.suggestion
        assert embedder.calls == 0
        found = project.neighbors(new, embed=True)
        assert ([n.path for n in found.neighbors], found.embedded_now, embedder.calls) == (["a.md", "b.md"], True, 1)
        # It was made for this once.
        with pytest.raises(VectorMissing):
            project.neighbors(new)


def test_where_nothing_can_be_compared_embedding_one_chunk_does_not_help():
    embedder = Counting()
    with indexed({"a.md": "winter harbour\n"}, embedder=embedder, embed=False) as project:
        pointer = project.chunks("a.md").rows[0].chunks[0].pointer
        with pytest.raises(VectorMissing, match="no chunk of the project has a vector") as error:
            project.neighbors(pointer, embed=True)
        assert error.value.suggestion == "run: glassdex index"
        assert embedder.calls == 0


def test_vectors_of_another_model_are_not_compared():
    with indexed({"a.md": "winter harbour\n", "b.md": "winter\n"}) as project:
        pointer = project.chunks("a.md").rows[0].chunks[0].pointer
        project.embedder = HashedWords(dimensions=12)
        with pytest.raises(VectorMissing):
            project.neighbors(pointer)


def test_a_wrong_limit_is_refused():
    with indexed({"a.md": "winter harbour\n"}) as project, pytest.raises(InvalidRequest):
        project.neighbors(project.chunks("a.md").rows[0].chunks[0].pointer, limit=0)
