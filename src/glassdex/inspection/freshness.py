"""Freshness in full: two independent comparisons, both always reported, with their evidence.

File ↔ rows: the bytes are the authority. Rows ↔ index: everything that the chunks were derived under, and what is
physically there. The headline takes the divergence that lies furthest upstream.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from glassdex.errors import FileUnreadable, ReadError
from glassdex.reading.files import content_hash, read_steady
from glassdex.search.freshness import FreshnessState, absolute_path, lies_in_root
from glassdex.storage.records import ChunkRecord, FileRecord, IndexPresence, RootRecord
from glassdex.storage.rules import outdated_rules

FileComparison = Literal["equal", "differs", "unreadable", "not_indexed"]
IndexComparison = Literal["equal", "behind", "not_indexed"]
Condition = Literal["current", "stale", "orphaned", "missing", "other_identity"]


@dataclass(frozen=True, slots=True)
class FileVersusRows:
    """The file as it is now against the bytes its rows were built from; times in seconds since 1970 UTC.

    `lineage_proves` is there when the file cannot be read and its recorded history alone shows a lag.
    """

    state: FileComparison
    current_hash: str | None
    observed_hash: str | None
    rows_hash: str | None
    observed_at: float | None
    rows_at: float | None
    write_status: str | None
    detail: str
    lineage_proves: Literal["rows_behind_file"] | None = None
    error: str | None = None
    """What the last attempt to read the file ended with, where it failed."""


@dataclass(frozen=True, slots=True)
class RowsVersusIndex:
    """The manifest of a document against what its indexes hold.

    Fingerprints are SHA-256 over the chunks' keys and embedded hashes in order: of all chunks, and of those whose
    lexical entry and vector are there. `diverged_at` is the ordinal of the first chunk that is not as it should be.
    """

    state: IndexComparison
    manifest_fingerprint: str
    index_fingerprint: str
    chunks: int
    ready: int
    pending: int
    vectors_present: int
    lexical_present: int
    reasons: tuple[str, ...]
    diverged_at: int | None = None


@dataclass(frozen=True, slots=True)
class DocumentFreshness:
    """The headline and both comparisons."""

    state: FreshnessState
    file_vs_rows: FileVersusRows
    rows_vs_index: RowsVersusIndex

    @property
    def detail(self) -> str:
        """One line with what each comparison found; it names a lag below a file that cannot be read."""
        return "; ".join([self.file_vs_rows.detail, *self.rows_vs_index.reasons])


def document_freshness(
    root: RootRecord,
    file: FileRecord,
    chunks: Sequence[ChunkRecord],
    presence: Mapping[int, IndexPresence],
    *,
    active_identity: str | None,
    embedding_identity: str,
    lexical_identity: str,
    readers: frozenset[str],
    lost: Sequence[str] = (),
) -> DocumentFreshness:
    """Derives the freshness of one document at the moment of asking.

    `active_identity` is the one the stored vectors serve, `embedding_identity` the embedder's; `readers` are the
    identities (`name/version`) of the installed readers. `lost` says in words what the store lacks of the document.
    """
    file_side = _file_vs_rows(root, file)
    behind = [*lost, *outdated_rules(file, lexical_identity, readers)]
    if active_identity != embedding_identity:
        behind.append(f"vectors serve {active_identity}, the embedder is {embedding_identity}")
    index_side = _rows_vs_index(file, chunks, presence, behind)
    return DocumentFreshness(_headline(file_side, index_side), file_side, index_side)


def chunk_condition(chunk: ChunkRecord, presence: IndexPresence, embedding_identity: str) -> Condition:
    """The state of a chunk's vector, derived and never stored."""
    if chunk.row_key == "":
        return "orphaned"
    if embedding_identity in presence.vector_identities:
        return "current" if presence.slot_matches else "stale"
    return "other_identity" if presence.vector_identities else "missing"


def _headline(file_side: FileVersusRows, index_side: RowsVersusIndex) -> FreshnessState:
    if file_side.state == "unreadable":
        return "unknown"
    if file_side.state == "not_indexed":
        return "not_indexed"
    if file_side.state == "differs":
        return "rows_behind_file"
    return "fresh" if index_side.state == "equal" else "index_behind_rows"


def _file_vs_rows(root: RootRecord, file: FileRecord) -> FileVersusRows:
    current: str | None = None
    proof: Literal["rows_behind_file"] | None = None
    try:
        path = absolute_path(root, file)
        if not lies_in_root(root, path):
            raise FileUnreadable("its folder is now a link to somewhere outside the root")
        current = content_hash(read_steady(path)[0])
    except (OSError, ReadError) as error:
        state: FileComparison = "unreadable"
        proof, evidence = _lineage(file)
        detail = f"the file cannot be read: {error}; {evidence}"
    else:
        if file.rows_hash is None:
            state, detail = "not_indexed", "nothing was built from this file yet"
        elif current == file.rows_hash:
            state, detail = "equal", "the rows were built from these very bytes"
        else:
            state, detail = "differs", "the file has changed since its rows were built"
    return FileVersusRows(
        state=state,
        current_hash=current,
        observed_hash=file.observed_hash,
        rows_hash=file.rows_hash,
        observed_at=file.observed_at,
        rows_at=file.rows_at,
        write_status=file.write_status,
        detail=detail,
        lineage_proves=proof,
        error=None if file.error_code is None else f"{file.error_message} [{file.error_code}]",
    )


def _lineage(file: FileRecord) -> tuple[Literal["rows_behind_file"] | None, str]:
    """What the recorded history alone proves, and in words."""
    if file.write_status != "settled":
        return None, "its record is unsettled and proves nothing"
    if file.observed_hash is None or file.rows_hash is None:
        return None, "its record is incomplete and proves nothing"
    if file.observed_hash != file.rows_hash:
        return "rows_behind_file", "its settled record shows rows older than the last observed content"
    return None, "its settled record agrees with the rows"


def _rows_vs_index(
    file: FileRecord,
    chunks: Sequence[ChunkRecord],
    presence: Mapping[int, IndexPresence],
    behind: Sequence[str],
) -> RowsVersusIndex:
    manifest, held = hashlib.sha256(), hashlib.sha256()
    pending = vectors = lexical = orphans = 0
    diverged: int | None = None
    for chunk in chunks:
        entry = f"{chunk.key} {chunk.embedded_hash}\n".encode()
        there = presence[chunk.chunk_id]
        manifest.update(entry)
        pending += chunk.embedding_status != "ready"
        vectors += there.slot_matches
        lexical += there.lexical
        orphans += chunk.row_key == ""
        if chunk.row_key and there.lexical and there.slot_matches and chunk.embedding_status == "ready":
            held.update(entry)
        elif diverged is None:
            diverged = chunk.ordinal
    reasons = list(behind)
    if pending:
        reasons.append(f"{pending} of {len(chunks)} chunks wait for their vector")
    if len(chunks) - vectors > pending:
        reasons.append(f"{len(chunks) - vectors - pending} vectors are gone that the manifest calls ready")
    if lexical < len(chunks):
        reasons.append(f"{len(chunks) - lexical} chunks are not in the lexical index")
    if orphans:
        reasons.append(f"{orphans} chunks are left of a row that is gone")
    state: IndexComparison = "behind" if reasons else "equal"
    return RowsVersusIndex(
        state="not_indexed" if file.rows_hash is None else state,
        manifest_fingerprint=manifest.hexdigest(),
        index_fingerprint=held.hexdigest(),
        chunks=len(chunks),
        ready=len(chunks) - pending,
        pending=pending,
        vectors_present=vectors,
        lexical_present=lexical,
        reasons=tuple(reasons),
        diverged_at=diverged,
    )
