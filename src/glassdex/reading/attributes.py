"""What marked-up formats say in attributes: numbers that may be anything, and the alternative texts of pictures."""

from __future__ import annotations

import re

_FILE_NAME = re.compile(r"\S*\.(?:png|jpe?g|gif|bmp|tiff?|svg|emf|wmf|webp|heic)", re.IGNORECASE)
_PLACEHOLDER_NAME = re.compile(
    r"(?:picture|image|img|graphic|photo|screenshot|content placeholder)[ _-]*\d*", re.IGNORECASE
)
_MADE_BY_MACHINE = re.compile(r"\s*(?:description automatically generated|ai-generated content may be incorrect\.?).*",
                              re.IGNORECASE | re.DOTALL)  # fmt: skip
_WORD = re.compile(r"[^\W\d_]{2}")


def bounded_number(written: str | None, most: int, *, least: int = 1) -> int:
    """An attribute that counts something, held between two numbers; the least one where it is absent or no number."""
    digits = (written or "")[:9]
    return max(least, min(int(digits), most)) if digits.isascii() and digits.isdigit() else least


def described_by(alternative: str) -> str:
    """An alternative text if it is made of words, and not of a file's or a placeholder's name; else nothing."""
    text = " ".join(_MADE_BY_MACHINE.sub("", alternative[:2_000]).split())
    if _FILE_NAME.fullmatch(text) or _PLACEHOLDER_NAME.fullmatch(text) or "://" in text or not _WORD.search(text):
        return ""
    return text
