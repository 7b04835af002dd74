"""`glassdex demo`: one explained search over a small vault that comes with the package."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

import typer

from glassdex.cli.choose import JsonOption

QUERY = "why is the embedding model swappable"
PROJECT = "glassdex-demo"
AFTERWARDS = f"""
On your own notes:
  glassdex index ~/notes
  cd ~/notes                   # inside its folder a project needs no name
  glassdex search "what did we decide about backups" --explain
  glassdex open 'POINTER'      # one that search printed

How good it is, by judgments of this vault (pip install 'glassdex[eval]'):
  glassdex eval JUDGMENTS -p {PROJECT}

The demo stays as project {PROJECT}; away with it: glassdex projects remove {PROJECT}"""


def demo(
    query: str = typer.Option(QUERY, metavar="QUERY", help="What to search for."),
    as_json: bool = JsonOption,
) -> None:
    """Index the example vault and show one explained search over it.

    It becomes a project of its own, glassdex-demo, beside yours.
    """
    from glassdex.answers.search import search
    from glassdex.cli.index import print_report, run
    from glassdex.cli.render_search import render
    from glassdex.cli.search import print_answer
    from glassdex.cli.terminal import console, safe_line, safe_path, say
    from glassdex.project import Project
    from glassdex.projects import project_names
    from glassdex.settings import home

    vault, judgments = home() / "demo" / "vault", home() / "demo" / "judgments.yaml"
    if not vault.is_dir():
        shutil.copytree(example_vault(), vault)
    if not judgments.is_file():  # beside the vault, not in it: the queries would be found
        shutil.copyfile(example_vault().parent / "judgments.yaml", judgments)
    known = PROJECT in project_names()
    with Project.open(PROJECT) if known else Project.create(PROJECT, [vault]) as project:
        report = run(project, embed=True, as_json=as_json)
        done = search(project, query, {"limit": 3})
        execution = done.execution
        if as_json:
            print_answer(done, explain=True)
            return
        print_report(report, PROJECT)
        say("", f'$ glassdex search "{safe_line(query)}" --explain -n 3 --project {PROJECT}', "")
        render(execution, console(), explain=True)
    say(AFTERWARDS.replace("JUDGMENTS", safe_path(shlex.quote(str(judgments)))))


def example_vault() -> Path:
    """The vault inside the installed package, or beside the sources."""
    package = Path(__file__).resolve().parent.parent
    installed = package / "examples" / "vault"
    return installed if installed.is_dir() else package.parent.parent / "examples" / "vault"
