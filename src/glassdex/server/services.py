"""What the requests of a server share: open projects, traces, runs; and how a project is chosen."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from glassdex.answers.choosing import meant_project, project_named_in, several_named
from glassdex.answers.questions import SearchQuestion
from glassdex.errors import Busy, InvalidRequest
from glassdex.project import Project
from glassdex.server.config import ServerConfig
from glassdex.server.projects import OpenProjects
from glassdex.server.runs import BackgroundRuns
from glassdex.server.traces import Traces
from glassdex.settings import load_settings


class Services:
    """Made once for a server; safe to share between threads."""

    def __init__(self, config: ServerConfig) -> None:
        self.config = config
        self.projects = OpenProjects()
        self.traces = Traces()
        self.runs = BackgroundRuns(self.projects, config.passwords)
        self.stopping = threading.Event()
        """Set when the server is asked to end: what would go on for long ends by itself then."""
        self._measuring = threading.Lock()

    def name(self, named: str | None, *references: str | None, of_sessions: bool = False) -> str:
        """The project that is asked for: by name, by the pointer among the references, or the usual one."""
        in_pointers = (project_named_in(text) for text in references if text is not None)
        wanted = named or next((name for name in in_pointers if name), None) or self.config.project
        return meant_project(wanted, of_sessions=of_sessions)

    def several(self, question: SearchQuestion) -> list[str] | None:
        """The projects of a search over several; nothing where it asks for one.

        Raises:
            InvalidRequest: it names one besides.
            ProjectNotFound: all are asked for, and there is none.
        """
        if question.project is not None and (question.projects or question.all_projects):
            raise InvalidRequest("both one project and several are named", "leave out project, or the others")
        return several_named(question.projects, every=question.all_projects)

    def project(
        self, named: str | None, *references: str | None, of_sessions: bool = False
    ) -> AbstractContextManager[Project]:
        """That project, open."""
        return self.projects.project(self.name(named, *references, of_sessions=of_sessions))

    @contextmanager
    def measuring(self) -> Iterator[None]:
        """One evaluation or comparison at a time: each is many searches.

        Raises:
            Busy: another one is going on.
        """
        if not self._measuring.acquire(blocking=False):
            raise Busy("another evaluation is going on", "wait for it")
        try:
            yield
        finally:
            self._measuring.release()

    def close(self) -> None:
        """Ends the runs between two groups of files, then closes the projects."""
        self.stopping.set()
        self.runs.close()
        self.projects.close()


def refuse_foreign_models(rerank: object, rewrite: object) -> None:
    """A request may name a service of the user's settings, and no folder: whoever asks must not choose what is read.

    Raises:
        InvalidRequest: it names a model by its folder, or an installed one with an argument.
    """
    settings = load_settings()
    for name, asked, usual in (("rerank", rerank, settings.rerank), ("rewrite", rewrite, settings.rewrite)):
        if isinstance(asked, str) and ":" in asked and asked != usual and not asked.startswith("http:"):
            raise InvalidRequest(
                f"{name}: over HTTP no model is chosen by its folder",
                f'set it as the default in config.toml: {name} = "…"',
            )
