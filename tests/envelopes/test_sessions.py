"""What the commands print of transcripts as JSON keeps the published schemas."""

from __future__ import annotations

import re
from datetime import timedelta, timezone
from pathlib import Path

import pytest

from glassdex.envelopes.session import iso_time
from glassdex.model import Json
from tests.cli.running import Run
from tests.cli.transcripts import OWLS, Agents, agents_of, claude, codex, write_lines
from tests.envelopes.test_envelopes import holds
from tests.redaction.samples import TOKENS


@pytest.fixture
def agents(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Agents:
    assert home
    return agents_of(tmp_path / "user", monkeypatch)


@pytest.fixture
def indexed(run: Run, agents: Agents) -> Run:
    """Sessions of three programs: every mark a message can have, a copy, an unknown time, a long text, a secret."""
    agents.with_claude()
    fork = [
        {**record, "sessionId": "fork", "forkedFrom": {"sessionId": OWLS, "messageUuid": record["uuid"]}}
        for record in (claude("user", "u1", "Where does the owl live?"),)
        if isinstance(record, dict)
    ]
    write_lines(agents.claude / "-work-barn" / "fork.jsonl", [*fork, claude("user", "f2", "And the mouse?", "fork")])
    agents.with_codex([codex("user", f"the key {TOKENS['openai'][1]}"), codex("assistant", "x" * 40_000)])
    failed: list[Json] = [{"type": "tool_result", "tool_use_id": "t", "content": "no owl", "is_error": True}]
    agents.with_claude(
        [
            claude("user", "m1", "owl", "marked", timestamp=None, gitBranch="main"),
            claude("user", "m2", failed, "marked", timestamp=None),
            claude("user", "m3", "Caveat: put in", "marked", timestamp=None, isMeta=True),
            claude("assistant", "m4", "the sub-agent's owl", "marked", timestamp=None, isSidechain=True),
        ],
        "marked",
    )
    write_lines(
        agents.claude / "talk.jsonl",
        [
            {
                "id": "talk",
                "messages": [{"role": "user", "name": "Ada", "content": "owl"}, {"role": "bot", "text": "hoot"}],
            }
        ],
    )
    assert run("index", "--sessions").code == 0
    return run


def test_a_list_holds(indexed: Run) -> None:
    answer = holds(indexed("sessions", "list", "--json").answer, "glassdex.sessions/1")
    assert answer["total"] == len(answer["sessions"]) == 5
    by_id = {session["id"]: session for session in answer["sessions"]}
    assert (by_id["fork"]["copied"], by_id["fork"]["messages"], by_id["fork"]["forked_from"]) == (1, 1, OWLS)
    assert by_id["marked"]["branch"] == "main"
    assert "started_at" not in by_id["marked"]


def test_a_list_of_some_days_counts_those_without_a_time(indexed: Run) -> None:
    answer = holds(indexed("sessions", "list", "--since", "2026-11-01", "--json").answer, "glassdex.sessions/1")
    assert (answer["total"], answer["undated"]) == (3, 2)


def test_an_empty_list_holds(indexed: Run) -> None:
    ran = indexed("sessions", "list", "--since", "2030", "--until", "2031", "--json")
    assert (ran.code, holds(ran.answer, "glassdex.sessions/1")["sessions"]) == (1, [])


@pytest.mark.parametrize("more", [(), ("--full",), ("--raw",), ("-n", "1"), ("--tz", "Asia/Tokyo")])
def test_every_page_holds(indexed: Run, more: tuple[str, ...]) -> None:
    for session in indexed("sessions", "list", "--json").answer["sessions"]:
        answer = indexed("sessions", "show", session["path"], *more, "--json").answer
        while True:
            holds(answer, "glassdex.session/1")
            assert answer["project"] == "sessions"
            if "next" not in answer:
                break
            answer = indexed("sessions", "show", session["path"], "--offset", answer["next"], *more, "--json").answer


def test_marks_are_there_only_where_they_are_so(indexed: Run) -> None:
    answer = indexed("sessions", "show", "marked", "--json").answer
    marks = [{"injected", "sidechain", "error"} & message["message"].keys() for message in answer["messages"]]
    assert marks == [set(), {"error"}, {"injected"}, {"sidechain"}]
    speaker = indexed("sessions", "show", "talk", "--json").answer["messages"][0]["message"]["speaker"]
    assert speaker == "Ada"


def test_a_search_holds(indexed: Run) -> None:
    answer = indexed("search", "owl mouse key", "--explain", "--show-misses", "--matches", "9", "--json").answer
    found = holds(answer, "glassdex.search/1")
    assert all("session" in result for result in found["results"])
    assert all("offset" in match for result in found["results"] for match in result["matches"])
    assert [stage["name"] for stage in found["trace"]["stages"]][-1] == "locate"


def test_a_passage_holds(indexed: Run) -> None:
    for message in indexed("sessions", "show", OWLS, "--json").answer["messages"]:
        for more in ((), ("--raw",)):
            answer = holds(indexed("open", message["pointer"], *more, "--json").answer, "glassdex.passage/1")
            assert (answer["state"], answer["text"]) == ("exact", message["text"])


def test_a_status_holds(indexed: Run) -> None:
    figures = holds(indexed("status", "--files", "--json").answer, "glassdex.status/1")["transcripts"]
    assert (figures["sessions"], figures["copied"], figures["secrets"]) == (5, 1, {"openai key": 1})
    assert 0 < figures["indexed_characters"] < figures["said_characters"]


def test_without_transcripts_a_status_says_nothing_of_them(in_vault: Run) -> None:
    assert "transcripts" not in in_vault("status", "--json").answer


def test_a_time_is_written_with_its_offset_and_nonsense_not_at_all() -> None:
    assert iso_time(0.0) == "1970-01-01T00:00:00.000Z"
    assert iso_time(1.25, timezone(timedelta(hours=5, minutes=30))) == "1970-01-01T05:30:01.250+05:30"
    assert iso_time(None) is None
    for odd in (1e30, -1e30, float("nan"), float("inf")):
        assert iso_time(odd) is None
    assert re.fullmatch(r"[0-9T:.-]+Z", iso_time(1_790_000_000.4) or "")
