"""Whose vectors serve a search: those of the project's embedder, or those of the model before it.

After a change of the model the old vectors stay where they are. Until the new ones are complete a request may ask for
the old ones; its query is then embedded by the old model, for vectors of two models cannot be compared.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from glassdex.embedding.protocol import Embedder
from glassdex.errors import EmbeddingError, InvalidRequest
from glassdex.search.request import IdentityChoice
from glassdex.storage.records import ChunkTable
from glassdex.storage.sqlite.snapshot import SqliteSnapshot


@dataclass(frozen=True, slots=True)
class Readiness:
    """Chunks with a vector under the serving identity, without one, and of the latter those with another's."""

    ready: int
    pending: int
    other_identity: int


@dataclass(frozen=True, slots=True)
class Serving:
    """The embedder whose vectors serve, the chunk table with their slots, and how complete they are."""

    embedder: Embedder
    table: ChunkTable
    readiness: Readiness


def serving(
    choice: IdentityChoice, snapshot: SqliteSnapshot, table: ChunkTable, embedder: Embedder, others: Iterable[Embedder]
) -> Serving:
    """What a request of that choice is answered with; `others` are the models at hand besides the project's.

    Raises:
        InvalidRequest: the previous vectors are asked for and there never were any.
        EmbeddingError: there are, but none of `others` made them.
    """
    if choice == "active":
        return _active(snapshot, table, embedder)
    key = previous_identity(snapshot, embedder)
    if key is None:
        raise InvalidRequest("the project has no vectors of a previous model", "leave out --identity previous")
    found = next((other for other in others if other.identity.key == key), None)
    if found is None:
        raise EmbeddingError(
            f"the previous vectors were made by {key}, and this model is not at hand to embed the query",
            "leave out --identity previous, or search by words alone: --mode lexical",
        )
    slots = snapshot.vector_slots(found.identity)
    pending = slots < 0
    elsewhere = int((pending & (table.slots >= 0)).sum())
    readiness = Readiness(int((~pending).sum()), int(pending.sum()), elsewhere)
    return Serving(found, replace(table, slots=slots), readiness)


def previous_identity(snapshot: SqliteSnapshot, embedder: Embedder) -> str | None:
    """The key of the identity whose vectors served before the embedder's; none where there was only one."""
    own = embedder.identity.key
    active = snapshot.meta("embedding_identity")
    key = snapshot.meta("previous_embedding_identity") if active == own else active
    return None if key in (None, own) else str(key)


def _active(snapshot: SqliteSnapshot, table: ChunkTable, embedder: Embedder) -> Serving:
    import numpy as np

    total = len(table.ids)
    pending = int((table.slots < 0).sum())
    if snapshot.meta("embedding_identity") != embedder.identity.key:
        # The stored vectors belong to another model: they must not be compared with this one's.
        nowhere = replace(table, slots=np.full_like(table.slots, -1))
        return Serving(embedder, nowhere, Readiness(0, total, total - pending))
    other = snapshot.readiness()[2] if pending else 0
    return Serving(embedder, table, Readiness(total - pending, pending, other))
