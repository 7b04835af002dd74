"""A conversation's messages, a page at a time. Offsets are counted on read; a cursor knows what it was made for."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass

from glassdex.errors import CursorOutdated, InvalidRequest, OffsetOutOfRange
from glassdex.inspection.sessions.find import find_session
from glassdex.inspection.sessions.open import located
from glassdex.inspection.sessions.texts import MessageState, TranscriptTexts, shown_text
from glassdex.model import Message
from glassdex.pointers import SessionPointer, format_session_pointer
from glassdex.pointers.verify import passage_hash
from glassdex.storage.records import MessageRecord, SessionRecord
from glassdex.storage.sqlite.snapshot import SqliteSnapshot

DEFAULT_LIMIT = 20
MAX_LIMIT = 500
_CURSOR = re.compile(r"(?P<offset>[0-9]{1,12})(?:\.(?P<limit>[0-9]{1,4})~(?P<revision>[0-9a-f]{12}))?")


@dataclass(frozen=True, slots=True)
class SessionMessage:
    """A message at its place. `state` says whether its text is as indexed; `gone`: it is what the index has of it.

    `pointer` leads to the whole message; it is absent where the file does not have it any more.
    """

    offset: int
    message: Message
    state: MessageState
    text: str
    pointer: str | None
    left_out: int = 0
    """Characters in the middle of its text that are not shown."""


@dataclass(frozen=True, slots=True)
class SessionPage:
    """`limit` messages, or what there is of them, from `offset` (0-based) on, of `total`.

    `next` and `previous` are cursors: what to give as `offset` for the page after and before, absent at the ends.
    A cursor is refused when a message before its place, or their order, has changed since it was made. `revision`
    stands for the whole conversation as it is now.

    A conversation that tells another one's messages once more `continues` that one: the conversation that had the last
    of them first, and its offset there. `sub_agents` are the conversations of those that worked for this one.
    """

    session: SessionRecord
    total: int
    offset: int
    limit: int
    messages: tuple[SessionMessage, ...]
    revision: str
    next: str | None = None
    previous: str | None = None
    continues: tuple[SessionRecord, int] | None = None
    sub_agents: tuple[SessionRecord, ...] = ()


def show_session(
    snapshot: SqliteSnapshot,
    reference: str | None,
    *,
    at: str | None = None,
    offset: int | str | None = None,
    limit: int | None = None,
    raw: bool = False,
    full: bool = False,
) -> SessionPage:
    """A page that begins at a pointer's message, at an offset, or where a cursor says.

    Raises:
        SessionNotFound, SessionAmbiguous: `reference` means no conversation, or several.
        InvalidPointer, PointerNotInSession: `at` is no pointer into a conversation, or into another, or leads nowhere.
        OffsetOutOfRange: with the range.
        CursorOutdated: the conversation was changed before the cursor's place.
        InvalidRequest: `limit` is out of its range, or both `at` and `offset` are given.
    """
    if at is not None and offset is not None:
        raise InvalidRequest("both a pointer and an offset are given", "leave one of them out")
    if at is not None:
        head, start = located(snapshot, at, reference)
        revision = None
    else:
        if reference is None:
            raise InvalidRequest("no session is named", "glassdex sessions list shows which there are")
        head = find_session(snapshot, reference)
        start, its_limit, revision = _parsed(offset)
        limit = its_limit if limit is None else limit
    limit = DEFAULT_LIMIT if limit is None else limit
    if not 1 <= limit <= MAX_LIMIT:
        raise InvalidRequest(f"limit = {limit} is not between 1 and {MAX_LIMIT}")
    (session,) = snapshot.sessions([head.session_id])
    total = session.total
    if not 0 <= start < max(total, 1):
        raise _out_of_range(session, start, total)
    before, after = max(0, start - limit), min(total, start + limit)
    at_before, at_start, at_after, at_end = snapshot.session_revisions(
        session.session_id, [before, start, after, total]
    )
    if revision not in (None, at_start):
        raise CursorOutdated(
            f"the session was changed before offset {start} since this cursor was made",
            "begin anew: --offset 0, or --at with the pointer of a message",
        )
    records = snapshot.session_page(session.session_id, start, limit)
    return SessionPage(
        session=session,
        total=total,
        offset=start,
        limit=limit,
        messages=tuple(_messages(snapshot, session, records, start, raw=raw, full=full)),
        revision=at_end,
        next=f"{after}.{limit}~{at_after}" if after < total else None,
        previous=f"{before}.{start - before}~{at_before}" if start else None,
        continues=_continued(snapshot, session),
        sub_agents=_sub_agents(snapshot, session),
    )


def _continued(snapshot: SqliteSnapshot, session: SessionRecord) -> tuple[SessionRecord, int] | None:
    """Where the last copied message before the first own one was first; if none is before it, the last of all."""
    if not session.copied:
        return None
    original = snapshot.continued_message(session.session_id)
    found = {} if original is None else snapshot.messages([original])
    for row_id, record in found.items():
        position = snapshot.message_position(row_id)
        if position is not None:
            return snapshot.sessions([record.session_id])[0], position
    return None


def _sub_agents(snapshot: SqliteSnapshot, session: SessionRecord) -> tuple[SessionRecord, ...]:
    """By path and then as they stand in their file; whole copies of one elsewhere are left out."""
    return tuple(one for one in snapshot.sub_agents(session) if one.has_own)


def _parsed(offset: int | str | None) -> tuple[int, int | None, str | None]:
    """Offset, limit and revision that an offset or a cursor names."""
    if offset is None or isinstance(offset, int):
        return offset or 0, None, None
    match = _CURSOR.fullmatch(offset.strip())
    if match is None:
        raise InvalidRequest(f"{offset[:80]!r} is no offset", "give a number from 0, or a cursor as it was printed")
    return int(match["offset"]), int(match["limit"]) if match["limit"] else None, match["revision"]


def _out_of_range(session: SessionRecord, offset: int, total: int) -> OffsetOutOfRange:
    reach = f"offsets go from 0 to {total - 1}" if total else "it has no messages of its own"
    beginning = f"glassdex sessions show {shlex.quote(session.name)}"
    return OffsetOutOfRange(f"offset {offset} is not in the session: {reach}", beginning)


def _messages(
    snapshot: SqliteSnapshot, session: SessionRecord, records: list[MessageRecord], start: int, *, raw: bool, full: bool
) -> list[SessionMessage]:
    file = snapshot.file(session.path)
    assert file is not None
    with TranscriptTexts(snapshot, file) as texts:
        return [
            _message(snapshot, session, record, texts, offset, raw=raw, full=full)
            for offset, record in enumerate(records, start=start)
        ]


def _message(
    snapshot: SqliteSnapshot,
    session: SessionRecord,
    record: MessageRecord,
    texts: TranscriptTexts,
    offset: int,
    *,
    raw: bool,
    full: bool,
) -> SessionMessage:
    found = texts.text(record)
    passage = found.passage(record)
    if passage is None:
        indexed = "\n".join(text for _, text in snapshot.message_chunks(record.row_id))
        return SessionMessage(offset, record.message, "gone", indexed, None)
    pointer = SessionPointer(
        session.source, session.name, record.message.uuid, record.message.block, passage_hash(passage)
    )
    return SessionMessage(
        offset, record.message, found.state, shown_text(record, found, raw=raw, full=full),
        format_session_pointer(pointer), 0 if full else record.message.left_out,
    )  # fmt: skip
