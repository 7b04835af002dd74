"""What somebody or something did to the store behind our back: mended before a run looks for what changed."""

from __future__ import annotations

import time

from glassdex.storage.sqlite import legible, orphans, parts
from glassdex.storage.sqlite.writer import SqliteWriter


def mend_references(writer: SqliteWriter) -> None:
    """Drops what refers to something that is gone, and counters that are no numbers begin again.

    Files of a root that is gone go to the root folder that has them, if one does; else they stay until somebody names
    their folder again. A generation begins above all that were: what is cached of one must not pass for another's.
    """
    connection = writer.connection
    before = connection.total_changes()
    for table, row_id, *_ in connection.execute("PRAGMA foreign_key_check").fetchall():
        if row_id is not None and table != "file":
            connection.execute(f"DELETE FROM {table} WHERE rowid = ?", (row_id,))
    connection.execute("DELETE FROM vector WHERE identity_id NOT IN (SELECT id FROM embedding_identity)")
    for counter, beginning in (("generation", time.time_ns() // 1_000_000), ("last_chunk_id", 0)):
        connection.execute(
            "INSERT INTO meta VALUES (?1, ?2)"
            " ON CONFLICT (key) DO UPDATE SET value = ?2 WHERE typeof(value) <> 'integer'",
            (counter, beginning),
        )
    for root_id, path in connection.execute("SELECT id, path FROM root ORDER BY id").fetchall():
        orphans.adopt(connection, int(str(root_id)), str(path))
    writer.changed |= connection.total_changes() > before


def mend_documents(writer: SqliteWriter) -> None:
    """Drops entries of chunks that are gone, and has documents read again that lack something or cannot be read back.

    A document without known rules is read by the run that follows, or, if that one is killed, by the next.
    """
    connection = writer.connection
    before = connection.total_changes()
    for table in ("posting", "posting_before"):
        connection.execute(
            f"DELETE FROM {table} WHERE rowid IN"
            f" (SELECT id FROM {table}_docsize WHERE id NOT IN (SELECT id FROM chunk))"
        )
    connection.execute(
        "UPDATE file SET lexical_identity = NULL WHERE id IN"
        " (SELECT document_id FROM chunk WHERE id NOT IN (SELECT id FROM posting_docsize))"
    )
    connection.executemany(
        "UPDATE file SET lexical_identity = NULL WHERE id = ?",
        [(document_id,) for document_id in parts.lost(connection)],
    )
    legible.mend(connection)
    writer.changed |= connection.total_changes() > before
