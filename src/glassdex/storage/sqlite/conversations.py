"""Conversations in the store: their messages, and which of several files that tell the same message had it first.

A resumed or forked conversation begins with copies of another one's messages. A message belongs to one conversation,
the original; in the others it stays as an alias (`original_id`), so that pointers into the copy lead to it, and its
chunks are no candidates. The choice depends on what the files say alone, not on the order in which they are read: it is
made for all conversations at once that share messages, directly or through others.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import apsw

from glassdex.model import ID_CHARACTERS, Conversation, Row
from glassdex.storage.sqlite.binding import id_set
from glassdex.storage.sqlite.places import sql_text

_AMONG = "IN (SELECT value FROM carray(?))"
_SAME = (
    "FROM message JOIN session ON session.id = message.session_id"
    " JOIN message AS other ON other.uuid = message.uuid AND other.block = message.block"
    "  AND other.content_hash = message.content_hash AND other.session_id <> message.session_id"
    " JOIN session AS elsewhere ON elsewhere.id = other.session_id AND elsewhere.source = session.source"
    f" WHERE length(message.uuid) >= {ID_CHARACTERS}"
)
_FAMILY = (
    "WITH RECURSIVE family (source, name) AS (SELECT source, name FROM session WHERE id = ?1"
    " UNION SELECT session.source, iif(session.name = family.name, session.forked_from, session.name)"
    "  FROM family JOIN session ON session.source = family.source"
    "   AND (session.name = family.name OR session.forked_from = family.name) WHERE family.name <> '')"
    " SELECT session.id FROM family JOIN session ON session.source = family.source AND session.name = family.name"
    f" WHERE length(session.name) >= {ID_CHARACTERS} OR session.id = ?1"
)
"""A conversation with those that say that they continue each other, and with copies of its file."""

_Group = dict[int, int]
"""One message: its row by conversation."""


@dataclass(frozen=True, slots=True)
class _Member:
    """A conversation that shares messages. `spoken` tells, by which conversations have a message, the first time of
    such a one in this conversation; ∞ where no time is known.
    """

    session_id: int
    name: str
    path: str
    forked_from: str
    spoken: dict[frozenset[int], float]

    def went_on(self, others: frozenset[int]) -> float:
        """When it first said something that not all of the others have; −∞: it ended where they went on."""
        return min((time for having, time in self.spoken.items() if not others <= having), default=-math.inf)


def keep_sessions(
    connection: apsw.Connection, document_id: int, conversations: Iterable[Conversation]
) -> dict[str, int]:
    """Enters a document's conversations, or what is new of them; returns their ids by key."""
    for conversation in conversations:
        connection.execute(
            "INSERT INTO session (document_id, key, source, name, title, cwd, branch, parent, forked_from)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (document_id, key) DO UPDATE SET name = excluded.name,"
            " title = excluded.title, cwd = excluded.cwd, branch = excluded.branch, parent = excluded.parent,"
            " forked_from = excluded.forked_from WHERE (name, title, cwd, branch, parent, forked_from) IS NOT"
            " (excluded.name, excluded.title, excluded.cwd, excluded.branch, excluded.parent, excluded.forked_from)",
            (
                document_id, sql_text(conversation.key), sql_text(conversation.source), sql_text(conversation.id),
                sql_text(conversation.title), sql_text(conversation.cwd), sql_text(conversation.branch),
                sql_text(conversation.parent), sql_text(conversation.forked_from),
            ),
        )  # fmt: skip
    rows = connection.execute("SELECT key, id FROM session WHERE document_id = ?", (document_id,))
    return {str(key): int(str(session_id)) for key, session_id in rows}


def origins(connection: apsw.Connection, document_id: int) -> dict[int, tuple[str, str]]:
    """By id, the name of each conversation of a document and of the one that it continues."""
    rows = connection.execute("SELECT id, name, forked_from FROM session WHERE document_id = ?", (document_id,))
    return {int(str(id_)): (str(name), str(forked_from)) for id_, name, forked_from in rows}


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


def sharing(connection: apsw.Connection, document_id: int) -> set[int]:
    """Conversations of other documents that share messages with those of this one."""
    own = _ids(connection, "SELECT id FROM session WHERE document_id = ?", document_id)
    return _circle(connection, own) - own


def is_unsettled(connection: apsw.Connection, first_row: int, session_id: int) -> bool:
    """Whether the messages of a conversation from `first_row` on may change whose the messages are that several tell.

    They do where they are told elsewhere, too. They may where they are what the conversation goes on with, first or
    earlier than with what it had; not where it has gone on before.
    """
    new = "SELECT 1 FROM message WHERE session_id = ?1 AND row_id >= ?2"
    shared = f"SELECT 1 {_SAME} AND message.row_id >= ?2 AND message.session_id = ?1"
    has_new, is_told_elsewhere = connection.execute(
        f"SELECT EXISTS ({new}), EXISTS ({shared})", (session_id, first_row)
    ).get
    if not has_new or is_told_elsewhere:
        return bool(is_told_elsewhere)
    gone_on = (
        "SELECT 1 FROM message WHERE session_id = ?1 AND row_id < ?2 AND original_id IS NULL"
        " AND NOT EXISTS (SELECT 1 FROM message AS copy WHERE copy.original_id = message.row_id)"
        " AND ifnull(sent_at, 9e999) <= (SELECT min(ifnull(sent_at, 9e999)) FROM message AS later"
        "  WHERE later.session_id = ?1 AND later.row_id >= ?2)"
    )
    if connection.execute(f"SELECT EXISTS ({gone_on})", (session_id, first_row)).get:
        return False
    copied = (
        "SELECT 1 FROM message LEFT JOIN message AS copy ON copy.original_id = message.row_id"
        " WHERE message.session_id = ? AND (message.original_id IS NOT NULL OR copy.row_id IS NOT NULL)"
    )
    is_part = connection.execute(f"SELECT EXISTS ({copied})", (session_id,)).get
    return bool(is_part) or len(_ids(connection, _FAMILY, session_id)) > 1


def resolve_copies(connection: apsw.Connection, session_ids: Iterable[int]) -> None:
    """Settles anew whose the messages are that these conversations share with others."""
    circle = _circle(connection, set(session_ids))
    if not circle:
        return
    wanted = id_set(circle)
    groups = [*_by_id(connection, wanted), *_by_beginning(connection, circle)]
    members = _members(connection, circle, groups)
    rows = connection.execute(
        "SELECT DISTINCT row_id FROM message LEFT JOIN chunk USING (row_id)"
        f" WHERE (original_id IS NOT NULL OR copied) AND session_id {_AMONG}",
        (wanted,),
    )
    originals: dict[int, int | None] = {int(str(row[0])): None for row in rows}
    owners: dict[frozenset[int], int] = {}
    for group in groups:
        having = frozenset(group)
        if having not in owners:
            owners[having] = _original([members[session_id] for session_id in group]).session_id
        for session_id, row_id in group.items():
            originals[row_id] = None if session_id == owners[having] else group[owners[having]]
    connection.executemany(
        "UPDATE message SET original_id = ?1 WHERE row_id = ?2 AND original_id IS NOT ?1",
        [(original, row_id) for row_id, original in originals.items()],
    )
    connection.executemany(
        "UPDATE chunk SET copied = ?1 WHERE row_id = ?2 AND copied <> ?1",
        [(original is not None, row_id) for row_id, original in originals.items()],
    )


def _circle(connection: apsw.Connection, session_ids: set[int]) -> set[int]:
    """These conversations and all that share messages with them, directly or through others."""
    circle: set[int] = set()
    new = session_ids
    while new:
        circle |= new
        found = _ids(
            connection, f"SELECT DISTINCT other.session_id {_SAME} AND message.session_id {_AMONG}", id_set(new)
        )
        found = found.union(*(_ids(connection, _FAMILY, session_id) for session_id in new))
        new = found - circle
    return circle


def _by_id(connection: apsw.Connection, circle: apsw.CArrayBinding) -> Iterator[_Group]:
    """Messages with an id of their own that several of these conversations tell."""
    groups: dict[tuple[object, ...], _Group] = {}
    rows = connection.execute(
        "SELECT session.source, message.uuid, message.block, message.content_hash, message.session_id, message.row_id"
        f" {_SAME} AND message.session_id {_AMONG}",
        (circle,),
    )
    for *key, session_id, row_id in rows:
        groups.setdefault(tuple(key), {})[int(str(session_id))] = int(str(row_id))
    yield from groups.values()


def _by_beginning(connection: apsw.Connection, circle: set[int]) -> Iterator[_Group]:
    """Messages without one, as far as conversations of a family begin with the same: what is said alike later is not
    the same message.
    """
    left = set(circle)
    while left:
        family = _ids(connection, _FAMILY, left.pop())
        left -= family
        if len(family) < 2:
            continue
        told: dict[int, list[tuple[int, tuple[object, ...]]]] = {}
        for session_id, row_id, *key in connection.execute(
            f"SELECT session_id, row_id, uuid, block, content_hash FROM message WHERE session_id {_AMONG}"
            " ORDER BY session_id, ordinal, row_id",
            (id_set(family),),
        ):
            told.setdefault(int(str(session_id)), []).append((int(str(row_id)), tuple(key)))
        yield from _alike(told, list(told), 0)


def _alike(told: Mapping[int, Sequence[tuple[int, tuple[object, ...]]]], among: list[int], at: int) -> Iterator[_Group]:
    """What conversations that are alike up to place `at` have in common from there on."""
    waiting = [(among, at)]
    while waiting:
        among, at = waiting.pop()
        parts: dict[tuple[object, ...], list[int]] = {}
        for session_id in among:
            if at < len(told[session_id]):
                parts.setdefault(told[session_id][at][1], []).append(session_id)
        for (uuid, *_), alike in parts.items():
            if len(alike) > 1:
                if len(str(uuid)) < ID_CHARACTERS:
                    yield {session_id: told[session_id][at][0] for session_id in alike}
                waiting.append((alike, at + 1))


def _members(connection: apsw.Connection, session_ids: set[int], groups: Sequence[_Group]) -> dict[int, _Member]:
    wanted = id_set(session_ids)
    having = {row_id: frozenset(group) for group in groups for row_id in group.values()}
    spoken: dict[int, dict[frozenset[int], float]] = {session_id: {} for session_id in session_ids}
    for session_id, row_id, sent_at in connection.execute(
        f"SELECT session_id, row_id, ifnull(sent_at, 9e999) FROM message WHERE session_id {_AMONG}", (wanted,)
    ):
        times = spoken[int(str(session_id))]
        who = having.get(int(str(row_id)), frozenset((int(str(session_id)),)))
        times[who] = min(times.get(who, math.inf), float(str(sent_at)))
    rows = connection.execute(
        "SELECT session.id, name, path, forked_from FROM session JOIN file ON file.id = document_id"
        f" WHERE session.id {_AMONG}",
        (wanted,),
    )
    return {
        int(str(id_)): _Member(int(str(id_)), str(name), str(path), str(origin), spoken[int(str(id_))])
        for id_, name, path, origin in rows
    }


def _ids(connection: apsw.Connection, query: str, value: int | apsw.CArrayBinding) -> set[int]:
    return {int(str(row[0])) for row in connection.execute(query, (value,))}


def _original(members: Sequence[_Member]) -> _Member:
    """The conversation that had a message first: one that continues none of the others, then who went on first."""
    names = {member.name for member in members}
    ids = frozenset(member.session_id for member in members)
    return min(
        members,
        key=lambda member: (
            member.forked_from in names and member.forked_from != member.name,
            member.went_on(ids),
            member.name,
            member.path,
        ),
    )
