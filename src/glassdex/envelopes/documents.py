"""`glassdex.documents/1`: the documents of a project, a page of them."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from glassdex.envelopes.base import Envelope, Part
from glassdex.inspection.documents import DocumentList


class ListedDocumentPart(Part):
    """A document; `pending` of its `chunks` have no vector. `failed`: the file could not be read when it changed."""

    path: str
    title: str
    format: str
    state: Literal["settled", "writing", "failed"]
    chunks: int
    pending: int


class DocumentsAnswer(Envelope):
    """Documents `offset` to `offset + len(documents) - 1` of `total`, by path; `next` is the next page's offset."""

    schema_: Literal["glassdex.documents/1"] = Field("glassdex.documents/1", alias="schema")
    project: str
    total: int
    offset: int
    limit: int
    next: int | None = None
    documents: tuple[ListedDocumentPart, ...]


def documents_answer(found: DocumentList, project: str) -> DocumentsAnswer:
    """The envelope of a page of documents."""
    end = found.offset + len(found.documents)
    return DocumentsAnswer(
        project=project,
        total=found.total,
        offset=found.offset,
        limit=found.limit,
        next=end if found.documents and end < found.total else None,
        documents=tuple(
            ListedDocumentPart(
                path=one.path,
                title=one.title,
                format=one.format,
                state=one.state,
                chunks=one.chunks,
                pending=one.pending,
            )
            for one in found.documents
        ),
    )
