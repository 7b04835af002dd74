"""The canonical sequence of a conversation, written down once: what its messages are, and their total order.

The order is that of the file: time stamps disagree with it in real files, and tell ties apart even less. Messages that
another conversation had first are not in it. Selecting a page, counting, and finding a message's position all use the
constants below, over one index.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from itertools import islice

import apsw

OWN = "message.original_id IS NULL"
"""Of a message: no other conversation had it first."""
MEMBERS = f"message.session_id = ?1 AND {OWN}"
ORDER = "message.ordinal, message.row_id"
"""The row id is a unique last key: whatever happens to ordinals, no page repeats or misses a message."""
POSITION = f"SELECT count(*) FROM message WHERE {MEMBERS} AND ({ORDER}) < (?2, ?3)"
REVISION_DIGITS = 12


def position(connection: apsw.Connection, row_id: int) -> int | None:
    """How many messages stand before this one; none where it is not in its conversation's sequence."""
    place = connection.execute(f"SELECT session_id, ordinal FROM message WHERE row_id = ? AND {OWN}", (row_id,)).get
    if place is None:
        return None
    session_id, ordinal = place
    return int(connection.execute(POSITION, (session_id, ordinal, row_id)).get)


def page(connection: apsw.Connection, session_id: int, offset: int, limit: int) -> list[int]:
    """The row ids of up to `limit` messages from `offset` (0-based) on, in order."""
    rows = connection.execute(
        f"SELECT row_id FROM message WHERE {MEMBERS} ORDER BY {ORDER} LIMIT ?3 OFFSET ?2", (session_id, offset, limit)
    )
    return [int(str(row[0])) for row in rows]


def around(connection: apsw.Connection, session_id: int, ordinal: int, row_id: int) -> tuple[int | None, int | None]:
    """The row ids of the messages right before and right after one of the sequence."""
    place = (session_id, ordinal, row_id)
    before = connection.execute(
        f"SELECT row_id FROM message WHERE {MEMBERS} AND ({ORDER}) < (?2, ?3)"
        " ORDER BY message.ordinal DESC, message.row_id DESC LIMIT 1",
        place,
    ).get
    after = connection.execute(
        f"SELECT row_id FROM message WHERE {MEMBERS} AND ({ORDER}) > (?2, ?3) ORDER BY {ORDER} LIMIT 1", place
    ).get
    return before, after


def revisions(connection: apsw.Connection, session_id: int, offsets: Sequence[int]) -> list[str]:
    """For each offset, ascending, a digest of the messages before it: it changes when one of them or their order does.

    What is appended later leaves the digests of the earlier offsets as they are.
    """
    rows = connection.execute(
        "SELECT CAST(uuid || '.' || block || ' ' || hex(content_hash) || ' ' AS BLOB) FROM message"
        f" WHERE {MEMBERS} ORDER BY {ORDER} LIMIT ?2",
        (session_id, max(offsets, default=0)),
    )
    digest, digested, digests = hashlib.sha256(), 0, []
    for offset in offsets:
        for (message,) in islice(rows, offset - digested):
            digest.update(message)
        digested = offset
        digests.append(digest.hexdigest()[:REVISION_DIGITS])
    return digests
