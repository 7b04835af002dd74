"""What a transcript that goes on asks of what is stored of it: never more than a few rows, however long it is."""

from __future__ import annotations

import apsw

from glassdex.model import Message
from glassdex.storage.sqlite.sessions import MESSAGE_COLUMNS, message_record

_OF_CONVERSATION = (
    "FROM message JOIN session ON session.id = message.session_id"
    " WHERE session.document_id = ?1 AND session.key = ?2 AND message.content_hash = ?3"
)


class ToldQueries:
    """A document's messages by name and content, and its last ones."""

    connection: apsw.Connection

    def is_told(self, document_id: int, conversation: str, uuid: str, block: int, content_hash: bytes) -> bool:
        """Whether a conversation of the document, by its key, has a message of that name and content."""
        found = f"SELECT EXISTS (SELECT 1 {_OF_CONVERSATION} AND message.uuid = ?4 AND message.block = ?5)"
        return bool(self.connection.execute(found, (document_id, conversation, content_hash, uuid, block)).get)

    def times_told(self, document_id: int, conversation: str, content_hash: bytes) -> int:
        """How many messages of that conversation have that content."""
        found = f"SELECT count(*) {_OF_CONVERSATION}"
        return int(self.connection.execute(found, (document_id, conversation, content_hash)).get)

    def recent_messages(self, document_id: int, most: int) -> list[Message]:
        """The last messages of the document, up to `most`, in the order of its file, copies among them."""
        rows = self.connection.execute(
            f"SELECT {MESSAGE_COLUMNS} FROM row JOIN message ON message.row_id = row.id"
            " JOIN session ON session.id = message.session_id"
            " WHERE row.document_id = ? AND row.kind = 'message' ORDER BY row.ordinal DESC LIMIT ?",
            (document_id, most),
        ).fetchall()
        return [message_record(row).message for row in reversed(rows)]
