"""`glassdex completion`, and the names of projects that a shell completes."""

from __future__ import annotations

from contextlib import suppress
from enum import StrEnum

import typer

EXAMPLES = """\b
Examples:
  eval "$(glassdex completion bash)"     # in ~/.bashrc
  eval "$(glassdex completion zsh)"      # in ~/.zshrc, after compinit
  glassdex completion fish > ~/.config/fish/completions/glassdex.fish"""
PROGRAM = "glassdex"
VARIABLE = "_GLASSDEX_COMPLETE"
"""The environment variable with which the script asks; see `glassdex.cli.main`."""


class Shell(StrEnum):
    """The shells that there is a script for."""

    bash = "bash"
    zsh = "zsh"
    fish = "fish"


def completion(shell: Shell = typer.Argument(metavar="SHELL", help="bash, zsh or fish.")) -> None:
    """Print the script that completes commands, options and names of projects in a shell.

    It asks this command at each press of Tab, and reads no network and no note.
    """
    # What --show-completion prints, without guessing which shell runs.
    from typer._completion_shared import get_completion_script

    from glassdex.cli.terminal import say

    say(get_completion_script(prog_name=PROGRAM, complete_var=VARIABLE, shell=shell.value))


def complete_project(incomplete: str) -> list[str]:
    """The projects whose names begin like that; none where they cannot be read, for a Tab is no place for errors."""
    from glassdex.errors import GlassdexError
    from glassdex.projects import is_project_name, project_names

    with suppress(GlassdexError, OSError):
        # Shells evaluate what is printed, so a file in the folder that no project can be called after is left out.
        return [name for name in project_names() if name.startswith(incomplete) and is_project_name(name)]
    return []
