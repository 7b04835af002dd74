"""What a model fills in where it has nothing to say."""

from __future__ import annotations

PLACEHOLDERS = frozenset({"", "*", "**", "null", "none", "nil", "undefined", "n/a", "<none>", "<null>"})
"""In any case, also quoted. A document whose name is one of these is found by a longer piece of its path."""
NO_NUMBERS = frozenset({0, -1})
"""Pages, limits and tokens count from 1."""


def says_nothing(value: object, is_number: bool) -> bool:
    """Whether the value of an optional parameter means that it is left out."""
    if value is None:
        return True
    if isinstance(value, bool):
        return not value
    if isinstance(value, str):
        text = value.strip().strip("\"'").strip().casefold()
        return text in PLACEHOLDERS or (is_number and text in {str(number) for number in NO_NUMBERS})
    if isinstance(value, int | float):
        return is_number and value in NO_NUMBERS
    return isinstance(value, list | dict) and all(says_nothing(item, is_number) for item in value)
