"""Vectors on disk: 1,024 a blob, unit length, float32, addressed by slot = slab number · 1,024 + position.

A slot never changes its content once written, so readers may keep what they have loaded and add what is new.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import apsw

from glassdex.embedding.protocol import EmbeddingIdentity
from glassdex.errors import EmbeddingError, StoreCorrupt

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SLAB_VECTORS = 1024
_FLOAT_BYTES = 4


def identity_row(connection: apsw.Connection, key: str) -> int | None:
    """The number of an embedding identity in this store, if it was ever used here."""
    row: int | None = connection.execute("SELECT id FROM embedding_identity WHERE key = ?", (key,)).get
    return row


def ensure_identity(connection: apsw.Connection, identity: EmbeddingIdentity, details: str) -> int:
    """The number of an embedding identity, entered on first use."""
    connection.execute("INSERT OR IGNORE INTO embedding_identity (key, details) VALUES (?, ?)", (identity.key, details))
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
    """All vectors of an identity: float32 of shape (last slot + 1, dimensions), row = slot."""
    import numpy as np

    count = int(connection.execute("SELECT last_slot + 1 FROM embedding_identity WHERE id = ?", (identity_id,)).get)
    matrix = np.zeros((count, dimensions), dtype=np.float32)  # a slab that is gone must not become chance numbers
    rows = connection.execute("SELECT number, floats FROM slab WHERE identity_id = ?", (identity_id,))
    for number, floats in rows:
        if not isinstance(floats, bytes) or len(floats) != SLAB_VECTORS * dimensions * _FLOAT_BYTES:
            raise StoreCorrupt(
                f"slab {number} of the stored vectors is damaged",
                "build the index anew: glassdex projects remove, then glassdex index",
            )
        start = number * SLAB_VECTORS
        stop = min(count, start + SLAB_VECTORS)
        matrix[start:stop] = np.frombuffer(floats, dtype="<f4").reshape(-1, dimensions)[: stop - start]
    return matrix
