"""Pending chunks → vectors, in small transactions: whatever is done is kept."""

from __future__ import annotations

from glassdex.embedding.protocol import Embedder
from glassdex.indexing.progress import Progress
from glassdex.storage.sqlite import SqliteStore

BATCH_CHUNKS = 128


def embed_pending(store: SqliteStore, embedder: Embedder, progress: Progress) -> int:
    """Embeds every chunk that has no vector under the embedder's identity; returns how many texts were embedded.

    Raises:
        EmbeddingError: the model failed; chunks embedded so far are ready.
    """
    with store.read() as snapshot:
        total = snapshot.readiness()[1]
    embedded = done = last_id = 0
    while True:
        with store.read() as snapshot:
            pending = snapshot.pending_chunks(last_id, BATCH_CHUNKS)
        if not pending:
            return embedded
        texts = {chunk.embedded_hash: chunk.embedded_text for chunk in pending}
        vectors = embedder.embed_documents(list(texts.values()))
        with store.write() as writer:
            writer.store_vectors(embedder.identity, list(texts), vectors)
        embedded += len(texts)
        done += len(pending)
        last_id = pending[-1].chunk_id
        progress.embedded(min(done, total), total)
