"""Documents as their files are now."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from glassdex.errors import FileUnreadable, GlassdexError, MissingExtra, ReadError
from glassdex.model import Document
from glassdex.reading.files import read_steady
from glassdex.reading.protocol import ReadingOptions
from glassdex.reading.registry import read_document
from glassdex.search.freshness import absolute_path, lies_in_root
from glassdex.storage.sqlite.snapshot import SqliteSnapshot

if TYPE_CHECKING:
    from glassdex.reading.isolation import ReadingProcess


class CurrentDocuments:
    """The documents of files as they are now, and why there is none of a file that is there."""

    def __init__(self, snapshot: SqliteSnapshot, options: ReadingOptions, process: ReadingProcess) -> None:
        self._snapshot = snapshot
        self._options = options
        self._process = process
        self.refusals: dict[str, GlassdexError] = {}

    def current(self, path: str) -> Document | None:
        """The document as its file is now; none where it cannot be read."""
        absolute = absolute_of(self._snapshot, path)
        if absolute is None:
            return None
        try:
            content, _ = read_steady(absolute)
            found = read_document(PurePosixPath(path), content, self._options, self._process)
        except FileUnreadable:
            return None
        except (ReadError, MissingExtra) as error:
            self.refusals[path] = error
            return None
        return found and found[0]


def absolute_of(snapshot: SqliteSnapshot, path: str) -> str | None:
    """Where the file of a document lies now; nothing where a folder on the way leads out of its root."""
    file = snapshot.file(path)
    if file is None:
        return None
    root = snapshot.root_of(file)
    absolute = absolute_path(root, file)
    return absolute if lies_in_root(root, absolute) else None
