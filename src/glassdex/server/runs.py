"""Indexing runs in the background: one at a time for a project, each with its progress."""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict

from glassdex.envelopes.error import error_answer
from glassdex.envelopes.index import index_answer
from glassdex.envelopes.index_run import IndexRunAnswer, RunState, StepPart
from glassdex.errors import Busy, GlassdexError, IndexRunNotFound, InternalError
from glassdex.indexing.progress import StoppingProgress, StopWanted
from glassdex.indexing.run import IndexReport
from glassdex.project import Project
from glassdex.server.logs import log
from glassdex.server.projects import OpenProjects

KEPT = 64
"""Runs that are over and can still be asked about."""


class BackgroundRun:
    """One run: what it tells, and whether it should end. It is its own `Progress`."""

    def __init__(self, project: str) -> None:
        self.id = secrets.token_hex(8)
        self.project = project
        self.stop = threading.Event()
        self._guard = threading.Lock()
        self._version = 0
        self._state: RunState = "running"
        self._scanned = 0
        self._published: StepPart | None = None
        self._embedded: StepPart | None = None
        self._report: IndexReport | None = None
        self._error: GlassdexError | None = None

    @property
    def is_over(self) -> bool:
        """Whether nothing will change any more."""
        return self._state != "running"

    def standing(self) -> tuple[int, IndexRunAnswer]:
        """How it stands, and a number that grows whenever that changes."""
        with self._guard:
            return self._version, IndexRunAnswer(
                id=self.id,
                project=self.project,
                state=self._state,
                scanned=self._scanned,
                published=self._published,
                embedded=self._embedded,
                report=self._report and index_answer(self._report, self.project),
                error=self._error and error_answer(self._error),
            )

    def scanned(self, files: int) -> None:
        """See `Progress`."""
        with self._guard:
            self._version, self._scanned = self._version + 1, files

    def published(self, done: int, total: int) -> None:
        """See `Progress`."""
        with self._guard:
            self._version, self._published = self._version + 1, StepPart(done=done, total=total)

    def embedded(self, done: int, total: int) -> None:
        """See `Progress`."""
        with self._guard:
            self._version, self._embedded = self._version + 1, StepPart(done=done, total=total)

    def end(self, state: RunState, report: IndexReport | None = None, error: GlassdexError | None = None) -> None:
        """Says how it ended."""
        with self._guard:
            self._version, self._state, self._report, self._error = self._version + 1, state, report, error


class BackgroundRuns:
    """All runs of a server; safe to share between threads."""

    def __init__(self, projects: OpenProjects, passwords: tuple[str, ...] = ()) -> None:
        self._projects = projects
        self._passwords = passwords
        self._guard = threading.Lock()
        self._runs: OrderedDict[str, BackgroundRun] = OrderedDict()
        self._threads: dict[str, threading.Thread] = {}

    def start(self, name: str, *, embed: bool) -> BackgroundRun:
        """Starts a run over the project's files.

        Raises:
            ProjectNotFound: there is no such project.
            Busy: one is going on; the candidates name it.
        """
        with self._projects.project(name):
            pass  # what cannot be opened is refused now
        with self._guard:
            going = [run.id for run in self._runs.values() if run.project == name and not run.is_over]
            if going:
                raise Busy(f"project {name!r} is being indexed", f"wait for it, or cancel the run {going[0]}", going)
            run = BackgroundRun(name)
            # Not a daemon: a process must not end in the middle of a write.
            thread = threading.Thread(target=self._work, args=(run, embed), name=f"glassdex-index-{run.id}")
            thread.start()  # first: a run that could not be started must not keep its project busy
            self._runs[run.id], self._threads[run.id] = run, thread
            for other in [one.id for one in self._runs.values() if one.is_over][: max(0, len(self._runs) - KEPT)]:
                self._runs.pop(other)
                self._threads.pop(other, None)
        return run

    def run(self, run_id: str) -> BackgroundRun:
        """The run of that id.

        Raises:
            IndexRunNotFound: there is none, or not any more.
        """
        with self._guard:
            found = self._runs.get(run_id)
        if found is None:
            raise IndexRunNotFound(f"there is no indexing run {run_id[:80]!r}", "POST /api/v1/index starts one")
        return found

    def close(self) -> None:
        """Ends all runs between two groups of files, and waits for that."""
        with self._guard:
            threads = list(self._threads.values())
            for run in self._runs.values():
                run.stop.set()
        for thread in threads:
            thread.join()

    def _work(self, run: BackgroundRun, embed: bool) -> None:
        try:
            with self._projects.project(run.project) as project:
                run.end("done", self._report(project, run, embed))
        except StopWanted:
            run.end("cancelled")
        except GlassdexError as error:
            run.end("failed", error=error)
        except Exception as error:  # the thread's last place where somebody can be told
            log("error", "the indexing run failed", run=run.id, exception=type(error).__name__)
            run.end("failed", error=InternalError(f"a fault of Glassdex: {type(error).__name__}"))
        finally:
            if not run.is_over:  # whatever ended the thread, the project is free again
                run.end("failed", error=InternalError("the run ended before its end"))

    def _report(self, project: Project, run: BackgroundRun, embed: bool) -> IndexReport:
        progress = StoppingProgress(run, run.stop)
        return project.index(embed=embed, progress=progress, passwords=self._passwords)
