"""What several commands ask for: a project, JSON, help."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from glassdex.project import Project

PROJECT_HELP = "The project; by default that of the current folder, or the only one there is."
JSON_HELP = "Print one JSON object; errors too, on standard error."
EXIT_BAD_INPUT = 2

ProjectOption = typer.Option(None, "--project", "-p", metavar="NAME", help=PROJECT_HELP, show_default=False)
JsonOption = typer.Option(False, "--json", help=JSON_HELP)


def chosen_project(name: str | None) -> Project:
    """The named project, or the current folder's, or the only one there is.

    Raises:
        ProjectNotFound: none of these.
    """
    from pathlib import Path

    from glassdex.project import Project
    from glassdex.projects import project_containing, project_names

    if name is None:
        name = project_containing(Path.cwd())
    if name is None:
        names = project_names()
        name = names[0] if len(names) == 1 else None
    return Project.open(name)


def help_or_command(context: typer.Context) -> None:
    """Where no command was given, the help stands on standard error and the exit code says so."""
    if context.invoked_subcommand is None:
        from glassdex.cli.terminal import complain

        complain(context.get_help())
        raise typer.Exit(EXIT_BAD_INPUT)
