"""Which project a command means."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from glassdex.project import Project

PROJECT_HELP = "The project; by default the one whose folder contains the current one."
JSON_HELP = "Print one JSON object."

ProjectOption = typer.Option(None, "--project", "-p", help=PROJECT_HELP, show_default=False)
JsonOption = typer.Option(False, "--json", help=JSON_HELP)


def chosen_project(name: str | None) -> Project:
    """The named project, or the current folder's, or the only one there is.

    Raises:
        ProjectNotFound: none of these.
    """
    from pathlib import Path

    from glassdex.project import Project, project_containing, project_names

    if name is None and project_containing(Path.cwd()) is None:
        names = project_names()
        if len(names) == 1:
            name = names[0]
    return Project.open(name)
