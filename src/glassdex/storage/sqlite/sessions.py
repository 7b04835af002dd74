"""The part of a snapshot that tells of conversations and their messages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import apsw

from glassdex.model import Message
from glassdex.storage.records import MessageRecord, MessageRef, SessionRecord
from glassdex.storage.sqlite import sequence
from glassdex.storage.sqlite.binding import id_set

_MESSAGE_COLUMNS = (
    "message.row_id, message.session_id, row.document_id, message.ordinal, row.char_start, row.char_end,"
    " message.original_id, session.key, message.uuid, message.block, message.role, message.content_hash,"
    " message.sent_at, message.speaker, message.tool, message.injected, message.sidechain, message.error,"
    " message.parent, message.line, message.byte_start, message.byte_end, message.turn, message.left_out,"
    " message.opening"
)
_MESSAGES = "message JOIN row ON row.id = message.row_id JOIN session ON session.id = message.session_id"
_REFERENCE = (
    "SELECT chunk.id, message.row_id, message.session_id, session.source, session.name, message.uuid, message.block,"
    " row.char_start, row.char_end, chunk.original_hash FROM carray(?) AS wanted JOIN chunk ON chunk.id = wanted.value"
    " JOIN message ON message.row_id = chunk.row_id JOIN session ON session.id = message.session_id"
    " JOIN row ON row.id = chunk.row_id"
)


class SessionQueries:
    """Conversations by name and their messages; positions are counted when they are asked for, never stored."""

    connection: apsw.Connection

    def has_messages(self) -> bool:
        """Whether the project holds transcripts at all."""
        return bool(self.connection.execute("SELECT EXISTS (SELECT 1 FROM message)").get)

    def has_copied_chunks(self) -> bool:
        """Whether a chunk's message is told by another conversation first."""
        return bool(self.connection.execute("SELECT EXISTS (SELECT 1 FROM chunk WHERE copied)").get)

    def sessions(self, session_ids: Iterable[int] | None = None) -> list[SessionRecord]:
        """All conversations, or the given ones; by path and then as they stand in their file."""
        wanted = None if session_ids is None else tuple(session_ids)
        among = "" if wanted is None else " WHERE session.id IN (SELECT value FROM carray(?))"
        rows = self.connection.execute(
            "SELECT session.id, session.document_id, path, source, name, title, cwd, branch, session.parent,"
            " forked_from, count(message.row_id) FILTER (WHERE original_id IS NULL), count(original_id),"
            " min(sent_at) FILTER (WHERE original_id IS NULL), max(sent_at) FILTER (WHERE original_id IS NULL)"
            " FROM session JOIN file ON file.id = session.document_id"
            f" LEFT JOIN message ON message.session_id = session.id{among}"
            " GROUP BY session.id ORDER BY path, session.id",
            () if wanted is None else (id_set(wanted),),
        )
        return [SessionRecord(*row) for row in rows]

    def sessions_dated(self, since: float, until: float) -> set[int]:
        """Conversations with a message of their own within `since <= time < until`, by id."""
        rows = self.connection.execute(
            "SELECT DISTINCT session_id FROM message WHERE sent_at >= ? AND sent_at < ? AND original_id IS NULL",
            (since, until),
        )
        return {int(str(row[0])) for row in rows}

    def sessions_named(self, name: str, limit: int) -> list[SessionRecord]:
        """Conversations of exactly that name; if there is none, those whose name begins with it: up to `limit`."""
        for condition, values in (
            ("name = ?1", (name,)),
            ("name >= ?1 AND name < ?1 || char(0x10ffff)", (name,)),
        ):
            rows = self.connection.execute(
                f"SELECT id FROM session WHERE {condition} ORDER BY name, id LIMIT ?2", (*values, limit)
            )
            found = [int(str(row[0])) for row in rows]
            if found:
                return self.sessions(found)
        return []

    def session_total(self, session_id: int) -> int:
        """How many messages the conversation has."""
        return sequence.total(self.connection, session_id)

    def message_position(self, row_id: int) -> int | None:
        """How many messages stand before this one in its conversation; none where it is not in the sequence."""
        return sequence.position(self.connection, row_id)

    def messages_around(self, record: MessageRecord) -> tuple[MessageRecord | None, MessageRecord | None]:
        """The messages right before and right after one in its conversation's sequence."""
        before, after = sequence.around(self.connection, record.session_id, record.ordinal, record.row_id)
        found = self.messages(row_id for row_id in (before, after) if row_id is not None)
        return found.get(before or 0), found.get(after or 0)

    def session_page(self, session_id: int, offset: int, limit: int) -> list[MessageRecord]:
        """Up to `limit` messages of a conversation from `offset` (0-based) on, in order."""
        wanted = sequence.page(self.connection, session_id, offset, limit)
        found = self.messages(wanted)
        return [found[row_id] for row_id in wanted]

    def session_revisions(self, session_id: int, offsets: Sequence[int]) -> list[str]:
        """For each offset, ascending, a digest of the messages before it."""
        return sequence.revisions(self.connection, session_id, offsets)

    def messages(self, row_ids: Iterable[int]) -> dict[int, MessageRecord]:
        """By row id, the given messages; one that is not there is left out."""
        rows = self.connection.execute(
            f"SELECT {_MESSAGE_COLUMNS} FROM {_MESSAGES} WHERE message.row_id IN (SELECT value FROM carray(?))",
            (id_set(row_ids),),
        )
        return {int(str(row[0])): _message_record(row) for row in rows}

    def messages_named(self, session_ids: Iterable[int], uuid: str, block: int) -> list[MessageRecord]:
        """Messages of these conversations with that name, copies among them; in order."""
        rows = self.connection.execute(
            f"SELECT {_MESSAGE_COLUMNS} FROM {_MESSAGES} WHERE message.uuid = ? AND message.block = ?"
            f" AND message.session_id IN (SELECT value FROM carray(?)) ORDER BY message.session_id, {sequence.ORDER}",
            (uuid, block, id_set(session_ids)),
        )
        return [_message_record(row) for row in rows]

    def document_messages(self, document_id: int) -> list[Message]:
        """All messages of a document in the order of its file, copies among them."""
        rows = self.connection.execute(
            f"SELECT {_MESSAGE_COLUMNS} FROM {_MESSAGES} WHERE row.document_id = ? ORDER BY message.ordinal",
            (document_id,),
        )
        return [_message_record(row).message for row in rows]

    def cursor(self, document_id: int) -> str | None:
        """How far a file that grows was read, as whoever reads it wrote that down."""
        found = self.connection.execute("SELECT cursor FROM document WHERE id = ?", (document_id,)).get
        return found if isinstance(found, str) else None

    def cursors(self) -> list[str]:
        """Those of all documents that have one."""
        rows = self.connection.execute("SELECT cursor FROM document WHERE cursor IS NOT NULL")
        return [str(row[0]) for row in rows]

    def message_references(self, chunk_ids: Iterable[int]) -> Mapping[int, MessageRef]:
        """By chunk id, which message each of these chunks is cut from; those of no message are left out."""
        rows = self.connection.execute(_REFERENCE, (id_set(chunk_ids),))
        return {int(str(row[0])): MessageRef(*row[1:]) for row in rows}

    def message_chunks(self, row_id: int) -> list[tuple[int, str]]:
        """(offset in the message, text) of a message's chunks, in order: what is left of it when its file is gone."""
        rows = self.connection.execute(
            "SELECT chunk.char_start - row.char_start, chunk.text FROM chunk JOIN row ON row.id = chunk.row_id"
            " WHERE row_id = ? ORDER BY chunk.ordinal",
            (row_id,),
        )
        return [(int(str(start)), str(text)) for start, text in rows]


def _message_record(row: Sequence[object]) -> MessageRecord:
    values = list(row[7:])
    values[8:11] = [bool(flag) for flag in values[8:11]]
    message = Message(*values)  # type: ignore[arg-type]
    return MessageRecord(*row[:6], message=message, original_id=row[6])  # type: ignore[arg-type,misc]
