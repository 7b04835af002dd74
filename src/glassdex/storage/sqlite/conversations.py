"""Conversations in the store, and what their messages are beside their text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import apsw

from glassdex.model import Conversation, Row
from glassdex.storage.sqlite.places import sql_text


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
