"""`glassdex open`."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from glassdex.cli.choose import JsonOption, ProjectOption
from glassdex.cli.index import PasswordOption, given_passwords
from glassdex.cli.search import as_typed

if TYPE_CHECKING:
    from glassdex.inspection.passage import Passage
    from glassdex.pointers import Pointer, SessionPointer

EXIT_NOT_THERE = 1
PNG = b"\x89PNG\r\n\x1a\n"
STANDARD_ERROR = 2
SET_AN_EDITOR = "set one: export EDITOR=nano, or vim, code --wait, …; $VISUAL goes before $EDITOR"
EXAMPLES = """\b
Examples:
  glassdex open notes/a.md#L12-L14,c=120-980@3fa9c1d2e4b5
  glassdex open notes/a.md#L12-L14,c=120-980@3fa9c1d2e4b5 --editor
  glassdex open report.pdf#page=30,c=40-610@3fa9c1d2e4b5 --image page.png"""
_GOTO_EDITORS = frozenset({"code", "code-insiders", "codium", "cursor", "windsurf"})
_COLON_EDITORS = frozenset({"subl", "zed", "zeditor", "hx", "helix"})
_LINE_EDITORS = frozenset({"kate", "mate", "idea", "pycharm", "webstorm", "goland", "clion", "rustrover"})


def open_(
    pointer: str = typer.Argument(
        metavar="POINTER", help="A pointer as search prints it: notes/a.md#L12-L14,c=120-980@3fa9c1d2e4b5"
    ),
    editor: bool = typer.Option(False, "--editor", "-e", help="Also open the file at that line in $VISUAL or $EDITOR."),
    image: Path = typer.Option(
        None,
        "--image",
        metavar="FILE.png",
        help="Draw the page of a PDF with the passage marked; a passage over several pages makes FILE-30.png …",
        show_default=False,
    ),
    raw: bool = typer.Option(False, "--raw", help="Show secrets in a transcript as they are in the file."),
    password: list[str] = PasswordOption,
    project: str = ProjectOption,
    as_json: bool = JsonOption,
) -> None:
    """Show a pointer's passage, checked against the file as it is.

    Exit code 0: exact or moved; 1: changed, gone or ambiguous; 3: the file cannot be looked into, for want
    of a password for example. Nothing else is ever shown in its place.
    """
    from glassdex.cli.choose import chosen_project
    from glassdex.cli.terminal import print_json, safe_path, say
    from glassdex.pointers import SessionPointer

    named = as_typed(pointer)
    if image is not None:
        _refuse_to_spoil(image)
    parsed = _parsed(named)
    with chosen_project(project or parsed.project, of_sessions=isinstance(parsed, SessionPointer)) as opened:
        passwords = given_passwords(password)
        passage = opened.open_pointer(named, passwords=passwords, raw=raw)
        drawn = opened.page_images(passage, passwords=passwords) if image and passage.text is not None else {}
    written = _write_images(image, drawn)
    if as_json:
        from glassdex.envelopes.passage import passage_answer

        print_json(passage_answer(passage, images=written).to_json())
    else:
        say(*passage_lines(passage, raw=raw), *(f"drawn: {safe_path(path)}" for path in written))
    if passage.text is None:
        raise typer.Exit(EXIT_NOT_THERE)
    if editor and passage.file:
        _open_editor(passage.file, _line_of(passage), beside_json=as_json)


def _write_images(target: Path | None, drawn: Mapping[int, bytes]) -> list[str]:
    """Writes the pictures, one under the name itself, several with their page in it; returns their paths."""
    from glassdex.errors import UnavailableError

    written = []
    for page, content in drawn.items():
        assert target is not None
        path = target if len(drawn) == 1 else target.with_stem(f"{target.stem}-{page}")
        _refuse_to_spoil(path)
        try:
            path.write_bytes(content)
        except OSError as error:
            raise UnavailableError(f"{path} cannot be written: {error.strerror}", "name another file") from error
        written.append(str(path))
    return written


def _refuse_to_spoil(path: Path) -> None:
    """Only a picture may be written over."""
    from glassdex.errors import InvalidRequest

    if path.suffix.lower() != ".png":
        raise InvalidRequest(f"{path} is no name for a PNG picture", "name a file that ends in .png")
    if path.exists() and not (path.is_file() and path.read_bytes()[:8] == PNG):
        raise InvalidRequest(f"{path} is there already and is no PNG picture", "name another file")


def _parsed(text: str) -> Pointer | SessionPointer:
    """The pointer; what is typed in its place is answered with how to get one."""
    from glassdex.errors import InvalidPointer
    from glassdex.pointers import parse_pointer

    try:
        return parse_pointer(text)
    except InvalidPointer as error:
        path = text.partition("#")[0].strip()
        if not path:
            raise
        command = f"glassdex inspect chunks {shlex.quote(path)}"
        suggestion = f"{error.suggestion}; those of one note: {command}"
        raise InvalidPointer(error.message, suggestion) from error


def passage_lines(passage: Passage, *, raw: bool = False) -> list[str]:
    """The passage for people: what became of the pointer, then the text or the places it could be."""
    from glassdex.cli.terminal import safe, safe_line, squeezed

    lines = [f"{passage.state}: {safe_line(passage.detail)}", *(f"  {place}" for place in passage.candidates)]
    if passage.text is None:
        return lines
    context = [f"({safe_line(passage.context)})"] if passage.context else []
    return [*lines, "", *context, safe(passage.text if raw else squeezed(passage.text))]


def _line_of(passage: Passage) -> int:
    from glassdex.errors import InvalidRequest

    if passage.locator is None or passage.locator.line_start is None:
        raise InvalidRequest("this format has no lines for an editor to go to", f"the file: {passage.file}")
    return passage.locator.line_start


def _open_editor(file: str, line: int, *, beside_json: bool) -> None:
    """Waits for the editor; beside JSON what it prints goes to standard error."""
    from glassdex.errors import UnavailableError

    command = os.environ.get("VISUAL", "").strip() or os.environ.get("EDITOR", "").strip()
    if not command:
        raise UnavailableError("no editor is set", SET_AN_EDITOR)
    try:
        words = editor_arguments(command, file, line)
        ended = subprocess.run(words, check=False, stdout=STANDARD_ERROR if beside_json else None)  # noqa: S603
    except ValueError as error:
        raise UnavailableError(f"$EDITOR is no command line: {command} ({error})", "mend its quotes") from error
    except OSError as error:
        raise UnavailableError(f"the editor {command} cannot be started: {error.strerror}", SET_AN_EDITOR) from error
    if ended.returncode:
        raise UnavailableError(
            f"the editor {command} ended with code {ended.returncode}", f"if it knows no +LINE: {SET_AN_EDITOR}"
        )


def editor_arguments(command: str, file: str, line: int) -> list[str]:
    """The editor's command line: each has its own way to say a line.

    Raises:
        ValueError: a quote in `command` is not closed.
    """
    words = shlex.split(command, posix=os.name != "nt")
    name = Path(words[0]).stem.lower()
    if name in _GOTO_EDITORS:
        return [*words, "--goto", f"{file}:{line}"]
    if name in _COLON_EDITORS:
        return [*words, f"{file}:{line}"]
    if name in _LINE_EDITORS:
        return [*words, "--line", str(line), file]
    return [*words, f"+{line}", file]
