"""Making locator columns anew from what a document's places were made from: no file is read, nothing is embedded."""

from __future__ import annotations

import zlib

import apsw

from glassdex.locators import VERSION, Extent, LocatorMap, extent_of
from glassdex.storage.sqlite.places import locator_assignments, locator_values, pack_extent, unpack_places

_BEHIND = f"ifnull(locator_version, 0) < {VERSION}"


def documents_behind(connection: apsw.Connection, limit: int) -> list[int]:
    """Documents with a row or chunk whose places are of an older version, by id."""
    rows = connection.execute(
        f"SELECT document_id FROM chunk WHERE {_BEHIND} UNION SELECT document_id FROM row WHERE {_BEHIND} LIMIT ?",
        (limit,),
    )
    return [int(str(row[0])) for row in rows]


def relocate(connection: apsw.Connection, document_id: int) -> int:
    """Locates a document's rows and chunks again; returns how many were behind.

    Where a document has no places, its lines are: they stand in the rows themselves.
    """
    packed = connection.execute("SELECT places FROM document WHERE id = ?", (document_id,)).get
    try:
        places = unpack_places(packed if isinstance(packed, bytes) else None)
    except (ValueError, TypeError, AttributeError, zlib.error):
        # What cannot be read back is read from the file again, by the next run.
        connection.execute("UPDATE file SET lexical_identity = NULL WHERE id = ?", (document_id,))
        places = ()
    behind = 0
    for table in ("row", "chunk"):
        found = connection.execute(
            f"SELECT id, char_start, char_end FROM {table} WHERE document_id = ? AND {_BEHIND}", (document_id,)
        ).fetchall()
        behind += len(found)
        if places:
            located = LocatorMap("", places)
            connection.executemany(
                f"UPDATE {table} SET {locator_assignments()}, locator_version = {VERSION} WHERE id = ?",
                [(*locator_values(located.locate(start, max(end, start + 1))), id_) for id_, start, end in found],  # type: ignore[operator,type-var,arg-type]
            )
        else:
            connection.execute(
                f"UPDATE {table} SET locator_version = {VERSION} WHERE document_id = ? AND {_BEHIND}", (document_id,)
            )
    extent = extent_of("", places) if places else Extent(lines=_last_line(connection, document_id))
    connection.execute("UPDATE document SET extent = ? WHERE id = ?", (pack_extent(extent), document_id))
    return behind


def _last_line(connection: apsw.Connection, document_id: int) -> int | None:
    last = connection.execute("SELECT max(line_end) FROM row WHERE document_id = ?", (document_id,)).get
    return last if isinstance(last, int) else None
