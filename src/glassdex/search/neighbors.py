"""The nearest chunks of a chunk, by the stored vectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from glassdex.errors import VectorMissing
from glassdex.model import Locator, unify_newlines
from glassdex.search.results import pointer_of
from glassdex.storage.sqlite.snapshot import SqliteSnapshot
from glassdex.vectors.protocol import VectorIndex

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NEAR_DUPLICATE_SIMILARITY = 0.95


@dataclass(frozen=True, slots=True)
class Neighbor:
    """A chunk near the asked one. `similarity` is the cosine of the stored vectors (−1..1).

    `near_duplicate` marks one of at least .95 in another document.
    """

    chunk_key: str
    pointer: str
    path: str
    title: str
    similarity: float
    near_duplicate: bool
    text: str
    locator: Locator


@dataclass(frozen=True, slots=True)
class Neighbors:
    """The asked chunk and its neighbours, nearest first; `embedded_now`: its vector was made for the asking."""

    chunk_key: str
    pointer: str
    path: str
    neighbors: tuple[Neighbor, ...]
    scope_total: int
    embedded_now: bool


def vector_missing(path: str, key: str) -> VectorMissing:
    """The error for a chunk that nobody has embedded."""
    return VectorMissing(
        f"the chunk {key} of {path} has no stored vector",
        "embed it for this question alone with --embed, or run: glassdex index",
    )


def nothing_comparable(identity: str) -> VectorMissing:
    """The error for a project without a single vector of the embedder's."""
    return VectorMissing(f"no chunk of the project has a vector under {identity}", "run: glassdex index")


def find_neighbors(
    snapshot: SqliteSnapshot,
    index: VectorIndex,
    vector: NDArray[np.float32],
    chunk_id: int,
    scope: NDArray[np.int64] | None,
    limit: int,
    *,
    embedded_now: bool,
) -> Neighbors:
    """The nearest `limit` chunks in scope, without the chunk itself; ties by document and key."""
    hits = index.search(vector, scope, limit + 1)
    similarity = dict(zip(hits.chunk_ids.tolist(), hits.scores.tolist(), strict=True))
    similarity.pop(chunk_id, None)
    chunks = snapshot.chunks([*similarity, chunk_id])
    own = chunks.pop(chunk_id)
    ordered = sorted(chunks.values(), key=lambda chunk: (-similarity[chunk.chunk_id], chunk.path, chunk.key))
    records = snapshot.candidates(_ids([chunk_id, *similarity]))
    return Neighbors(
        chunk_key=own.key,
        pointer=pointer_of(records[chunk_id]),
        path=own.path,
        neighbors=tuple(
            Neighbor(
                chunk_key=chunk.key,
                pointer=pointer_of(records[chunk.chunk_id]),
                path=chunk.path,
                title=chunk.title,
                similarity=round(similarity[chunk.chunk_id], 6),
                near_duplicate=chunk.document_id != own.document_id
                and similarity[chunk.chunk_id] >= NEAR_DUPLICATE_SIMILARITY,
                text=unify_newlines(chunk.text),
                locator=chunk.locator,
            )
            for chunk in ordered[:limit]
        ),
        scope_total=hits.eligible or 0,
        embedded_now=embedded_now,
    )


def _ids(chunk_ids: list[int]) -> NDArray[np.int64]:
    import numpy as np

    return np.array(sorted(chunk_ids), dtype=np.int64)
