"""The part of a snapshot that tells of conversations and their messages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

import apsw

from glassdex.model import Message
from glassdex.storage.records import MessageRecord, MessageRef, SessionHead, SessionRecord, TranscriptFigures
from glassdex.storage.sqlite import sequence
from glassdex.storage.sqlite.binding import id_set

MESSAGE_COLUMNS = (
    "message.row_id, message.session_id, row.document_id, message.ordinal, row.char_start, row.char_end,"
    " message.original_id, session.key, message.uuid, message.block, message.role, message.content_hash,"
    " message.sent_at, message.speaker, message.tool, message.injected, message.sidechain, message.error,"
    " message.parent, message.line, message.byte_start, message.byte_end, message.turn, message.left_out,"
    " message.opening"
)
_MESSAGES = "message JOIN row ON row.id = message.row_id JOIN session ON session.id = message.session_id"
_OWN_OF_SESSION = f"message.session_id = session.id AND {sequence.OWN}"
_HEAD = (
    "session.id, session.document_id, path, source, name, title, cwd, branch, session.parent, forked_from,"
    f" EXISTS (SELECT 1 FROM message WHERE {_OWN_OF_SESSION}),"
    f" (SELECT min(sent_at) FROM message WHERE {_OWN_OF_SESSION} AND sent_at IS NOT NULL),"
    f" (SELECT max(sent_at) FROM message WHERE {_OWN_OF_SESSION} AND sent_at IS NOT NULL)"
)
"""The columns of a `SessionHead`: each is one step into an index, however long the conversation."""
_HAS_OWN = 10
_TOTAL = f"(SELECT count(*) FROM message WHERE {_OWN_OF_SESSION})"
_COPIED = "(SELECT count(*) FROM message WHERE message.session_id = session.id AND original_id IS NOT NULL)"
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

    def sessions(self, session_ids: Iterable[int] | None = None) -> list[SessionRecord]:
        """All conversations, or the given ones; by path and then as they stand in their file."""
        rows = self._sessions(f"{_HEAD}, {_TOTAL}, {_COPIED}", session_ids)
        return [SessionRecord(*_with_flag(row)) for row in rows]

    def session_heads(self, session_ids: Iterable[int] | None = None) -> list[SessionHead]:
        """The same without what has to be counted, so that a long conversation costs no more than a short one."""
        rows = self._sessions(_HEAD, session_ids)
        return [SessionHead(*_with_flag(row)) for row in rows]

    def _sessions(self, columns: str, session_ids: Iterable[int] | None) -> apsw.Cursor:
        among = "" if session_ids is None else " WHERE session.id IN (SELECT value FROM carray(?))"
        return self.connection.execute(
            f"SELECT {columns} FROM session JOIN file ON file.id = session.document_id{among}"
            " ORDER BY path, session.id",
            () if session_ids is None else (id_set(session_ids),),
        )

    def transcript_figures(self) -> TranscriptFigures:
        """The project's conversations in figures."""
        sessions = self.sessions()
        said, indexed = self.connection.execute(
            "SELECT ifnull(sum(said_characters), 0), ifnull(sum(indexed_characters), 0) FROM document"
        ).get
        secrets = self.connection.execute(
            "SELECT kind.key, sum(kind.value) FROM document, json_each(iif(json_valid(secrets), secrets, '{}')) AS kind"
            " WHERE secrets <> '{}' GROUP BY kind.key ORDER BY kind.key"
        )
        return TranscriptFigures(
            sessions=sum(session.has_own for session in sessions),
            messages=sum(session.total for session in sessions),
            copied=sum(session.copied for session in sessions),
            said_characters=said,
            indexed_characters=indexed,
            secrets={str(kind): int(str(number)) for kind, number in secrets},
        )

    def sessions_dated(self, since: float, until: float) -> set[int]:
        """Conversations with a message of their own within `since <= time < until`, by id."""
        rows = self.connection.execute(
            f"SELECT id FROM session WHERE EXISTS (SELECT 1 FROM message WHERE {_OWN_OF_SESSION}"
            "  AND sent_at >= ? AND sent_at < ?)",
            (since, until),
        )
        return {int(str(row[0])) for row in rows}

    def sessions_named(self, name: str, limit: int) -> list[SessionHead]:
        """Conversations of exactly that name; if there is none, those whose name begins with it: up to `limit`."""
        name = name.encode("utf-8", "replace").decode()  # SQLite takes no lone surrogates, and no name has one
        for condition, values in (
            ("name = ?1", (name,)),
            ("name >= ?1 AND name < ?1 || char(0x10ffff)", (name,)),
        ):
            rows = self.connection.execute(
                f"SELECT id FROM session WHERE {condition} ORDER BY name, id LIMIT ?2", (*values, limit)
            )
            found = [int(str(row[0])) for row in rows]
            if found:
                return self.session_heads(found)
        return []

    def sub_agents(self, session: SessionHead) -> list[SessionRecord]:
        """The conversations of those that worked for this one, by path and then as they stand in their file."""
        rows = self.connection.execute(
            "SELECT id FROM session WHERE parent = ? AND source = ? AND id <> ?",
            (session.name, session.source, session.session_id),
        )
        return self.sessions([int(str(row[0])) for row in rows])

    def continued_message(self, session_id: int) -> int | None:
        """The row id of what a conversation goes on from: the message that it tells last before its own first one.

        It is the original, another conversation's. Where nothing is told before the first one: the last of all.
        """
        found = self.connection.execute(
            "SELECT copy.original_id FROM message AS copy JOIN message AS original"
            "  ON original.row_id = copy.original_id"
            " WHERE copy.session_id = ?1 AND copy.original_id IS NOT NULL AND original.session_id <> ?1"
            " ORDER BY copy.ordinal < ifnull((SELECT min(ordinal) FROM message"
            f"  WHERE {sequence.MEMBERS}), 9e999) DESC, copy.ordinal DESC LIMIT 1",
            (session_id,),
        ).get
        return found if isinstance(found, int) else None

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
            f"SELECT {MESSAGE_COLUMNS} FROM {_MESSAGES} WHERE message.row_id IN (SELECT value FROM carray(?))",
            (id_set(row_ids),),
        )
        return {int(str(row[0])): message_record(row) for row in rows}

    def messages_named(self, session_ids: Iterable[int], uuid: str, block: int) -> list[MessageRecord]:
        """Messages of these conversations with that name, copies among them; in order."""
        rows = self.connection.execute(
            f"SELECT {MESSAGE_COLUMNS} FROM {_MESSAGES} WHERE message.uuid = ? AND message.block = ?"
            f" AND message.session_id IN (SELECT value FROM carray(?)) ORDER BY message.session_id, {sequence.ORDER}",
            (uuid, block, id_set(session_ids)),
        )
        return [message_record(row) for row in rows]

    def cursor(self, document_id: int) -> str | None:
        """How far a file that grows was read, as whoever reads it wrote that down."""
        found = self.connection.execute("SELECT cursor FROM document WHERE id = ?", (document_id,)).get
        return found if isinstance(found, str) else None

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


def _with_flag(row: apsw.SQLiteValues) -> tuple[Any, ...]:
    """The columns of a head with `has_own` as what it is."""
    return (*row[:_HAS_OWN], bool(row[_HAS_OWN]), *row[_HAS_OWN + 1 :])


def message_record(row: apsw.SQLiteValues) -> MessageRecord:
    """A message of a row of `MESSAGE_COLUMNS`."""
    (
        row_id, session_id, document_id, ordinal, char_start, char_end, original_id, conversation, uuid, block, role,
        content_hash, sent_at, speaker, tool, injected, sidechain, error, parent, line, byte_start, byte_end, turn,
        left_out, opening,
    ) = cast("tuple[Any, ...]", row)  # fmt: skip
    return MessageRecord(
        row_id=row_id, session_id=session_id, document_id=document_id, ordinal=ordinal, char_start=char_start,
        char_end=char_end, original_id=original_id,
        message=Message(
            conversation=conversation, uuid=uuid, block=block, role=role, content_hash=content_hash, sent_at=sent_at,
            speaker=speaker, tool=tool, injected=bool(injected), sidechain=bool(sidechain), error=bool(error),
            parent=parent, line=line, byte_start=byte_start, byte_end=byte_end, turn=turn, left_out=left_out,
            opening=opening,
        ),
    )  # fmt: skip
