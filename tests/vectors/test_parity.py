"""The dense leg's numbers against cosines that NumPy computes from their definition, in double precision."""

from __future__ import annotations

import numpy as np
import pytest

from glassdex.storage.records import ChunkTable
from glassdex.vectors.exact import ExactVectorIndex, Vectors
from tests.search.vaults import HashedWords, indexed

SINGLE_PRECISION = 1e-6


@pytest.mark.parametrize(("count", "dimensions"), [(1, 2), (300, 24), (2000, 384)])
def test_similarities_are_cosines(count: int, dimensions: int):
    chance = np.random.default_rng(count)
    raw = chance.normal(size=(count, dimensions))
    query = chance.normal(size=dimensions)
    cosines = raw @ query / (np.linalg.norm(raw, axis=1) * np.linalg.norm(query))
    unit = (raw / np.linalg.norm(raw, axis=1, keepdims=True)).astype(np.float32)
    ids = np.arange(1, count + 1)
    index = ExactVectorIndex(ChunkTable(1, ids, ids, np.arange(count), np.ones(count)), Vectors.of(unit))
    asked = (query / np.linalg.norm(query)).astype(np.float32)
    np.testing.assert_allclose(index.similarities(asked, ids), cosines, atol=SINGLE_PRECISION)
    best = index.search(asked, None, min(10, count)).chunk_ids.tolist()
    assert set(best) == set((np.argsort(-cosines)[: len(best)] + 1).tolist())


def test_the_similarity_of_a_result_is_the_cosine_of_its_text_and_the_query():
    notes = {f"{number}.md": f"harbour {'tide ' * number}lantern {number}\n" for number in range(8)}
    embedder = HashedWords()
    with indexed(notes, embedder=embedder) as project:
        query = embedder.embed_documents(["tide lantern"])[0].astype(np.float64)
        for result in project.search("tide lantern", mode="dense").results:
            text = embedder.embed_documents([result.matches[0].text])[0].astype(np.float64)
            cosine = text @ query / (np.linalg.norm(text) * np.linalg.norm(query))
            assert result.similarity == pytest.approx(cosine, abs=0.0006)
