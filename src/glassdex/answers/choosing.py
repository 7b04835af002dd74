"""Which project is meant where none is named."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from glassdex.errors import InvalidRequest, ProjectNotFound
from glassdex.indexing.homes import PROJECT
from glassdex.inspection.find_document import project_of
from glassdex.projects import not_found, project_containing, project_names


def meant_project(name: str | None, *, of_sessions: bool = False) -> str:
    """The named project; else the current folder's, for sessions else that of `index --sessions`, else the only one.

    Raises:
        ProjectNotFound: none of these; lists the projects there are.
    """
    name = default_project(of_sessions=of_sessions) if name is None else name
    if name is not None:
        return name
    if not of_sessions:
        raise not_found("no project contains the current folder")
    names = project_names()
    make = "make one of this machine's agents: glassdex index --sessions"
    if not names:
        raise ProjectNotFound("there is no project yet", make)
    which = f"choose one with --project: {', '.join(names)}; or {make}"
    raise ProjectNotFound("no project contains the current folder, and none is called sessions", which, names)


def default_project(*, of_sessions: bool = False) -> str | None:
    """The current folder's project, for sessions else that of `index --sessions`, else the only one there is."""
    found = project_containing(Path.cwd())
    if found is not None:
        return found
    names = project_names()
    if of_sessions and PROJECT in names:
        return PROJECT
    return names[0] if len(names) == 1 else None


def project_named_in(reference: str) -> str | None:
    """The project that a pointer names, if the text is a pointer and names one."""
    return project_of(reference)


def several_named(names: Sequence[str], *, every: bool) -> list[str] | None:
    """The projects of a command line that asks for several, each once; nothing where it asks for one.

    Raises:
        InvalidRequest: some are named beside `--all-projects`.
        ProjectNotFound: all are asked for, and there is none.
    """
    if every and names:
        raise InvalidRequest("--all-projects names them all already", "leave out --project, or --all-projects")
    if every:
        known = project_names()
        if not known:
            raise not_found("there is no project yet")
        return known
    named = list(dict.fromkeys(names))
    return named if len(named) > 1 else None
