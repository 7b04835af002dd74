"""Looking a store over: is the file sound, do manifest and indexes hold the same chunks, what stands in it twice."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from glassdex.storage.sqlite.slabs import SLAB_VECTORS
from glassdex.storage.sqlite.snapshot import SqliteSnapshot

_MAX_COMPLAINTS = 10


@dataclass(frozen=True, slots=True)
class Discord:
    """Chunks on which manifest and indexes disagree; `paths` are their documents, each once, sorted."""

    chunks: int
    paths: tuple[str, ...]


def complaints(snapshot: SqliteSnapshot) -> list[str]:
    """What SQLite finds wrong with the file, its full-text index included, and with references between tables."""
    connection = snapshot.connection
    found = [str(row[0]) for row in connection.execute(f"PRAGMA integrity_check({_MAX_COMPLAINTS})")]
    broken = [
        f"a row of {row[0]} refers to a {row[2]} that is gone" for row in connection.execute("PRAGMA foreign_key_check")
    ]
    return [complaint for complaint in found if complaint != "ok"] + sorted(set(broken))


def orphaned_entries(snapshot: SqliteSnapshot) -> int:
    """Lexical entries of chunks that are gone."""
    sql = "SELECT count(*) FROM posting_docsize WHERE id NOT IN (SELECT id FROM chunk)"
    return int(snapshot.connection.execute(sql).get)


def without_entry(snapshot: SqliteSnapshot) -> Discord:
    """Chunks that the lexical index does not have."""
    return _discord(snapshot, "chunk.id NOT IN (SELECT id FROM posting_docsize)")


def without_vector(snapshot: SqliteSnapshot) -> Discord:
    """Chunks that the manifest calls ready and whose vector is not there."""
    return _discord(
        snapshot,
        "chunk.embedding_status = 'ready' AND NOT EXISTS (SELECT 1 FROM vector"
        " JOIN embedding_identity AS identity ON identity.id = vector.identity_id"
        f" JOIN slab ON slab.identity_id = identity.id AND slab.number = vector.slot / {SLAB_VECTORS}"
        " WHERE identity.key = (SELECT value FROM meta WHERE key = 'embedding_identity')"
        " AND vector.embedded_hash = chunk.embedded_hash AND vector.slot = chunk.vector_slot)",
    )


def longer_than(snapshot: SqliteSnapshot, tokens: int) -> Discord:
    """Chunks of more tokens than that."""
    return _discord(snapshot, f"chunk.token_count > {int(tokens)}")


def same_content(snapshot: SqliteSnapshot) -> list[tuple[str, ...]]:
    """Paths of documents whose files are the same byte for byte, group by group."""
    return _groups(snapshot, "rows_hash")


def same_title(snapshot: SqliteSnapshot) -> list[tuple[str, ...]]:
    """Paths of documents that have one title, letter case aside, and differ in content."""
    return _groups(snapshot, "lower(title)", "HAVING count(DISTINCT rows_hash) > 1")


def texts(snapshot: SqliteSnapshot) -> Iterator[tuple[str, str]]:
    """(path, text) of every chunk, document by document."""
    rows = snapshot.connection.execute(
        "SELECT file.path, chunk.text FROM chunk JOIN file ON file.id = chunk.document_id ORDER BY file.path, chunk.id"
    )
    for path, text in rows:
        yield str(path), str(text)


def _discord(snapshot: SqliteSnapshot, condition: str) -> Discord:
    rows = snapshot.connection.execute(
        "SELECT file.path, count(*) FROM chunk JOIN file ON file.id = chunk.document_id"
        f" WHERE {condition} GROUP BY file.path ORDER BY file.path"
    ).fetchall()
    return Discord(sum(int(str(row[1])) for row in rows), tuple(str(row[0]) for row in rows))


def _groups(snapshot: SqliteSnapshot, key: str, condition: str = "HAVING count(*) > 1") -> list[tuple[str, ...]]:
    rows = snapshot.connection.execute(
        f"SELECT {key}, file.path FROM document JOIN file USING (id) WHERE {key} IN"
        f" (SELECT {key} FROM document JOIN file USING (id) GROUP BY 1 {condition}) ORDER BY file.path"
    )
    groups: dict[object, list[str]] = {}
    for value, path in rows:
        groups.setdefault(value, []).append(str(path))
    return [tuple(paths) for paths in groups.values()]
