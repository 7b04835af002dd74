"""`glassdex open`."""

from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path

import typer

from glassdex.cli.choose import JsonOption, ProjectOption

_GOTO_EDITORS = frozenset({"code", "code-insiders", "codium", "cursor", "windsurf"})
_COLON_EDITORS = frozenset({"subl", "zed", "hx", "helix", "micro", "mate"})


def open_(
    pointer: str = typer.Argument(help="A pointer as search prints it: notes/a.md#L12-L14,c=120-980@3fa9c1d2e4b5"),
    editor: bool = typer.Option(False, "--editor", "-e", help="Open the file in $VISUAL or $EDITOR at the line."),
    project: str = ProjectOption,
    as_json: bool = JsonOption,
) -> None:
    """Show the passage behind a pointer, checked against the file as it is now.

    Exit code 0: exact or moved; 1: changed, gone or ambiguous. Nothing else is ever shown in its place.
    """
    from glassdex.cli.choose import chosen_project
    from glassdex.cli.terminal import print_json, safe, safe_line
    from glassdex.pointers import parse_pointer

    parsed = parse_pointer(pointer)
    with chosen_project(project or parsed.project) as opened:
        passage = opened.open_pointer(pointer)
    if as_json:
        from glassdex.envelopes.passage import passage_answer

        print_json(passage_answer(passage).to_json())
    elif passage.text is not None:
        print(f"{passage.state}: {safe_line(passage.detail)}\n\n{safe(passage.text)}")  # noqa: T201
    else:
        lines = [
            f"{passage.state}: {safe_line(passage.detail)}",
            *(f"  {place}" for place in passage.candidates),
        ]
        print("\n".join(lines))  # noqa: T201
    if passage.text is None:
        raise typer.Exit(1)
    if editor and passage.file and passage.line_start:
        _open_editor(passage.file, passage.line_start)


def _open_editor(file: str, line: int) -> None:
    from glassdex.errors import UnavailableError

    command = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    if not command:
        raise UnavailableError("no editor is set", "export EDITOR=nano, for example")
    try:
        subprocess.run([*editor_arguments(command, file, line)], check=False)  # noqa: S603 - the user's own editor
    except OSError as error:
        raise UnavailableError(f"the editor {command!r} cannot be started: {error.strerror}") from error


def editor_arguments(command: str, file: str, line: int) -> list[str]:
    """The editor's command line: each has its own way to say a line."""
    words = shlex.split(command)
    name = Path(words[0]).name if words else ""
    if name in _GOTO_EDITORS:
        return [*words, "--goto", f"{file}:{line}"]
    if name in _COLON_EDITORS:
        return [*words, f"{file}:{line}"]
    return [*words, f"+{line}", file]
