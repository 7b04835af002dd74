"""What a transcript says is text: it steers no terminal and breaks no line, wherever it comes out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from glassdex.model import Json
from tests.cli.running import Ran, Run
from tests.cli.test_hostile_text import UNSAFE
from tests.cli.transcripts import Agents, agents_of, claude, codex, write_lines

EVIL = "\x1b[31m\x1b]0;x\x07[red]M[/red] \u202eover\u2066 \x9b2J one\u2028two\u2029three\rfour\x0bfive\x85six \u200f"
LINES = f"owl {EVIL}\nsecond line {EVIL}"
NAME = f"evil {EVIL} id"


@pytest.fixture
def hostile(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    agents: Agents = agents_of(tmp_path / "user", monkeypatch)
    call: Json = {"type": "tool_use", "id": "t1", "name": f"Bash{EVIL}", "input": {f"k{EVIL}": f"owl {EVIL}"}}
    result: Json = {"type": "tool_result", "tool_use_id": "t1", "content": LINES, "is_error": True}
    at: dict[str, Any] = {"cwd": f"/code/{EVIL}", "gitBranch": EVIL, "timestamp": f"2026-11-30{EVIL}"}
    agents.with_claude(
        [
            {"type": "custom-title", "customTitle": EVIL * 20, "sessionId": "x"},
            claude("user", f"u1{EVIL}", LINES, **at),
            claude("assistant", "a1", [{"type": "text", "text": LINES}, call], **at),
            claude("user", "u2", [result], **at),
            claude("user", "u3", "owl " + "x" * 200_000 + EVIL),
            {"type": EVIL, "uuid": EVIL, "sessionId": EVIL, "message": {"role": EVIL, "content": EVIL}},
        ]
    )
    said: list[Json] = [
        {"id": f"m{EVIL}", "role": f"role{EVIL}", "name": f"speaker{EVIL}", "content": LINES, "time": EVIL},
        {"role": "assistant", "content": LINES},
    ]
    write_lines(agents.claude / "talk.jsonl", [{"id": NAME, "title": EVIL, "messages": [said[1], said[1], said[0]]}])
    header: Json = {"id": NAME, "cwd": EVIL, "git": {"branch": EVIL}, "forked_from_id": EVIL, "parent_thread_id": EVIL}
    agents.with_codex(
        [
            {"timestamp": EVIL, "type": "session_meta", "payload": header},
            codex("user", LINES),
            codex("assistant", LINES),
        ]
    )
    checked(run("index", "--sessions"))
    return run


def checked(ran: Ran) -> Ran:
    assert not UNSAFE & set(ran.out + ran.err)
    assert ran.out + ran.err
    return ran


def sessions(run: Run) -> list[dict[str, str]]:
    return list(run("sessions", "list", "--json").answer["sessions"])


def test_all_of_them_are_read(hostile: Run) -> None:
    assert {session["source"] for session in sessions(hostile)} == {"claude", "chat", "codex"}
    assert NAME in {session["id"] for session in sessions(hostile)}


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin"])
def test_a_list_is_three_lines_a_session(hostile: Run, zone: str) -> None:
    out = checked(hostile("sessions", "list", "--tz", zone)).out
    assert len(out.splitlines()) == 3 * len(sessions(hostile))
    assert "[red]M[/red]" in out, "markup is text"


@pytest.mark.parametrize("more", [(), ("--full",), ("--raw",), ("--raw", "--full")])
def test_a_page_keeps_its_lines_and_loses_its_power(hostile: Run, more: tuple[str, ...]) -> None:
    for session in sessions(hostile):
        out = checked(hostile("sessions", "show", session["path"], *more)).out
        answer = hostile("sessions", "show", session["path"], *more, "--json").answer
        texts = [message["text"].count("\n") + 1 for message in answer["messages"]]
        assert out.count("\n") == 2 + sum(2 + lines for lines in texts), "a heading, then a blank, a head and the text"
        assert out.splitlines() == out.split("\n")[:-1], "nothing else ends a line"


@pytest.mark.parametrize("more", [(), ("--explain",), ("--paths",), ("--show-misses",), ("--matches", "9")])
def test_a_search_shows_it_as_text(hostile: Run, more: tuple[str, ...]) -> None:
    checked(hostile("search", "owl", *more))
    checked(hostile("search", "owl", "--in", "talk.jsonl", *more))


def test_a_search_without_words_shows_it_as_text(hostile: Run) -> None:
    for session in sessions(hostile):
        checked(hostile("search", "--in", session["path"]))


@pytest.mark.parametrize("columns", ["60", "1000"])
def test_a_line_of_a_result_is_one_line(hostile: Run, columns: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    out = checked(hostile("search", "owl", "--matches", "9")).out
    commands = [line for line in out.splitlines() if line.startswith("    glassdex sessions show ")]
    pointers = [line for line in out.splitlines() if line.startswith("    session:")]
    results = [line for line in out.splitlines() if line[:2].strip().isdecimal()]
    assert (len(commands) > len(pointers), len(pointers)) == (True, len(results)), (
        "the best match alone has its pointer"
    )
    assert all(pointer.isascii() and " " not in pointer.strip() for pointer in pointers)


def test_every_pointer_opens(hostile: Run) -> None:
    for result in hostile("search", "owl", "--matches", "9", "--json").answer["results"]:
        for match in result["matches"]:
            ran = checked(hostile("open", match["pointer"]))
            assert (ran.code, ran.out.splitlines()[0].partition(":")[0]) == (0, "exact")
            assert checked(hostile("sessions", "show", "--at", match["pointer"], "-n1")).code == 0
            checked(hostile("inspect", "why-not", "owl", match["pointer"]))
            checked(hostile("inspect", "neighbors", match["pointer"]))


@pytest.mark.parametrize(
    "arguments",
    [
        ("status", "--files", "--all"),
        ("doctor",),
        ("inspect", "chunks", "talk.jsonl"),
        ("inspect", "query", "owl"),
        ("sessions", "show", EVIL),
        ("sessions", "show", "evil", "--offset", EVIL),
        ("sessions", "show", "evil", "--offset", "99"),
        ("sessions", "show", "--at", EVIL),
        ("sessions", "show", "--at", f"session:chat/{EVIL}#a.0@3fa9c1d2e4b5"),
        ("sessions", "list", "--since", EVIL),
        ("sessions", "list", "--tz", EVIL),
        ("search", "owl", "--role", EVIL),
        ("search", "owl", "--session", EVIL),
        ("index", EVIL, "--sessions"),
    ],
)
def test_nothing_steers_the_terminal(hostile: Run, arguments: tuple[str, ...]) -> None:
    ran = checked(hostile(*arguments))
    assert ran.err.count("\n") <= 3


@pytest.mark.parametrize(
    "arguments", [("sessions", "list"), ("sessions", "show", "talk.jsonl"), ("search", "owl"), ("status", "--files")]
)
def test_json_is_one_line_that_a_terminal_may_see(hostile: Run, arguments: tuple[str, ...]) -> None:
    out = checked(hostile(*arguments, "--json")).out
    assert out.count("\n") == 1
    assert json.loads(out)


def test_a_program_gets_what_the_file_says(hostile: Run) -> None:
    texts = [one["text"] for one in hostile("sessions", "show", "talk.jsonl", "--json").answer["messages"]]
    assert texts == [LINES] * 3


def test_an_ambiguous_name_lists_its_candidates_as_text(run: Run, tmp_path: Path) -> None:
    said: Json = [{"role": "user", "content": "owl"}]
    write_lines(
        tmp_path / "talks" / "t.jsonl", [{"id": f"x{EVIL}{name}", "messages": said, "n": name} for name in "ab"]
    )
    run("index", tmp_path / "talks", "--no-embed")
    ran = checked(run("sessions", "show", "x"))
    assert (ran.code, "[session_ambiguous]" in ran.err, "there is: " in ran.err) == (2, True, True)


def test_names_without_end_are_shortened_and_commands_stay_short(run: Run, tmp_path: Path) -> None:
    name, folder = "long" * 4_000, tmp_path / "talks"
    said: list[Json] = [
        {"role": "user", "name": name, "content": "owl one", "id": name},
        {"role": "assistant", "tool_calls": [{"function": {"name": name, "arguments": "owl"}}]},
    ]
    write_lines(folder / "chat.jsonl", [{"id": name, "title": name, "messages": said}])
    header: Json = {"id": name, "cwd": f"/{name}", "git": {"branch": name}, "forked_from_id": name}
    records: list[Json] = [{"timestamp": "x", "type": "session_meta", "payload": header}, codex("user", "owl two")]
    write_lines(folder / "codex.jsonl", records)
    write_lines(folder / "claude.jsonl", [claude("user", name, "owl three", name, cwd=f"/{name}", gitBranch=name)])
    run("index", folder, "--no-embed")
    commands = [
        ("search", "owl", "--mode", "lexical"),
        ("sessions", "list"),
        *(("sessions", "show", f"{n}.jsonl") for n in ("chat", "codex")),
    ]
    for command in commands:
        ran = run(*command)
        assert ran.code == 0
        assert max(map(len, ran.out.splitlines())) <= 200, command
    paths = [
        result["document"]["path"] for result in run("search", "owl", "--mode", "lexical", "--json").answer["results"]
    ]
    assert set(paths) == {"chat.jsonl", "codex.jsonl", "claude.jsonl"}
