"""Whether the lexical index holds the chunks of the manifest, and no others."""

from __future__ import annotations

from collections.abc import Iterator

from glassdex.inspection.doctor.findings import Finding, first
from glassdex.inspection.doctor.patient import Patient
from glassdex.storage.sqlite import checkup
from glassdex.wording import counted


def postings(patient: Patient) -> Iterator[Finding]:
    """Chunks without an entry, and entries without a chunk."""
    lacking, orphans = checkup.without_entry(patient.snapshot), checkup.orphaned_entries(patient.snapshot)
    if lacking.chunks:
        message = f"{counted(lacking.chunks, 'chunk')} missing in the lexical index: not to be found by words"
        examples = first(lacking.paths)
        yield Finding("postings_missing", "error", lacking.chunks, message, "index again", patient.index, examples)
    if orphans:
        message = f"the lexical index has {counted(orphans, 'entry', 'entries')} of chunks that are gone"
        yield Finding("postings_orphaned", "error", orphans, message, "index again", patient.index)
