"""What was measured: the content of the index as a fingerprint, and how many documents agree with their files."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass

from glassdex.indexing.scan import Scan
from glassdex.search.freshness import cheap_freshness
from glassdex.storage.rules import outdated_rules
from glassdex.storage.sqlite.snapshot import SqliteSnapshot


@dataclass(frozen=True, slots=True)
class Revision:
    """`fingerprint` is the same for two indexes over the same files, made by the same rules, as complete.

    It is the first 16 hex digits of a SHA-256 over each document's path, content hash, rules (reader, chunker, lexical
    identity) and numbers of chunks with and without a vector. `generation` only counts the states of one store.
    """

    generation: int
    fingerprint: str
    documents: int
    chunks: int
    pending: int


@dataclass(frozen=True, slots=True)
class FreshnessCounts:
    """Documents by state (`fresh`, `rows_behind_file`, `index_behind_rows`, `not_indexed`, `unknown`).

    `new_files` lie in the folders and were never read; `failed_files` could not be read and are in no state.
    `pending` counts chunks without a vector under the model that searches.
    """

    states: dict[str, int]
    new_files: int
    failed_files: int
    pending: int

    @property
    def behind(self) -> int:
        """Documents and files that a search answers for and does not know as they are."""
        return sum(count for state, count in self.states.items() if state != "fresh") + self.new_files


def revision(snapshot: SqliteSnapshot) -> Revision:
    """The fingerprint of what the index holds; reads no file."""
    table, ids = snapshot.chunk_table(), {path: id_ for id_, path in snapshot.document_paths().items()}
    chunks = Counter(table.document_ids.tolist())
    pending = Counter(table.document_ids[table.slots < 0].tolist())
    lines = []
    for file in sorted(snapshot.files(), key=lambda file: file.path):
        document_id = ids.get(file.path)
        if document_id is not None:
            rules = (file.rows_hash, file.reader, file.chunker, file.lexical_identity)
            lines.append("\t".join(map(str, (file.path, *rules, chunks[document_id], pending[document_id]))))
    content = "\n".join(lines).encode("utf-8", "surrogatepass")
    return Revision(
        generation=snapshot.generation,
        fingerprint=hashlib.sha256(content).hexdigest()[:16],
        documents=len(lines),
        chunks=len(table.ids),
        pending=sum(pending.values()),
    )


def freshness_counts(
    snapshot: SqliteSnapshot,
    *,
    embedding_identity: str,
    lexical_identity: str,
    readers: frozenset[str],
    max_bytes: int,
) -> FreshnessCounts:
    """Looks at every file of the project: its stat, its bytes where that leaves a doubt, and what is new."""
    table, ids = snapshot.chunk_table(), {path: id_ for id_, path in snapshot.document_paths().items()}
    comparable = snapshot.meta("embedding_identity") == embedding_identity
    waiting = Counter(table.document_ids[table.slots < 0].tolist())
    roots, lost = {root.id: root for root in snapshot.roots()}, snapshot.lost_parts()
    states: Counter[str] = Counter(fresh=0)
    known, failed = set(), 0
    for file in snapshot.files():
        known.add((file.root_id, file.raw_path))
        failed += file.write_status != "settled"
        document_id = ids.get(file.path)
        if document_id is None:
            continue
        whole = comparable and not waiting[document_id] and document_id not in lost
        current = whole and not outdated_rules(file, lexical_identity, readers)
        root = roots.get(file.root_id)
        states["unknown" if root is None else cheap_freshness(root, file, index_current=current).state] += 1
    left_out = {skipped.path for skipped in snapshot.skipped()}
    new = sum(
        (root.id, file.raw_path) not in known and file.path not in left_out
        for root in roots.values()
        for file in Scan(root, max_bytes).files()
    )
    pending = sum(waiting.values()) if comparable else len(table.ids)
    return FreshnessCounts(dict(states), new, failed, pending)
