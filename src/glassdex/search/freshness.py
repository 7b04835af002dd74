"""Freshness of what is shown: does the index still agree with the file? Cheap form: stat first, hash on doubt."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from glassdex.errors import ReadError
from glassdex.reading.files import file_stat, hash_steady
from glassdex.storage.records import CandidateRecord, ChunkTable, FileRecord, RootRecord
from glassdex.storage.rules import outdated_rules
from glassdex.storage.sqlite.snapshot import SqliteSnapshot

FreshnessState = Literal["fresh", "rows_behind_file", "index_behind_rows", "not_indexed", "unknown"]
RACY_NANOSECONDS = 2_000_000_000


@dataclass(frozen=True, slots=True)
class Freshness:
    """`checked` names what settled it: the file's stat alone, or its bytes' hash."""

    state: FreshnessState
    checked: Literal["stat", "hash"]


def absolute_path(root: RootRecord, file: FileRecord) -> str:
    """Where the file lies now."""
    return os.path.join(root.path, os.fsdecode(file.raw_path))  # noqa: PTH118 - names may hold undecodable bytes


def lies_in_root(root: RootRecord, path: str) -> bool:
    """Whether no folder on the way was replaced by a link to somewhere outside the root."""
    folder, inside = os.path.realpath(os.path.dirname(path)), os.path.realpath(root.path)  # noqa: PTH120
    return os.path.commonpath([folder, inside]) == inside


def cheap_freshness(root: RootRecord, file: FileRecord, *, index_current: bool) -> Freshness:
    """Compares a file with the lineage of its rows; `index_current` says whether the rows' index agrees with them."""
    path = absolute_path(root, file)
    try:
        status = os.lstat(path)
        if not (stat.S_ISREG(status.st_mode) and lies_in_root(root, path)):
            return Freshness("unknown", "stat")
        now = file_stat(status)
        racy = file.stat.mtime_ns > file.observed_at * 1e9 - RACY_NANOSECONDS
        settled = file.write_status == "settled" and file.rows_hash == file.observed_hash
        if now == file.stat and settled and not racy:
            return Freshness("fresh" if index_current else "index_behind_rows", "stat")
        if settled and now.size != file.stat.size:  # whatever its bytes are, they are not those
            return Freshness("rows_behind_file", "stat")
        hashed, _ = hash_steady(path)
    except (OSError, ReadError):
        return Freshness("unknown", "stat")
    if hashed != file.rows_hash:
        return Freshness("rows_behind_file", "hash")
    return Freshness("fresh" if index_current else "index_behind_rows", "hash")


def shown_freshness(
    snapshot: SqliteSnapshot,
    table: ChunkTable,
    documents: Iterable[CandidateRecord],
    *,
    lexical_identity: str,
    vectors_comparable: bool,
) -> dict[int, Freshness]:
    """Freshness by document id, of the document that each record belongs to.

    `vectors_comparable` is false while the stored vectors are another model's: then no index is current. The reader's
    version and the vectors themselves are left to the full form (`glassdex.inspection.freshness`): a search waits for
    no reader to load.
    """
    records = list(documents)
    roots = {root.id: root for root in snapshot.roots()}
    incomplete = snapshot.lost_parts(record.document_id for record in records)
    freshness = {}
    for record in records:
        file = snapshot.file(record.path)
        assert file is not None
        embedded = vectors_comparable and bool((table.slots[table.document_ids == record.document_id] >= 0).all())
        whole = record.document_id not in incomplete and not outdated_rules(file, lexical_identity, readers=None)
        root = roots.get(file.root_id)
        freshness[record.document_id] = (
            Freshness("unknown", "stat")  # somebody took the root out of the store
            if root is None
            else cheap_freshness(root, file, index_current=embedded and whole)
        )
    return freshness
