"""Whether the project has the size that its indexes were made for."""

from __future__ import annotations

from collections.abc import Iterator

from glassdex.inspection.doctor.findings import Finding
from glassdex.inspection.doctor.patient import Patient

EXACT_MS_PER_FLOAT = 6.0 / (100_000 * 384)
"""Measured, docs/benchmarks.md: the product of 100,000 vectors of 384 dimensions with a query."""
EXACT_LIMIT_MS = 50.0


def size(patient: Patient) -> Iterator[Finding]:
    """How large it is, and what a search costs at that size."""
    counts, dimensions = patient.snapshot.counts(), patient.embedding_identity.dimensions
    if not counts.chunks:
        if patient.roots:  # one without a folder has its own finding
            message, remedy = "the project has no chunks", "put notes into its folders, then index again"
            yield Finding("index_empty", "warning", 0, message, remedy, patient.index)
        return
    milliseconds = counts.chunks * dimensions * EXACT_MS_PER_FLOAT
    fits = milliseconds <= EXACT_LIMIT_MS
    yield Finding(
        "index_size",
        "note" if fits else "warning",
        counts.chunks,
        f"{counts.chunks:,} chunks, {counts.store_bytes / 1e6:.1f} MB; exact vector search takes about"
        f" {max(milliseconds, 0.1):.1f} ms of a query",
        "SQLite with exact vectors fits this size" if fits else "narrow searches with --path, or make several projects",
    )
