"""File → bytes that belong together: a file that is written while it is read is read again, or left for later."""

from __future__ import annotations

import hashlib
import os
import stat

from glassdex.errors import FileChangedWhileReading, FileUnreadable
from glassdex.model import FileStat

ATTEMPTS = 3
# Not through a link that took the file's place since the scan, and never waiting on a FIFO.
OPEN_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def read_steady(path: str) -> tuple[bytes, FileStat]:
    """The file's bytes and the stat that held before and after they were read.

    Raises:
        FileUnreadable: the system refused, or the name is no longer a regular file.
        FileChangedWhileReading: it changed during each of the attempts.
    """
    try:
        for _ in range(ATTEMPTS):
            descriptor = os.open(path, OPEN_FLAGS)
            with os.fdopen(descriptor, "rb") as file:
                before = os.fstat(descriptor)
                if not stat.S_ISREG(before.st_mode):
                    raise FileUnreadable("the name is not a regular file any more")
                content = file.read(before.st_size + 1)  # no further: some files have no end
                after = os.fstat(descriptor)
            if file_stat(before) == file_stat(after) and len(content) == after.st_size:
                return content, file_stat(after)
    except OSError as error:
        raise FileUnreadable(error.strerror or str(error), "check the file's permissions") from error
    raise FileChangedWhileReading(
        f"the file was being written during {ATTEMPTS} attempts", "it is indexed by the next run"
    )


def hash_steady(path: str) -> tuple[str, FileStat]:
    """SHA-256 of a file's bytes (64 hex digits), however many, and the stat that held before and after.

    Raises:
        FileUnreadable: the system refused, or the name is no regular file.
        FileChangedWhileReading: it changed meanwhile.
    """
    try:
        descriptor = os.open(path, OPEN_FLAGS)
        with os.fdopen(descriptor, "rb") as file:
            before = os.fstat(descriptor)
            if not stat.S_ISREG(before.st_mode):
                raise FileUnreadable("the name is not a regular file any more")
            hashed = hashlib.file_digest(file, "sha256").hexdigest()
            after = os.fstat(descriptor)
    except OSError as error:
        raise FileUnreadable(error.strerror or str(error), "check the file's permissions") from error
    if file_stat(before) != file_stat(after):
        raise FileChangedWhileReading("the file was being written", "it is indexed by the next run")
    return hashed, file_stat(after)


def content_hash(content: bytes) -> str:
    """SHA-256 of a file's bytes, 64 hex digits."""
    return hashlib.sha256(content).hexdigest()


def file_stat(status: os.stat_result) -> FileStat:
    """The part of a stat that tells whether a file was touched."""
    return FileStat(status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
