"""JSON as it leaves the program: nothing in it can steer the terminal that shows it."""

from __future__ import annotations

import re

STEERING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u206f\ud800-\udfff]"
)
"""Control characters (escape sequences begin with one), line separators, and what reorders text on the screen."""


def harmless_json(text: str) -> str:
    """JSON with those characters escaped as JSON has it; it says the same."""
    return STEERING.sub(lambda match: f"\\u{ord(match.group()):04x}", text)
