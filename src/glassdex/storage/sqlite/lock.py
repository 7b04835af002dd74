"""One writer per project: a lock that the system releases when its holder dies, and a note of who holds it."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from glassdex.errors import StoreLocked

WAIT_SECONDS = 5.0


@contextmanager
def writer_lock(store_path: Path, purpose: str, wait_seconds: float = WAIT_SECONDS) -> Iterator[None]:
    """Holds the project's writer lock; SQLite's own file locking does the work on every platform.

    Raises:
        StoreLocked: somebody else held it for all of `wait_seconds`; the message says who.
    """
    lock_path = store_path.with_suffix(".lock")
    holder_path = store_path.with_suffix(".writer.json")
    if not lock_path.exists():
        os.close(os.open(lock_path, os.O_CREAT | os.O_RDWR, 0o600))
    lock = apsw.Connection(str(lock_path))
    try:
        lock.set_busy_timeout(round(wait_seconds * 1000))
        try:
            lock.execute("BEGIN EXCLUSIVE")
        except apsw.BusyError as error:
            raise StoreLocked(_describe(holder_path, store_path.stem), "wait for it to finish, or stop it") from error
        _introduce(holder_path, purpose)
        try:
            yield
        finally:
            holder_path.unlink(missing_ok=True)
    finally:
        lock.close()


def _introduce(holder_path: Path, purpose: str) -> None:
    holder = {"pid": os.getpid(), "purpose": purpose, "since": time.time()}
    with os.fdopen(os.open(holder_path, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600), "w") as note:
        json.dump(holder, note)


def _describe(holder_path: Path, project: str) -> str:
    try:
        holder = json.loads(holder_path.read_text())
        since = time.strftime("%H:%M:%S", time.localtime(holder["since"]))
        return f"project {project!r} is being written by process {holder['pid']} ({holder['purpose']}, since {since})"
    except (OSError, ValueError, KeyError, TypeError):
        return f"project {project!r} is being written by another process"
