"""Is a value a secret? Tells random strings and passwords from placeholders, names and pieces of code."""

from __future__ import annotations

import re

_PLACEHOLDER = re.compile(
    r"""
      \$\w+ | \$?\{.* | \$\(.* | %\w+% | <.* | \[.*            # a variable, a template, <your-token>, our own label
    | .*(?:\*{3}|\.{3}|x{4}|X{4}|<|>|\$\{|\{\{).*
    | (?:.*[^a-z])?(?:your|example|sample|dummy|fake|placeholder|change-?_?me|redacted|insert|replace|todo)(?:[^a-z].*)?
    | .*(?:process\.env|environ|getenv|env\.|secrets\.|vars?\.).*
    """,
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
_NAME = re.compile(
    r"(?:(?:[A-Z]?[a-z]{2,}+|[A-Z]{2,}+|[A-Za-z]?)[0-9]{0,5}(?:[-_./:]++|(?<=[A-Za-z0-9])(?=[A-Z])|$))++"
)
_REFERENCE = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)++|[./~].*/.*|\w+://.*", re.DOTALL)
_LETTER_MEETS_DIGIT = re.compile(r"(?<=[A-Za-z])(?=[0-9])|(?<=[0-9])(?=[A-Za-z])")
_CASE_CHANGES = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[a-z])")
_BASE64_LINE = re.compile(r"[A-Za-z0-9+/]{40}")
_PASSWORD_SIGN = re.compile(r"[0-9!@#$%^&*+?~]")

_DISTINCT_AT_LEAST = 6
_RANDOM_LENGTH_AT_LEAST = 16
_PASSWORD_LENGTH_AT_LEAST = 8


def is_varied(value: str) -> bool:
    """Whether a string in a vendor's format can be a real one; the manuals' `ghp_xxxx…` and `AKIA…EXAMPLE` are not."""
    return len(set(value)) >= _DISTINCT_AT_LEAST and not value.endswith("EXAMPLE")


def is_key_body(value: str) -> bool:
    """Whether a key is between the lines that frame one, and not `…` or prose: 40 characters of base 64 in a row."""
    return is_varied(value) and _BASE64_LINE.search(value) is not None


def is_placeholder(value: str) -> bool:
    """Whether a value stands for a secret that is elsewhere: `${TOKEN}`, `<your-token>`, `process.env.KEY`, `****`."""
    return len(set(value)) < _DISTINCT_AT_LEAST or _PLACEHOLDER.fullmatch(value) is not None


def is_random(value: str) -> bool:
    """Whether a value of 16 characters and more looks drawn by chance, not written by a person.

    Letters and digits meet in many places (in base 62 at 27 of 100 joints, in hexadecimal at 47), or upper and lower
    case do; names such as `all-MiniLM-L6-v2` are made of words that end in a number.
    """
    joints = len(value) - 1
    if len(value) < _RANDOM_LENGTH_AT_LEAST or is_placeholder(value) or _is_name(value):
        return False
    letters_meet_digits = len(_LETTER_MEETS_DIGIT.findall(value))
    return (letters_meet_digits >= 2 and letters_meet_digits >= joints / 10) or (
        len(_CASE_CHANGES.findall(value)) >= joints * 0.4
    )


def is_password(value: str) -> bool:
    """Whether a value that is called a password is one: 8 characters and more, letters with a digit or a sign."""
    return (
        len(value) >= _PASSWORD_LENGTH_AT_LEAST
        and any(character.isalpha() for character in value)
        and _PASSWORD_SIGN.search(value) is not None
        and not is_placeholder(value)
        and not _is_reference(value)
    )


def is_random_or_password(value: str) -> bool:
    """Whether a value is a secret of either sort, where what stands around it says that one is expected."""
    return is_random(value) or is_password(value)


def is_url_password(value: str) -> bool:
    """Whether what stands between `:` and `@` of a URL is a password, and not the word for it."""
    return not _PLACEHOLDER.fullmatch(value) and value.strip("*") != "" and value.lower() not in _WORDS_FOR_A_PASSWORD


_WORDS_FOR_A_PASSWORD = frozenset({"password", "passwd", "pass", "pwd", "pw", "secret", "token", "p"})


def _is_name(value: str) -> bool:
    """Whether a value is words that may end in a number (`Ed25519PrivateKey`), or a reference; a JWT is neither."""
    return _NAME.fullmatch(value) is not None or (_is_reference(value) and not value.startswith("ey"))


def _is_reference(value: str) -> bool:
    """Whether a value is an attribute (`settings.password2`), a path or an address."""
    return _REFERENCE.fullmatch(value) is not None
