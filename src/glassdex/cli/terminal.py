"""Writing to the terminal. Text from files is hostile until it has been through `safe`."""

from __future__ import annotations

import codecs
import io
import os
import re
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from glassdex.escaping import harmless_json, safe, safe_line, safe_path, squeezed

if TYPE_CHECKING:
    from rich.console import Console

__all__ = [
    "complain",
    "console",
    "give_up_lost_output",
    "prepare_streams",
    "print_json",
    "safe",
    "safe_line",
    "safe_path",
    "say",
    "squeezed",
]

MIN_WIDTH = 60
PIPED_WIDTH = 100
MAX_WIDTH = 1000
_PLAIN = {
    "·": ".", "●": "*", "›": ">", "→": ">", "…": "~", "–": "-", "├": "+", "└": "+", "│": "|", "✓": "+", "✗": "x",
    "▸": ">",
}  # fmt: skip
"""What our own signs become where the encoding has none of them; as wide as they are."""


def prepare_streams() -> None:
    """Standard output and error take any text, whatever the locale's encoding has no sign for."""
    codecs.register_error("glassdex.plain", _plain)
    if sys.stdout is None or sys.stderr is None:  # closed by whoever started us: `>&-`
        nowhere = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - for the rest of the process
        sys.stdout, sys.stderr = sys.stdout or nowhere, sys.stderr or nowhere
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="glassdex.plain")


def give_up_lost_output() -> None:
    """What cannot be written any more (a closed pipe, a full disk) is not tried again when the process ends."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _plain(error: UnicodeError) -> tuple[str | bytes, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    if error.object[error.start] in _PLAIN:
        return _PLAIN[error.object[error.start]], error.start + 1
    return codecs.backslashreplace_errors(error)


def console(*, to_stderr: bool = False) -> Console:
    """A Rich console that takes no markup from strings and adds no colour where nobody sees it."""
    from rich.console import Console

    class Terminal(Console):
        def on_broken_pipe(self) -> None:
            raise  # noqa: PLE0704 - called while one is handled; main knows what to do with it

    stream = sys.stderr if to_stderr else sys.stdout
    made = Terminal(
        file=stream,
        width=None if stream.isatty() else _piped_width(),
        markup=False,
        highlight=False,
        emoji=False,
    )
    made.width = min(max(made.width, MIN_WIDTH), MAX_WIDTH)
    return made


def _piped_width() -> int:
    columns = os.environ.get("COLUMNS", "")
    return min(int(columns), MAX_WIDTH) if re.fullmatch(r"[0-9]{1,4}", columns) else PIPED_WIDTH


def say(*lines: str) -> None:
    """Lines for people, on standard output."""
    sys.stdout.write("\n".join(lines) + "\n")


def complain(*lines: str) -> None:
    """Lines for people, on standard error; nothing where nobody can read them any more."""
    with suppress(OSError):
        sys.stderr.write("\n".join(lines) + "\n")
        sys.stderr.flush()


def print_json(text: str, *, to_stderr: bool = False) -> None:
    """One line of JSON, UTF-8 whatever the locale says; what could steer a terminal is escaped as JSON has it."""
    stream: TextIO = sys.stderr if to_stderr else sys.stdout
    stream.flush()
    stream.buffer.write(harmless_json(text).encode() + b"\n")
    stream.flush()
