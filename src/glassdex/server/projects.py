"""The projects that a server holds open: each once, shared by all requests, and only so many."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from glassdex.embedding.minilm import MiniLmEmbedder
from glassdex.errors import UnavailableError
from glassdex.project import Project
from glassdex.projects import store_path

MOST_OPEN = 8
"""Each keeps its vectors in memory; the one that was idle longest is closed first."""


@dataclass(slots=True)
class _Opened:
    project: Project
    file: tuple[int, int]
    users: int = 0
    retired: bool = False


class OpenProjects:
    """Opens projects by name; safe to share between threads."""

    def __init__(self, most: int = MOST_OPEN) -> None:
        self._most = most
        self._guard = threading.Lock()
        self._opened: OrderedDict[str, _Opened] = OrderedDict()
        self.embedder = MiniLmEmbedder()
        """The model of all of them, loaded once."""
        self._closed = False

    @contextmanager
    def project(self, name: str) -> Iterator[Project]:
        """The project, open as long as the block runs, and usually longer.

        A project that was removed, or put in another's place, since it was opened is opened anew.

        Raises:
            ProjectNotFound: there is none of that name.
        """
        entry = self._taken(name)
        try:
            yield entry.project
        finally:
            self._released(entry)

    def close(self) -> None:
        """Closes what is idle; what is in use is closed when it is not any more."""
        with self._guard:
            self._closed = True
            for name in list(self._opened):
                self._retire(name)

    def _taken(self, name: str) -> _Opened:
        path = store_path(name)
        with self._guard:
            if self._closed:
                raise UnavailableError("the server is shutting down")
            entry = self._opened.get(name)
            if entry is not None and entry.file != _file_id(path):
                self._retire(name)
                entry = None
            if entry is None:
                # Under the lock: two requests must not open one project twice, and opening takes milliseconds.
                entry = _Opened(Project.open(name, embedder=self.embedder), _file_id(path))
                self._opened[name] = entry
            self._opened.move_to_end(name)
            entry.users += 1
            for other in list(self._opened):
                if len(self._opened) <= self._most:
                    break
                if not self._opened[other].users:
                    self._retire(other)
            return entry

    def _released(self, entry: _Opened) -> None:
        with self._guard:
            entry.users -= 1
            if entry.retired and not entry.users:
                entry.project.close()

    def _retire(self, name: str) -> None:
        entry = self._opened.pop(name)
        entry.retired = True
        if not entry.users:
            entry.project.close()


def _file_id(path: Path) -> tuple[int, int]:
    """What tells a store from another one of the same name; a missing file is like none."""
    try:
        found = path.stat()
    except OSError:
        return (0, 0)
    return (found.st_dev, found.st_ino)
