"""What somebody or something did to the store behind our back: mended before a run looks for what changed."""

from __future__ import annotations

from glassdex.storage.sqlite import parts
from glassdex.storage.sqlite.writer import SqliteWriter


def mend_references(writer: SqliteWriter) -> None:
    """Drops what refers to something that is gone, and counters that are no numbers begin again.

    Files of a root that is gone stay: they are lost only when nobody names the folder again.
    """
    connection = writer.connection
    before = connection.total_changes()
    for table, row_id, *_ in connection.execute("PRAGMA foreign_key_check").fetchall():
        if row_id is not None and table != "file":
            connection.execute(f"DELETE FROM {table} WHERE rowid = ?", (row_id,))
    connection.execute("DELETE FROM vector WHERE identity_id NOT IN (SELECT id FROM embedding_identity)")
    for counter in ("generation", "last_chunk_id"):
        connection.execute(
            "INSERT INTO meta VALUES (?, 0) ON CONFLICT (key) DO UPDATE SET value = 0 WHERE typeof(value) <> 'integer'",
            (counter,),
        )
    writer.changed |= connection.total_changes() > before


def mend_documents(writer: SqliteWriter) -> None:
    """Drops lexical entries of chunks that are gone, and has documents read again that lack something.

    A document without known rules is read by the run that follows, or, if that one is killed, by the next.
    """
    connection = writer.connection
    before = connection.total_changes()
    connection.execute(
        "DELETE FROM posting WHERE rowid IN (SELECT id FROM posting_docsize WHERE id NOT IN (SELECT id FROM chunk))"
    )
    connection.execute(
        "UPDATE file SET lexical_identity = NULL WHERE id IN"
        " (SELECT document_id FROM chunk WHERE id NOT IN (SELECT id FROM posting_docsize))"
    )
    connection.executemany(
        "UPDATE file SET lexical_identity = NULL WHERE id = ?",
        [(document_id,) for document_id in parts.lost(connection)],
    )
    writer.changed |= connection.total_changes() > before
