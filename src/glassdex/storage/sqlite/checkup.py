"""Looking a store over: is the file sound, do manifest and indexes hold the same chunks, what stands in it twice."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import apsw

from glassdex.storage.sqlite import legible, slabs
from glassdex.storage.sqlite.migrations import lacking
from glassdex.storage.sqlite.snapshot import SqliteSnapshot

_MAX_COMPLAINTS = 10
_ABSENT = (
    "NOT EXISTS (SELECT 1 FROM vector JOIN embedding_identity AS identity ON identity.id = vector.identity_id"
    f" JOIN slab ON slab.identity_id = identity.id AND slab.number = vector.slot / {slabs.SLAB_VECTORS}"
    " WHERE identity.key = (SELECT value FROM meta WHERE key = 'embedding_identity')"
    " AND vector.embedded_hash = chunk.embedded_hash AND vector.slot = chunk.vector_slot"
    " AND vector.slot >= 0)"
)


@dataclass(frozen=True, slots=True)
class Discord:
    """Chunks on which manifest and indexes disagree; `paths` are their documents, each once, sorted."""

    chunks: int
    paths: tuple[str, ...]


def complaints(snapshot: SqliteSnapshot) -> list[str]:
    """What is gone from the file, what SQLite finds wrong with it, its full-text index included, and lost paths."""
    connection = snapshot.connection
    missing = lacking(connection)
    if missing:
        return [f"it has no {part} any more" for part in missing]
    found = [str(row[0]) for row in connection.execute(f"PRAGMA integrity_check({_MAX_COMPLAINTS})")]
    found = [complaint for complaint in found if complaint != "ok"]
    spoilt = 0 if found else legible.spoilt_names(connection)
    if spoilt:
        found.append(f"{spoilt} of its paths cannot be read")
    return found


def unreadable(snapshot: SqliteSnapshot) -> list[str]:
    """Paths of documents of which something cannot be read back."""
    return list(legible.unreadable(snapshot.connection).values())


def broken_references(snapshot: SqliteSnapshot) -> list[str]:
    """What refers to something that is gone, in words, one entry a reference; files without a root aside."""
    rows = snapshot.connection.execute("PRAGMA foreign_key_check").fetchall()
    return [f"a {table} refers to a {parent} that is gone" for table, _, parent, _ in rows if table != "file"]


def rootless_files(snapshot: SqliteSnapshot) -> list[str]:
    """Paths of files whose root folder is not in the store any more."""
    rows = snapshot.connection.execute("SELECT path FROM file WHERE root_id NOT IN (SELECT id FROM root) ORDER BY path")
    return [str(row[0]) for row in rows]


def broken_counters(snapshot: SqliteSnapshot) -> list[str]:
    """Counters of the store that are no numbers, or not there."""
    counters = ("generation", "last_chunk_id")
    return [name for name in counters if not isinstance(snapshot.meta(name), int)]


def orphaned_entries(snapshot: SqliteSnapshot) -> int:
    """Lexical entries of chunks that are gone."""
    sql = "SELECT count(*) FROM posting_docsize WHERE id NOT IN (SELECT id FROM chunk)"
    return int(snapshot.connection.execute(sql).get)


def without_entry(snapshot: SqliteSnapshot) -> Discord:
    """Chunks that the lexical index does not have."""
    return _discord(snapshot, "chunk.id NOT IN (SELECT id FROM posting_docsize)")


def without_vector(snapshot: SqliteSnapshot) -> Discord:
    """Chunks that the manifest calls ready and whose vector is not there."""
    return _discord(snapshot, f"chunk.embedding_status = 'ready' AND {_ABSENT}")


def with_damaged_vector(snapshot: SqliteSnapshot) -> Discord:
    """Chunks whose vector is there and is none: not finite, not of unit length, or in a slab of the wrong size."""
    active = slabs.active_identity(snapshot.connection)
    slots = None if active is None else slabs.unusable_slots(snapshot.connection, *active)
    if slots is None or not len(slots):
        return Discord(0, ())
    wanted = "chunk.embedding_status = 'ready' AND chunk.vector_slot IN (SELECT value FROM carray(?))"
    return _discord(snapshot, f"{wanted} AND NOT {_ABSENT}", (apsw.carray(slots),))


def lost_vectors(snapshot: SqliteSnapshot) -> int:
    """Chunks that the manifest calls ready and that no search by meaning can find."""
    return without_vector(snapshot).chunks + with_damaged_vector(snapshot).chunks


def altered(snapshot: SqliteSnapshot) -> Discord:
    """Chunks whose text is not the one that their key was made from."""
    ids = list(legible.altered(snapshot.connection))
    paths = snapshot.document_paths() if ids else {}
    return Discord(len(ids), tuple(sorted({paths.get(document_id, "") for document_id in ids})))


def longer_than(snapshot: SqliteSnapshot, tokens: int) -> Discord:
    """Chunks of more tokens than that."""
    return _discord(snapshot, f"chunk.token_count > {int(tokens)}")


def same_content(snapshot: SqliteSnapshot) -> list[tuple[str, ...]]:
    """Paths of documents whose files are the same byte for byte, group by group; files without a root aside.

    Such a file may be the same one, known twice: it must not be taken for a copy that can be deleted.
    """
    return _groups(snapshot, "rows_hash", rooted=True)


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


def _discord(snapshot: SqliteSnapshot, condition: str, bindings: apsw.Bindings = ()) -> Discord:
    rows = snapshot.connection.execute(
        "SELECT file.path, count(*) FROM chunk JOIN file ON file.id = chunk.document_id"
        f" WHERE {condition} GROUP BY file.path ORDER BY file.path",
        bindings,
    ).fetchall()
    return Discord(sum(int(str(row[1])) for row in rows), tuple(str(row[0]) for row in rows))


def _groups(
    snapshot: SqliteSnapshot, key: str, condition: str = "HAVING count(*) > 1", *, rooted: bool = False
) -> list[tuple[str, ...]]:
    known = "document JOIN file USING (id)" + (" JOIN root ON root.id = file.root_id" if rooted else "")
    rows = snapshot.connection.execute(
        f"SELECT {key}, file.path FROM {known} WHERE {key} IN"
        f" (SELECT {key} FROM {known} GROUP BY 1 {condition}) ORDER BY file.path"
    )
    groups: dict[object, list[str]] = {}
    for value, path in rows:
        groups.setdefault(value, []).append(str(path))
    return [tuple(paths) for paths in groups.values()]
