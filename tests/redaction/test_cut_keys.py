"""Private keys of which a part is missing, as tools print them."""

from __future__ import annotations

import base64
import random
from collections.abc import Callable

import pytest

from glassdex.redaction import redact

BEGIN, END = "-----BEGIN RSA " + "PRIVATE KEY-----", "-----END RSA " + "PRIVATE KEY-----"


def body() -> list[str]:
    drawn = random.Random(3)
    whole = [base64.b64encode(drawn.randbytes(48)).decode() for _ in range(24)]
    return [*whole, base64.b64encode(drawn.randbytes(20)).decode()]


BODY = body()
LINES: dict[str, Callable[[int, str], str]] = {
    "as they are": lambda _, line: line,
    "numbered by an arrow": lambda number, line: f"{number:6}→{line}",
    "numbered by a tab": lambda number, line: f"{number:6}\t{line}",
    "found by grep": lambda number, line: f"{number}:{line}",
    "found in a file": lambda number, line: f"deploy/key.pem:{number}:{line}",
    "removed": lambda _, line: f"-{line}",
    "indented": lambda _, line: " " * 12 + line,
    "quoted": lambda _, line: f"> {line}",
}


def numbered(lines: list[str], form: Callable[[int, str], str]) -> str:
    return "\n".join(form(number, line) for number, line in enumerate(lines, start=1))


@pytest.mark.parametrize("form", LINES.values(), ids=LINES)
@pytest.mark.parametrize("lines", [[BEGIN, *BODY], [*BODY, END], [BEGIN, *BODY, END]], ids=["begun", "ended", "whole"])
def test_no_line_of_a_key_stays(form: Callable[[int, str], str], lines: list[str]) -> None:
    text = f"before it\n{numbered(lines, form)}"
    redacted = redact(text).text
    assert not [line for line in BODY if line in redacted]
    assert redacted.startswith("before it\n")
    assert len(redacted) == len(text)
    assert [place for place, sign in enumerate(redacted) if sign == "\n"] == [
        place for place, sign in enumerate(text) if sign == "\n"
    ]
    assert not redact(redacted).counts


@pytest.mark.parametrize("between", ["... [12 lines truncated] ...", "[... 1,234 characters left out ...]", ""])
def test_a_gap_does_not_end_a_key(between: str) -> None:
    redacted = redact("\n".join([BEGIN, *BODY[:4], between, *BODY[4:]])).text
    assert not [line for line in BODY if line in redacted]


def test_an_encrypted_key_has_headers() -> None:
    headers = ["Proc-Type: 4,ENCRYPTED", "DEK-Info: AES-128-CBC,0123", ""]
    redacted = redact("\n".join([BEGIN, *headers, *BODY])).text
    assert not [line for line in BODY if line in redacted]


@pytest.mark.parametrize(
    "text",
    [
        f"it begins with {BEGIN} and ends with {END}, they say",
        f"{BEGIN}\nthen words follow\nsome_identifier_that_is_rather_long",
        f"def key():\n    return value_of_the_environment\n{END}",
    ],
)
def test_prose_about_keys_stays(text: str) -> None:
    assert redact(text).text == text


def test_what_follows_a_cut_key_stays() -> None:
    redacted = redact("\n".join([BEGIN, *BODY, "and then we deployed it", "with no trouble"])).text
    assert redacted.endswith("and then we deployed it\nwith no trouble")
