"""The rules that a document was stored under, against those of today."""

from __future__ import annotations

from collections.abc import Collection

from glassdex import chunking
from glassdex.storage.records import FileRecord


def outdated_rules(file: FileRecord, lexical_identity: str, readers: Collection[str] | None) -> list[str]:
    """What of a document was made by other rules than those installed, in words.

    `readers` are the identities of the installed readers. `None` leaves the reader out: loading the readers would take
    a sixth of a first search's time.
    """
    reasons = []
    if readers is not None and file.reader not in readers:
        reasons.append(f"read by {file.reader}, which is not the installed reader")
    if file.chunker != chunking.IDENTITY:
        reasons.append(f"cut by {file.chunker}, now {chunking.IDENTITY}")
    if file.lexical_identity != lexical_identity:
        reasons.append(f"words analysed by {file.lexical_identity}, now {lexical_identity}")
    return reasons
