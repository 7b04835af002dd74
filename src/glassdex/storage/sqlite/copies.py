"""Which of several conversations that tell the same message had it first.

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

from glassdex.model import is_drawn
from glassdex.storage.sqlite.binding import drawn, id_set
from glassdex.storage.sqlite.sequence import MEMBERS

_AMONG = "IN (SELECT value FROM carray(?))"
_TOLD_ELSEWHERE = (
    "FROM message JOIN session ON session.id = message.session_id"
    " JOIN message AS other ON other.uuid = message.uuid AND other.block = message.block"
    "  AND other.content_hash = message.content_hash AND other.session_id <> message.session_id"
    " JOIN session AS elsewhere ON elsewhere.id = other.session_id AND elsewhere.source = session.source"
    f" WHERE {drawn('message.uuid')}"
)
_FAMILY = (
    "WITH RECURSIVE family (source, name) AS (SELECT source, name FROM session WHERE id = ?1"
    " UNION SELECT session.source, iif(session.name = family.name, session.forked_from, session.name)"
    "  FROM family JOIN session ON session.source = family.source"
    "   AND (session.name = family.name OR session.forked_from = family.name) WHERE family.name <> '')"
    " SELECT session.id FROM family JOIN session ON session.source = family.source AND session.name = family.name"
    f" WHERE ({drawn('session.name')}) OR session.id = ?1"
)
"""A conversation with those that say that they continue each other, and with copies of its file."""
_NEW = "message.session_id = ?1 AND message.ordinal >= ?2"
_HAS_COPY = "EXISTS (SELECT 1 FROM message AS copy WHERE copy.original_id = message.row_id)"
_HAS_GONE_ON = (
    f"SELECT 1 FROM message WHERE {MEMBERS} AND message.ordinal < ?2 AND NOT {_HAS_COPY}"
    " AND ifnull(sent_at, 9e999) <= (SELECT min(ifnull(sent_at, 9e999)) FROM message AS later"
    "  WHERE later.session_id = ?1 AND later.ordinal >= ?2)"
    " ORDER BY message.ordinal DESC, message.row_id DESC LIMIT 1"  # what was said last is the likeliest
)
_COPY = "SELECT 1 FROM message WHERE message.session_id = ?1 AND message.original_id IS NOT NULL"
_COPIED = f"SELECT 1 FROM message WHERE message.session_id = ?1 AND message.ordinal < ?2 AND {_HAS_COPY}"

_Rows = dict[int, int]
"""One message: its row by conversation."""
_Name = tuple[object, ...]
"""What two rows have in common that are one message."""


@dataclass(frozen=True, slots=True)
class _Teller:
    """A conversation that shares messages. `first_said` tells, by which conversations have a message, the first time of
    such a one in this conversation; ∞ where no time is known.
    """

    session_id: int
    name: str
    path: str
    forked_from: str
    first_said: Mapping[frozenset[int], float]

    def went_on(self, others: frozenset[int]) -> float:
        """When it first said something that not all of the others have; −∞: it ended where they went on."""
        return min((time for having, time in self.first_said.items() if not others <= having), default=-math.inf)


def sharing(connection: apsw.Connection, document_id: int) -> set[int]:
    """Conversations of other documents that share messages with those of this one."""
    own = _ids(connection, "SELECT id FROM session WHERE document_id = ?", document_id)
    return _connected(connection, own) - own


def is_unsettled(connection: apsw.Connection, session_id: int, first: int) -> bool:
    """Whether a conversation's messages from ordinal `first` on may change whose the messages are that several tell.

    They do where they are told elsewhere, too. They may where they are what the conversation goes on with, first or
    earlier than with what it had; not where it has gone on before.
    """
    place = (session_id, first)
    has_new, is_told_elsewhere = connection.execute(
        f"SELECT EXISTS (SELECT 1 FROM message WHERE {_NEW}), EXISTS (SELECT 1 {_TOLD_ELSEWHERE} AND {_NEW})", place
    ).get
    if not has_new or is_told_elsewhere:
        return bool(is_told_elsewhere)
    if connection.execute(_HAS_GONE_ON, place).get:
        return False
    is_part = connection.execute(f"SELECT EXISTS ({_COPY}) OR EXISTS ({_COPIED})", place).get
    return bool(is_part) or len(_ids(connection, _FAMILY, session_id)) > 1


def resolve_copies(connection: apsw.Connection, session_ids: Iterable[int]) -> None:
    """Settles anew whose the messages are that these conversations share with others."""
    connected = _connected(connection, set(session_ids))
    if not connected:
        return
    shared = [*_shared_by_id(connection, connected), *_shared_from_the_beginning(connection, connected)]
    originals: dict[int, int | None] = dict.fromkeys(_told_as_copies(connection, connected))
    originals |= _originals(_tellers(connection, connected, shared), shared)
    connection.executemany(
        "UPDATE message SET original_id = ?1 WHERE row_id = ?2 AND original_id IS NOT ?1",
        [(original, row_id) for row_id, original in originals.items()],
    )
    connection.executemany(
        "UPDATE chunk SET copied = ?1 WHERE row_id = ?2 AND copied <> ?1",
        [(original is not None, row_id) for row_id, original in originals.items()],
    )


def _originals(tellers: Mapping[int, _Teller], shared: Iterable[_Rows]) -> dict[int, int | None]:
    """By row, the row of the same message in the conversation that had it first; none for that one itself."""
    originals: dict[int, int | None] = {}
    owners: dict[frozenset[int], int] = {}
    for rows in shared:
        having = frozenset(rows)
        if having not in owners:
            owners[having] = _owner([tellers[session_id] for session_id in rows]).session_id
        owner = owners[having]
        for session_id, row_id in rows.items():
            originals[row_id] = None if session_id == owner else rows[owner]
    return originals


def _owner(tellers: Sequence[_Teller]) -> _Teller:
    """The conversation that had a message first: one that continues none of the others, then who went on first."""
    names = {teller.name for teller in tellers}
    ids = frozenset(teller.session_id for teller in tellers)
    return min(
        tellers,
        key=lambda teller: (
            teller.forked_from in names and teller.forked_from != teller.name,
            teller.went_on(ids),
            teller.name,
            teller.path,
        ),
    )


def _connected(connection: apsw.Connection, session_ids: set[int]) -> set[int]:
    """These conversations and all that share messages with them, directly or through others."""
    connected: set[int] = set()
    known: set[str] = set()
    new = session_ids
    while new:
        connected |= new
        told = f"SELECT DISTINCT uuid FROM message WHERE session_id {_AMONG} AND {drawn('uuid')}"
        uuids = {str(row[0]) for row in connection.execute(told, (id_set(new),))} - known
        known |= uuids
        found: set[int] = set()
        if uuids:  # each is looked up once, however many tell it
            telling = f"SELECT DISTINCT session_id FROM message WHERE uuid {_AMONG}"
            found = _ids(connection, telling, apsw.carray(tuple(uuids)))
        found = found.union(*(_ids(connection, _FAMILY, session_id) for session_id in new))
        new = found - connected
    return connected


def _told_as_copies(connection: apsw.Connection, session_ids: set[int]) -> set[int]:
    """Rows of messages that are aliases as yet, or were when their original went."""
    copies = (
        "SELECT DISTINCT row_id FROM message LEFT JOIN chunk USING (row_id)"
        f" WHERE (original_id IS NOT NULL OR copied) AND session_id {_AMONG}"
    )
    return _ids(connection, copies, id_set(session_ids))


def _shared_by_id(connection: apsw.Connection, session_ids: set[int]) -> Iterator[_Rows]:
    """Messages with an id of their own that several of these conversations tell."""
    shared: dict[_Name, _Rows] = {}
    rows = connection.execute(
        "SELECT session.source, message.uuid, message.block, message.content_hash, message.session_id, message.row_id"
        " FROM message JOIN session ON session.id = message.session_id"
        f" WHERE message.session_id {_AMONG} AND {drawn('message.uuid')}",
        (id_set(session_ids),),
    )
    for *name, session_id, row_id in rows:
        shared.setdefault(tuple(name), {})[int(str(session_id))] = int(str(row_id))
    yield from (told for told in shared.values() if len(told) > 1)


def _shared_from_the_beginning(connection: apsw.Connection, session_ids: set[int]) -> Iterator[_Rows]:
    """Messages without one, as far as conversations of a family begin with the same: what is said alike later is not
    the same message.
    """
    left = set(session_ids)
    while left:
        family = _ids(connection, _FAMILY, left.pop())
        left -= family
        if len(family) < 2:
            continue
        told: dict[int, list[tuple[int, _Name]]] = {}
        for session_id, row_id, *name in connection.execute(
            f"SELECT session_id, row_id, uuid, block, content_hash FROM message WHERE session_id {_AMONG}"
            " ORDER BY session_id, ordinal, row_id",
            (id_set(family),),
        ):
            told.setdefault(int(str(session_id)), []).append((int(str(row_id)), tuple(name)))
        yield from _alike(told)


def _alike(told: Mapping[int, Sequence[tuple[int, _Name]]]) -> Iterator[_Rows]:
    """What several of these conversations say at the same place, having said the same before it."""
    waiting = [(list(told), 0)]
    while waiting:
        among, at = waiting.pop()
        going_on: dict[_Name, list[int]] = {}
        for session_id in among:
            if at < len(told[session_id]):
                going_on.setdefault(told[session_id][at][1], []).append(session_id)
        for (uuid, *_), alike in going_on.items():
            if len(alike) > 1:
                if not is_drawn(str(uuid)):
                    yield {session_id: told[session_id][at][0] for session_id in alike}
                waiting.append((alike, at + 1))


def _tellers(connection: apsw.Connection, session_ids: set[int], shared: Sequence[_Rows]) -> dict[int, _Teller]:
    """The conversations by id, each with when it went on."""
    wanted = id_set(session_ids)
    having = {row_id: frozenset(rows) for rows in shared for row_id in rows.values()}
    first_said: dict[int, dict[frozenset[int], float]] = {session_id: {} for session_id in session_ids}
    for session_id, row_id, sent_at in connection.execute(
        f"SELECT session_id, row_id, ifnull(sent_at, 9e999) FROM message WHERE session_id {_AMONG}", (wanted,)
    ):
        times = first_said[int(str(session_id))]
        who = having.get(int(str(row_id)), frozenset((int(str(session_id)),)))
        times[who] = min(times.get(who, math.inf), float(str(sent_at)))
    rows = connection.execute(
        "SELECT session.id, name, path, forked_from FROM session JOIN file ON file.id = document_id"
        f" WHERE session.id {_AMONG}",
        (wanted,),
    )
    return {
        int(str(id_)): _Teller(int(str(id_)), str(name), str(path), str(origin), first_said[int(str(id_))])
        for id_, name, path, origin in rows
    }


def _ids(connection: apsw.Connection, query: str, value: int | apsw.CArrayBinding) -> set[int]:
    return {int(str(row[0])) for row in connection.execute(query, (value,))}
