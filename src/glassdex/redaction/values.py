"""Is a value a secret? Tells random strings and passwords from placeholders, names and pieces of code."""

from __future__ import annotations

import base64
import re

_PLACEHOLDER = re.compile(
    r"""
      \$\w+ | \$?\{.* | \$\(.* | %\w+% | <.* | \[.* | &(?:lt|\#x3c|\#60);.*  # variable, template, <token>, label
    | .*(?:\*{3}|\.{3}|x{4}|X{4}|<[^<>]*>|\$\{|\{\{).*
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

_SHORT_BASE64 = re.compile(r"[A-Za-z0-9+/]{16,}={0,2}")
_KEY_BLANKS = re.compile(r"(?:\\+[nrt]|[\s\"'+,>|])+")
_NAMED = re.compile(
    r"(?:[\w.-]*(?:[_.-]|[a-z](?=[PTSK])))?(?:password|passwd|passphrase|token|secret|key)s?", re.IGNORECASE
)
_CALLED = re.compile(r"[A-Za-z_][\w.]*\(.*\)[;,]?", re.DOTALL)
_FORMAT = re.compile(r".*(?:%[sdr]|%\(\w+\)s|\{\w*\}|\$\{).*")
_WORD = re.compile(r"[A-Za-z]+")

_DISTINCT_AT_LEAST = 6
_WORD_DISTINCT_AT_LEAST = 4
_NAMED_PASSWORD_LENGTH_AT_LEAST = 6
_WORDS_OF_A_PASSPHRASE_AT_LEAST = 4
_TYPED_LENGTH_AT_LEAST = 3
_RANDOM_LENGTH_AT_LEAST = 16
_PASSWORD_LENGTH_AT_LEAST = 8


def is_varied(value: str) -> bool:
    """Whether a string in a vendor's format can be a real one; the manuals' `ghp_xxxx…` and `AKIA…EXAMPLE` are not."""
    return len(set(value)) >= _DISTINCT_AT_LEAST and not value.endswith("EXAMPLE")


def is_key_body(value: str) -> bool:
    """Whether a key is between the lines that frame one, and not `…` or prose: base 64, 40 in a row or nothing else."""
    if not is_varied(value):
        return False
    if _BASE64_LINE.search(value) is not None:
        return True
    body = _KEY_BLANKS.sub("", value)
    return _SHORT_BASE64.fullmatch(body) is not None and not (body.islower() or body.isupper() or body.isdigit())


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


def is_key(value: str) -> bool:
    """Whether a value that is called a key or a token is one: random, or 8 characters of mixed letters and digits."""
    return is_random(value) or (
        len(value) >= _PASSWORD_LENGTH_AT_LEAST
        and len(_LETTER_MEETS_DIGIT.findall(value)) >= 2
        and not is_placeholder(value)
        and not _is_name(value)
        and not _is_reference(value)
        and not _is_stand_in(value)
    )


def is_secret_key(value: str) -> bool:
    """Whether a long value in base 64, which may begin like a path, is no placeholder."""
    return (
        not is_placeholder(value) and not (value.islower() or value.isupper()) and re.search("[0-9]", value) is not None
    )


def is_named_password(value: str) -> bool:
    """Whether a value that can be nothing but a password's is one: 6 characters and more, a word too."""
    return len(value) >= _NAMED_PASSWORD_LENGTH_AT_LEAST and _is_no_stand_in(value)


def is_named_secret(value: str) -> bool:
    """Whether a value that can be nothing but a secret's is one: 8 characters and more with a letter, a word too."""
    return (
        len(value) >= _PASSWORD_LENGTH_AT_LEAST
        and any(character.isalpha() for character in value)
        and _is_no_stand_in(value)
    )


def is_named_passphrase(value: str) -> bool:
    """Whether a password's quoted value with blanks is one: with a digit or a sign, or four words; no sentence."""
    words = value.split()
    prose = [word.lower() for word in _WORD.findall(value) if word.lower() in _PROSE]
    if len(prose) > 1 or not _PROSE_ABOUT_PASSWORDS.isdisjoint(prose) or not _is_no_stand_in(value):
        return False
    if all(word.isalpha() for word in words):
        return len(words) >= _WORDS_OF_A_PASSPHRASE_AT_LEAST and value.islower() and not prose
    return len(value) >= _NAMED_PASSWORD_LENGTH_AT_LEAST and re.search(r"[0-9!@#$%^&*~]", value) is not None


def is_typed_password(value: str) -> bool:
    """Whether what a command takes as a password is one, and not a variable or the word for it."""
    return len(value) >= _TYPED_LENGTH_AT_LEAST and is_url_password(value)


def is_login(value: str) -> bool:
    """Whether base 64 holds a name, a colon and a password."""
    try:
        login = base64.b64decode(value, validate=True).decode("utf-8")
    except ValueError:
        return False
    return login.isprintable() and 0 < login.find(":") < len(login) - 1


def is_url_password(value: str) -> bool:
    """Whether what stands between `:` and `@` of a URL is a password, and not the word for it."""
    return not _PLACEHOLDER.fullmatch(value) and value.strip("*") != "" and value.lower() not in _WORDS_FOR_A_PASSWORD


_WORDS_FOR_A_PASSWORD = frozenset({"password", "passwd", "pass", "pwd", "pw", "secret", "token", "p"})
_STAND_IN_WORDS = """
password passwd passphrase secret secrets token string str text none null nil undefined true false bytes integer
number boolean object unicode varchar optional required hidden prompt masked value default empty missing invalid
unknown disabled enabled encrypted hashed plaintext secretstr credential credentials option options argument
instead should prompts because without before requires specify specifies provided parameter parameters switch
setting settings either stdin keyring passwort kennwort wachtwoord contrasena senha parola haslo salasana
username anonymous private public function variable generic keyword identifier tokenizer whatever something
"""
_STAND_INS = frozenset(_STAND_IN_WORDS.split())
"""Words that stand where a password would."""

_SENTENCES_ABOUT_PASSWORDS = """
must should cannot least please enter confirm forgot reset invalid incorrect wrong required optional character
characters letters digits password passwd passphrase passwords field hash user name none string your passe
"""
_SENTENCES = """
a an the is are be was can may will at most of to or and for from with without my our this that it its in on by as
not no new old type long short too than more if when you we s t de la le el un une su der die das ein mot
"""
_PROSE_ABOUT_PASSWORDS = frozenset(_SENTENCES_ABOUT_PASSWORDS.split())
_PROSE = _PROSE_ABOUT_PASSWORDS | frozenset(_SENTENCES.split())
"""Words of messages and captions: one about passwords, or two of any, make a value a sentence."""


def _is_no_stand_in(value: str) -> bool:
    return (
        len(set(value)) >= _WORD_DISTINCT_AT_LEAST
        and (re.search(r"[A-Za-z0-9]", value) is not None or len(set(value)) >= _DISTINCT_AT_LEAST)
        and _PLACEHOLDER.fullmatch(value) is None
        and not _is_reference(value)
        and not _is_stand_in(value)
    )


def _is_stand_in(value: str) -> bool:
    """Whether a value is a type, a word for a password, the name of one, a call or a format."""
    return (
        value.strip(",;.:").lower() in _STAND_INS
        or _NAMED.fullmatch(value) is not None
        or _CALLED.fullmatch(value) is not None
        or _FORMAT.fullmatch(value) is not None
    )


def _is_name(value: str) -> bool:
    """Whether a value is words that may end in a number (`Ed25519PrivateKey`), or a reference; a JWT is neither."""
    return _NAME.fullmatch(value) is not None or (_is_reference(value) and not value.startswith("ey"))


def _is_reference(value: str) -> bool:
    """Whether a value is an attribute (`settings.password2`), a path or an address."""
    return _REFERENCE.fullmatch(value) is not None
