"""Judgments against an index: which document, conversation or passage each of them means there.

What is ranked and judged is a **unit**: a document, or a conversation. Its name is the part of a pointer before `#`:
the percent-encoded path, or `session:source/id`. A judgment by pointer also says which passage of the unit; the unit
then counts as found only where one of the passages that are shown of it overlaps that one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from glassdex.errors import DocumentNotFound, GlassdexError, InvalidPointer
from glassdex.evaluation.judgments import JudgedQuery, Judgment, Judgments
from glassdex.evaluation.naming import Names
from glassdex.inspection.find_document import find_document
from glassdex.inspection.passage import open_passage
from glassdex.inspection.sessions.find import find_session
from glassdex.pointers import Pointer, SessionPointer, parse_file_pointer, parse_pointer
from glassdex.pointers.encoding import encode_name, encode_path
from glassdex.reading.protocol import ReadingOptions
from glassdex.storage.sqlite.snapshot import SqliteSnapshot

Span = tuple[int, int]
"""Code points `[start, end)` of the document's text."""


@dataclass(frozen=True, slots=True)
class Item:
    """A unit that one query's judgments speak of; `spans` are the judged passages, none where all of it is judged.

    `grade` is the highest of its judgments.
    """

    unit: str
    path: str
    grade: int
    spans: tuple[Span, ...]
    targets: tuple[str, ...]

    def is_met_by(self, unit: str, path: str, shown: Sequence[Span]) -> bool:
        """Whether a result of that unit and path, with those passages shown, is what was judged."""
        if self.unit not in (unit, encode_path(path)):
            return False
        return not self.spans or any(
            start < judged_end and judged_start < end for start, end in shown for judged_start, judged_end in self.spans
        )


@dataclass(frozen=True, slots=True)
class Unresolved:
    """A judgment that means nothing, or several things, in this index; `code` is stable and for programs."""

    query_id: str
    target: str
    grade: int
    where: str
    code: str
    reason: str
    candidates: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ResolvedQuery:
    """A query and what its judgments mean."""

    query: JudgedQuery
    items: tuple[Item, ...]
    unresolved: tuple[Unresolved, ...]


@dataclass(frozen=True, slots=True)
class _Place:
    unit: str
    path: str
    span: Span | None = None


def resolve(
    snapshot: SqliteSnapshot, judgments: Judgments, project: str, options: ReadingOptions
) -> list[ResolvedQuery]:
    """Every query with its judgments looked up; `options` serve where a pointer's passage is looked for in its file."""
    finder = _Finder(snapshot, project, options)
    return [_resolved(finder, query) for query in judgments.queries]


def _resolved(finder: _Finder, query: JudgedQuery) -> ResolvedQuery:
    places: dict[str, list[tuple[Judgment, _Place]]] = {}
    unresolved = []
    for judgment in query.judgments:
        try:
            place = finder.place(judgment.target)
        except GlassdexError as error:
            said = f"{error.message}; {error.suggestion}" if isinstance(error, DocumentNotFound) else error.message
            unresolved.append(
                Unresolved(
                    query.id, judgment.target, judgment.grade, judgment.where, error.code, said, error.candidates
                )
            )
        else:
            places.setdefault(place.unit, []).append((judgment, place))
    items = tuple(_item(unit, found) for unit, found in places.items())
    return ResolvedQuery(query, items, tuple(unresolved))


def _item(unit: str, found: Sequence[tuple[Judgment, _Place]]) -> Item:
    relevant = [pair for pair in found if pair[0].grade > 0] or found
    spans = tuple(place.span for _, place in relevant if place.span is not None)
    whole = len(spans) < len(relevant)  # one judgment is of the whole unit: any passage of it will do
    return Item(
        unit=unit,
        path=found[0][1].path,
        grade=max(judgment.grade for judgment, _ in found),
        spans=() if whole else spans,
        targets=tuple(judgment.target for judgment, _ in found),
    )


class _PassageLost(GlassdexError):
    """The passage that a pointer names is changed, gone or ambiguous."""

    code = "passage_lost"


class _Finder:
    def __init__(self, snapshot: SqliteSnapshot, project: str, options: ReadingOptions) -> None:
        self._snapshot = snapshot
        self._project = project
        self._options = options
        self._names = Names(snapshot)
        self._known: dict[str, _Place] = {}

    def place(self, target: str) -> _Place:
        """What a target means.

        Raises:
            GlassdexError: nothing, or several things.
        """
        if target not in self._known:
            self._known[target] = self._find(target)
        return self._known[target]

    def _find(self, target: str) -> _Place:
        import numpy as np

        try:
            pointer = parse_pointer(target)
        except InvalidPointer:
            if target.startswith("session:"):
                session = find_session(self._snapshot, target)
                return _Place(f"session:{session.source}/{encode_name(session.name)}", session.path)
            path = self._names.path_of(target)
            return _Place(encode_path(path), path)
        if pointer.project not in (None, self._project):
            raise InvalidPointer(f"the pointer belongs to project {pointer.project!r}")
        found = find_document(self._snapshot, target)
        if found.chunk_id is None:
            return self._in_file(pointer)
        record = self._snapshot.candidates(np.array([found.chunk_id], dtype=np.int64))[found.chunk_id]
        span = (record.char_start, record.char_end)
        if isinstance(pointer, Pointer):
            return _Place(encode_path(found.path), found.path, span)
        if pointer.char_start is None and record.message is not None:  # the whole message, not its first chunk
            span = (record.message.char_start, record.message.char_end)
        return _Place(f"session:{pointer.source}/{encode_name(pointer.session)}", found.path, span)

    def _in_file(self, pointer: Pointer | SessionPointer) -> _Place:
        """A passage that is no chunk of the index (any more): where the file has it now."""
        if isinstance(pointer, SessionPointer):
            raise DocumentNotFound("the index has the message, and not this passage of it", "copy its pointer again")
        passage = open_passage(self._snapshot, pointer, self._options)
        if passage.state not in ("exact", "moved") or passage.resolved is None:
            raise _PassageLost(passage.detail, "search for the passage and copy its pointer", passage.candidates)
        resolved = parse_file_pointer(passage.resolved)
        return _Place(encode_path(resolved.path), resolved.path, (resolved.char_start, resolved.char_end))
