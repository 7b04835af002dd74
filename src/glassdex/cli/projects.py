"""`glassdex projects`."""

from __future__ import annotations

from pathlib import Path

import typer

from glassdex.cli.choose import JsonOption

app = typer.Typer(help="List, rename, relocate and remove projects.", no_args_is_help=True, rich_markup_mode=None)


@app.command("list")
def list_(as_json: bool = JsonOption) -> None:
    """Every project with its folders and sizes; the current one is marked."""
    from glassdex.cli.terminal import print_json, safe_line
    from glassdex.project import list_projects, project_containing

    projects, current = list_projects(), project_containing(Path.cwd())
    if as_json:
        from glassdex.envelopes.status import projects_answer

        print_json(projects_answer(projects, current).to_json())
        return
    if not projects:
        print("no projects yet; make one: glassdex index FOLDER")  # noqa: T201
    for project in projects:
        mark = "*" if project.name == current else " "
        facts = (
            f"error: {safe_line(project.error)}"
            if project.error
            else f"{project.documents:,} documents · {project.chunks:,} chunks · {project.pending:,} pending · "
            f"{project.store_bytes / 1e6:.1f} MB"
        )
        print(f"{mark} {project.name}  {facts}")  # noqa: T201
        for root in project.roots:
            print(f"    {safe_line(root)}")  # noqa: T201


@app.command()
def rename(
    old: str = typer.Argument(help="The project's name now."), new: str = typer.Argument(help="Its new name.")
) -> None:
    """Give a project another name."""
    from glassdex.project import rename_project

    rename_project(old, new)
    print(f"{old} is now {new}")  # noqa: T201


@app.command()
def relocate(
    name: str = typer.Argument(help="The project."),
    folder: Path = typer.Argument(help="Where its root folder is now."),
    old: Path = typer.Option(None, "--from", help="Which root, if there are several.", show_default=False),
) -> None:
    """Say that a root folder was moved; nothing is read or embedded again."""
    from glassdex.project import relocate_root

    relocate_root(name, folder, old)
    print(f"{name} is now over {folder.resolve()}")  # noqa: T201


@app.command()
def remove(
    name: str = typer.Argument(help="The project."),
    yes: bool = typer.Option(False, "--yes", "-y", help="Do not ask."),
) -> None:
    """Delete a project's index; your files are not touched."""
    from glassdex.project import project_roots, remove_project

    roots = ", ".join(str(root) for root in project_roots(name))
    if not yes:
        typer.confirm(f"Delete the index of {name}? The files in {roots} stay.", abort=True)
    remove_project(name)
    print(f"{name} is removed")  # noqa: T201
