"""What to do about a file that could not be read, by the code of its error."""

from __future__ import annotations

_REMEDIES = {
    "missing_extra": "install what reads it: pip install 'glassdex[documents]'",
    "password_required": "give its password (--password, or passwords in config.toml)",
    "no_text_layer": "recognise its text, for example with ocrmypdf",
    "limit_exceeded": "split it, or leave it out by .glassdexignore",
    "file_changed_while_reading": "wait until it is written",
}


def remedy(code: str) -> str:
    """In words, for one file or several; then it has to be indexed again."""
    return _REMEDIES.get(code, "mend it")
