"""Whether the places of rows and chunks (pages, sheets, rows, slides) are of the present version."""

from __future__ import annotations

from collections.abc import Iterator

from glassdex.inspection.doctor.findings import Finding
from glassdex.inspection.doctor.patient import Patient
from glassdex.wording import counted


def places(patient: Patient) -> Iterator[Finding]:
    """Places that an older version wrote: filters by page, sheet or row would miss them, and are refused until then."""
    behind = patient.snapshot.unlocated()
    if behind:
        yield Finding(
            "places_behind",
            "warning",
            behind,
            f"the places of {counted(behind, 'passage')} are of an older version",
            "bring them up to date; no file is read and nothing is embedded",
            f"glassdex projects upgrade {patient.project}",
        )
