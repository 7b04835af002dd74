"""Keeping an index up to date while files change: runs that publish, and between them slices of embedding.

The store's writer lock is held during a run and while a slice's vectors are stored, never in between: whoever else
wants to write gets a turn.
"""

from __future__ import annotations

import os
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace

from glassdex.embedding.protocol import Embedder
from glassdex.errors import (
    EmbeddingError,
    GlassdexError,
    InternalError,
    ProjectNotFound,
    RootNotFound,
    StoreCorrupt,
    StoreLocked,
    StoreTooNew,
    UnavailableError,
)
from glassdex.indexing.embed import BATCH_CHUNKS, embed_slice
from glassdex.indexing.events import Changes, ChangesLost, own_folder, require_watchfiles, watch_roots
from glassdex.indexing.progress import NoProgress, Progress, StoppingProgress, StopWanted
from glassdex.indexing.run import IndexReport, IndexRun
from glassdex.storage.records import RootRecord
from glassdex.storage.sqlite import SqliteStore

LOOK_SECONDS = 1.0
"""How often the root folders are looked for: nobody tells when one comes back, or another is added."""
SCAN_SECONDS = 300.0
"""Without any event, all files are looked at so often: a network drive, or a queue that ran over, may not tell."""
SLICE_SECONDS = 0.15
"""How long a change may have to wait for the model."""
REST_SHARE = 1
"""While files keep changing, runs take at most half of the time …"""
REST_SECONDS = 0.5
"""… or follow each other after so long."""
EMBEDDING_REPORT_SECONDS = 60.0
"""How often a long backlog of vectors is reported."""
FIRST_PAUSE_SECONDS = 1.0
LAST_PAUSE_SECONDS = 60.0
_STOP_SECONDS = 0.1
HOPELESS = (StoreCorrupt, StoreTooNew, ProjectNotFound)
"""What trying again does not mend."""


@dataclass(slots=True)
class _Task:
    """What is tried again when it fails: not before `after`, and without saying the same twice."""

    after: float = 0.0
    failures: int = 0
    said: str = ""

    def rest(self, seconds: float) -> None:
        self.after, self.failures, self.said = time.monotonic() + seconds, 0, ""

    def pause(self) -> None:
        self.after = time.monotonic() + min(FIRST_PAUSE_SECONDS * 2.0**self.failures, LAST_PAUSE_SECONDS)
        self.failures = min(self.failures + 1, 30)


class Watch:
    """Keeps one project's index up to date until `stop` is set; `run()` does it."""

    def __init__(
        self,
        store: SqliteStore,
        new_run: Callable[[Progress], IndexRun],
        embedder: Embedder | None,
        max_bytes: int,
        stop: threading.Event,
        on_report: Callable[[IndexReport], None],
        on_problem: Callable[[GlassdexError], None],
        progress: Progress | None = None,
    ) -> None:
        """`embedder` is None where no vectors are wanted; `progress` hears of the first run."""
        self._store = store
        self._new_run = new_run
        self._embedder = embedder
        self._max_bytes = max_bytes
        self._stop = stop
        self._on_report = on_report
        self._on_problem = on_problem
        self._progress = progress or NoProgress()
        self._own_folder = own_folder(store.path)
        self._store_file = self._stat_of_store()
        self._changes: Changes | None = None
        self._roots: list[tuple[RootRecord, tuple[int, int] | None]] = []
        self._looking, self._publishing, self._embedding = _Task(), _Task(), _Task()
        self._look_at = self._scan_at = 0.0
        self._changed = True
        self._worth_saying = False
        """Whether the next run is reported even if it finds nothing: something was the matter before."""
        self._last: IndexReport | None = None
        self._polling_said = False
        self._behind = False
        """Whether chunks are without a vector, as far as is known."""
        self._embedded_id = 0
        self._slice_chunks = 8
        self._embedded = 0
        self._embedding_since = 0.0

    def run(self) -> None:
        """Runs once, then whenever something changed.

        A run that fails is told to `on_problem`, and tried again after a pause that grows.

        Raises:
            MissingExtra: the extra `watch` is not installed.
            StoreCorrupt, StoreTooNew, ProjectNotFound: the store is damaged, too new, or was removed.
            GlassdexError: whatever keeps the first run from being done, but for a store that somebody else writes to.
        """
        require_watchfiles()
        try:
            while not self._stop.is_set():
                report = self._step()
                if report is not None:
                    self._on_report(report)
            if self._embedded and self._last is not None:
                with suppress(GlassdexError):
                    self._on_report(self._embedding_report())
        finally:
            if self._changes is not None:
                self._changes.close()

    def _step(self) -> IndexReport | None:
        """One look, then one run or one slice if it is due."""
        if time.monotonic() >= max(self._look_at, self._looking.after):
            self._attempt(self._looking, self._look_at_roots)
        try:
            if self._changes is None:
                time.sleep(_STOP_SECONDS)  # not `stop.wait`: a signal's handler may set it from within
            elif self._changes.wait(self._patience()):
                self._changed = True
        except ChangesLost:
            self._roots, self._look_at, self._changed = [], 0.0, True
            return None
        if self._stop.is_set():
            return None
        now = time.monotonic()
        if self._changed and self._changes is not None and now >= self._publishing.after:
            return self._attempt(self._publishing, self._publish)
        if self._embeds_at(now):
            return self._attempt(self._embedding, self._embed)
        return None

    def _patience(self) -> float:
        """For how many seconds nothing else is to do than to wait for a change."""
        now = time.monotonic()
        if self._embeds_at(now):
            return 0.0
        return min(max(self._publishing.after - now, 0.0), LOOK_SECONDS) if self._changed else LOOK_SECONDS

    def _embeds_at(self, now: float) -> bool:
        return self._behind and self._embedder is not None and now >= self._embedding.after

    def _attempt(self, task: _Task, work: Callable[[], IndexReport | None]) -> IndexReport | None:
        try:
            return work()
        except StopWanted:
            return None
        except HOPELESS:
            raise
        except Exception as error:  # of one run: the next may go well
            if self._last is None and not isinstance(error, StoreLocked):
                raise
            self._failed(task, error)
            return None

    def _failed(self, task: _Task, error: Exception) -> None:
        task.pause()
        if isinstance(error, StoreLocked):
            task.after = 0.0  # the lock was waited for already
        else:
            self._worth_saying = True
        problem = _as_problem(error)
        if problem.message != task.said:
            task.said = problem.message
            self._on_problem(problem)

    def _look_at_roots(self) -> None:
        """Notices folders that went, came or were added, and a store that is no longer ours."""
        now = time.monotonic()
        self._look_at = now + LOOK_SECONDS
        if self._store_file != self._stat_of_store():
            raise ProjectNotFound(f"the store {self._store.path} was removed or replaced", "glassdex projects list")
        with self._store.read() as snapshot:
            roots = [(root, _stat(root.path)) for root in snapshot.roots()]
        if self._changes is None or roots != self._roots:
            came_back = {root.id for root, stat in self._roots if stat is None}
            self._worth_saying |= any(root.id in came_back and stat is not None for root, stat in roots)
            self._watch([root for root, stat in roots if stat is not None])
            self._roots, self._changed = roots, True
        if now >= self._scan_at:
            self._changed = True
        self._looking.rest(0)

    def _watch(self, present: list[RootRecord]) -> None:
        if self._changes is not None:
            self._changes.close()
        self._changes, problem = watch_roots(present, self._max_bytes, self._stop, self._own_folder)
        if problem is not None and not self._polling_said:
            self._polling_said = True
            self._on_problem(problem)

    def _publish(self) -> IndexReport | None:
        started = time.monotonic()
        thorough = started >= self._scan_at
        if thorough:
            self._scan_at = started + SCAN_SECONDS
        try:
            with self._store.lock("watch"):
                self._changed = False  # what changes from here on is for the next run
                run = self._new_run(StoppingProgress(self._progress, self._stop))
                report = run.run(embed=False, thorough=thorough)
        except RootNotFound:
            raise  # until a folder is back, there is nothing to run over
        except BaseException:
            self._changed = True
            self._scan_at = started if thorough else self._scan_at
            raise
        self._progress = NoProgress()
        self._publishing.rest(min(REST_SHARE * (time.monotonic() - started), REST_SECONDS))
        self._behind, self._embedded_id = report.pending > 0, 0
        news = self._worth_saying or _is_news(report, self._last)
        self._last, self._worth_saying = report, False
        return report if news else None

    def _embed(self) -> IndexReport | None:
        assert self._embedder is not None
        started = time.monotonic()
        self._embedding_since = self._embedding_since or started
        made = embed_slice(
            self._store, self._embedder, self._embedded_id, self._slice_chunks, lambda: self._store.lock("watch")
        )
        now = time.monotonic()
        self._embedding.rest(0)
        if made is None:
            self._behind = False
        else:
            self._embedded += made.texts
            self._embedded_id = made.last_id
            fitting = int(self._slice_chunks * SLICE_SECONDS / max(now - started, 1e-3))
            self._slice_chunks = min(max(fitting, 1), 2 * self._slice_chunks, BATCH_CHUNKS)
        if self._embedded and (made is None or now - self._embedding_since > EMBEDDING_REPORT_SECONDS):
            return self._embedding_report()
        if made is None:
            self._embedding_since = 0.0
        return None

    def _embedding_report(self) -> IndexReport:
        """What a run would report that found all files unchanged and made these vectors."""
        assert self._last is not None
        with self._store.read() as snapshot:
            pending = snapshot.pending_count()
        seconds = time.monotonic() - self._embedding_since
        report = replace(
            self._last,
            unchanged=self._last.files - self._last.failed,
            **dict.fromkeys(("added", "changed", "removed", "moved", "chunks_added", "chunks_removed", "odd"), 0),
            embedded=self._embedded,
            pending=pending,
            seconds=seconds,
            failures=list(self._last.failures),
            skipped=Counter(self._last.skipped),
        )
        self._embedded, self._embedding_since = 0, 0.0
        return report

    def _stat_of_store(self) -> tuple[int, int] | None:
        return None if self._store.path is None else _stat(str(self._store.path))


def _is_news(report: IndexReport, last: IndexReport | None) -> bool:
    """Whether a run did something; that the same files cannot be read as before is nothing new."""
    if last is None or report.added or report.changed or report.removed:
        return True
    failed, before = ({(file.path, file.code) for file in run.failures} for run in (report, last))
    return failed != before


def _as_problem(error: Exception) -> GlassdexError:
    if isinstance(error, EmbeddingError):
        again = "it is tried again; files are searchable by words meanwhile"
        return EmbeddingError(error.message, f"{error.suggestion}; {again}" if error.suggestion else again)
    if isinstance(error, GlassdexError):
        return error
    if isinstance(error, OSError):
        return UnavailableError(str(error), "it is tried again")
    return InternalError(f"a fault of Glassdex: {type(error).__name__}: {error}", "it is tried again; please report it")


def _stat(path: str) -> tuple[int, int] | None:
    """Which file or folder stands there, so that another of the same name is noticed."""
    try:
        status = os.stat(path)  # noqa: PTH116
    except OSError:
        return None
    return status.st_dev, status.st_ino
