"""Secrets are found, and only they; what is left agrees with the original in every offset."""

import hashlib
import inspect
import json
from pathlib import Path

import pytest
import redact_secret
from hypothesis import given
from hypothesis import strategies as st

from glassdex.redaction import IDENTITY, assignments, keys, redact, values
from glassdex.redaction.redactor import RULES, RULES_VERSION
from tests.redaction.samples import CLEAN, CODE_AND_STAND_INS, ESCAPED_KEY, IN_CONTEXT, KEYS, NAMED, TOKENS, drawn

SECRETS = [token for _, token in TOKENS.values()] + [before + secret for _, before, secret in IN_CONTEXT.values()]
NAMED_LINES = [line for line, _ in NAMED]
PIECES = st.one_of(
    st.sampled_from([*SECRETS, *NAMED_LINES, *CLEAN, *CODE_AND_STAND_INS, *KEYS.values(), ESCAPED_KEY]),
    st.text(max_size=20),
)
ROOT = Path(__file__).parents[2]
CONTEXTS = [
    "{}",
    "see {} there",
    '{{"text": "\\n{}\\n"}}',
    "export X={}\n",
    "-{}\n",
    "“{}”",
    "{}, {}",
    "%22{}%22",
    "é{}é",
]


@pytest.mark.parametrize("name", TOKENS)
@pytest.mark.parametrize("context", CONTEXTS)
def test_nothing_of_a_token_stays(name, context):
    rule, token = TOKENS[name]
    text = context.format(token, token)
    redaction = redact(text)
    assert len(redaction.text) == len(text)
    assert token not in redaction.text
    assert token[-8:] not in redaction.text
    assert sum(redaction.counts.values()) == context.count("{}")
    if "X=" not in context:
        assert rule in redaction.counts


@pytest.mark.parametrize("name", IN_CONTEXT)
def test_a_secret_goes_and_what_names_it_stays(name):
    rule, before, secret = IN_CONTEXT[name]
    after = before[before.rfind("\\") :][:2] if before.endswith('\\"') else before[-1] if before[-1] in "'\"" else ""
    text = f"one\n{before}{secret}{after or '@host' * (name == 'url')}\ntwo"
    redaction = redact(text)
    assert redaction.counts == {rule: 1}
    assert redaction.text.startswith(f"one\n{before}")
    assert redaction.text.endswith(text[4 + len(before) + len(secret) :])
    assert secret not in redaction.text


@pytest.mark.parametrize(("line", "secret"), NAMED)
@pytest.mark.parametrize("context", ["{}", "one\n{}\ntwo"])
def test_all_of_a_named_secret_goes_and_nothing_else(line, secret, context):
    text = context.format(line)
    redacted = redact(text).text
    start = text.index(secret, len(context.partition("{}")[0]))
    end = start + len(secret)
    assert redacted[:start] == text[:start]
    assert redacted[end:] == text[end:]
    assert redacted[start:end].strip(" *") in ("", "[redacted]", *(f"[redacted: {rule.name}]" for rule in RULES))


@pytest.mark.parametrize("sign", "!@#$%^*()-_=+[]{}|:;,.?/~&<>")
@pytest.mark.parametrize("before", ["DB_PASSWORD=", "export DB_PASSWORD=", 'password = "', "cmd --password="])
def test_no_tail_of_a_password_stays_behind_a_sign(sign, before):
    secret = f"Tr0ub4dor{sign}3x"
    end = before[-1].strip("=")
    assert redact(f"{before}{secret}{end}").text == before + "[redacted]".ljust(len(secret)) + end


@pytest.mark.parametrize("lines", [(64, 20), (20, 12), (30,)])
def test_the_short_body_of_a_private_key_goes(lines):
    body = "\n".join(map(drawn, lines))
    text = "-----BEGIN EC PRIVATE" + f" KEY-----\n{body}\n-----END EC PRIVATE KEY-----"
    redaction = redact(text)
    assert redaction.counts == {"private key": 1}
    assert not any(line in redaction.text for line in body.split("\n"))


@pytest.mark.parametrize("kind", KEYS)
def test_the_body_of_a_private_key_goes_and_its_lines_stay(kind):
    redaction = redact(f"before\n{KEYS[kind]}\nafter")
    lines = redaction.text.split("\n")
    block = KEYS[kind].split("\n")
    assert [*lines[:2], *lines[-2:]] == ["before", block[0], block[-1], "after"]
    assert "".join(lines[2:-2]).strip() == "[redacted: private key]"
    assert [len(line) for line in lines[2:-2]] == [len(line) for line in block[1:-1]]


def test_a_key_in_a_json_string_goes_and_the_json_stays_valid():
    redacted = json.loads(redact(ESCAPED_KEY).text)
    assert redacted["client_email"] == "a@b.invalid"
    assert redacted["private_key"].startswith("-----BEGIN PRIVATE" + " KEY-----[redacted: private key]")


def test_a_key_whose_end_was_cut_off_goes_too():
    cut = KEYS["PRIVATE KEY"].rpartition("\n")[0].rpartition("\n")[0]
    assert redact(cut).counts == {"private key": 1}


@pytest.mark.parametrize("line", [*CLEAN, *CODE_AND_STAND_INS])
def test_code_logs_and_manuals_stay(line):
    text = f"one\n{line}\ntwo"
    redaction = redact(text)
    assert redaction.text is text
    assert redaction.counts == {}


@pytest.mark.parametrize("pattern", ["*.md", "docs/**/*.md", "src/**/*.py"])
def test_this_project_holds_no_secret(pattern):
    found = {str(path): dict(redact(path.read_text("utf-8")).counts) for path in sorted(ROOT.glob(pattern))}
    assert found
    assert not {path: counts for path, counts in found.items() if counts}


def test_a_label_says_what_was_there_when_it_fits():
    token = TOKENS["ghp"][1]
    assert redact(token).text == "[redacted: github token]".ljust(len(token))
    assert redact("ftp://me:hunter2@host").text == "ftp://me:*******@host"


@given(st.lists(PIECES, max_size=6), st.sampled_from(["", " ", "\n", '"', "=", "-", "é", "."]))
def test_lengths_and_line_breaks_stay_and_nothing_is_found_twice(pieces, separator):
    text = separator.join(pieces)
    redaction = redact(text)
    assert len(redaction.text) == len(text)
    assert [i for i, c in enumerate(redaction.text) if c in "\r\n"] == [i for i, c in enumerate(text) if c in "\r\n"]
    again = redact(redaction.text)
    assert again.text is redaction.text
    assert not again.counts


@given(st.text(), st.sampled_from(sorted(TOKENS)), st.text())
def test_outside_of_a_secret_every_character_stays(before, name, after):
    token = TOKENS[name][1]
    text = f"{before}\n{token}\n{after}"
    redacted = redact(text).text
    start = len(before) + 1
    if not redact(before).counts and not redact(after).counts:
        assert redacted[:start] == text[:start]
        assert redacted[start + len(token) :] == text[start + len(token) :]
        assert token not in redacted


def test_a_change_of_the_rules_changes_the_recorded_identity():
    sources = map(inspect.getsource, (values, assignments, keys))
    digest = hashlib.sha256("".join(sources).encode())
    for rule in RULES:
        digest.update(b"\0".join((rule.name.encode(), *sorted(rule.anchors), rule.pattern.pattern)))
    assert f"redaction/{RULES_VERSION}" == IDENTITY
    assert (RULES_VERSION, digest.hexdigest()[:12]) == (3, "073bdf162a97"), (
        "raise RULES_VERSION and put the new digest here"
    )


def test_a_maintained_scanner_finds_nothing_in_what_was_redacted():
    for text in [*SECRETS, *KEYS.values(), ESCAPED_KEY]:
        redacted = redact(f"one\n{text}\ntwo").text
        assert [
            redacted[f.start : f.end]
            for f in redact_secret.scan(redacted)
            if "redacted" not in redacted[f.start : f.end]
        ] == []
