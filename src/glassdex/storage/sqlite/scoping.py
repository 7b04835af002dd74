"""Which chunks a filter lets through: by document, tag, kind, date and place."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import apsw

from glassdex.locators import VERSION
from glassdex.storage.records import PlaceColumn
from glassdex.storage.sqlite.sequence import OWN

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class ScopeQueries:
    """The part of a snapshot that filters ask; ids ascend unless a method says otherwise."""

    connection: apsw.Connection

    def chunk_ids_of_kinds(self, kinds: Sequence[str]) -> NDArray[np.int64]:
        """Chunks cut from rows of these kinds, ascending ids."""
        marks = ", ".join("?" * len(kinds))
        return self._ids(f"SELECT id FROM chunk WHERE kind IN ({marks})", tuple(kinds))

    def chunk_ids_with_tag(self, folded: str) -> NDArray[np.int64]:
        """Chunks whose document or own row carries the tag (casefolded), or one below it (`a` finds `a/b`)."""
        return self._ids(
            "SELECT chunk.id FROM chunk JOIN tag ON tag.document_id = chunk.document_id"
            " AND (tag.row_id IS NULL OR tag.row_id = chunk.row_id)"
            " WHERE tag.folded = ?1 OR (tag.folded > ?1 || '/' AND tag.folded < ?1 || '0')",
            (folded,),
        )

    def chunk_ids_dated(self, since: float | None, until: float | None) -> NDArray[np.int64]:
        """Chunks dated within `since <= date < until`, seconds since 1970 UTC.

        The date is that of the message, in a document without messages that of the document. A message without a time
        has no date.
        """
        return self._ids(
            "SELECT chunk.id FROM session CROSS JOIN message ON message.session_id = session.id"
            f"  AND sent_at >= ?1 AND sent_at < ?2 AND {OWN} JOIN chunk ON chunk.row_id = message.row_id"
            " UNION ALL SELECT chunk.id FROM document JOIN chunk ON chunk.document_id = document.id"
            "  WHERE dated_at >= ?1 AND dated_at < ?2 AND message_count = 0",
            (float("-inf") if since is None else since, float("inf") if until is None else until),
        )

    def chunk_ids_of_documents(self, document_ids: Iterable[int]) -> NDArray[np.int64]:
        """Chunks of the given documents, ascending ids."""
        import numpy as np

        wanted = np.fromiter(document_ids, dtype=np.int64)
        if not len(wanted):
            return wanted
        return self._ids(
            "SELECT id FROM chunk WHERE document_id IN (SELECT value FROM carray(?))", (apsw.carray(wanted),)
        )

    def chunk_ids_of_session(self, session_id: int) -> NDArray[np.int64]:
        """Chunks of a conversation's messages, ascending ids."""
        return self._ids("SELECT chunk.id FROM message JOIN chunk USING (row_id) WHERE session_id = ?", (session_id,))

    def chunk_ids_of_roles(self, roles: Sequence[str]) -> NDArray[np.int64]:
        """Chunks of the messages that these roles said, ascending ids."""
        marks = ", ".join("?" * len(roles))
        return self._ids(
            f"SELECT chunk.id FROM message JOIN chunk USING (row_id) WHERE role IN ({marks})", tuple(roles)
        )

    def chunk_ids_in_span(self, document_id: int, place: PlaceColumn, first: int, last: int) -> NDArray[np.int64]:
        """A document's chunks that overlap `first` to `last` of that kind of place, ascending ids."""
        start, end = (place, place) if place in ("slide", "record") else (f"{place}_start", f"{place}_end")
        return self._ids(
            f"SELECT id FROM chunk WHERE document_id = ? AND {start} <= ? AND {end} >= ?", (document_id, last, first)
        )

    def chunk_ids_on_sheet(self, document_id: int, sheet: str) -> NDArray[np.int64]:
        """A document's chunks on the sheet of exactly that name, ascending ids."""
        return self._ids("SELECT id FROM chunk WHERE document_id = ? AND sheet = ?", (document_id, sheet))

    def hidden_chunk_ids(self) -> NDArray[np.int64]:
        """Chunks on hidden sheets and slides, ascending ids."""
        return self._ids("SELECT id FROM chunk WHERE hidden", ())

    def in_order(self, chunk_ids: NDArray[np.int64] | None, limit: int) -> NDArray[np.int64]:
        """The first `limit` of the given chunks, or of all, by path and then by their place in the document."""
        import numpy as np

        if chunk_ids is not None and not len(chunk_ids):
            return chunk_ids
        scope = "WHERE NOT copied " if chunk_ids is None else "WHERE chunk.id IN (SELECT value FROM carray(?1)) "
        wanted = None if chunk_ids is None else apsw.carray(np.ascontiguousarray(chunk_ids, dtype=np.int64))
        rows = self.connection.execute(
            f"SELECT chunk.id FROM chunk JOIN file ON file.id = document_id {scope}ORDER BY path, ordinal LIMIT ?2",
            (wanted, limit),
        )
        return np.fromiter((row[0] for row in rows), dtype=np.int64)

    def unlocated(self, document_ids: Iterable[int] | None = None) -> int:
        """How many chunks, of the given documents or of all, have places of an older version."""
        import numpy as np

        scope: str = ""
        bindings: tuple[apsw.CArrayBinding, ...] = ()
        if document_ids is not None:
            wanted = np.fromiter(document_ids, dtype=np.int64)
            if not len(wanted):
                return 0
            scope = " AND document_id IN (SELECT value FROM carray(?))"
            bindings = (apsw.carray(wanted),)
        behind = f"SELECT count(*) FROM chunk WHERE ifnull(locator_version, 0) < {VERSION}{scope}"
        return int(str(self.connection.execute(behind, bindings).get))

    def _ids(self, sql: str, bindings: apsw.Bindings) -> NDArray[np.int64]:
        import numpy as np

        # Of what is told twice the copy is nobody's candidate.
        column = self.connection.execute(
            f"SELECT group_concat(DISTINCT id) FROM ({sql}) WHERE id NOT IN (SELECT id FROM chunk WHERE copied)",
            bindings,
        ).get
        return np.unique(np.fromstring(column or "", dtype=np.int64, sep=","))
