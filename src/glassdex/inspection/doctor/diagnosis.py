"""All examinations, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from glassdex.embedding.protocol import EmbeddingIdentity
from glassdex.inspection.doctor.content import content
from glassdex.inspection.doctor.damage import damaged_file, damaged_records, damaged_references
from glassdex.inspection.doctor.documents import documents
from glassdex.inspection.doctor.files import absent_roots, files
from glassdex.inspection.doctor.findings import SEVERITIES, Diagnosis, Finding
from glassdex.inspection.doctor.installation import installation
from glassdex.inspection.doctor.language import language
from glassdex.inspection.doctor.patient import Patient
from glassdex.inspection.doctor.places import places
from glassdex.inspection.doctor.postings import postings
from glassdex.inspection.doctor.size import size
from glassdex.inspection.doctor.vectors import vectors
from glassdex.storage.sqlite.snapshot import SqliteSnapshot

_EXAMINATIONS: tuple[Callable[[Patient], Iterator[Finding]], ...] = (
    files,
    damaged_references,
    documents,
    places,
    postings,
    vectors,
    language,
    content,
    size,
)


def diagnose(
    snapshot: SqliteSnapshot,
    *,
    project: str,
    embedding_identity: EmbeddingIdentity,
    lexical_identity: str,
    max_bytes: int,
) -> Diagnosis:
    """Reads the whole store and looks at every file; `max_bytes` is the size up to which a file is indexed."""
    patient = Patient(snapshot, project, embedding_identity, lexical_identity, max_bytes)
    # Nothing that a damaged file says of itself can be relied on, and little beside a record that cannot be read.
    findings = [*damaged_file(patient)] or [*damaged_records(patient)]
    if findings:
        findings += absent_roots(patient)
    else:
        findings = [*installation(), *(finding for examine in _EXAMINATIONS for finding in examine(patient))]
    findings.sort(key=lambda finding: SEVERITIES.index(finding.severity))
    counted = snapshot.counts()
    return Diagnosis(project, counted.documents, counted.chunks, counted.store_bytes, tuple(findings))
