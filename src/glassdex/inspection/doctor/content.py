"""What stands in the project twice, and where a thought may be cut."""

from __future__ import annotations

from collections.abc import Iterator

from glassdex import chunking
from glassdex.inspection.doctor.findings import MAX_EXAMPLES, Finding, first
from glassdex.inspection.doctor.patient import Patient
from glassdex.storage.sqlite import checkup
from glassdex.wording import counted


def content(patient: Patient) -> Iterator[Finding]:
    """Content that stands there twice, and chunks that fill the limit."""
    same = checkup.same_content(patient.snapshot)
    if same:
        surplus = sum(len(group) - 1 for group in same)
        yield Finding(
            "duplicate_content",
            "warning",
            surplus,
            f"{counted(surplus, 'document')} repeating another one byte for byte",
            "delete the copies, or name them in .glassdexignore",
            examples=first(" = ".join(group[:MAX_EXAMPLES]) for group in same),
        )
    titles = checkup.same_title(patient.snapshot)
    if titles:
        yield Finding(
            "duplicate_titles",
            "note",
            len(titles),
            f"{counted(len(titles), 'title')} shared by several documents",
            "name such a document by its path",
            examples=first(" · ".join(group[:MAX_EXAMPLES]) for group in titles),
        )
    full = checkup.longer_than(patient.snapshot, chunking.MAX_TOKENS - 2 * chunking.SPARE_TOKENS)
    if full.chunks:
        yield Finding(
            "chunks_at_token_limit",
            "note",
            full.chunks,
            f"{counted(full.chunks, 'chunk')} at the limit of {chunking.MAX_TOKENS} tokens: a thought may be cut",
            "paragraphs and headings give better places to cut",
            examples=first(full.paths),
        )
