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
    grouped = (
        [path for path in group if path not in patient.transcripts] for group in checkup.same_title(patient.snapshot)
    )
    titles = [group for group in grouped if len(group) > 1]
    if titles:
        yield Finding(
            "duplicate_titles",
            "note",
            len(titles),
            f"{counted(len(titles), 'title')} shared by several documents",
            "name such a document by its path",
            examples=first(" · ".join(group[:MAX_EXAMPLES]) for group in titles),
        )
    full = _full_chunks(patient)
    count = sum(full.values())
    if full:
        yield Finding(
            "chunks_at_token_limit",
            "note",
            count,
            f"{counted(count, 'chunk')} at the limit of {chunking.MAX_TOKENS} tokens: a thought may be cut",
            "paragraphs and headings give better places to cut",
            examples=first(full),
        )


def _full_chunks(patient: Patient) -> dict[str, int]:
    """How many chunks fill the limit, by path; a transcript's are where they are, whatever its writer does."""
    limit, counts = chunking.MAX_TOKENS - 2 * chunking.SPARE_TOKENS, dict[str, int]()
    for path in checkup.longer_than(patient.snapshot, limit).paths:
        document = None if path in patient.transcripts else patient.snapshot.document(path)
        if document is not None:
            chunks = patient.snapshot.document_chunks(document.document_id)
            counts[path] = sum(chunk.token_count > limit for chunk in chunks)
    return counts
