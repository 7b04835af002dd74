"""Path patterns as .gitignore writes them, bounded: a line of many wildcards matches longer than anyone waits."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

MAX_WILDCARDS = 4
"""Separate runs of `*` in one line. Each one multiplies the ways to match: nine stop a program for good."""
MAX_WILDCARDS_OF_ALL = 16
"""Of all patterns of a search together, as `wildcards` counts them."""

_STARS = re.compile(r"\*+")
_ANY = re.escape("[^/]*")
_WITHIN_A_NAME = r"(?:\\.|\[\^?\]?(?:\\.|[^\]\\])*\](?!\*)|[^/\\\[(*+?])*"
_STAR_BEFORE_A_STAR = re.compile(rf"{_ANY}(?P<between>{_WITHIN_A_NAME})(?={_ANY})", re.DOTALL)


def wildcards(line: str) -> int:
    """How many `*`, `?` and `[` of a line multiply the ways to match: none where it is a single one, as in `*.md`."""
    stars = len(_STARS.findall(line))
    found = stars + line.count("?") + line.count("[")
    return found if stars and found > 1 else 0


def is_pattern(line: str) -> bool:
    """Whether a line can be used: `!` and `[z-a]` mean nothing, and too many wildcards are refused."""
    from pathspec import GitIgnoreSpec

    if len(_STARS.findall(line)) > MAX_WILDCARDS:
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


def compile_asked_patterns(lines: Iterable[str]) -> GitIgnoreSpec:
    """As `compile_patterns`, for lines that anyone may ask: it matches the same, without trying every way to do so."""
    from pathspec import GitIgnoreSpec

    patterns = list(compile_patterns(lines).patterns)
    for pattern in patterns:
        if pattern.regex is not None:
            pattern.regex = re.compile(_without_retries(pattern.regex.pattern))
    return GitIgnoreSpec(patterns)


def _without_retries(expression: str) -> str:
    # What stands between two `*` of one name may be taken where it is first found: the second `*` takes the rest.
    return _STAR_BEFORE_A_STAR.sub(r"(?>[^/]*?\g<between>)", expression)
