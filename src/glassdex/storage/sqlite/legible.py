"""Whether what stands in the manifest can be read back, and is what was read from the file."""

from __future__ import annotations

from collections.abc import Iterator

import apsw

from glassdex.model import text_hash

_STORED_AS = {"INTEGER": "'integer'", "REAL": "'real', 'integer'", "TEXT": "'text'", "BLOB": "'blob'"}
_DOCUMENT_OF = {
    "file": "id",
    "document": "id",
    "row": "document_id",
    "tag": "document_id",
    "link": "document_id",
    "chunk": "document_id",
}
"""The tables that reading a document again writes anew, and their column that names it."""
_FORM_OF = {
    "chunk": "key NOT GLOB '*:*:*' OR CASE WHEN json_valid(headings) THEN json_type(headings) <> 'array' ELSE 1 END",
    "document": "CASE WHEN json_valid(metadata) AND json_valid(warnings) AND json_valid(extent) AND json_valid(secrets)"
    " THEN json_type(metadata) <> 'object' OR json_type(extent) <> 'object' OR json_type(secrets) <> 'object'"
    " OR json_type(warnings) <> 'array' OR EXISTS (SELECT 1 FROM json_each(warnings) AS warning"
    " WHERE warning.type <> 'object') ELSE 1 END",
}
_NAMES = ("path", "raw_path")
_OBSERVED = ("size", "mtime_ns", "ctime_ns", "inode", "observed_at")
_KEPT = ("root_id", *_NAMES)
"""The columns of a file that no reading writes anew."""


def spoilt_names(connection: apsw.Connection) -> int:
    """Files whose path is no path."""
    return int(connection.execute(f"SELECT count(*) FROM file WHERE {_mistyped(connection, 'file', _NAMES)}").get)


def unreadable(connection: apsw.Connection) -> dict[int, str]:
    """By id, the paths of documents of which something is not of the type or form that was written there."""
    found: dict[int, str] = {}
    for table, document in _DOCUMENT_OF.items():
        spoilt = f"{_mistyped(connection, table)} OR {_FORM_OF.get(table, '0')}"
        rows = connection.execute(
            f"SELECT id, path FROM file WHERE id IN (SELECT {document} FROM {table} WHERE {spoilt}) ORDER BY path"
        )
        found |= {int(str(file_id)): str(path) for file_id, path in rows}
    return found


def altered(connection: apsw.Connection) -> Iterator[int]:
    """The document id of each chunk whose text is not the one that its key was made from."""
    for document_id, key, text in connection.execute("SELECT document_id, key, text FROM chunk"):
        kind_hash_occurrence = str(key).split(":")
        if len(kind_hash_occurrence) != 3 or not text_hash(str(text)).startswith(kind_hash_occurrence[1] or "-"):
            yield int(str(document_id))


def mend(connection: apsw.Connection) -> None:
    """Has documents read again that cannot be read back. To hash every text would cost each run too much."""
    ids = unreadable(connection)
    for column in _OBSERVED:
        connection.execute(f"UPDATE file SET {column} = 0 WHERE {_mistyped(connection, 'file', (column,))}")
    connection.executemany("UPDATE file SET lexical_identity = NULL WHERE id = ?", [(file_id,) for file_id in ids])


def _mistyped(connection: apsw.Connection, table: str, columns: tuple[str, ...] = ()) -> str:
    """The condition that a row holds a value of another type than its column is declared with."""
    conditions = []
    for _, name, declared, required, *_ in connection.execute(f"PRAGMA table_info({table})"):
        if name in columns if columns else table != "file" or name not in _KEPT:
            allowed = _STORED_AS[str(declared)] + ("" if required else ", 'null'")
            conditions.append(f"typeof({name}) NOT IN ({allowed})")
    return " OR ".join(conditions)
