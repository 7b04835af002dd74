"""Whether the store's file is sound, and all that it holds refers to something that is there."""

from __future__ import annotations

from collections.abc import Iterator

from glassdex.inspection.doctor.findings import Finding, first
from glassdex.inspection.doctor.patient import Patient
from glassdex.storage.sqlite import checkup
from glassdex.wording import counted


def damaged_file(patient: Patient) -> Iterator[Finding]:
    """A file that cannot be relied on, whatever it says of itself."""
    complaints = checkup.complaints(patient.snapshot)
    if complaints:
        yield Finding(
            "store_damaged",
            "error",
            len(complaints),
            "the store's file is damaged",
            _rebuilding(patient),
            patient.rebuild,
            first(complaints),
        )


def damaged_records(patient: Patient) -> Iterator[Finding]:
    """Documents of which something cannot be read back from a sound file: no examination can be relied on."""
    unreadable = checkup.unreadable(patient.snapshot)
    if unreadable:
        message = f"{counted(len(unreadable), 'document')} in the store with something that cannot be read back"
        examples = first(unreadable)
        yield Finding("records_unreadable", "error", len(unreadable), message, "index again", patient.index, examples)


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


def _rebuilding(patient: Patient) -> str:
    if patient.absent:
        folders = ", ".join(root.path for root in patient.absent)
        return f"mount {folders} first: only then can the index be built anew over all its folders"
    return "build the index anew; your own files are not touched"
