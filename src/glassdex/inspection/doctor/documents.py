"""Whether all is there that was published of each document, and made by today's rules."""

from __future__ import annotations

from collections.abc import Iterator

from glassdex.inspection.doctor.findings import Finding, first
from glassdex.inspection.doctor.patient import Patient
from glassdex.reading.registry import reader_identities
from glassdex.settings import load_settings
from glassdex.storage.rules import outdated_rules
from glassdex.storage.sqlite import checkup
from glassdex.wording import counted


def documents(patient: Patient) -> Iterator[Finding]:
    """Documents that lost something, were altered, or were made by other rules."""
    yield from _incomplete(patient)
    yield from _altered(patient)
    installed = reader_identities(redact=load_settings().redact_secrets)
    behind = [
        file.path
        for file in patient.snapshot.files()
        if file.rows_hash is not None and outdated_rules(file, patient.lexical_identity, installed)
    ]
    if behind:
        message = f"{counted(len(behind), 'document')} indexed by other rules than the installed ones"
        yield Finding("index_behind", "warning", len(behind), message, "index again", patient.index, first(behind))


def _incomplete(patient: Patient) -> Iterator[Finding]:
    lost = patient.snapshot.lost_parts().values()
    if lost:
        message = f"{counted(len(lost), 'document')} not whole in the store any more"
        examples = first(f"{document.path}: {', '.join(document.reasons)}" for document in lost)
        yield Finding("documents_incomplete", "error", len(lost), message, "index again", patient.index, examples)


def _altered(patient: Patient) -> Iterator[Finding]:
    altered = checkup.altered(patient.snapshot)
    if altered.chunks:
        message = f"{counted(altered.chunks, 'chunk')} not in the words that were read from the file"
        examples = first(altered.paths)
        remedy = "build the index anew; your own files are not touched"
        yield Finding("chunks_altered", "error", altered.chunks, message, remedy, patient.rebuild, examples)
