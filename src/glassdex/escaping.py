"""Text from files is hostile until it has been through `safe`: what could steer a terminal is made visible."""

from __future__ import annotations

import re

# Control characters (escape sequences begin with one), line separators, and what reorders text on the screen.
UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u206f\ud800-\udfff]"
)
_PADDING = re.compile(r"(\[redacted(?:: [a-z ]+)?\])(?: *\n +(?=\n|\Z))* *")
_CLOSING = ("", "\n", *"'\"`)]}>,;")
"""What stands right behind a secret, and not apart from it."""


def safe(text: str) -> str:
    """`text` with everything that could steer a terminal made visible, as `\\x1b` or `\\u202e`."""
    return UNSAFE.sub(lambda match: match.group().encode("unicode_escape").decode(), text)


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


def harmless_json(text: str) -> str:
    """JSON with everything that could steer a terminal escaped as JSON has it; it says the same."""
    return UNSAFE.sub(lambda match: f"\\u{ord(match.group()):04x}", text)
