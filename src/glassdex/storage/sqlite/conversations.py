"""Conversations in the store: their messages, and which of several files that tell the same message had it first.

A resumed or forked conversation begins with copies of another one's messages. A message belongs to one conversation,
the original; in the others it stays as an alias (`original_id`), so that pointers into the copy lead to it, and its
chunks are no candidates. The choice depends on what the files say alone, not on the order in which they are read.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import apsw

from glassdex.model import Conversation, Row
from glassdex.storage.sqlite.binding import id_set
from glassdex.storage.sqlite.places import sql_text

_Key = tuple[str, str, int, bytes]
"""Source, uuid, block and content hash."""
_SAME = (
    "FROM message JOIN session ON session.id = message.session_id"
    " JOIN message AS other ON other.uuid = message.uuid AND other.block = message.block"
    "  AND other.content_hash = message.content_hash AND other.session_id <> message.session_id"
    " JOIN session AS elsewhere ON elsewhere.id = other.session_id AND elsewhere.source = session.source"
    # A name made from the content means nothing elsewhere, but where one conversation says that it continues the other.
    " AND (length(message.uuid) = 36 OR elsewhere.name IN (session.forked_from, session.parent)"
    "  OR session.name IN (elsewhere.forked_from, elsewhere.parent))"
)


@dataclass(frozen=True, slots=True)
class _Member:
    """A conversation that shares messages; `first_own` is the time of the first message that it alone has."""

    session_id: int
    name: str
    path: str
    forked_from: str
    first_own: float


def keep_sessions(
    connection: apsw.Connection, document_id: int, conversations: Iterable[Conversation]
) -> dict[str, int]:
    """Enters a document's conversations, or what is new of them; returns their ids by key."""
    for conversation in conversations:
        connection.execute(
            "INSERT INTO session (document_id, key, source, name, title, cwd, branch, parent, forked_from)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (document_id, key) DO UPDATE SET name = excluded.name,"
            " title = excluded.title, cwd = excluded.cwd, branch = excluded.branch, parent = excluded.parent,"
            " forked_from = excluded.forked_from",
            (
                document_id, sql_text(conversation.key), sql_text(conversation.source), sql_text(conversation.id),
                sql_text(conversation.title), sql_text(conversation.cwd), sql_text(conversation.branch),
                sql_text(conversation.parent), sql_text(conversation.forked_from),
            ),
        )  # fmt: skip
    rows = connection.execute("SELECT key, id FROM session WHERE document_id = ?", (document_id,))
    return {str(key): int(str(session_id)) for key, session_id in rows}


def insert_messages(
    connection: apsw.Connection,
    rows: Sequence[Row],
    row_ids: Mapping[tuple[str, int], int],
    session_ids: Mapping[str, int],
) -> None:
    """Enters what the message rows among `rows` are beside their text."""
    connection.executemany(
        "INSERT INTO message (row_id, session_id, ordinal, uuid, block, content_hash, role, sent_at, speaker, tool,"
        " injected, sidechain, error, parent, line, byte_start, byte_end, turn, left_out, opening)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (
                row_ids[row.kind, row.ordinal], session_ids[message.conversation], row.ordinal, message.uuid,
                message.block, message.content_hash, message.role, message.sent_at, message.speaker, message.tool,
                message.injected, message.sidechain, message.error, message.parent, message.line, message.byte_start,
                message.byte_end, message.turn, message.left_out, message.opening,
            )
            for row in rows
            if (message := row.message)
        ],
    )  # fmt: skip


def copying(connection: apsw.Connection, document_id: int) -> set[int]:
    """Conversations of other documents with messages whose original is in this one."""
    rows = connection.execute(
        "SELECT DISTINCT copy.session_id FROM session JOIN message ON message.session_id = session.id"
        " JOIN message AS copy ON copy.original_id = message.row_id WHERE session.document_id = ?",
        (document_id,),
    )
    return {int(str(row[0])) for row in rows}


def shares_messages(connection: apsw.Connection, first_row: int, session_ids: Iterable[int]) -> bool:
    """Whether a message from `first_row` on, of one of these conversations, is told in another one too."""
    wanted = id_set(session_ids)
    shared = f"SELECT 1 {_SAME} WHERE message.row_id >= ? AND message.session_id IN (SELECT value FROM carray(?))"
    return bool(connection.execute(f"SELECT EXISTS ({shared})", (first_row, wanted)).get)


def resolve_copies(connection: apsw.Connection, session_ids: Iterable[int]) -> None:
    """Settles anew whose the messages are that these conversations share with others."""
    touched = tuple(session_ids)
    if not touched:
        return
    groups = _groups(connection, touched)
    members = _members(connection, {session_id for group in groups.values() for session_id in group})
    originals: dict[int, int | None] = {
        int(str(row[0])): None
        for row in connection.execute(
            "SELECT row_id FROM message WHERE original_id IS NOT NULL AND session_id IN (SELECT value FROM carray(?))",
            (id_set(touched),),
        )
    }
    copies = {
        int(str(row[0]))
        for row in connection.execute(
            "SELECT DISTINCT row_id FROM message JOIN chunk USING (row_id)"
            " WHERE chunk.copied AND message.original_id IS NULL AND session_id IN (SELECT value FROM carray(?))",
            (id_set(touched),),
        )
    }
    originals |= dict.fromkeys(copies)
    for group in groups.values():
        owner = _original([members[session_id] for session_id in group])
        for session_id, row_id in group.items():
            originals[row_id] = None if session_id == owner.session_id else group[owner.session_id]
    connection.executemany(
        "UPDATE message SET original_id = ?1 WHERE row_id = ?2 AND original_id IS NOT ?1",
        [(original, row_id) for row_id, original in originals.items()],
    )
    connection.executemany(
        "UPDATE chunk SET copied = ?1 WHERE row_id = ?2 AND copied <> ?1",
        [(original is not None, row_id) for row_id, original in originals.items()],
    )


def _groups(connection: apsw.Connection, touched: tuple[int, ...]) -> dict[_Key, dict[int, int]]:
    """The messages that these conversations share with others: row by conversation, for each."""
    groups: dict[_Key, dict[int, int]] = {}
    rows = connection.execute(
        "SELECT session.source, message.uuid, message.block, message.content_hash,"
        f" message.session_id, message.row_id, other.session_id, other.row_id {_SAME}"
        " WHERE message.session_id IN (SELECT value FROM carray(?))",
        (id_set(touched),),
    )
    for source, uuid, block, content, session_id, row_id, other_session, other_row in rows:
        group = groups.setdefault((source, uuid, block, content), {})
        group[session_id], group[other_session] = row_id, other_row
    return groups


def _members(connection: apsw.Connection, session_ids: set[int]) -> dict[int, _Member]:
    members = {}
    for session_id in session_ids:
        name, path, forked_from = connection.execute(
            "SELECT name, path, forked_from FROM session JOIN file ON file.id = document_id WHERE session.id = ?",
            (session_id,),
        ).get
        first_own = connection.execute(
            "SELECT min(sent_at) FROM message WHERE session_id = ?1 AND NOT EXISTS (SELECT 1 FROM message AS other"
            " WHERE other.uuid = message.uuid AND other.block = message.block"
            "  AND other.content_hash = message.content_hash AND other.session_id <> ?1)",
            (session_id,),
        ).get
        # One that has nothing of its own ended where the others went on.
        members[session_id] = _Member(
            session_id, name, path, forked_from, -math.inf if first_own is None else first_own
        )
    return members


def _original(members: Sequence[_Member]) -> _Member:
    """The conversation that had a message first: one that continues none of the others, then who went on first."""
    names = {member.name for member in members}
    return min(
        members,
        key=lambda member: (
            member.forked_from in names and member.forked_from != member.name,
            member.first_own,
            member.name,
            member.path,
        ),
    )
