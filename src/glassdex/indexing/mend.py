"""What the manifest promises and the lexical index does not hold: mended before a run looks for what changed."""

from __future__ import annotations

from glassdex.storage.sqlite.writer import SqliteWriter


def mend_lexical_index(writer: SqliteWriter) -> None:
    """Drops entries of chunks that are gone; documents that lack entries are read again by the run that follows."""
    connection = writer.connection
    before = connection.total_changes()
    connection.execute(
        "DELETE FROM posting WHERE rowid IN (SELECT id FROM posting_docsize WHERE id NOT IN (SELECT id FROM chunk))"
    )
    connection.execute(
        "UPDATE file SET lexical_identity = NULL WHERE id IN"
        " (SELECT document_id FROM chunk WHERE id NOT IN (SELECT id FROM posting_docsize))"
    )
    writer.changed |= connection.total_changes() > before
