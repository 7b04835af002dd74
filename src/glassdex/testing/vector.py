"""What every vector index must do: exact cosines on the scale −1..1, within the scope, ties and all."""

from __future__ import annotations

from contextlib import AbstractContextManager

import numpy as np
from numpy.typing import NDArray

from glassdex.errors import GlassdexError
from glassdex.storage.records import ChunkTable
from glassdex.testing.expect import expect_error
from glassdex.vectors.protocol import StoredVectors, VectorIndex

_DIMENSIONS = 96
_CHUNKS = 300
_ROUNDING = 1e-6
_PENDING = -1


class VectorIndexConformance:
    """Derive, and provide `built`."""

    def built(self, table: ChunkTable, matrix: NDArray[np.float32]) -> AbstractContextManager[VectorIndex]:
        """An index over the chunks of `table`, usable inside the `with`.

        The vector of chunk `table.ids[i]` is `matrix[table.slots[i]]`, unit length; a slot of −1 is a pending chunk.
        Several chunks may share a slot, and a slot may belong to no chunk.
        """
        raise NotImplementedError

    def test_scores_are_cosines_from_minus_one_to_one(self) -> None:
        axes = _unit([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [1, 1, 0]])
        with self.built(_table([0, 1, 2, 3]), axes) as index:
            hits = index.search(axes[0], None, 10)
        found = dict(zip(hits.chunk_ids.tolist(), hits.scores.tolist(), strict=True))
        assert found == {10: 1.0, 20: -1.0, 30: 0.0, 40: 0.707107}, (
            f"the scale is the cosine itself, rounded to 1e-6, neither shifted nor halved: {found}"
        )

    def test_scores_equal_a_naive_double_precision_loop(self) -> None:
        table, matrix, query = _corpus()
        with self.built(table, matrix) as index:
            hits = index.search(query, None, _CHUNKS)
        assert len(hits.chunk_ids) == _CHUNKS, "a window as large as the corpus returns all of it"
        for chunk_id, score in zip(hits.chunk_ids, hits.scores, strict=True):
            expected = _cosine(query, matrix[table.slots[table.ids == chunk_id][0]])
            assert abs(score - expected) <= _ROUNDING, f"chunk {chunk_id}: {score}, a plain loop says {expected}"

    def test_scores_are_rounded_to_six_decimals(self) -> None:
        table, matrix, query = _corpus()
        with self.built(table, matrix) as index:
            scores = index.search(query, None, _CHUNKS).scores
        assert np.array_equal(scores, np.round(scores, 6)), "scores are rounded before they are compared"

    def test_best_come_first_and_are_the_best(self) -> None:
        table, matrix, query = _corpus()
        with self.built(table, matrix) as index:
            hits = index.search(query, None, 25)
        assert np.all(np.diff(hits.scores) <= 0), "scores descend"
        truth = sorted((_cosine(query, matrix[slot]) for slot in table.slots), reverse=True)
        assert np.allclose(hits.scores[:25], truth[:25], atol=_ROUNDING), "no nearer chunk was left out"

    def test_all_chunks_that_tie_with_the_last_of_the_window_come_back(self) -> None:
        near, tied, far = _unit([[1, 0, 0], [1, 1, 0], [0, 0, 1]])
        matrix = np.stack([near, tied, tied, tied, far])
        with self.built(_table([0, 1, 2, 3, 4]), matrix) as index:
            hits = index.search(near, None, 2)
        assert sorted(hits.chunk_ids.tolist()) == [10, 20, 30, 40], (
            f"one chunk leads, three tie at the border of a window of two: {hits.chunk_ids.tolist()}"
        )

    def test_a_window_larger_than_the_corpus_returns_every_chunk_once(self) -> None:
        table, matrix, query = _corpus()
        with self.built(table, matrix) as index:
            hits = index.search(query, None, 10 * _CHUNKS)
        assert sorted(hits.chunk_ids.tolist()) == table.ids.tolist(), f"{len(hits.chunk_ids)} hits"

    def test_scope_is_respected_and_changes_no_score(self) -> None:
        table, matrix, query = _corpus()
        scope = table.ids[3::7]
        with self.built(table, matrix) as index:
            everywhere = index.search(query, None, _CHUNKS)
            within = index.search(query, scope, 5)
        outside = set(within.chunk_ids.tolist()) - set(scope.tolist())
        assert not outside, f"chunks from outside the scope: {outside}"
        expected = np.isin(everywhere.chunk_ids, scope)
        assert within.scores.tolist()[:5] == everywhere.scores[expected].tolist()[:5], (
            "the best five in scope carry the very numbers that they have in the whole project"
        )

    def test_a_scope_smaller_than_the_window_comes_back_whole(self) -> None:
        table, matrix, query = _corpus()
        scope = table.ids[[5, 9, 200]]
        with self.built(table, matrix) as index:
            hits = index.search(query, scope, 50)
        assert sorted(hits.chunk_ids.tolist()) == scope.tolist(), f"found {hits.chunk_ids.tolist()}"
        assert hits.eligible in (3, None), f"three chunks were eligible, not {hits.eligible}"

    def test_an_empty_scope_finds_nothing(self) -> None:
        table, matrix, query = _corpus()
        with self.built(table, matrix) as index:
            hits = index.search(query, np.empty(0, dtype=np.int64), 10)
        assert hits.chunk_ids.tolist() == [], "an empty scope is nothing, not everything"

    def test_an_empty_index_finds_nothing(self) -> None:
        query = _unit([[1, 0, 0]])[0]
        with self.built(_table([]), np.empty((0, 3), dtype=np.float32)) as index:
            assert index.search(query, None, 10).chunk_ids.tolist() == []
            assert index.similarities(query, np.empty(0, dtype=np.int64)).tolist() == []

    def test_pending_chunks_are_absent_from_a_search_and_nan_in_similarities(self) -> None:
        axes = _unit([[1, 0, 0], [0, 1, 0]])
        with self.built(_table([0, _PENDING, 1, _PENDING]), axes) as index:
            hits = index.search(axes[0], None, 10)
            similarities = index.similarities(axes[0], np.array([20, 10, 40, 30]))
            ready = index.ready()
        assert ready == 2, f"two chunks have a vector, not {ready}"
        assert sorted(hits.chunk_ids.tolist()) == [10, 30], "only chunks with a vector can be found"
        assert hits.eligible in (2, None), f"two chunks have a vector, not {hits.eligible}"
        assert np.array_equal(np.isnan(similarities), [True, False, True, False]), (
            f"a chunk without a vector is NaN, never a number: {similarities}"
        )

    def test_similarities_come_in_the_order_asked_and_equal_the_search(self) -> None:
        table, matrix, query = _corpus()
        with self.built(table, matrix) as index:
            hits = index.search(query, None, _CHUNKS)
            backwards = index.similarities(query, hits.chunk_ids[::-1].copy())
            alone = [index.similarities(query, np.array([chunk_id]))[0] for chunk_id in hits.chunk_ids]
        assert backwards.tolist() == hits.scores[::-1].tolist(), "one chunk, one number, whoever asks"
        assert alone == hits.scores.tolist(), "a number does not depend on its company"

    def test_stored_vectors_come_back_in_the_order_asked(self) -> None:
        axes = _unit([[1, 0, 0], [0, 1, 0]])
        with self.built(_table([0, _PENDING, 1, 0]), axes) as index:
            if not isinstance(index, StoredVectors):  # an index need not give them back
                return
            vectors = index.stored_vectors(np.array([30, 20, 40]))
            none = index.stored_vectors(np.empty(0, dtype=np.int64))
        assert np.isnan(vectors[1]).all(), "a chunk without a vector is NaN"
        assert np.abs(vectors[[0, 2]] - axes[[1, 0]]).max() <= _ROUNDING, f"{vectors}"
        assert none.shape == (0, 3)

    def test_two_chunks_that_share_a_vector_are_both_found_with_one_score(self) -> None:
        axes = _unit([[0, 1, 0], [1, 0, 0]])
        with self.built(_table([1, 0, 1]), axes) as index:
            hits = index.search(axes[1], None, 1)
        assert sorted(hits.chunk_ids.tolist()) == [10, 30], "the same text in two notes is two chunks"
        assert hits.scores.tolist() == [1.0, 1.0], f"scores {hits.scores.tolist()}"

    def test_a_vector_that_belongs_to_no_chunk_is_never_found(self) -> None:
        axes = _unit([[1, 0, 0], [0, 1, 0]])
        with self.built(_table([1]), axes) as index:
            hits = index.search(axes[0], None, 10)
        assert hits.chunk_ids.tolist() == [10], "vectors outlive their chunks and stay out of sight"

    def test_a_query_of_other_dimensions_is_an_error_in_words(self) -> None:
        axes = _unit([[1, 0, 0], [0, 1, 0]])
        longer = _unit([[1, 0, 0, 0]])[0]
        with self.built(_table([0, 1]), axes) as index:
            with expect_error(GlassdexError, "a search with a vector of 4 dimensions in an index of 3"):
                index.search(longer, None, 10)
            with expect_error(GlassdexError, "similarities with a vector of 4 dimensions in an index of 3"):
                index.similarities(longer, np.array([10]))

    def test_two_searches_give_the_same_bytes(self) -> None:
        table, matrix, query = _corpus()
        with self.built(table, matrix) as index:
            first, second = (index.search(query, None, 40) for _ in range(2))
        assert first.chunk_ids.tobytes() == second.chunk_ids.tobytes(), "other chunks the second time"
        assert first.scores.tobytes() == second.scores.tobytes(), "other scores the second time"


def _unit(rows: list[list[float]]) -> NDArray[np.float32]:
    vectors = np.array(rows, dtype=np.float64)
    scaled: NDArray[np.float32] = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    return scaled


def _table(slots: list[int]) -> ChunkTable:
    """Chunks 10, 20, 30, … in these slots."""
    count = len(slots)
    ids = np.arange(1, count + 1, dtype=np.int64) * 10
    return ChunkTable(1, ids, ids + 1, np.array(slots, dtype=np.int64), np.ones(count))


def _corpus() -> tuple[ChunkTable, NDArray[np.float32], NDArray[np.float32]]:
    """Random chunks whose slots are not in the order of their ids, and a query."""
    random = np.random.default_rng(7)
    matrix = _unit(random.normal(size=(_CHUNKS, _DIMENSIONS)).tolist())
    query = _unit(random.normal(size=(1, _DIMENSIONS)).tolist())[0]
    return _table(random.permutation(_CHUNKS).tolist()), matrix, query


def _cosine(left: NDArray[np.float32], right: NDArray[np.float32]) -> float:
    return sum(float(a) * float(b) for a, b in zip(left, right, strict=True))
