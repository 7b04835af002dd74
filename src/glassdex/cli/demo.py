"""`glassdex demo`: one explained search over a small vault that comes with the package."""

from __future__ import annotations

import shutil
from pathlib import Path

import typer

QUERY = "why is the embedding model swappable"
PROJECT = "glassdex-demo"


def demo(
    query: str = typer.Option(QUERY, help="What to search for."),
) -> None:
    """Index the example vault and show one explained search over it."""
    from glassdex.cli.index import print_report, run
    from glassdex.cli.render_search import render
    from glassdex.cli.terminal import console
    from glassdex.project import Project, project_names
    from glassdex.settings import home

    vault = home() / "demo" / "vault"
    if not vault.is_dir():
        shutil.copytree(example_vault(), vault)
    known = PROJECT in project_names()
    with Project.open(PROJECT) if known else Project.create(PROJECT, [vault]) as project:
        print_report(run(project, embed=True, as_json=False), PROJECT)
        print(f'\n$ glassdex search "{query}" --explain\n')  # noqa: T201
        render(project.search(query, limit=3), console(), explain=True)
    print(  # noqa: T201
        "\nOn your own notes:\n"
        "  glassdex index ~/notes\n"
        '  glassdex search "what did we decide about backups" --explain\n'
        "  glassdex open POINTER        # a pointer from the results\n"
        f"\nThe demo stays as project {PROJECT!r}; away with it: glassdex projects remove {PROJECT}"
    )


def example_vault() -> Path:
    """The vault inside the installed package, or beside the sources."""
    package = Path(__file__).resolve().parent.parent
    installed = package / "examples" / "vault"
    return installed if installed.is_dir() else package.parent.parent / "examples" / "vault"
