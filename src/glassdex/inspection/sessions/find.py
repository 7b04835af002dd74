"""What a person means by a conversation: a name of it, or a pointer into it."""

from __future__ import annotations

import re

from glassdex.errors import InvalidPointer, InvalidRequest, SessionAmbiguous, SessionNotFound
from glassdex.pointers import SessionPointer, parse_pointer
from glassdex.pointers.encoding import NAME, decode_name, encode_name
from glassdex.storage.names import only_session, session_by_name
from glassdex.storage.records import SessionHead
from glassdex.storage.sqlite.snapshot import SqliteSnapshot

_WHOLE = re.compile(rf"session:(?P<source>[a-z0-9][a-z0-9._-]*)/(?P<name>{NAME})")
"""The beginning of a pointer, which names the conversation alone."""
MOST_OF_ONE_NAME = 10_000
"""Chats that were exported one by one may all be called alike."""
_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]*")


def find_session(snapshot: SqliteSnapshot, reference: str) -> SessionHead:
    """The one conversation that a reference means.

    Raises:
        SessionNotFound: none.
        SessionAmbiguous: several; with what could have been meant.
        InvalidRequest: the reference is empty.
    """
    if not reference.strip():
        raise InvalidRequest("no session is named", "see which there are: glassdex sessions list")
    try:
        pointer = parse_pointer(reference)
    except InvalidPointer:
        whole = _WHOLE.fullmatch(reference.strip())
        called = _sessions_called(snapshot, whole["source"], decode_name(whole["name"], reference)) if whole else []
        return only_session(reference, called) if called else session_by_name(snapshot, reference)
    if isinstance(pointer, SessionPointer):
        return only_session(reference, sessions_of(snapshot, pointer))
    return session_by_name(snapshot, pointer.path)


def sessions_of(snapshot: SqliteSnapshot, pointer: SessionPointer) -> list[SessionHead]:
    """The conversations that a pointer may mean: those of its source and exactly its id."""
    return _sessions_called(snapshot, pointer.source, pointer.session)


def name_of(snapshot: SqliteSnapshot, session: SessionHead) -> str:
    """A name that `find_session` takes for this conversation: its id where that is plain and nobody else has it."""
    for name in (session.name, f"{session.source}/{session.name}"):
        if _PLAIN.fullmatch(name) and _means(snapshot, name, session):
            return name
    whole = f"session:{session.source}/{encode_name(session.name)}"
    return session.path if not _means(snapshot, whole, session) and _means(snapshot, session.path, session) else whole


def _means(snapshot: SqliteSnapshot, name: str, session: SessionHead) -> bool:
    try:
        return find_session(snapshot, name).session_id == session.session_id
    except (SessionNotFound, SessionAmbiguous):
        return False


def _sessions_called(snapshot: SqliteSnapshot, source: str, name: str) -> list[SessionHead]:
    found = snapshot.sessions_named(name, MOST_OF_ONE_NAME)
    return [session for session in found if (session.source, session.name) == (source, name)]
