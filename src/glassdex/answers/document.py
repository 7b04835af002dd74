"""A document as the index sees it, beside its file as it is now, and in the light of a search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from glassdex.answers.looking import chunks_asked
from glassdex.answers.questions import ChunksQuestion, SearchQuestion
from glassdex.answers.search import search
from glassdex.envelopes.candidate import WatchedChunkPart
from glassdex.envelopes.chunks import ChunkPart, ChunksAnswer
from glassdex.model import Document, unify_newlines
from glassdex.project import Project

_WITHOUT_TEXT = frozenset({"pdf"})
"""Formats whose pages are shown instead: their text is long to make, and says nothing that the passages do not."""


@dataclass(frozen=True, slots=True)
class SeenDocument:
    """`current` is there where the file is the one that was indexed and every chunk stands in its text as it should.

    Of a transcript it is not: what is in its file may be a secret.
    """

    answer: ChunksAnswer
    current: Document | None

    @property
    def of_messages(self) -> bool:
        """Whether it is a transcript."""
        return any(row.kind == "message" for row in self.answer.rows)


@dataclass(frozen=True, slots=True)
class Light:
    """What one search made of a document's chunks, by key; `best` is its best passage's raw score in each leg."""

    query: str
    document_rank: int | None
    chunks: dict[str, WatchedChunkPart]
    best: dict[str, float]


def document_asked(project: Project, question: ChunksQuestion, *, passwords: Sequence[str] = ()) -> SeenDocument:
    """The document's chunks, and its text where they agree.

    Raises:
        DocumentNotFound, DocumentAmbiguous, ChunkNotFound: see `Project.chunks`.
    """
    answer = chunks_asked(project, question)
    seen, chunks = SeenDocument(answer, None), all_chunks(answer)
    agrees = answer.freshness.file_vs_rows.state == "equal" and bool(chunks)
    if not agrees or seen.of_messages or answer.document.format in _WITHOUT_TEXT:
        return seen
    current = project.current_document(answer.document.path, passwords=passwords)
    if current is None or not all(_stands(chunk, current.text) for chunk in chunks):
        return seen
    return SeenDocument(answer, current)


def light_asked(project: Project, question: SearchQuestion, path: str) -> Light:
    """Runs the search with the document watched, which changes nothing in it, and reads its trace."""
    done = search(project, question.query, question.options(), [path])
    trace = done.answer(explain=True).trace
    assert trace is not None
    watched = next((one for one in trace.watched or () if one.document == path), None)
    seen = {chunk.chunk_key: chunk for chunk in watched.chunks} if watched else {}
    legs = [one.legs for one in trace.candidates] + [one.legs for one in seen.values()]
    best = {name: max((own[name].score for own in legs if name in own), default=0.0) for name in ("lexical", "dense")}
    return Light(question.query, watched.document_rank if watched else None, seen, best)


def all_chunks(answer: ChunksAnswer) -> list[ChunkPart]:
    """The chunks in the order of the text."""
    chunks = [chunk for row in answer.rows for chunk in row.chunks] + list(answer.orphans or ())
    return sorted(chunks, key=lambda chunk: (chunk.locator.chars or (0, 0), chunk.ordinal))


def _stands(chunk: ChunkPart, text: str) -> bool:
    start, end = chunk.locator.chars or (0, 0)
    return unify_newlines(text[start:end]) == unify_newlines(chunk.text)
