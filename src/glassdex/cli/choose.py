"""What several commands ask for: a project, JSON, help."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

from glassdex.cli.completion import complete_project

if TYPE_CHECKING:
    from glassdex.project import Project

PROJECT_HELP = "The project; by default that of the current folder, or the only one there is."
SESSIONS_PROJECT_HELP = (
    "The project; by default that of the current folder, else 'sessions', else the only one there is."
)
JSON_HELP = "Print one JSON object; errors too, on standard error."
EXIT_BAD_INPUT = 2

ProjectOption = typer.Option(
    None,
    "--project",
    "-p",
    metavar="NAME",
    help=PROJECT_HELP,
    show_default=False,
    autocompletion=complete_project,
)
ProjectsOption = typer.Option(
    [],
    "--project",
    "-p",
    metavar="NAME",
    help=f"{PROJECT_HELP} Repeatable: several are searched at once, and their rankings merged.",
    show_default=False,
    autocompletion=complete_project,
)
AllProjectsOption = typer.Option(False, "--all-projects", help="Search all projects at once.")
SessionsProjectOption = typer.Option(
    None,
    "--project",
    "-p",
    metavar="NAME",
    help=SESSIONS_PROJECT_HELP,
    show_default=False,
    autocompletion=complete_project,
)
JsonOption = typer.Option(False, "--json", help=JSON_HELP)


def several_named(names: Sequence[str], *, every: bool) -> list[str] | None:
    """See `glassdex.answers.choosing`."""
    from glassdex.answers.choosing import several_named

    return several_named(names, every=every)


def chosen_project(name: str | None, *, of_sessions: bool = False) -> Project:
    """The named project, or the one that is meant where none is named; see `glassdex.answers.choosing`.

    Raises:
        ProjectNotFound: none of these.
    """
    from glassdex.answers.choosing import meant_project
    from glassdex.project import Project

    return Project.open(meant_project(name, of_sessions=of_sessions))


def default_project(*, of_sessions: bool = False) -> str | None:
    """See `glassdex.answers.choosing`."""
    from glassdex.answers.choosing import default_project

    return default_project(of_sessions=of_sessions)


def help_or_command(context: typer.Context) -> None:
    """Where no command was given, the help stands on standard error and the exit code says so."""
    if context.invoked_subcommand is None:
        from glassdex.cli.terminal import complain

        complain(context.get_help())
        raise typer.Exit(EXIT_BAD_INPUT)
