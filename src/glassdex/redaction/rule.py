"""What a rule is, and the pieces that rules are written with."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

from glassdex.redaction.anchors import WIDTH
from glassdex.redaction.assignments import Found

START = rb"(?:(?<![\w-])|(?<=\\[nrt])|(?<=\s-)|(?<=\A-)|(?<=%[0-9A-Fa-f]{2}))"
"""Where a token begins: not within a word, but after an escaped line break, a removed line's `-`, a percent escape."""

END = rb"(?![\w-])"
"""Where a token of fixed length ends."""

LETTERS = b"abcdefghijklmnopqrstuvwxyz"
DIGITS = b"0123456789"
HEXADECIMAL = b"abcdef" + DIGITS
BASE64URL = LETTERS + DIGITS + b"-_"


@dataclass(frozen=True, slots=True)
class Rule:
    """A kind of secret: where it may begin, what it looks like, whether a value of that shape is one."""

    name: str
    """In counts and labels: `github token`."""
    anchors: tuple[bytes, ...]
    """Literals, in lower case, one of which stands where `pattern` begins; `WIDTH` bytes of each are looked for."""
    pattern: re.Pattern[bytes]
    """Matched at an anchor, whose case it decides itself. The secret is the group that took part, or all of the match.
    Linear: a repetition is bounded, or what follows it cannot be part of it and what precedes it cannot either."""
    is_secret: Callable[[str], bool]
    source: str
    """Who documents the format, and where."""
    find: Callable[[re.Match[bytes]], Found] | None = None
    """Finds the secrets of a match by what stands around it, in place of `is_secret`."""


def any_after(prefix: bytes, following: bytes) -> tuple[bytes, ...]:
    """The anchors of a prefix that is shorter than an anchor: itself with each of the characters that may follow."""
    return tuple(
        prefix + bytes(characters) for characters in product(sorted(set(following)), repeat=WIDTH - len(prefix))
    )
