"""`glassdex index --watch`: what it says, and how it ends."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections import Counter
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import typer

from glassdex.cli.index import EXIT_WITH_FAILURES, print_report, progress_bars, shared_folders, warn_shared
from glassdex.cli.terminal import complain, print_json, safe_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import FrameType

    from glassdex.errors import GlassdexError
    from glassdex.indexing.run import IndexReport
    from glassdex.project import Project


def keep_up(opened: Project, *, embed: bool, as_json: bool, strict: bool, passwords: Sequence[str]) -> None:
    """Watches until a signal ends it.

    Raises:
        typer.Exit: with `strict`, files of the last run could not be read.
    """
    with stopped_by_signals() as stop, ExitStack() as bars:
        told = _JsonReports(opened.name) if as_json else _Reports(opened.name, bars)
        opened.watch(
            embed=embed,
            passwords=passwords,
            stop=stop,
            on_report=told.report,
            on_problem=told.problem,
            progress=bars.enter_context(progress_bars(as_json=as_json)),
        )
    if strict and told.failed:
        raise typer.Exit(EXIT_WITH_FAILURES)


@contextmanager
def stopped_by_signals() -> Iterator[threading.Event]:
    """An event that Ctrl-C and SIGTERM set; a second one ends the program as it would have without us."""
    stop = threading.Event()

    def handle(_number: int, _frame: FrameType | None) -> None:
        give_back()
        # From a thread: this one may be inside the event's own lock.
        threading.Thread(target=stop.set).start()

    before = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}

    def give_back() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)

    try:
        yield stop
    finally:
        give_back()


BACKLOG = 200
"""Chunks without a vector that are told; fewer have theirs within seconds."""
LONG_SECONDS = 60.0


class _Reports:
    """For people: a line for each run, the failures that are new with it. Vectors are told of where they take long."""

    def __init__(self, project: str, bars: ExitStack) -> None:
        self.failed = False
        self._project = project
        self._bars = bars
        self._first = True
        self._is_behind = False
        self._said: set[tuple[str, str]] = set()

    def report(self, report: IndexReport) -> None:
        """A run did something."""
        self._bars.close()
        self.failed = bool(report.failures)
        if report.embedded and not self._first:  # vectors are made between the runs
            if self._is_behind or report.seconds >= LONG_SECONDS:
                print_report(replace(report, failures=[], skipped=Counter(), odd=0), self._project, _now())
                sys.stdout.flush()
            self._is_behind = report.pending > 0
            return
        self._is_behind = self._is_behind or report.pending > (0 if self._first else BACKLOG)
        new = [failure for failure in report.failures if (failure.path, failure.code) not in self._said]
        self._said = {(failure.path, failure.code) for failure in report.failures}
        pending = report.pending if self._first or report.pending > BACKLOG else 0
        shown = report if self._first else replace(report, failures=new, skipped=Counter(), odd=0, pending=pending)
        print_report(shown, self._project, _now())
        sys.stdout.flush()
        if self._first:
            warn_shared(shared_folders(self._project) if report.added else [])
            if sys.stderr.isatty():
                complain("watching; Ctrl-C ends it")
        self._first = False

    def problem(self, problem: GlassdexError) -> None:
        """Something went wrong, or goes another way."""
        complain(f"{_now()}warning: {safe_line(problem.message)} [{problem.code}]")
        if problem.suggestion:
            complain(f"  try: {safe_line(problem.suggestion)}")


class _JsonReports:
    """For programs: `glassdex.index/1` on standard output, `glassdex.error/1` on standard error, one on a line."""

    def __init__(self, project: str) -> None:
        self.failed = False
        self._project = project

    def report(self, report: IndexReport) -> None:
        """A run did something."""
        from glassdex.envelopes.index import index_answer

        self.failed = bool(report.failures)
        print_json(index_answer(report, self._project).to_json())

    def problem(self, problem: GlassdexError) -> None:
        """Something went wrong, or goes another way."""
        from glassdex.envelopes.error import error_answer

        print_json(error_answer(problem).to_json(), to_stderr=True)


def _now() -> str:
    return time.strftime("%H:%M:%S ")
