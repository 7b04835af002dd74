"""A watcher in a thread of its own, and waiting for what it tells."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from glassdex.embedding.protocol import Embedder
from glassdex.errors import GlassdexError
from glassdex.indexing.run import IndexReport
from glassdex.project import Project
from tests.search.vaults import HashedWords

DEADLINE_SECONDS = 60.0
Told = TypeVar("Told")


class Watching:
    """What a running watcher has told so far."""

    def __init__(self, project: Project, root: Path) -> None:
        self.project = project
        self.root = root
        self.reports: list[IndexReport] = []
        self.problems: list[GlassdexError] = []
        self.ended: BaseException | None = None
        self.stop = threading.Event()
        self._told = threading.Condition()
        self._thread = threading.Thread(target=self._watch)
        self._embed = True

    def start(self, *, embed: bool = True) -> None:
        """Begins to watch."""
        self._embed = embed
        self._thread.start()

    def finish(self) -> None:
        """Ends it, as a signal would."""
        self.stop.set()
        self._thread.join(DEADLINE_SECONDS)
        assert not self._thread.is_alive()

    def until(self, holds: Callable[[], bool]) -> None:
        """Waits for something that a report or a problem makes true."""
        with self._told:
            assert self._told.wait_for(lambda: holds() or self.ended is not None, DEADLINE_SECONDS), self.reports
        if not holds():
            assert self.ended is not None
            raise self.ended

    def until_found(self, word: str, path: str) -> None:
        """Waits until a search by words finds the document."""
        self.until(lambda: path in self.found(word))

    def found(self, word: str) -> list[str]:
        """The documents that a search by words finds."""
        return [result.path for result in self.project.search(word, mode="lexical").results]

    def total(self, name: str) -> int:
        """A count over all reports."""
        return sum(getattr(report, name) for report in self.reports)

    def write(self, name: str, text: str) -> None:
        """Writes a file below the root."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def _watch(self) -> None:
        try:
            self.project.watch(
                embed=self._embed,
                stop=self.stop,
                on_report=self._keep(self.reports),
                on_problem=self._keep(self.problems),
            )
        except Exception as error:
            self.ended = error
        finally:
            with self._told:
                self._told.notify_all()

    def _keep(self, told: list[Told]) -> Callable[[Told], None]:
        def keep(one: Told) -> None:
            with self._told:
                told.append(one)
                self._told.notify_all()

        return keep


@contextmanager
def watching(
    folder: Path, *, embed: bool = True, embedder: Embedder | None = None, start: bool = True
) -> Iterator[Watching]:
    """A project over `folder/vault` with one note, watched."""
    root = folder / "vault"
    root.mkdir()
    (root / "first.md").write_text("owls\n", encoding="utf-8")
    with Project.create("vault", [root], embedder=embedder or HashedWords()) as project:
        watcher = Watching(project, root)
        if start:
            watcher.start(embed=embed)
            watcher.until(lambda: bool(watcher.reports))
        try:
            yield watcher
        finally:
            watcher.stop.set()
            if watcher._thread.ident is not None:
                watcher.finish()
