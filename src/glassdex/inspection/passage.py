"""Opening a pointer: the passage, checked against the bytes as they are now. Never a neighbour in its place."""

from __future__ import annotations

from dataclasses import dataclass, replace

from glassdex.errors import GlassdexError, MissingExtra, PasswordRequired
from glassdex.inspection.current import CurrentDocuments, absolute_of
from glassdex.model import Document, Locator, unify_newlines
from glassdex.pointers import Pointer, PointerState, format_pointer, verify
from glassdex.reading.protocol import ReadingOptions
from glassdex.storage.sqlite.snapshot import SqliteSnapshot


@dataclass(frozen=True, slots=True)
class Passage:
    """What a pointer leads to.

    `text` (newlines as `\\n`), `resolved` and `file` are there when the state is `exact` or `moved`; `candidates`
    are pointers when it is `ambiguous`; `detail` says in words what happened otherwise.
    """

    pointer: str
    state: PointerState
    detail: str
    resolved: str | None = None
    text: str | None = None
    context: str | None = None
    locator: Locator | None = None
    file: str | None = None
    candidates: tuple[str, ...] = ()


def open_passage(snapshot: SqliteSnapshot, pointer: Pointer, options: ReadingOptions = ReadingOptions()) -> Passage:
    """Looks where the pointer says, then in the rest of that file, then in files that hold the same passage.

    Raises:
        PasswordRequired, MissingExtra: the file is there and cannot be looked into without that, and no other file
            has the passage.
    """
    from glassdex.reading.isolation import ReadingProcess  # a search loads this module and opens nothing

    with ReadingProcess() as process:
        return _open(snapshot, pointer, CurrentDocuments(snapshot, options, process))


def _open(snapshot: SqliteSnapshot, pointer: Pointer, files: CurrentDocuments) -> Passage:
    written = format_pointer(pointer)
    documents = {pointer.path: files.current(pointer.path)}
    document = documents[pointer.path]
    if document is not None:
        found = verify(pointer, document.text, document.places)
        if found.state == "exact":
            detail = "the passage stands where it stood"
            return _found(snapshot, written, "exact", found.places[0], document, detail)
        if found.state != "changed":
            return _moved(snapshot, written, found.places, documents)
    elsewhere: list[Pointer] = []
    for path in snapshot.paths_with_passage(pointer.passage_hash):
        if path != pointer.path:
            other = documents[path] = files.current(path)
            if other is not None:
                elsewhere += verify(replace(pointer, path=path), other.text, other.places).places
    if elsewhere:
        return _moved(snapshot, written, tuple(elsewhere), documents)
    if document is None:
        return _unread(pointer, files.refusals.get(pointer.path))
    return Passage(
        written,
        "changed",
        f"{pointer.path} is there, but these words are not in it any more; nothing is shown instead",
    )


def _unread(pointer: Pointer, refusal: GlassdexError | None) -> Passage:
    if isinstance(refusal, PasswordRequired | MissingExtra):
        raise refusal
    unreadable = f"there is no readable file {pointer.path}" + (f" ({refusal.message})" if refusal else "")
    return Passage(
        format_pointer(pointer),
        "gone",
        f"{unreadable}, and no other indexed file has the passage; if it was moved, run: glassdex index",
    )


def _moved(
    snapshot: SqliteSnapshot, written: str, places: tuple[Pointer, ...], documents: dict[str, Document | None]
) -> Passage:
    if len(places) > 1:
        candidates = tuple(format_pointer(place) for place in places)
        return Passage(written, "ambiguous", f"the passage now stands in {len(places)} places", candidates=candidates)
    place = places[0]
    document = documents[place.path]
    assert document is not None
    return _found(snapshot, written, "moved", place, document, f"now at {format_pointer(place)}")


def _found(
    snapshot: SqliteSnapshot, written: str, state: PointerState, place: Pointer, document: Document, detail: str
) -> Passage:
    text = unify_newlines(document.text[place.char_start : place.char_end])

    return Passage(
        pointer=written,
        state=state,
        detail=detail,
        resolved=format_pointer(place),
        text=text,
        context=_context(document, place.char_start, text),
        locator=place.locator,
        file=absolute_of(snapshot, place.path),
    )


def _context(document: Document, start: int, text: str) -> str | None:
    """What the block at that place cannot be understood without, where the passage does not say it."""
    said = " ".join(text.split())
    for row in document.rows:
        for block in row.blocks:
            if block.context and row.start + block.start <= start < row.start + block.end:
                context = " ".join(block.context.split())
                return None if context in said else context
    return None
