"""Times are in UTC; one that is unknown is unknown, and never a day in 1970."""

from __future__ import annotations

import pytest

from tests.cli.running import Run
from tests.sessions.shelf import Shelf
from tests.sessions.writing import claude, codex_head, codex_item, uid, word

SESSION = uid("session")
TIMES: list[tuple[object, str | None]] = [
    ("2026-11-30T10:00:00Z", "2026-11-30T10:00:00.000Z"),
    ("2026-11-30T10:00:00.25Z", "2026-11-30T10:00:00.250Z"),
    ("2026-11-30T10:00:00+02:00", "2026-11-30T08:00:00.000Z"),
    ("2026-11-30T23:30:00-05:30", "2026-12-01T05:00:00.000Z"),
    ("2026-11-30T10:00:00", "2026-11-30T10:00:00.000Z"),
    ("9999-12-31T23:59:59Z", "9999-12-31T23:59:59.000Z"),
    ("9999-12-31T23:59:59-14:00", None),
    (None, None),
    ("", None),
    ("soon", None),
    ("2026-11-30", None),
    ("2026-02-30T10:00:00Z", None),
    ("1970-01-01T00:00:00Z", None),
    ("0001-01-01T00:00:00Z", None),
    ("1796032800", None),
    (1796032800, None),
    (0, None),
    ({"seconds": 3}, None),
]


@pytest.mark.parametrize("shape", ["claude", "codex"])
@pytest.mark.parametrize(("written", "expected"), TIMES)
def test_a_time_is_told_in_utc_or_not_at_all(
    books: Shelf, run: Run, shape: str, written: object, expected: str | None
) -> None:
    if shape == "claude":
        record = claude(0, f"{word(0)} harbour", session=SESSION, at=None)
        books.write(f"{SESSION}.jsonl", [record | ({} if written is None else {"timestamp": written})])
    else:
        record = codex_item("user", f"{word(0)} harbour", None)
        named = {} if written is None else {"timestamp": written}
        books.write(f"rollout-{SESSION}.jsonl", [codex_head(SESSION), record | named])
    assert run("index", books.root, "--project", "talk", "--no-embed").code == 0
    for arguments in (("sessions", "show", SESSION), ("search", word(0), "--mode", "lexical")):
        answer = run(*arguments, "--project", "talk", "--json").answer
        message = answer["messages"][0] if "messages" in answer else answer["results"][0]["matches"][0]
        assert message["message"].get("sent_at") == expected
        printed = run(*arguments, "--project", "talk").out
        assert ("time unknown" in printed) == (expected is None)
        assert "1970" not in printed
    (session,) = run("sessions", "list", "--project", "talk", "--json").answer["sessions"]
    assert session.get("started_at") == session.get("ended_at") == expected
    assert "1970" not in run("sessions", "list", "--project", "talk").out
    dated = run("sessions", "list", "--project", "talk", "--since", "0001-01-01", "--json").answer
    assert (dated["total"], dated.get("undated")) == ((1, None) if expected else (0, 1))


def test_a_time_is_shown_in_the_zone_that_is_asked_for(books: Shelf, run: Run) -> None:
    books.write(f"{SESSION}.jsonl", [claude(0, "harbour", session=SESSION, at="2026-07-01T22:30:00Z")])
    assert run("index", books.root, "--project", "talk", "--no-embed").code == 0
    shown = run("sessions", "show", SESSION, "--tz", "Europe/Berlin", "--project", "talk")
    assert "2026-07-02 00:30:00 CEST" in shown.out
    answer = run("sessions", "show", SESSION, "--tz", "Europe/Berlin", "--project", "talk", "--json").answer
    assert answer["messages"][0]["message"]["sent_at"] == "2026-07-02T00:30:00.000+02:00"
    assert run("sessions", "show", SESSION, "--tz", "Nowhere", "--project", "talk", "--json").error["code"] == (
        "invalid_request"
    )
