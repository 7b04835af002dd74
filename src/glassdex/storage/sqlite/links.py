"""Links as they are written, and the names of what they may mean."""

from __future__ import annotations

import json

import apsw

from glassdex.storage.records import LinkRecord, NamedDocument
from glassdex.storage.sqlite.connection import unreadable

# Few documents have such names: only their front matter is decoded.
_MAY_HAVE_NAMES = "(metadata LIKE '%\"permalink\"%' OR metadata LIKE '%\"alias%')"


class LinkQueries:
    """The part of a snapshot that links are resolved from."""

    connection: apsw.Connection

    def named_documents(self) -> list[NamedDocument]:
        """Every document with all that a link may call it."""
        rows = self.connection.execute(
            f"SELECT document.id, file.path, root.label, title, format, iif({_MAY_HAVE_NAMES}, metadata, '{{}}')"
            " FROM document JOIN file USING (id) LEFT JOIN root ON root.id = file.root_id ORDER BY document.id"
        )
        return [
            NamedDocument(row[0], row[1], row[2] or "", row[3], row[4], self._other_names(row[1], row[5]))
            for row in rows
        ]

    def links(self) -> list[LinkRecord]:
        """Every link as it is written, by document and then in the order in which it was read."""
        rows = self.connection.execute(
            "SELECT id, document_id, route, kind, target, line, label, context FROM link ORDER BY document_id, id"
        )
        return list(map(LinkRecord._make, rows))

    def _other_names(self, path: str, metadata: str) -> tuple[str, ...]:
        if metadata == "{}":
            return ()
        try:
            from glassdex.storage.links import other_names  # a search that follows no link needs no resolver

            return other_names(json.loads(metadata))
        except (AttributeError, TypeError, ValueError) as error:
            raise unreadable(self.connection, f"the metadata of {path}") from error
