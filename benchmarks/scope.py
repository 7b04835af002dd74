"""Searching inside one document that is small and far from the question: exact, and how long it takes.

    python benchmarks/scope.py [--json FILE]

About 20,000 chunks in 200 documents. The vectors of one document with 61 chunks are made to lie far from every query,
those of all others near: whoever ranks first and filters then finds nothing there. Of each of 120 queries the ten
passages returned by meaning alone are compared with a brute-force ranking of the document's vectors by numpy; the time
is that of the whole search with its query's embedding, each query's fastest of five.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from corpora import Language
from machine import machine, machine_line, markdown_table
from numpy.typing import NDArray

import glassdex
from glassdex.search.request import Mode

DOCUMENTS = 200
SECTIONS = 100
SCOPED = "scoped.md"
SCOPED_SECTIONS = 61
QUERIES = 120
ROUNDS = 5
LIMIT = 10


def write_documents(folder: Path) -> None:
    """Notes of a hundred short sections, and the one that is searched in."""
    folder.mkdir(parents=True)
    language = Language(seed=1)
    for number in range(DOCUMENTS - 1):
        (folder / f"note{number:03}.md").write_text(_note(language, SECTIONS), encoding="utf-8")
    (folder / SCOPED).write_text(_note(language, SCOPED_SECTIONS), encoding="utf-8")


def _note(language: Language, sections: int) -> str:
    return "\n".join(f"# {' '.join(language.words(3))}\n\n{' '.join(language.words(40))}.\n" for _ in range(sections))


def store_vectors(project: glassdex.Project, queries: Sequence[str]) -> NDArray[np.float32]:
    """Near the queries everywhere but in the scoped document; returns that one's vectors, by chunk in order."""
    source = np.random.default_rng(1)
    embedder = project.embedder
    asked = np.array([embedder.embed_query(query) for query in queries])
    centre = asked.mean(axis=0)
    with project.store.read() as snapshot:
        pending = snapshot.pending_chunks(0, 1_000_000)
        document = snapshot.document(SCOPED)
        assert document is not None
        scoped = snapshot.document_chunks(document.document_id)
    far = {chunk.chunk_id for chunk in scoped}
    noise = source.standard_normal((len(pending), len(centre))).astype(np.float32) / np.sqrt(len(centre))
    signs = np.array([-1.0 if chunk.chunk_id in far else 1.0 for chunk in pending], dtype=np.float32)
    vectors = signs[:, None] * centre + 0.5 * noise
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    by_hash = {chunk.embedded_hash: vector for chunk, vector in zip(pending, vectors, strict=True)}
    with project.store.write() as writer:
        writer.store_vectors(embedder.identity, list(by_hash), np.array(list(by_hash.values())))
    by_id = {chunk.chunk_id: by_hash[chunk.embedded_hash] for chunk in pending}
    return np.array([by_id[chunk.chunk_id] for chunk in scoped])


def nearest(project: glassdex.Project, query: str) -> list[str]:
    """Keys of the ten candidates that are nearest by the trace of a search in the scoped document."""
    ledger = project.search(query, mode="dense", in_document=SCOPED).ledger
    ranked = sorted(ledger.candidates.values(), key=lambda c: c.fused.rank if c.fused else 0)
    return [candidate.record.key for candidate in ranked[:LIMIT]]


def expected(project: glassdex.Project, query: str, vectors: NDArray[np.float32], keys: Sequence[str]) -> list[str]:
    """The same by numpy alone."""
    similarity = np.round(vectors @ project.embedder.embed_query(query), 6)
    return [key for _, key in sorted(zip(-similarity, keys, strict=True))[:LIMIT]]


def embed_ms(project: glassdex.Project, query: str) -> float:
    """Milliseconds of embedding a query: the fastest of five."""
    times = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        project.embedder.embed_query(query)
        times.append((time.perf_counter() - started) * 1000)
    return min(times)


def median_ms(project: glassdex.Project, queries: Sequence[str], mode: Mode) -> float:
    """Milliseconds of a search in the scoped document: the median over the queries of each one's fastest."""
    fastest = [float("inf")] * len(queries)
    for _ in range(ROUNDS):
        for position, query in enumerate(queries):
            started = time.perf_counter()
            project.search(query, mode=mode, in_document=SCOPED)
            fastest[position] = min(fastest[position], (time.perf_counter() - started) * 1000)
    return statistics.median(fastest)


def main() -> None:
    """Runs the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    options = parser.parse_args()
    queries = Language(seed=7).queries(QUERIES)
    with tempfile.TemporaryDirectory(prefix="glassdex-scope-") as temporary:
        folder = Path(temporary)
        os.environ["GLASSDEX_HOME"] = str(folder / "home")
        write_documents(folder / "notes")
        with glassdex.Project.create("scope", [folder / "notes"]) as project:
            project.index(embed=False)
            vectors = store_vectors(project, queries)
            keys = [chunk.key for row in project.chunks(SCOPED).rows for chunk in row.chunks]
            chunks = project.status().counts.chunks
            right = sum(nearest(project, query) == expected(project, query, vectors, keys) for query in queries)
            modes: tuple[Mode, ...] = ("dense", "hybrid", "lexical")
            times = {mode: median_ms(project, queries, mode) for mode in modes}
            embedding = statistics.median(embed_ms(project, query) for query in queries)
    figures = {"chunks": chunks, "in_scope": len(keys), "queries": QUERIES, "exact": right, "p50_ms": times}
    figures["embedding_ms"] = embedding
    print(machine_line() + "\n")
    rows = [[f"exactly the {LIMIT} nearest in scope, queries", f"{right} of {QUERIES}"]]
    rows += [["of it embedding the query, p50", f"{embedding:.1f} ms"]]
    rows += [[f"{mode} search in {len(keys)} of {chunks:,} chunks, p50", f"{times[mode]:.1f} ms"] for mode in modes]
    print(markdown_table(["what", "measured"], rows))
    if options.json:
        options.json.write_text(json.dumps({"machine": machine(), **figures}, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
