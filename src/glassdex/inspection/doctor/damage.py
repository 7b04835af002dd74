"""Whether the store's file is sound, and all that it holds refers to something that is there."""

from __future__ import annotations

from collections.abc import Iterator

from glassdex.inspection.doctor.findings import Finding, counted, first
from glassdex.inspection.doctor.patient import Patient
from glassdex.storage.sqlite import checkup


def damaged_file(patient: Patient) -> Iterator[Finding]:
    """A file that cannot be relied on, whatever it says of itself."""
    complaints = checkup.complaints(patient.snapshot)
    if complaints:
        yield Finding(
            "store_damaged",
            "error",
            len(complaints),
            "the store's file is damaged",
            "build the index anew; your own files are not touched",
            patient.rebuild,
            first(complaints),
        )


def damaged_references(patient: Patient) -> Iterator[Finding]:
    """Records that were left of something that was deleted, and counters that are none."""
    broken = checkup.broken_references(patient.snapshot)
    if broken:
        message = f"{counted(len(broken), 'record')} left of something that is gone from the store"
        examples = first(sorted(set(broken)))
        yield Finding("references_broken", "error", len(broken), message, "index again", patient.index, examples)
    counters = checkup.broken_counters(patient.snapshot)
    if counters:
        message = f"{counted(len(counters), 'counter')} of the store lost"
        examples = tuple(counters)
        yield Finding("counters_broken", "error", len(counters), message, "index again", patient.index, examples)
