"""Opening a store file: permissions, pragmas, identity, migrations."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from glassdex.errors import StoreCorrupt, StoreLocked, StoreTooNew, UnavailableError
from glassdex.storage.sqlite.migrations import APPLICATION_ID, MIGRATIONS, SCHEMA_VERSION, lacking

BUSY_TIMEOUT_MS = 10_000
_UNEXPECTED = (
    apsw.SQLError,
    apsw.ConstraintError,
    apsw.MismatchError,
    AssertionError,
    AttributeError,
    LookupError,
    TypeError,
    ValueError,
)


def new_memory_location() -> str:
    """A database that lives as long as a connection to it is open, shared between the connections of this process."""
    return f"file:/glassdex-{uuid.uuid4().hex}?vfs=memdb"


def connect(location: str) -> apsw.Connection:
    """A connection with its pragmas set; creates the file readable by its owner alone.

    Raises:
        StoreTooNew: the file was written by a newer Glassdex.
        StoreCorrupt: the file is not a Glassdex store, or is damaged; it is left as it was.
        StoreLocked: another process held the file for longer than the time-out.
        UnavailableError: the operating system refused the file.
    """
    flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
    in_memory = location.startswith("file:")
    if in_memory:
        flags |= apsw.SQLITE_OPEN_URI
    else:
        _create_private(Path(location))
    try:
        connection = apsw.Connection(location, flags=flags)
    except apsw.Error as error:
        raise UnavailableError(
            f"the store {location} cannot be opened: {error}",
            "check that it is a file and that you may write to it",
        ) from error
    with sqlite_errors(connection, location):
        connection.set_busy_timeout(BUSY_TIMEOUT_MS)
        connection.execute("PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -65536")
        if not in_memory:
            refuse_foreign(connection, location)  # before the first pragma that writes to the file
            # NORMAL with WAL loses at most the last commits on power loss, never the database.
            connection.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
    return connection


def refuse_foreign(connection: apsw.Connection, location: str) -> None:
    """Refuses a database that is not a store, and a store from a newer Glassdex.

    Raises:
        StoreTooNew: its schema number is above ours.
        StoreCorrupt: the file is a database, but not a Glassdex store.
    """
    version = _pragma(connection, "user_version")
    application = _pragma(connection, "application_id")
    if version > SCHEMA_VERSION and application == APPLICATION_ID:
        raise StoreTooNew(
            f"the store {location} has schema {version}; this Glassdex reads up to {SCHEMA_VERSION}",
            "upgrade Glassdex, or index into a new project",
        )
    tables = connection.execute("SELECT count(*) FROM sqlite_schema").get
    if application != APPLICATION_ID and (tables or version or application):
        raise StoreCorrupt(f"{location} is a database, but not a Glassdex store", "move it away, then index again")


def prepare(connection: apsw.Connection, location: str) -> None:
    """Brings the schema up to date.

    Raises:
        StoreTooNew: its schema number is above ours.
        StoreCorrupt: the file is not a Glassdex store, or is damaged.
        StoreLocked: another process held the file for longer than the time-out.
    """
    with sqlite_errors(connection, location):
        if (
            _pragma(connection, "user_version") == SCHEMA_VERSION
            and _pragma(connection, "application_id") == APPLICATION_ID
        ):
            return
        with_migrations_pending(connection, location)


def with_migrations_pending(connection: apsw.Connection, location: str) -> None:
    """Runs the migrations that the file has not seen, in one transaction."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        refuse_foreign(connection, location)
        for migration in MIGRATIONS[_pragma(connection, "user_version") :]:
            migration(connection)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {SCHEMA_VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


@contextmanager
def sqlite_errors(connection: apsw.Connection, location: str) -> Iterator[None]:
    """Turns what the engine or the disk refuses into errors of ours; a mistake in our code stays what it is.

    Pages in the wrong place give values that no code expects: whatever fails over a damaged file, the file is to blame.
    """
    try:
        yield
    except (apsw.CorruptError, apsw.NotADBError) as error:
        raise corrupt(location) from error
    except (apsw.BusyError, apsw.LockedError) as error:
        raise StoreLocked(f"the store {location} is busy", "try again in a moment") from error
    except (apsw.FullError, apsw.IOError, apsw.ReadOnlyError, apsw.CantOpenError) as error:
        raise UnavailableError(
            f"the store {location} cannot be used: {error}", "check free space and permissions, then run it again"
        ) from error
    except _UNEXPECTED as error:
        if _is_damaged(connection, error):
            raise corrupt(location) from error
        raise


def _is_damaged(connection: apsw.Connection, error: Exception) -> bool:
    try:
        if isinstance(error, apsw.SQLError) and lacking(connection):
            return True
        return bool(connection.execute("PRAGMA integrity_check(1)").get != "ok")
    except apsw.Error:
        return True


def _pragma(connection: apsw.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").get)


def _create_private(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    except FileExistsError:
        return


def corrupt(location: str) -> StoreCorrupt:
    """The error to raise for a file that SQLite cannot make sense of."""
    name = Path(location).stem
    return StoreCorrupt(
        f"the store {location} is damaged or not a database",
        f"build it anew from your files, once all its folders are there: glassdex projects remove {name} --yes, then"
        f" for each folder glassdex index FOLDER --project {name}",
    )


def unreadable(connection: apsw.Connection, what: str) -> StoreCorrupt:
    """The error to raise for a value in a sound file that is not what was written there."""
    name = Path(connection.filename).stem
    return StoreCorrupt(
        f"{what} cannot be read back from the store", f"have the document read again: glassdex index --project {name}"
    )
