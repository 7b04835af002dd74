"""What a long run tells while it goes on."""

from __future__ import annotations

import threading
from typing import Protocol


class Progress(Protocol):
    """Called from the indexing thread; must return quickly."""

    def scanned(self, files: int) -> None:
        """So many files were looked at."""
        ...

    def published(self, done: int, total: int) -> None:
        """So many of the changed files are searchable by words."""
        ...

    def embedded(self, done: int, total: int) -> None:
        """So many of the pending chunks have their vector."""
        ...


class NoProgress:
    """Says nothing."""

    def scanned(self, files: int) -> None:
        """See `Progress`."""

    def published(self, done: int, total: int) -> None:
        """See `Progress`."""

    def embedded(self, done: int, total: int) -> None:
        """See `Progress`."""


class StopWanted(Exception):
    """The run was asked to end; what it published stays."""


class StoppingProgress:
    """Ends a run between two groups of files once `stop` is set."""

    def __init__(self, inner: Progress, stop: threading.Event) -> None:
        self._inner = inner
        self._stop = stop

    def scanned(self, files: int) -> None:
        """See `Progress`."""
        self._inner.scanned(files)
        self._heed()

    def published(self, done: int, total: int) -> None:
        """See `Progress`."""
        self._inner.published(done, total)
        self._heed()

    def embedded(self, done: int, total: int) -> None:
        """See `Progress`."""
        self._inner.embedded(done, total)
        self._heed()

    def _heed(self) -> None:
        if self._stop.is_set():
            raise StopWanted
