"""Whether every chunk has a vector of the active model that can be searched."""

from __future__ import annotations

from collections.abc import Iterator

from glassdex.inspection.doctor.findings import Finding, first
from glassdex.inspection.doctor.patient import Patient
from glassdex.storage.sqlite import checkup
from glassdex.wording import counted

SPECIAL_TOKENS = 2
"""What a model puts around a text, within its token limit."""


def vectors(patient: Patient) -> Iterator[Finding]:
    """Vectors that are lost, damaged, pending or another model's, and texts that the model does not read whole."""
    ready, pending, other = patient.snapshot.readiness()
    active, own = patient.snapshot.meta("embedding_identity"), patient.embedding_identity.key
    if active != own:
        pending, other = ready + pending, ready
    else:
        yield from _lost(patient)
    if other:
        message = f"{counted(other, 'chunk')} with a vector of another model only; the active one is {own}"
        remedy = "index again; until then the old vectors answer with --identity previous"
        yield Finding("other_identity", "warning", other, message, remedy, patient.index)
    if pending > other:
        message = f"{counted(pending - other, 'chunk')} without a vector yet: not to be found by meaning"
        yield Finding("pending_embeddings", "warning", pending - other, message, "index again", patient.index)
    limit = patient.embedding_identity.token_limit
    if limit and (cut := checkup.longer_than(patient.snapshot, limit - SPECIAL_TOKENS)).chunks:
        message = f"{counted(cut.chunks, 'chunk')} longer than the model reads: their ends have no meaning for it"
        remedy = f"use a model that reads more than {limit} tokens"
        yield Finding("chunks_truncated", "warning", cut.chunks, message, remedy, examples=first(cut.paths))


def _lost(patient: Patient) -> Iterator[Finding]:
    """Vectors that the manifest calls ready and that no search can use; the next run embeds their texts again."""
    gone = checkup.without_vector(patient.snapshot)
    if gone.chunks:
        message = f"{counted(gone.chunks, 'vector')} lost that the manifest calls ready"
        paths = first(gone.paths)
        yield Finding("vectors_missing", "error", gone.chunks, message, "index again", patient.index, paths)
    damaged = checkup.with_damaged_vector(patient.snapshot)
    if damaged.chunks:
        message = f"{counted(damaged.chunks, 'chunk')} with a damaged vector: not to be found by meaning"
        paths = first(damaged.paths)
        yield Finding("vectors_damaged", "error", damaged.chunks, message, "index again", patient.index, paths)
