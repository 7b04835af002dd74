"""`glassdex.index/1`: what an indexing run did."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from glassdex.envelopes.base import Envelope, Part
from glassdex.indexing.run import IndexReport


class FailurePart(Part):
    """A file that could not be indexed; what was known of it before is kept."""

    path: str
    code: str
    message: str
    suggestion: str | None = None


class IndexAnswer(Envelope):
    """Counts are files, but for the ones that say chunks; `embedded` counts distinct texts.

    `files` = `unchanged` + `added` + `changed` + `failed`; `moved` of the added ones were elsewhere before. `skipped`
    counts, by reason, the files and folders that were left out besides.
    """

    schema_: Literal["glassdex.index/1"] = Field("glassdex.index/1", alias="schema")
    project: str
    files: int
    failed: int
    unchanged: int
    added: int
    changed: int
    removed: int
    moved: int
    chunks_added: int
    chunks_removed: int
    embedded: int
    pending: int
    seconds: float
    odd: int
    failures: tuple[FailurePart, ...]
    skipped: dict[str, int]


def index_answer(report: IndexReport, project: str) -> IndexAnswer:
    """The envelope of a run's report."""
    return IndexAnswer(
        project=project,
        files=report.files,
        failed=report.failed,
        unchanged=report.unchanged,
        added=report.added,
        changed=report.changed,
        removed=report.removed,
        moved=report.moved,
        chunks_added=report.chunks_added,
        chunks_removed=report.chunks_removed,
        embedded=report.embedded,
        pending=report.pending,
        seconds=round(report.seconds, 3),
        odd=report.odd,
        failures=tuple(
            FailurePart(path=f.path, code=f.code, message=f.message, suggestion=f.suggestion or None)
            for f in report.failures
        ),
        skipped=dict(report.skipped),
    )
