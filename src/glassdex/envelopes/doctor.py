"""`glassdex.doctor/1`: what is wrong with a project and what to do."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from glassdex.envelopes.base import Envelope, Part
from glassdex.inspection.doctor import Diagnosis, Finding


class FindingPart(Part):
    """One thing: `count` counts what `message` speaks of, `examples` are the first of them, `command` mends it.

    `error`: answers are missing or wrong; `warning`: there is something to do; `note`: good to know.
    """

    code: str
    severity: Literal["error", "warning", "note"]
    count: int
    message: str
    examples: tuple[str, ...] | None = None
    remedy: str
    command: str | None = None

    @classmethod
    def of(cls, finding: Finding) -> FindingPart:
        """From the diagnosis."""
        return cls(
            code=finding.code,
            severity=finding.severity,
            count=finding.count,
            message=finding.message,
            examples=finding.examples or None,
            remedy=finding.remedy,
            command=finding.command,
        )


class DoctorAnswer(Envelope):
    """All findings, the worst first; `healthy` when there is none above a note."""

    schema_: Literal["glassdex.doctor/1"] = Field("glassdex.doctor/1", alias="schema")
    project: str
    healthy: bool
    documents: int
    chunks: int
    store_bytes: int
    findings: tuple[FindingPart, ...]


def doctor_answer(diagnosis: Diagnosis) -> DoctorAnswer:
    """The envelope of a diagnosis."""
    return DoctorAnswer(
        project=diagnosis.project,
        healthy=diagnosis.healthy,
        documents=diagnosis.documents,
        chunks=diagnosis.chunks,
        store_bytes=diagnosis.store_bytes,
        findings=tuple(FindingPart.of(finding) for finding in diagnosis.findings),
    )
