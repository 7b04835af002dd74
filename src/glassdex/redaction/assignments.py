"""Where a value that is assigned to a name begins and ends, and what its place says of it.

A rule of this kind matches the name and the operator; the value reaches to white space or its closing quote, so that
no tail of it stays. Every look back is bounded, and what was read is not read again: linear.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from glassdex.redaction.values import (
    is_key,
    is_named_passphrase,
    is_named_password,
    is_named_secret,
    is_password,
    is_random,
    is_random_or_password,
    is_typed_password,
)

_QUOTE = re.compile(rb"(\\{0,7})([\"'`])")
_QUOTE_OR_LINE_BREAK = re.compile(rb"(\\{0,64}+)([\"'`\r\n])")
# A value without quotes: `&` ends it in a query, `;` in a connection string; a quote only where something closes.
_VALUE = rb"(?:[^\s\"'`\\<%s]|[\"'`](?=[\w!@#$^*+~%%])|\\(?![nrtu\"'`\\])|<(?!/|!--|[A-Za-z][A-Za-z0-9]{0,9}/?>)%s)++"
_MEMBER = b"&"
_REACHES = {
    b"": re.compile(_VALUE % (b"", b"")),
    b";": re.compile(_VALUE % (b";", b"")),
    rb"&#)\]>": re.compile(_VALUE % (rb"&#)\]>", b"")),
    _MEMBER: re.compile(_VALUE % (b"&", rb"|&(?![A-Za-z_][\w.%-]{0,64}=)")),  # what may be a query's first member
}
_CODE = re.compile(
    rb"\\?[(\[{]|![01](?!\w)|qr/"
    rb"|[A-Za-z_$][\w.$]{0,200}+(?:\[[\w\"']{0,40}\])?(?:[,)\]}(\[{>]|->|::|&&|\|\||[=!]=|=>|\?[^?:\s]{1,80}:)"
)
_CALL = re.compile(rb"[A-Za-z_]\w{0,80}+(?:(?:\.\w{1,80}+)+\(|\(\s*[\"']|\([^()\s]*\)\Z)")
_LINE_BREAK = re.compile(rb"[\r\n]|\\[nr]")
_REST_OF_LINE = re.compile(rb"[ \t]{0,8}(?:[#;][^\r\n]*)?(?:[\r\n]|\\[rn]|\Z)")
_AFTER_A_WORD = re.compile(rb"[ \t]+[a-z]{2,}")

_NAME_CHARACTERS = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-."
_BEFORE_A_NAME = 64
_BEFORE_ON_THE_LINE = 512
_LONGEST_WITH_BLANKS = 128
_LONGEST_QUOTED = 8192


class _Place(Enum):
    CODE = "code"  # anywhere else: a word is as likely a variable
    YAML = "yaml"  # `name: value`, alone on its line
    LINE = "line"  # `name=value` that begins a line
    SETTING = "setting"  # `NAME=value` of a shell or an environment file, a member of a query, a command's option


@dataclass(frozen=True, slots=True)
class _Tests:
    """What tells a secret from other values of a name, by where the value stands."""

    code: Callable[[str], bool]
    yaml: Callable[[str], bool]
    setting: Callable[[str], bool]
    quoted: Callable[[str], bool]
    quoted_with_blanks: Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class Found:
    """What a rule made of a match."""

    spans: tuple[tuple[int, int], ...]
    end: int
    """Where the rule goes on."""


def password(match: re.Match[bytes]) -> Found:
    """The value of a password-like name."""
    is_directory_too = _name(match)[0].lower() in (b"pwd", b"oldpwd")
    quoted = is_password if is_directory_too else is_named_password
    return _value(match, _Tests(is_password, is_password, quoted, quoted, is_named_passphrase))


def secret(match: re.Match[bytes]) -> Found:
    """The value of a name such as `api_key`, `client_secret`, `token`."""
    name = _name(match)[0]
    is_compound = any(sign in name for sign in b"_-.") or not (name.islower() or name.istitle())
    word = is_named_secret if is_compound or name.isupper() else is_key
    quoted = word if name.lower().endswith(b"secret") else is_key
    return _value(match, _Tests(is_random, is_key, word, quoted, _never))


def option(match: re.Match[bytes]) -> Found:
    """The value of a command's option, after a blank or `=`."""
    text, start = match.string, match.end()
    is_word_enough = match["word"].lower() not in (b"token", b"key")
    is_secret = is_named_password if match["word"].lower().startswith(b"pass") else is_named_secret
    quoted = _quoted(text, start)
    if quoted is not None:
        begin, end, after = quoted
        return _found(text, begin, end, after, is_secret if is_word_enough else is_random_or_password)
    reach = _REACHES[b""].match(text, start)
    if reach is None:
        return Found((), start)
    value = reach[0]
    is_caption = match["blank"] and (
        value.startswith(b"-")  # the next option
        or value.isupper()
        or (value.istitle() and _AFTER_A_WORD.match(text, reach.end()))
    )
    is_word_too = is_word_enough and match["blank"] in (None, b" ")
    if _CALL.match(value) or (is_caption and not any(character in value for character in b"0123456789")):
        return Found((), start)
    if value.isalpha() and not is_word_too:
        return Found((), start)
    return _found(text, start, reach.end(), reach.end(), is_secret if is_word_enough else is_random_or_password)


def argument(match: re.Match[bytes]) -> Found:
    """The argument of a command, quoted or not."""
    start, end = match.span("quoted" if match["quoted"] is not None else "bare")
    return _found(match.string, start, end, match.end(), is_typed_password)


def argument_of(commands: bytes) -> Callable[[re.Match[bytes]], Found]:
    """`argument`, where its command line, so far, runs one of the commands."""
    runs = re.compile(rb"(?<![\w-])(?:" + commands + rb")(?![\w-])")

    def found(match: re.Match[bytes]) -> Found:
        before = match.string[max(0, match.start() - _BEFORE_ON_THE_LINE) : match.start() + 1]
        line = re.split(rb"(?<!\\)\n", before)[-1]
        return argument(match) if runs.search(line) else Found((), match.start() + 1)

    return found


def behind(before: re.Pattern[bytes]) -> Callable[[re.Match[bytes]], Found]:
    """The first group of a match that stands behind `before`."""

    def found(match: re.Match[bytes]) -> Found:
        if not before.search(match.string[max(0, match.start() - _BEFORE_ON_THE_LINE) : match.start()]):
            return Found((), match.start() + 1)
        return _found(match.string, *match.span(1), match.end(), is_typed_password)

    return found


_COOKIE = re.compile(rb"([\w.$-]{1,64})=([^\s;,\"'\\]{16,4096}+)")
_COOKIE_ATTRIBUTES = frozenset({b"domain", b"expires", b"max-age", b"path", b"samesite", b"version", b"comment"})


def cookies(match: re.Match[bytes]) -> Found:
    """The long values of a `Cookie` or `Set-Cookie` header."""
    spans: list[tuple[int, int]] = []
    for cookie in _COOKIE.finditer(match.string, *match.span(1)):
        if cookie[1].lower() not in _COOKIE_ATTRIBUTES:
            spans += _found(match.string, *cookie.span(2), match.end(), _is_cookie).spans
    return Found(tuple(spans), match.end())


def _is_cookie(value: str) -> bool:
    return is_named_secret(value) or is_random(value)


def _never(_value: str) -> bool:
    return False


def _name(match: re.Match[bytes]) -> tuple[bytes, int]:
    """The whole name, of which the match begins somewhere within, and where it begins."""
    text, start = match.string, match.start()
    before = text[max(0, start - _BEFORE_A_NAME) : start]
    head = before[len(before.rstrip(_NAME_CHARACTERS)) :]
    begin = start - len(head)
    if begin and text[begin - 1 : begin] == b"\\" and head[:1] in (b"n", b"r", b"t"):  # an escaped line break
        head, begin = head[1:], begin + 1
    return head + match["word"], begin


def _place(match: re.Match[bytes], name: bytes, begin: int) -> tuple[_Place, bytes]:
    """Where an assignment stands, and what parts it from the next one there."""
    operator = match["operator"]
    last = match.string[begin - 1 : begin] if begin else b""
    line = _line_before(match.string, begin)
    place, ends = _Place.CODE, _MEMBER if operator == b"=" else b""
    if operator == b"=" and last == b";":
        ends = b";"
    elif operator == b"=" and last in (b"?", b"&"):
        place, ends = _Place.SETTING, rb"&#)\]>"
    elif operator == b"=":
        is_shell = name == name.upper() and (not last or last.isspace() or last in b"\"'`nr")
        if name.startswith((b"-D", b"--")) or (is_shell and line.rstrip()[-1:] not in (b",", b"(")):
            place, ends = _Place.SETTING, b""
        elif not line or line.strip().lower() in (b"export", b"set", b"env", b"-"):
            place, ends = _Place.LINE, b""
    elif operator[:1] == b":" and operator[1:].isspace() and line.strip() in (b"", b"-"):
        place = _Place.YAML
    return place, ends


def _value(match: re.Match[bytes], tests: _Tests) -> Found:
    quote = _QUOTE.match(match.string, match.end())
    if quote is None:
        return _bare(match, match.end(), tests)
    opens = _opens(match, quote, _name(match)[1])
    string = _quoted(match.string, match.end()) if opens is not False else None
    if string is None:
        return _bare(match, quote.end(), tests) if opens else Found((), match.end())  # nothing closes it
    start, end, behind = string
    if not any(sign in match.string[start:end] for sign in b" \t"):
        return _found(match.string, start, end, behind, tests.quoted if opens else tests.code)
    is_secret = tests.quoted_with_blanks if opens and end - start <= _LONGEST_WITH_BLANKS else _never
    found = _found(match.string, start, end, behind, is_secret)
    return found if found.spans else Found((), start)


def _bare(match: re.Match[bytes], start: int, tests: _Tests) -> Found:
    text = match.string
    name, begin = _name(match)
    place, ends = _place(match, name, begin)
    is_code = _CODE.match(text, start) if place is not _Place.SETTING else None
    reach = _REACHES[ends].match(text, start) if is_code is None else None
    if reach is None:
        return Found((), is_code.end() - 1 if is_code else start)
    end = reach.end()
    is_tag = b">" in match["operator"] and b"=" not in match["operator"]
    if _CALL.match(reach[0]) or (is_tag and text[end : end + 1] not in (b"<", b"", b"\n")):
        return Found((), end)
    is_secret = tests.setting if ends == _MEMBER and text[end : end + 1] == b"&" else tests.code
    if place is _Place.SETTING or (_REST_OF_LINE.match(text, end) and place is not _Place.CODE):
        is_secret = tests.yaml if place is _Place.YAML and name != name.upper() else tests.setting
    return _found(text, start, end, end, is_secret)


def _line_before(text: bytes, begin: int) -> bytes:
    """What stands before a place on its line, escaped line breaks too; only the last of a long line."""
    return _LINE_BREAK.split(text[max(0, begin - _BEFORE_ON_THE_LINE) : begin])[-1]


def _opens(match: re.Match[bytes], quote: re.Match[bytes], begin: int) -> bool | None:
    """Whether the quote behind an operator opens a string; None where the line's beginning is too far off to tell."""
    if any(sign in match["closing"] for sign in b"\"'`"):
        return True
    line = _line_before(match.string, begin)
    if len(line) == _BEFORE_ON_THE_LINE:
        return None
    return line.count(quote[2]) % 2 == 0


def _quoted(text: bytes, start: int) -> tuple[int, int, int] | None:
    """(start, end, end of the closing quote) of what stands in quotes, on one line."""
    opening = _QUOTE.match(text, start)
    if opening is None:
        return None
    depth = len(opening[1])
    for sign in _QUOTE_OR_LINE_BREAK.finditer(text, opening.end(), opening.end() + _LONGEST_QUOTED):
        if sign[2] in (b"\r", b"\n"):
            return None
        if sign[2] == opening[2]:
            escapes = len(sign[1])
            if depth == 0 and escapes % 2 == 0:
                return opening.end(), sign.end() - 1, sign.end()
            if depth > 0 and escapes <= depth:
                return opening.end(), sign.start(), sign.end()
    return None


def _found(text: bytes, start: int, end: int, goes_on: int, is_secret: Callable[[str], bool]) -> Found:
    value = text[start : min(end, start + _LONGEST_QUOTED)].decode("ascii")
    return Found(((start, end),), goes_on) if is_secret(value) else Found((), goes_on)
