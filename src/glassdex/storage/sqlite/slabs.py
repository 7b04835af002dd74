"""Vectors on disk: 1,024 a blob, unit length, float32, addressed by slot = slab number · 1,024 + position.

A slot never changes its content once written, so readers may keep what they have loaded and add what is new. What is
no unit vector of the identity's dimensions was damaged: readers take it for absent, and the next run embeds it again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import apsw

from glassdex.embedding.protocol import EmbeddingIdentity
from glassdex.errors import EmbeddingError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SLAB_VECTORS = 1024
_FLOAT_BYTES = 4
_UNIT_TOLERANCE = 1e-3
"""How far from 1 the square of a stored vector's length may be: more than float32 loses, less than damage makes."""


@dataclass(frozen=True, slots=True)
class _Slab:
    """The vectors of one slab that are in use, from slot `start` on; `usable` says which of them are unit vectors."""

    start: int
    vectors: NDArray[np.float32]
    usable: NDArray[np.bool_]


def identity_row(connection: apsw.Connection, key: str) -> int | None:
    """The number of an embedding identity in this store, if it was ever used here."""
    row: int | None = connection.execute("SELECT id FROM embedding_identity WHERE key = ?", (key,)).get
    return row


def ensure_identity(connection: apsw.Connection, identity: EmbeddingIdentity, details: str) -> int:
    """The number of an embedding identity, entered on first use."""
    if identity_row(connection, identity.key) is None:
        # A new one may get the number of one that was taken out by hand: it must not inherit that one's vectors.
        for table in ("vector", "slab"):
            connection.execute(f"DELETE FROM {table} WHERE identity_id NOT IN (SELECT id FROM embedding_identity)")
    connection.execute(
        "INSERT INTO embedding_identity (key, details) VALUES (?, ?)"
        " ON CONFLICT (key) DO UPDATE SET details = excluded.details WHERE details <> excluded.details",
        (identity.key, details),
    )
    row = identity_row(connection, identity.key)
    assert row is not None
    return row


def append(
    connection: apsw.Connection,
    identity_id: int,
    hashes: Sequence[bytes],
    vectors: NDArray[np.float32],
    dimensions: int,
) -> None:
    """Writes vectors under the hash of their text; a hash that is there already is left alone.

    Raises:
        EmbeddingError: the vectors do not have the identity's dimensions.
    """
    if vectors.shape != (len(hashes), dimensions):
        raise EmbeddingError(
            f"the embedder gave vectors of shape {vectors.shape} for {len(hashes)} texts; its identity says"
            f" {dimensions} dimensions",
            "an embedder whose vectors change must change its identity",
        )
    if not hashes:
        return
    slot = int(connection.execute("SELECT last_slot FROM embedding_identity WHERE id = ?", (identity_id,)).get)
    known = {
        row[0]
        for row in connection.execute(
            "SELECT embedded_hash FROM vector WHERE identity_id = ? AND embedded_hash IN (SELECT value FROM carray(?))",
            (identity_id, apsw.carray(tuple(hashes))),
        )
    }
    entries: list[tuple[int, bytes, int]] = []
    for embedded_hash, vector in zip(hashes, vectors, strict=True):
        if embedded_hash in known:
            continue
        known.add(embedded_hash)
        slot += 1
        number, position = divmod(slot, SLAB_VECTORS)
        slab_id = _slab(connection, identity_id, number, dimensions)
        with connection.blob_open("main", "slab", "floats", slab_id, True) as blob:
            blob.seek(position * dimensions * _FLOAT_BYTES)
            blob.write(vector.astype("<f4").tobytes())
        entries.append((identity_id, embedded_hash, slot))
    if not entries:
        return
    connection.executemany("INSERT INTO vector (identity_id, embedded_hash, slot) VALUES (?, ?, ?)", entries)
    connection.execute("UPDATE embedding_identity SET last_slot = ? WHERE id = ?", (slot, identity_id))


def _slab(connection: apsw.Connection, identity_id: int, number: int, dimensions: int) -> int:
    key = (identity_id, number)
    slab_id: int | None = connection.execute("SELECT id FROM slab WHERE identity_id = ? AND number = ?", key).get
    if slab_id is not None:
        return slab_id
    size = SLAB_VECTORS * dimensions * _FLOAT_BYTES
    connection.execute("INSERT INTO slab (identity_id, number, floats) VALUES (?, ?, zeroblob(?))", (*key, size))
    return connection.last_insert_rowid()


def load(connection: apsw.Connection, identity_id: int, dimensions: int) -> NDArray[np.float32]:
    """All vectors of an identity: float32 of shape (slots, dimensions), row = slot; one that was damaged is NaN."""
    import numpy as np

    matrix = np.zeros((_slot_count(connection, identity_id), dimensions), dtype=np.float32)
    for slab in _slabs(connection, identity_id, dimensions):
        rows = matrix[slab.start : slab.start + len(slab.usable)]
        rows[:] = slab.vectors
        rows[~slab.usable] = np.nan
    return matrix


def unusable_slots(connection: apsw.Connection, identity_id: int, dimensions: int) -> NDArray[np.int64]:
    """Slots in use that hold no unit vector."""
    import numpy as np

    found = [slab.start + np.flatnonzero(~slab.usable) for slab in _slabs(connection, identity_id, dimensions)]
    return np.concatenate([np.empty(0, dtype=np.int64), *found])


def usable_slots(connection: apsw.Connection, slots: Iterable[int]) -> set[int]:
    """Those of the slots that hold a unit vector of the active identity."""
    active = active_identity(connection)
    if active is None:
        return set()
    wanted = set(slots)
    numbers = sorted({slot // SLAB_VECTORS for slot in wanted})
    usable: set[int] = set()
    for slab in _slabs(connection, *active, numbers):
        usable |= wanted.intersection((slab.start + slab.usable.nonzero()[0]).tolist())
    return usable


def drop_unusable(connection: apsw.Connection, identity_id: int, dimensions: int) -> None:
    """Forgets what cannot be searched of an identity's vectors; their texts are to be embedded again."""
    import numpy as np

    connection.execute(
        "DELETE FROM vector WHERE identity_id = ? AND (typeof(slot) <> 'integer' OR slot < 0)", (identity_id,)
    )
    last_slot = _slot_count(connection, identity_id) - 1
    unusable = np.ascontiguousarray(unusable_slots(connection, identity_id, dimensions))
    if len(unusable):
        connection.execute(
            "DELETE FROM vector WHERE identity_id = ? AND slot IN (SELECT value FROM carray(?))",
            (identity_id, apsw.carray(unusable)),
        )
    connection.execute(
        "DELETE FROM slab WHERE identity_id = ? AND (typeof(floats) <> 'blob' OR length(floats) <> ?)",
        (identity_id, SLAB_VECTORS * dimensions * _FLOAT_BYTES),
    )
    connection.execute(
        "UPDATE embedding_identity SET last_slot = ?1 WHERE id = ?2 AND last_slot IS NOT ?1", (last_slot, identity_id)
    )
    connection.execute(
        "DELETE FROM vector WHERE identity_id = ?1 AND (slot > (SELECT last_slot FROM embedding_identity WHERE id = ?1)"
        f" OR slot / {SLAB_VECTORS} NOT IN (SELECT number FROM slab WHERE identity_id = ?1))",
        (identity_id,),
    )


def active_identity(connection: apsw.Connection) -> tuple[int, int] | None:
    """Number and dimensions of the identity that chunks are ready or pending under; 0 dimensions if none are known."""
    for identity_id, dimensions in connection.execute(
        "SELECT id, CASE WHEN json_valid(details) THEN details ->> 'dimensions' END FROM embedding_identity"
        " WHERE key = (SELECT value FROM meta WHERE key = 'embedding_identity')"
    ):
        return int(str(identity_id)), dimensions if isinstance(dimensions, int) else 0
    return None


def _slot_count(connection: apsw.Connection, identity_id: int) -> int:
    """Slots in use, no more than there are slabs for: a number that somebody changed must not fill the memory."""
    return int(
        connection.execute(
            "SELECT max(0, min("
            " (SELECT ifnull(max(slot) + 1, 0) FROM vector WHERE identity_id = ?1 AND typeof(slot) = 'integer'),"
            f" {SLAB_VECTORS} * (SELECT ifnull(max(number) + 1, 0) FROM slab WHERE identity_id = ?1)))",
            (identity_id,),
        ).get
    )


def _slabs(
    connection: apsw.Connection, identity_id: int, dimensions: int, numbers: Sequence[int] | None = None
) -> Iterator[_Slab]:
    """The slabs of an identity, all or those of these numbers; one that is missing has nothing usable."""
    count = _slot_count(connection, identity_id)
    for number in range(-(-count // SLAB_VECTORS)) if numbers is None else numbers:
        start = number * SLAB_VECTORS
        key = (identity_id, number)
        floats = connection.execute("SELECT floats FROM slab WHERE identity_id = ? AND number = ?", key).get
        yield _slab_of(floats, start, min(SLAB_VECTORS, max(0, count - start)), dimensions)


def _slab_of(floats: object, start: int, used: int, dimensions: int) -> _Slab:
    import numpy as np

    if not isinstance(floats, bytes) or len(floats) != SLAB_VECTORS * dimensions * _FLOAT_BYTES:
        return _Slab(start, np.zeros((used, dimensions), dtype=np.float32), np.zeros(used, dtype=np.bool_))
    vectors = np.frombuffer(floats, dtype="<f4").reshape(-1, dimensions)[:used]
    with np.errstate(all="ignore"):  # what a damaged file makes of its numbers
        off = np.abs(np.einsum("ij,ij->i", vectors, vectors) - 1)
    return _Slab(start, vectors, off <= _UNIT_TOLERANCE)
