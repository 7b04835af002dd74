"""Merging: chunks that follow each other in their document become the passage that they were cut from.

Two of one row may have headings between them that no chunk has; two of different rows, such as the items of a list that
are observations, only white space, and they stand below the same headings. What is between chunks is read from the file
as it is now, and only where the file still has every one of them at its place. Where it does not, they stay apart, and
the context says so.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from glassdex.context.piece import Piece
from glassdex.inspection.current import CurrentDocuments
from glassdex.inspection.sessions.texts import TranscriptTexts
from glassdex.locators import LocatorMap
from glassdex.model import Document, Locator, unify_newlines
from glassdex.pointers import Pointer, SessionPointer, format_pointer, format_session_pointer
from glassdex.pointers.verify import passage_hash
from glassdex.reading.protocol import ReadingOptions
from glassdex.reading.transcripts.assemble import elided
from glassdex.redaction import redact
from glassdex.search.results import citation
from glassdex.storage.records import CandidateRecord, MessageRef
from glassdex.storage.sqlite.snapshot import SqliteSnapshot

MAX_GAP = 400
"""Characters between two neighbours: white space, and headings that no chunk has; what is longer is left as a gap."""
_BLANK = re.compile(r"\s*(?:(?:[-*+]|\d+[.)])\s+)?")
"""What may stand between two rows: white space, and the sign that makes the second one an item of a list."""


@dataclass(frozen=True, slots=True)
class Merged:
    """Neighbours as one: the document's text from the first to the last, and where it stands."""

    pieces: tuple[Piece, ...]
    text: str
    pointer: str
    citation: str
    locator: Locator
    section: tuple[str, ...]
    context: str

    @property
    def best(self) -> Piece:
        """The piece that ranks highest."""
        return min(self.pieces, key=lambda piece: piece.rank)


class Merger:
    """Merges pieces of one snapshot; reads each file once."""

    def __init__(
        self, snapshot: SqliteSnapshot, documents: CurrentDocuments, *, redacts: bool, generation: int
    ) -> None:
        """`generation` is that of the index that the pieces come from; in another one nothing is merged."""
        self.is_current = snapshot.generation == generation
        self._snapshot = snapshot
        self._current = documents
        self._redacts = redacts
        self._documents: dict[str, tuple[Document, LocatorMap] | None] = {}
        self._messages: dict[int, tuple[str, str] | None] = {}
        self._starts: dict[tuple[int, int], list[int]] = {}
        self._neighbours: dict[tuple[int, int], bool] = {}
        self._made: dict[tuple[int, ...], Merged | None] = {}
        self.kept_apart: set[str] = set()
        """Documents whose files do not have their chunks any more, or cannot be read."""

    def passages(self, pieces: Sequence[Piece]) -> list[Merged]:
        """The pieces in the order of their documents' text, neighbours merged."""
        found: list[Merged] = []
        ordered = sorted(pieces, key=_place)
        for run in self._runs(ordered):
            merged = self._merged(tuple(run)) if len(run) > 1 else None
            found += [merged] if merged is not None else [_single(piece) for piece in run]
        return found

    def _runs(self, ordered: Sequence[Piece]) -> Iterator[list[Piece]]:
        run: list[Piece] = []
        for piece in ordered:
            if run and not self._are_neighbours(run[-1], piece):
                yield run
                run = []
            run.append(piece)
        if run:
            yield run

    def _are_neighbours(self, first: Piece, second: Piece) -> bool:
        """Whether no chunk begins between them, and nothing of the document that is more than a gap."""
        pair = (first.record.chunk_id, second.record.chunk_id)
        if pair not in self._neighbours:
            self._neighbours[pair] = (
                self.is_current
                and self._nothing_between(first.record, second.record)
                and (_same_row(first, second) or self._blank_between(first, second))
            )
        return self._neighbours[pair]

    def _nothing_between(self, first: CandidateRecord, second: CandidateRecord) -> bool:
        same_document = first.document_id == second.document_id
        same_message = (first.message and first.message.row_id) == (second.message and second.message.row_id)
        if not (same_document and same_message) or second.char_start - first.char_end > MAX_GAP:
            return False
        starts = self._chunk_starts(first)
        return bisect_left(starts, second.char_start) <= bisect_left(starts, first.char_end)

    def _blank_between(self, first: Piece, second: Piece) -> bool:
        """Whether rows of one section follow each other; those of a table and records each stand for themselves."""
        one, other = first.record, second.record
        if one.message or one.headings != other.headings or _is_record(one.locator) or _is_record(other.locator):
            return False
        if not (one.row_key and other.row_key) or second.match.context not in ("", first.match.context):
            return False
        found = self._document(one.path)
        if found is None or not _has_all(found[0].text, (first, second), 0):
            self.kept_apart.add(one.path)
            return False
        return _BLANK.fullmatch(found[0].text[one.char_end : other.char_start]) is not None

    def _chunk_starts(self, record: CandidateRecord) -> list[int]:
        """Where the chunks of the document, or of the message, begin in the document's text; ascending."""
        message = record.message
        name = (record.document_id, message.row_id if message else 0)
        if name not in self._starts:
            if message is not None:
                starts = [message.char_start + at for at, _ in self._snapshot.message_chunks(message.row_id)]
            else:
                starts = [chunk.char_start for chunk in self._snapshot.document_chunks(record.document_id)]
            self._starts[name] = sorted(starts)
        return self._starts[name]

    def _merged(self, run: tuple[Piece, ...]) -> Merged | None:
        name = tuple(piece.record.chunk_id for piece in run)
        if name not in self._made:
            message = run[0].record.message
            self._made[name] = self._of_file(run) if message is None else self._of_message(run, message)
            if self._made[name] is None:
                self.kept_apart.add(run[0].record.path)
        return self._made[name]

    def _of_file(self, run: tuple[Piece, ...]) -> Merged | None:
        path = run[0].record.path
        found = self._document(path)
        if found is None:
            return None
        document, places = found
        start, end = _span(run)
        if not _has_all(document.text, run, 0):
            return None
        passage = document.text[start:end]
        locator = places.locate(start, end)
        pointer = format_pointer(Pointer(path, locator, start, end, passage_hash(passage)))
        return _of(run, unify_newlines(passage), pointer, citation(path, locator), locator)

    def _document(self, path: str) -> tuple[Document, LocatorMap] | None:
        """A document as its file is now, read once."""
        if path not in self._documents:
            now = self._current.current(path)
            self._documents[path] = None if now is None else (now, LocatorMap(now.text, now.places))
        return self._documents[path]

    def _of_message(self, run: tuple[Piece, ...], message: MessageRef) -> Merged | None:
        if message.row_id not in self._messages:
            self._messages[message.row_id] = self._message_texts(run[0].record.path, message)
        texts = self._messages[message.row_id]
        if texts is None:
            return None
        original, shown = texts
        if not _has_all(shown, run, message.char_start):
            return None
        start, end = (offset - message.char_start for offset in _span(run))
        whole = (start, end) == (0, message.char_end - message.char_start)
        pointer = SessionPointer(
            source=message.source,
            session=message.name,
            uuid=message.uuid,
            block=message.block,
            passage_hash=passage_hash(original[start:end]),
            char_start=None if whole else start,
            char_end=None if whole else end,
        )
        text = unify_newlines(shown[start:end])
        return _of(run, text, format_session_pointer(pointer), run[0].match.citation, run[0].record.locator)

    def _message_texts(self, path: str, message: MessageRef) -> tuple[str, str] | None:
        """A message as it is in its file, and as it is shown: as long, without secrets."""
        record = self._snapshot.messages([message.row_id]).get(message.row_id)
        file = self._snapshot.file(path)
        if record is None or file is None:
            return None
        with TranscriptTexts(self._snapshot, file) as texts:
            found = texts.text(record)
        original = found.passage(record)
        if original is None or found.original is None:
            return None
        shown = elided(record.message.role, redact(found.original).text)[0] if self._redacts else original
        return original, shown


@contextmanager
def merger(snapshot: SqliteSnapshot, options: ReadingOptions, generation: int) -> Iterator[Merger]:
    """A merger over a snapshot for what was found in a generation; `options` are those under which files are read."""
    from glassdex.reading.isolation import ReadingProcess  # started only where a format asks for it

    with ReadingProcess() as process:
        documents = CurrentDocuments(snapshot, options, process)
        yield Merger(snapshot, documents, redacts=options.redact, generation=generation)


def _same_row(first: Piece, second: Piece) -> bool:
    return first.record.row_key == second.record.row_key != ""


def _is_record(locator: Locator) -> bool:
    """Whether the place is one of a sheet, a slide or a file of records: a row there is a thing of its own."""
    return any(part is not None for part in (locator.sheet, locator.row_start, locator.slide, locator.record))


def _single(piece: Piece) -> Merged:
    match = piece.match
    return Merged((piece,), match.text, match.pointer, match.citation, match.locator, match.section, match.context)


def _of(run: tuple[Piece, ...], text: str, pointer: str, cited: str, locator: Locator) -> Merged:
    sections = [piece.match.section for piece in run]
    common = sections[0]
    for section in sections[1:]:
        while section[: len(common)] != common:
            common = common[:-1]
    return Merged(run, text, pointer, cited, locator, common, run[0].match.context)


def _span(run: Sequence[Piece]) -> tuple[int, int]:
    return min(p.record.char_start for p in run), max(p.record.char_end for p in run)


def _has_all(text: str, run: Sequence[Piece], base: int) -> bool:
    """Whether each of the pieces stands in the text where the index has it."""
    return all(
        unify_newlines(text[piece.record.char_start - base : piece.record.char_end - base]) == piece.match.text
        for piece in run
    )


def _place(piece: Piece) -> tuple[str, int, int, int]:
    """Pieces in the order of the text, those of a message together."""
    record = piece.record
    return record.path, record.message.row_id if record.message else 0, record.char_start, record.char_end
