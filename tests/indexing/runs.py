"""Real folders, real stores, and what an index holds."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from glassdex.analysis import analyzer
from glassdex.embedding.minilm import MiniLmEmbedder
from glassdex.embedding.protocol import Embedder
from glassdex.indexing.progress import NoProgress, Progress
from glassdex.indexing.run import IndexReport, IndexRun
from glassdex.storage.sqlite import SqliteStore

MAX_BYTES = 1_000_000
LONG_AGO = 1_700_000_000


@dataclass
class Vault:
    """A folder of notes and its index."""

    root: Path
    store: SqliteStore
    embedder: Embedder = field(default_factory=MiniLmEmbedder)

    def write(self, files: Mapping[str, str | bytes], *, age: float = LONG_AGO) -> None:
        """Writes files whose time lies in the past, so that their stat alone can be trusted."""
        for name, content in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
            os.utime(path, (age, age))

    def index(self, *, embed: bool = False, progress: Progress | None = None) -> IndexReport:
        """One run; without embedding unless asked for, which is most of the time that a run takes."""
        with self.store.lock("index"):
            return IndexRun(self.store, analyzer(), self.embedder, MAX_BYTES, progress).run(embed=embed)

    def texts(self) -> dict[str, list[str]]:
        """The chunk texts of every document by path."""
        with self.store.read() as snapshot:
            return {
                path: [chunk.text for chunk in snapshot.document_chunks(document_id)]
                for document_id, path in sorted(snapshot.document_paths().items(), key=lambda item: item[1])
            }

    def skipped(self) -> dict[str, str]:
        """Reason by path of what the last run left out."""
        with self.store.read() as snapshot:
            return {record.path: record.reason for record in snapshot.skipped()}


def vault_at(folder: Path, embedder: Embedder | None = None) -> Vault:
    """An empty vault in a folder, its store beside it."""
    root = folder / "vault"
    root.mkdir(parents=True, exist_ok=True)
    store = SqliteStore(folder / "store.db")
    with store.read() as snapshot:
        known = snapshot.roots()
    if not known:
        with store.write() as writer:
            writer.add_root(str(root), "")
    return Vault(root, store, embedder or MiniLmEmbedder())


class Interrupting(NoProgress):
    """A progress display whose user presses Ctrl-C at a given moment."""

    def __init__(self, *, published: int | None = None, embedded: int | None = None) -> None:
        self._published = published
        self._embedded = embedded

    def published(self, done: int, total: int) -> None:
        """Interrupts once so many files are published."""
        if self._published is not None and done >= self._published:
            raise KeyboardInterrupt

    def embedded(self, done: int, total: int) -> None:
        """Interrupts once so many chunks are embedded."""
        if self._embedded is not None and done >= self._embedded:
            raise KeyboardInterrupt


def contents(store: SqliteStore) -> list[tuple[object, ...]]:
    """Rows, chunks, hashes and lexical entries of an index, without ids and times."""
    with store.read() as snapshot:
        chunks = snapshot.connection.execute(
            "SELECT path, rows_hash, write_status, row.key, row.text_hash, chunk.key, chunk.ordinal, chunk.char_start,"
            " chunk.char_end, chunk.line_start, chunk.text, chunk.breadcrumb, chunk.token_count, chunk.embedded_hash,"
            " chunk.lexical_length, chunk.lexical_status, chunk.embedding_status FROM chunk"
            " JOIN row ON row.id = row_id JOIN file ON file.id = chunk.document_id ORDER BY path, chunk.ordinal"
        ).fetchall()
        postings = snapshot.connection.execute(
            "SELECT path, chunk.ordinal, term, col, offset FROM posting_instance JOIN chunk ON chunk.id = doc"
            " JOIN file ON file.id = chunk.document_id ORDER BY 1, 2, 3, 4, 5"
        ).fetchall()
    return [*chunks, *postings]


def vectors_by_hash(store: SqliteStore, embedder: Embedder) -> dict[bytes, NDArray[np.float32]]:
    """The vector of every embedded text."""
    with store.read() as snapshot:
        matrix = snapshot.vectors(embedder.identity)
        slots = snapshot.connection.execute("SELECT embedded_hash, slot FROM vector").fetchall()
    vectors: dict[bytes, NDArray[np.float32]] = {}
    for embedded_hash, slot in slots:
        assert isinstance(embedded_hash, bytes)
        assert isinstance(slot, int)
        vectors[embedded_hash] = matrix[slot]
    return vectors
