"""What a long run tells while it goes on."""

from __future__ import annotations

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
