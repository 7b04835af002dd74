"""JSON as it leaves the program: nothing in it can steer the terminal that shows it."""

from __future__ import annotations

from glassdex.escaping import UNSAFE


def harmless_json(text: str) -> str:
    """JSON with those characters escaped as JSON has it; it says the same."""
    return UNSAFE.sub(lambda match: f"\\u{ord(match.group()):04x}", text)
