"""The document page: the text with the boundaries of its chunks, and what is known of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from glassdex.answers.document import Light, SeenDocument, all_chunks, document_asked, light_asked
from glassdex.answers.questions import SessionQuestion
from glassdex.answers.sessions import session_asked
from glassdex.envelopes.candidate import LegPart
from glassdex.envelopes.chunks import ChunkedRow, ChunkPart
from glassdex.errors import GlassdexError
from glassdex.project import Project
from glassdex.server.pages.asked import Value, address, given_in, question_of
from glassdex.server.pages.ladder import decimal
from glassdex.server.pages.rendering import Pages
from glassdex.server.pages.sheets import Grid, grid_of
from glassdex.server.queries import ChunksQuery, SearchQuery
from glassdex.server.services import refuse_foreign_models

A_PAGE = 150
"""Chunks on one page."""
MOST_TURNS = 500
"""Messages of a conversation whose roles are looked up."""
_Message = tuple[int, str]
OURS = ("document", "chunk", "start")


@dataclass(frozen=True, slots=True)
class Heat:
    """A leg's score of a chunk; `share` (0..1) is that of the search's best passage in this leg."""

    letter: str
    stage: str
    share: float | None
    words: str

    @property
    def opacity(self) -> float:
        """Of the strip: its letter has to stay legible."""
        return round((self.share or 0) * 0.55, 3)


@dataclass(frozen=True, slots=True)
class Turn:
    """A message: who said it, and its pointer where its place in the conversation is known."""

    role: str
    pointer: str | None


@dataclass(frozen=True, slots=True)
class Piece:
    """A chunk with the text before it that is in none (`gap`), absent where the text is not known."""

    chunk: ChunkPart
    gap: str
    title: str
    """The place that begins here: a page, a sheet, a section; empty where it goes on."""
    pages: tuple[int, ...]
    """Pages of a PDF that begin here."""
    turn: Turn | None
    """The message that begins here."""
    grid: Grid | None
    heat: tuple[Heat, ...]
    rank: int | None


def document_page(pages: Pages, request: Request) -> Response:
    """`/document`: with the fields of a search also its scores."""
    params = request.query_params
    other = [name for name in params if name not in (*ChunksQuery.model_fields, *OURS)]
    question = question_of(ChunksQuery, request, *other, "chunk", "start")
    query = params.get("query", "")
    asked = question_of(SearchQuery, request, *OURS, query=query)
    refuse_foreign_models(asked.rerank, asked.rewrite)
    passwords = pages.services.config.passwords
    with pages.services.project(question.project, question.document) as project:
        seen = document_asked(project, question, passwords=passwords)
        light = light_asked(project, asked, seen.answer.document.path) if query.strip() else None
        pointers = _message_pointers(project, seen)
    chunks = all_chunks(seen.answer)
    chosen = params.get("chunk", "")
    start = _start(chunks, params.get("start", ""), chosen)
    pieces = list(_pieces(seen, chunks, start, light, pointers))
    given: dict[str, Value] = {**given_in(asked), **given_in(question)}
    return pages.page(
        "document.html",
        request,
        answer=seen.answer,
        lacks_text=seen.current is None and not seen.of_messages and seen.answer.document.format != "pdf",
        tail=_tail(seen, chunks) if start + A_PAGE >= len(chunks) else "",
        pieces=pieces,
        total=len(chunks),
        start=start,
        chosen=chosen,
        light=light,
        given=given,
        back=address("/search", given_in(asked)) if light else None,
        previous=address("/document", given, start=max(0, start - A_PAGE) or "0") if start else None,
        next=address("/document", given, start=start + A_PAGE) if start + A_PAGE < len(chunks) else None,
    )


def _start(chunks: Sequence[ChunkPart], written: str, chosen: str) -> int:
    """The first chunk of the page: as written, else so that the chosen chunk is on it."""
    if written.isdecimal() and len(written) < 10:
        return min(int(written), max(0, len(chunks) - 1))
    at = next((number for number, chunk in enumerate(chunks) if chunk.key == chosen), 0)
    return at - at % A_PAGE


def _pieces(
    seen: SeenDocument, chunks: Sequence[ChunkPart], start: int, light: Light | None, pointers: dict[_Message, str]
) -> Iterator[Piece]:
    cursor = max((_chars(chunk)[1] for chunk in chunks[:start]), default=0)
    rows = {chunk.key: row for row in seen.answer.rows for chunk in row.chunks}
    title, said, page = "", None, 0
    for chunk in chunks[start : start + A_PAGE]:
        begin, end = _chars(chunk)
        gap = seen.current.text[cursor:begin] if seen.current is not None else ""
        named, row = _title(chunk), rows.get(chunk.key)
        first, last = chunk.locator.pages if chunk.locator.pages and seen.answer.document.format == "pdf" else (1, 0)
        found = light.chunks.get(chunk.key) if light else None
        yield Piece(
            chunk=chunk,
            gap=gap if gap.strip() else "",
            title="" if named == title else named,
            pages=tuple(range(max(first, page + 1), last + 1)),
            turn=_turn(row, pointers) if row is not None and row is not said else None,
            grid=grid_of(chunk, seen.current),
            heat=tuple(_heat(light, found.legs if found else {})) if light else (),
            rank=found.fused.rank if found and found.fused else None,
        )
        title, said, page, cursor = named, row, max(page, last), max(cursor, end)


def _tail(seen: SeenDocument, chunks: Sequence[ChunkPart]) -> str:
    """The text behind the last chunk."""
    if seen.current is None:
        return ""
    rest = seen.current.text[max((_chars(chunk)[1] for chunk in chunks), default=0) :]
    return rest if rest.strip() else ""


def _heat(light: Light, legs: dict[str, LegPart]) -> Iterator[Heat]:
    for letter, name, scale, places in (("L", "lexical", "bm25", 2), ("D", "dense", "cos", 3)):
        leg, best = legs.get(name), light.best.get(name, 0)
        if leg is None:
            yield Heat(letter, name, None, f"{name}: no score")
            continue
        share = min(1.0, max(0.0, leg.score / best)) if best > 0 else 0.0
        place = "" if leg.rank is None else f", rank {leg.rank:,}"
        outside = "" if leg.in_window else ", outside the window"
        yield Heat(letter, name, round(share, 3), f"{name}: {scale} {decimal(leg.score, places)}{place}{outside}")


def _chars(chunk: ChunkPart) -> tuple[int, int]:
    return chunk.locator.chars or (0, 0)


def _title(chunk: ChunkPart) -> str:
    """What the outline calls the place: pages, sheets, slides and records before headings."""
    locator = chunk.locator
    if locator.pages is not None:
        label = f" ({locator.page_label})" if locator.page_label not in (None, str(locator.pages[0])) else ""
        return f"page {locator.pages[0]}{label}"
    if locator.sheet is not None:
        return f"sheet {locator.sheet}" + (" (hidden)" if locator.hidden else "")
    for name, number in (("slide", locator.slide), ("record", locator.record)):
        if number is not None:
            return f"{name} {number}" + (" (hidden)" if locator.hidden else "")
    return chunk.breadcrumb


def _turn(row: ChunkedRow, pointers: dict[_Message, str]) -> Turn | None:
    return Turn(row.category or "message", pointers.get(_message(row))) if row.kind == "message" else None


def _message(row: ChunkedRow) -> _Message:
    """The line of a message, and the hash of its text."""
    return (row.locator.lines or (0, 0))[0], row.key.rpartition(":")[2]


def _message_pointers(project: Project, seen: SeenDocument) -> dict[_Message, str]:
    """Where the messages of a file stand in their conversation; of a long one the first, of several none."""
    if not seen.of_messages:
        return {}
    try:
        page = session_asked(project, SessionQuestion(session=seen.answer.document.path, limit=MOST_TURNS))
    except GlassdexError:
        return {}
    told = [(one.message.line, one.pointer) for one in page.messages if one.pointer is not None]
    return {(line, pointer.rpartition("@")[2]): pointer for line, pointer in told}
