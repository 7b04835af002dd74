"""The canonical sequence of a conversation, written down once: what its messages are, and their total order.

The order is that of the file: time stamps disagree with it in real files, and tell ties apart even less. Messages that
another conversation had first are not in it. Selecting a page, counting, and finding a message's position all use the
two constants below, over one index.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import apsw

MEMBERS = "message.session_id = ?1 AND message.original_id IS NULL"
ORDER = "message.ordinal, message.row_id"
"""The row id is a unique last key: whatever happens to ordinals, no page repeats or misses a message."""
REVISION_DIGITS = 12


def total(connection: apsw.Connection, session_id: int) -> int:
    """How many messages the conversation has."""
    return int(connection.execute(f"SELECT count(*) FROM message WHERE {MEMBERS}", (session_id,)).get)


def position(connection: apsw.Connection, row_id: int) -> int | None:
    """How many messages stand before this one; none where it is not in its conversation's sequence."""
    place = connection.execute(
        "SELECT session_id, ordinal FROM message WHERE row_id = ? AND original_id IS NULL", (row_id,)
    ).get
    if place is None:
        return None
    session_id, ordinal = place
    return int(connection.execute(POSITION, (session_id, ordinal, row_id)).get)


POSITION = f"SELECT count(*) FROM message WHERE {MEMBERS} AND ({ORDER}) < (?2, ?3)"


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
        f"SELECT uuid, block, content_hash FROM message WHERE {MEMBERS} ORDER BY {ORDER} LIMIT ?2",
        (session_id, max(offsets, default=0)),
    )
    digest = hashlib.sha256()
    digests = [digest.hexdigest()[:REVISION_DIGITS]]
    for uuid, block, content in rows:
        digest.update(f"{uuid}.{block}\0".encode() + content)
        digests.append(digest.hexdigest()[:REVISION_DIGITS])
    return [digests[min(offset, len(digests) - 1)] for offset in offsets]
