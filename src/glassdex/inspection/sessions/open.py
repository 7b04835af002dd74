"""Opening a pointer to a message: found by its name, checked by its hash, wherever its file has it now."""

from __future__ import annotations

from dataclasses import dataclass, replace

from glassdex.errors import InvalidPointer, InvalidRequest, PointerNotInSession
from glassdex.inspection.passage import Passage
from glassdex.inspection.sessions.find import find_session, sessions_of
from glassdex.inspection.sessions.texts import MessageText, TranscriptTexts
from glassdex.model import Locator, is_drawn, unify_newlines
from glassdex.pointers import PointerState, SessionPointer, format_session_pointer, parse_pointer
from glassdex.pointers.verify import passage_hash
from glassdex.reading.transcripts.assemble import elided
from glassdex.redaction import redact
from glassdex.storage.records import MessageRecord, SessionHead
from glassdex.storage.sqlite.snapshot import SqliteSnapshot


@dataclass(frozen=True, slots=True)
class _Found:
    """A message that a pointer may mean: where its original is, and what it says in its file."""

    session: SessionHead
    record: MessageRecord
    text: MessageText
    file: str


def open_message(snapshot: SqliteSnapshot, pointer: SessionPointer, *, raw: bool = False) -> Passage:
    """The passage of a message, checked against its file as it is now. Never another message in its place.

    Secrets in it are redacted unless `raw`; the pointer's hash is over the original in either case.
    """
    written = format_session_pointer(pointer)
    named = _messages_named(snapshot, pointer)
    if not named:
        return Passage(written, "gone", f"no indexed session has this message{_hint(snapshot, pointer)}")
    exact = [(found, start, end) for found in named if (span := _span(pointer, found)) for start, end in [span]]
    if not exact:
        there = any(found.text.original is not None for found in named)
        detail = (
            "the message is there, but these words are not in it any more; nothing is shown instead"
            if there
            else "the message is not in its file any more; nothing is shown instead"
        )
        return Passage(written, "changed" if there else "gone", detail)
    places = [_resolved(pointer, found, start, end) for found, start, end in exact]
    if len(set(places)) > 1:
        return Passage(
            written, "ambiguous", f"{len(places)} messages have this name", candidates=tuple(dict.fromkeys(places))
        )
    found, start, end = exact[0]
    state: PointerState = "exact" if places[0] == format_session_pointer(replace(pointer, project=None)) else "moved"
    original = found.text.passage(found.record)
    assert original is not None
    text = original if raw else elided(found.record.message.role, redact(found.text.original or "").text)[0]
    line = found.record.message.line
    return Passage(
        pointer=written,
        state=state,
        detail="the passage stands where it stood" if state == "exact" else f"now at {places[0]}",
        resolved=places[0],
        text=unify_newlines(text[start:end]),
        locator=Locator(line_start=line, line_end=line),
        file=found.file,
    )


def located(snapshot: SqliteSnapshot, at: str, reference: str | None) -> tuple[SessionHead, int]:
    """The conversation and the offset of the message that a pointer leads to.

    `reference` names the conversation that it must be in; one that the message was copied into is right, too.

    Raises:
        InvalidPointer: `at` is no pointer to a message.
        PointerNotInSession: it leads into another conversation, or nowhere.
        SessionNotFound, SessionAmbiguous: `reference` means none, or several.
        InvalidRequest: several messages have its name and the words that it means.
    """
    pointer = parse_pointer(at)
    if not isinstance(pointer, SessionPointer):
        raise InvalidPointer(f"{at[:200]!r} leads into a file, not to a message", "open it: glassdex open POINTER")
    wanted = None if reference is None else find_session(snapshot, reference)
    if wanted is not None and (wanted.source, wanted.name) != (pointer.source, pointer.session):
        raise PointerNotInSession(
            f"the pointer leads into session {pointer.session}, not {wanted.name}",
            f"glassdex sessions show --at {format_session_pointer(pointer)}",
        )
    named = _messages_named(snapshot, pointer)
    alike = [found for found in named if _span(pointer, found)]
    # Where the file cannot be asked, the name alone must be enough; where it can, only the very words are.
    if not alike and len(named) == 1 and named[0].text.original is None:
        alike = named
    if not alike:
        raise PointerNotInSession(
            f"the message {pointer.uuid}.{pointer.block} is not in session {pointer.session} as the pointer has it",
            "search again for a current pointer",
        )
    if len(alike) > 1:
        places = sorted((one.session.name, snapshot.message_position(one.record.row_id) or 0) for one in alike)
        calls = (f"glassdex sessions show {name} --offset {offset}" for name, offset in places)
        raise InvalidRequest(f"{len(alike)} messages have this name and these words", ", or ".join(calls))
    found = alike[0]
    position = snapshot.message_position(found.record.row_id)
    assert position is not None
    return found.session, position


def _messages_named(snapshot: SqliteSnapshot, pointer: SessionPointer) -> list[_Found]:
    """The messages of that name, each where it was first told."""
    sessions = {session.session_id: session for session in sessions_of(snapshot, pointer)}
    named = snapshot.messages_named(sessions, pointer.uuid, pointer.block)
    if not named and is_drawn(pointer.uuid):  # its session is gone, or its file has another name now
        others = (session for session in snapshot.session_heads() if session.source == pointer.source)
        sessions = {session.session_id: session for session in others}
        named = snapshot.messages_named(sessions, pointer.uuid, pointer.block)
    originals = {record.original_id or record.row_id for record in named}
    records = list(snapshot.messages(originals).values())
    missing = {record.session_id for record in records} - sessions.keys()
    sessions |= {session.session_id: session for session in snapshot.session_heads(missing)}
    found = []
    for record in sorted(records, key=lambda one: (one.session_id, one.ordinal)):
        session = sessions[record.session_id]
        file = snapshot.file(session.path)
        assert file is not None
        with TranscriptTexts(snapshot, file) as texts:
            found.append(_Found(session, record, texts.text(record), texts.path))
    return found


def _span(pointer: SessionPointer, found: _Found) -> tuple[int, int] | None:
    """Where in the message the pointer's passage stands; nothing where it does not."""
    text = found.text.passage(found.record)
    if text is None:
        return None
    start, end = pointer.char_start or 0, len(text) if pointer.char_end is None else pointer.char_end
    passage = text[start:end]
    return (start, end) if passage and passage_hash(passage) == pointer.passage_hash else None


def _resolved(pointer: SessionPointer, found: _Found, start: int, end: int) -> str:
    message = found.record.message
    whole = pointer.char_start is None
    return format_session_pointer(
        SessionPointer(
            found.session.source, found.session.name, message.uuid, message.block, pointer.passage_hash,
            None if whole else start, None if whole else end,
        )
    )  # fmt: skip


def _hint(snapshot: SqliteSnapshot, pointer: SessionPointer) -> str:
    return "" if sessions_of(snapshot, pointer) else f"; there is no session {pointer.source}/{pointer.session}"
