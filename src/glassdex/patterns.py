"""Path patterns as .gitignore writes them, bounded: a line of many wildcards matches longer than anyone waits."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

MAX_WILDCARDS = 4
"""Separate runs of `*` in one line. Each one multiplies the ways to match: nine stop a program for good."""

_WILDCARDS = re.compile(r"\*+")


def is_pattern(line: str) -> bool:
    """Whether a line can be used: `!` and `[z-a]` mean nothing, and too many wildcards are refused."""
    from pathspec import GitIgnoreSpec

    if len(_WILDCARDS.findall(line)) > MAX_WILDCARDS:
        return False
    try:
        GitIgnoreSpec.from_lines([line])
    except (ValueError, re.error):  # the latter from a range that is reversed
        return False
    return True


def compile_patterns(lines: Iterable[str]) -> GitIgnoreSpec:
    """The lines as one specification; a line that cannot be used has no say, and the others keep their place."""
    from pathspec import GitIgnoreSpec

    return GitIgnoreSpec.from_lines(line if is_pattern(line) else "" for line in lines)
