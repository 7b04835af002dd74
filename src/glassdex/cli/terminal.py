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

from glassdex.answers.json_text import STEERING, harmless_json

if TYPE_CHECKING:
    from rich.console import Console

MIN_WIDTH = 60
PIPED_WIDTH = 100
MAX_WIDTH = 1000
_PADDING = re.compile(r"(\[redacted(?:: [a-z ]+)?\])(?: *\n +(?=\n|\Z))* *")
_CLOSING = ("", "\n", *"'\"`)]}>,;")
"""What stands right behind a secret, and not apart from it."""
_PLAIN = {
    "·": ".", "●": "*", "›": ">", "→": ">", "…": "~", "–": "-", "├": "+", "└": "+", "│": "|", "✓": "+", "✗": "x",
    "▸": ">",
}  # fmt: skip
"""What our own signs become where the encoding has none of them; as wide as they are."""


def safe(text: str) -> str:
    """`text` with everything that could steer a terminal made visible, as `\\x1b` or `\\u202e`."""
    return STEERING.sub(lambda match: match.group().encode("unicode_escape").decode(), text)


def squeezed(text: str) -> str:
    """`text` without what fills a redacted secret up to its length: blanks behind a label, and whole lines of them."""

    def label(found: re.Match[str]) -> str:
        is_apart = text[found.end() - 1] == " " and text[found.end() : found.end() + 1] not in _CLOSING
        return found[1] + (" " if is_apart else "")

    return _PADDING.sub(label, text)


def safe_line(text: str) -> str:
    """`safe` on one line: any white space is one blank."""
    return safe(" ".join(text.split()))


def safe_path(text: str) -> str:
    """`safe` for a file name: blanks stay as they are, newlines and tabs become visible."""
    return safe(text).replace("\n", "\\n").replace("\t", "\\t")


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
