"""Writing to the terminal. Text from files is hostile until it has been through `safe`."""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

# Control characters (escape sequences begin with one), line separators, and what reorders text on the screen.
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
MIN_WIDTH = 60
PIPED_WIDTH = 100


def safe(text: str) -> str:
    """`text` with everything that could steer a terminal made visible, as `\\x1b` or `\\u202e`."""
    return _UNSAFE.sub(lambda match: match.group().encode("unicode_escape").decode(), text)


def safe_line(text: str) -> str:
    """`safe` on one line: any white space is one blank."""
    return safe(" ".join(text.split()))


def console(*, to_stderr: bool = False) -> Console:
    """A Rich console that takes no markup from strings and adds no colour where nobody sees it."""
    from rich.console import Console

    stream = sys.stderr if to_stderr else sys.stdout
    width = None if stream.isatty() else int(os.environ.get("COLUMNS") or PIPED_WIDTH)
    made = Console(file=stream, width=width, markup=False, highlight=False, emoji=False, soft_wrap=False)
    if made.width < MIN_WIDTH:
        made.width = MIN_WIDTH
    return made


def print_json(text: str) -> None:
    """One line on standard output, UTF-8 whatever the locale says."""
    sys.stdout.buffer.write(text.encode() + b"\n")
    sys.stdout.flush()
