"""Opening a pointer: the passage, checked against the bytes as they are now. Never a neighbour in its place."""

from __future__ import annotations

from dataclasses import dataclass, replace

from glassdex.errors import ReadError
from glassdex.pointers import Pointer, PointerState, format_pointer, verify
from glassdex.reading.files import read_steady
from glassdex.reading.text import decode_utf8
from glassdex.search.freshness import absolute_path, lies_in_root
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
    line_start: int | None = None
    line_end: int | None = None
    file: str | None = None
    candidates: tuple[str, ...] = ()


def open_passage(snapshot: SqliteSnapshot, pointer: Pointer) -> Passage:
    """Looks where the pointer says, then in the rest of that file, then in files that hold the same passage."""
    written = format_pointer(pointer)
    texts = {pointer.path: _current_text(snapshot, pointer.path)}
    text = texts[pointer.path]
    if text is not None:
        found = verify(pointer, text)
        if found.state == "exact":
            return _found(snapshot, written, "exact", found.places[0], text, "the passage stands where it stood")
        if found.state != "changed":
            return _moved(snapshot, written, found.places, texts)
    elsewhere: list[Pointer] = []
    for path in snapshot.paths_with_passage(pointer.passage_hash):
        if path != pointer.path:
            texts[path] = _current_text(snapshot, path)
            elsewhere += verify(replace(pointer, path=path), texts[path] or "").places
    if elsewhere:
        return _moved(snapshot, written, tuple(elsewhere), texts)
    if text is None:
        return Passage(
            written,
            "gone",
            f"there is no readable file {pointer.path}, and no other indexed file has the passage;"
            " if it was moved, run: glassdex index",
        )
    return Passage(
        written,
        "changed",
        f"{pointer.path} is there, but these words are not in it any more; nothing is shown instead",
    )


def _moved(
    snapshot: SqliteSnapshot, written: str, places: tuple[Pointer, ...], texts: dict[str, str | None]
) -> Passage:
    if len(places) > 1:
        candidates = tuple(format_pointer(place) for place in places)
        return Passage(written, "ambiguous", f"the passage now stands in {len(places)} places", candidates=candidates)
    place = places[0]
    text = texts[place.path]
    assert text is not None
    return _found(snapshot, written, "moved", place, text, f"now at {format_pointer(place)}")


def _found(
    snapshot: SqliteSnapshot, written: str, state: PointerState, place: Pointer, text: str, detail: str
) -> Passage:
    from glassdex.model import unify_newlines

    return Passage(
        pointer=written,
        state=state,
        detail=detail,
        resolved=format_pointer(place),
        text=unify_newlines(text[place.char_start : place.char_end]),
        line_start=place.line_start,
        line_end=place.line_end,
        file=_absolute(snapshot, place.path),
    )


def _absolute(snapshot: SqliteSnapshot, path: str) -> str | None:
    file = snapshot.file(path)
    if file is None:
        return None
    root = snapshot.root_of(file)
    absolute = absolute_path(root, file)
    return absolute if lies_in_root(root, absolute) else None


def _current_text(snapshot: SqliteSnapshot, path: str) -> str | None:
    absolute = _absolute(snapshot, path)
    if absolute is None:
        return None
    try:
        content, _ = read_steady(absolute)
        return decode_utf8(content)
    except ReadError:
        return None
