"""Pending chunks → vectors, in small transactions: whatever is done is kept."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

from glassdex.embedding.protocol import Embedder
from glassdex.indexing.progress import Progress
from glassdex.storage.sqlite import SqliteStore

BATCH_CHUNKS = 128


@dataclass(frozen=True, slots=True)
class EmbeddedSlice:
    """What one call embedded: so many distinct texts of so many chunks, the last of which is `last_id`."""

    texts: int
    chunks: int
    last_id: int


def embed_pending(store: SqliteStore, embedder: Embedder, progress: Progress) -> int:
    """Embeds every chunk that has no vector under the embedder's identity; returns how many texts were embedded.

    Raises:
        EmbeddingError: the model failed; chunks embedded so far are ready.
    """
    with store.read() as snapshot:
        total = snapshot.readiness()[1]
    embedded = done = last_id = 0
    while (made := embed_slice(store, embedder, last_id, BATCH_CHUNKS)) is not None:
        embedded += made.texts
        done += made.chunks
        last_id = made.last_id
        progress.embedded(min(done, total), total)
    return embedded


def embed_slice(
    store: SqliteStore,
    embedder: Embedder,
    after_id: int,
    limit: int,
    lock: Callable[[], AbstractContextManager[None]] = nullcontext,
) -> EmbeddedSlice | None:
    """Embeds up to `limit` of the pending chunks behind `after_id`; none when there are no more.

    `lock` is held while the vectors are stored, not while the model works: others may write in that time.

    Raises:
        EmbeddingError: the model failed; nothing of the slice was stored.
    """
    with store.read() as snapshot:
        pending = snapshot.pending_chunks(after_id, limit)
    if not pending:
        return None
    texts = {chunk.embedded_hash: chunk.embedded_text for chunk in pending}
    vectors = embedder.embed_documents(list(texts.values()))
    with lock(), store.write() as writer:
        writer.store_vectors(embedder.identity, list(texts), vectors)
    return EmbeddedSlice(len(texts), len(pending), pending[-1].chunk_id)
