"""`glassdex projects`."""

from __future__ import annotations

import sys
from pathlib import Path

import typer

from glassdex.cli.choose import JsonOption, help_or_command
from glassdex.cli.completion import complete_project

app = typer.Typer(
    help="List, rename, relocate and remove projects.",
    rich_markup_mode=None,
    epilog="\b\nAfter a change, --json prints the projects there are now.",
)


@app.callback(invoke_without_command=True)
def projects(context: typer.Context) -> None:
    """List, rename, relocate and remove projects."""
    help_or_command(context)


@app.command("list")
def list_(as_json: bool = JsonOption) -> None:
    """List every project with its folders and sizes.

    The project of the current folder is marked with *.
    """
    from glassdex.cli.terminal import safe_line, safe_path, say
    from glassdex.projects import list_projects, project_containing
    from glassdex.wording import counted

    if as_json:
        _print_projects()
        return
    found, current = list_projects(), project_containing(Path.cwd())
    if not found:
        say("no projects yet; make one: glassdex index FOLDER")
    for project in found:
        mark = "*" if project.name == current else " "
        facts = (
            f"error: {safe_line(project.error)}"
            if project.error
            else f"{counted(project.documents, 'document')} · {counted(project.chunks, 'chunk')} · "
            f"{project.pending:,} pending · "
            f"{project.store_bytes / 1e6:.1f} MB"
        )
        say(f"{mark} {safe_path(project.name)}  {facts}", *(f"    {safe_path(root)}" for root in project.roots))


@app.command()
def upgrade(
    name: str = typer.Argument(
        None, metavar="[NAME]", help="The project; without it, every one.", autocompletion=complete_project
    ),
    as_json: bool = JsonOption,
) -> None:
    """Bring the places in a store of an older version up to date: pages, sheets, rows, slides.

    Only what is stored is read: no file is opened and nothing is embedded. It may be interrupted and run again.
    `glassdex index` does it too.
    """
    from glassdex.cli.terminal import safe_path, say
    from glassdex.project import Project
    from glassdex.projects import list_projects

    for each in [name] if name else [project.name for project in list_projects() if not project.error]:
        with Project.open(each) as opened:
            located = opened.upgrade_places()
        if not as_json:
            done = f"{located:,} places brought up to date" if located else "up to date"
            say(f"{safe_path(each)}: {done}")
    if as_json:
        _print_projects()


@app.command()
def rename(
    old: str = typer.Argument(metavar="OLD", help="The project's name now.", autocompletion=complete_project),
    new: str = typer.Argument(metavar="NEW", help="Its new name."),
    as_json: bool = JsonOption,
) -> None:
    """Give a project another name."""
    from glassdex.projects import rename_project

    rename_project(old, new)
    _done(f"{old} is now {new}", as_json)


@app.command()
def relocate(
    name: str = typer.Argument(metavar="NAME", help="The project's name.", autocompletion=complete_project),
    folder: Path = typer.Argument(metavar="FOLDER", help="Where its root folder is now."),
    old: Path = typer.Option(
        None,
        "--from",
        metavar="FOLDER",
        help="Where it was; needed if the project has several root folders.",
        show_default=False,
    ),
    as_json: bool = JsonOption,
) -> None:
    """Say where a moved root folder is now.

    Nothing is read or embedded again.
    """
    from glassdex.cli.terminal import safe_path
    from glassdex.projects import relocate_root

    relocate_root(name, folder, old)
    _done(f"{name} is now over {safe_path(str(folder.expanduser().resolve()))}", as_json)


@app.command()
def remove(
    name: str = typer.Argument(metavar="NAME", help="The project's name.", autocompletion=complete_project),
    yes: bool = typer.Option(False, "--yes", "-y", help="Do not ask."),
    as_json: bool = JsonOption,
) -> None:
    """Delete a project's index; your files are not touched."""
    from glassdex.projects import remove_project

    if not yes:
        _ask(name, as_json)
    remove_project(name)
    _done(f"{name} is removed; the files it was made from are where they were", as_json)


def _ask(name: str, as_json: bool) -> None:
    from glassdex.cli.terminal import safe_path
    from glassdex.errors import InvalidRequest
    from glassdex.projects import project_roots

    roots = ", ".join(safe_path(str(root)) for root in project_roots(name))
    if as_json or not sys.stdin.isatty():
        raise InvalidRequest("removing a project takes a yes", f"glassdex projects remove {name} --yes")
    typer.confirm(f"Delete the index of {name}? The files in {roots} stay.", abort=True)


def _done(sentence: str, as_json: bool) -> None:
    from glassdex.cli.terminal import say

    if as_json:
        _print_projects()
    else:
        say(sentence)


def _print_projects() -> None:
    from glassdex.cli.terminal import print_json
    from glassdex.envelopes.status import projects_answer
    from glassdex.projects import list_projects, project_containing

    print_json(projects_answer(list_projects(), project_containing(Path.cwd())).to_json())
