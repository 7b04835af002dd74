"""What somebody meets who uses transcripts for the first time: every answer leads on, and nothing is left behind."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from glassdex.answers.command import command_of
from glassdex.cli.main import app
from glassdex.cli.terminal import squeezed
from glassdex.model import Json
from glassdex.redaction import redact
from glassdex.search.request import SearchRequest
from tests.cli.running import Run, write
from tests.cli.transcripts import BUOYS, CODEX, OWLS, Agents, agents_of, buoy_session, claude, owl_session, write_lines
from tests.redaction.samples import KEYS, TOKENS

FORK = "33333333-3333-4333-8333-333333333333"
TOKEN = TOKENS["github_pat"][1]
SHORT = OWLS[:8]


@pytest.fixture
def agents(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Agents:
    assert home
    return agents_of(tmp_path / "user", monkeypatch)


@pytest.fixture
def indexed(run: Run, agents: Agents) -> Run:
    """Three sessions in the project `sessions`."""
    agents.with_claude()
    agents.with_claude(buoy_session(), BUOYS)
    agents.with_codex()
    assert run("index", "--sessions", "--no-embed").code == 0
    return run


def copied(records: list[Json], session: str) -> list[Json]:
    origin: Json = {"sessionId": OWLS}
    return [{**record, "sessionId": session, "forkedFrom": origin} for record in records if isinstance(record, dict)]


def head_of(out: str) -> list[str]:
    """What stands above the messages."""
    return out.splitlines()[: out.splitlines().index("")]


class TestWithoutAProject:
    @pytest.mark.parametrize(
        "command",
        [
            ("search", "-p", "sessions", "owl"),
            ("sessions", "list"),
            ("sessions", "show", OWLS),
            ("sessions", "list", "-p", "sessions"),
        ],
    )
    @pytest.mark.parametrize("others", [0, 1, 2])
    def test_it_says_how_to_make_one(self, run: Run, tmp_path: Path, command: tuple[str, ...], others: int) -> None:
        for name in "ab"[:others]:
            run("index", write(tmp_path / name, note="a note"), "--no-embed")
        ran = run(*command)
        assert ran.code in (1, 2)
        assert "glassdex index --sessions" in ran.out + ran.err

    def test_a_refused_folder_leaves_no_project(self, indexed: Run, agents: Agents) -> None:
        for folder in (agents.claude, agents.claude / "none"):
            assert indexed("index", "--sessions", folder, "-p", "new").code == 2
        assert [one["name"] for one in indexed("projects", "list", "--json").answer["projects"]] == ["sessions"]

    def test_folders_within_each_other_are_one(self, run: Run, agents: Agents, monkeypatch: pytest.MonkeyPatch) -> None:
        agents.with_claude()
        monkeypatch.setenv("CODEX_HOME", str(agents.claude / "-work-barn"))
        (agents.claude / "-work-barn" / "sessions").mkdir()
        assert run("index", "--sessions", "--no-embed").code == 0
        assert run("status", "--json").answer["roots"] == [str(agents.claude.resolve())]


class TestTheIdNamesTheDocument:
    @pytest.mark.parametrize("name", [OWLS, SHORT, f"claude/{OWLS}", f"claude/{SHORT}"])
    def test_wherever_a_document_is_named(self, indexed: Run, name: str) -> None:
        path = f"-work-barn/{OWLS}.jsonl"
        assert indexed("inspect", "chunks", name, "-p", "sessions", "--json").answer["document"]["path"] == path
        assert indexed("inspect", "why-not", "owl", name, "-p", "sessions", "--json").answer["document"] == path
        found = indexed("search", "owl", "--in", name, "-p", "sessions", "--mode", "lexical", "--json").answer
        assert {result["document"]["path"] for result in found["results"]} == {path}

    def test_fewer_characters_or_another_program_name_nothing(self, indexed: Run) -> None:
        for name in (OWLS[:7], f"codex/{OWLS}", f"claude/{CODEX}"):
            assert indexed("inspect", "chunks", name, "--json").error["code"] == "document_not_found"

    def test_a_beginning_that_two_share_is_no_name(self, run: Run, agents: Agents) -> None:
        for last in "ab":
            agents.with_claude([claude("user", f"u{last}", f"owl {last}", OWLS[:-1] + last)], OWLS[:-1] + last)
        run("index", "--sessions", "--no-embed")
        error = run("inspect", "chunks", SHORT, "--json").error
        assert (error["code"], len(error["candidates"])) == ("document_ambiguous", 2)


class TestTheZone:
    def test_a_search_prints_its_times_in_it(self, indexed: Run) -> None:
        options = ("search", "weathervane", "-p", "sessions", "--mode", "lexical", "--tz", "Europe/Berlin")
        assert "user · 2026-11-30 11:00:08 CET" in indexed(*options).out
        result = indexed(*options, "--json").answer["results"][0]
        assert result["matches"][0]["message"]["sent_at"] == "2026-11-30T11:00:08.000+01:00"
        assert result["session"]["ended_at"] == "2026-11-30T11:00:09.000+01:00"

    def test_none_is_utc(self, indexed: Run) -> None:
        assert "2026-11-30 10:00:08 UTC" in indexed("search", "weathervane", "-p", "sessions", "--mode", "lexical").out


class TestResumed:
    @pytest.fixture
    def resumed(self, run: Run, agents: Agents) -> Run:
        agents.with_claude()
        agents.with_claude(
            [*copied(owl_session()[1:5], FORK), claude("user", "f1", "And the mouse?", FORK, "11:00:00")], FORK
        )
        for number in range(4):
            agent = claude(
                "assistant", f"s{number}", f"I look into box {number}", isSidechain=True, agentId=f"a{number}"
            )
            write_lines(agents.claude / "-work-barn" / OWLS / "subagents" / f"agent-a{number}.jsonl", [agent])
        assert run("index", "--sessions", "--no-embed").code == 0
        return run

    def test_it_leads_to_where_it_goes_on_from(self, resumed: Run) -> None:
        head = head_of(resumed("sessions", "show", FORK).out)
        assert head[1:] == [
            f"message 0 of 1 (0 to 0); before them it tells 5 messages of {OWLS} once more",
            f"it goes on from claude/{OWLS}: glassdex sessions show {OWLS} --offset 4",
        ]
        answer = resumed("sessions", "show", FORK, "--json").answer
        assert answer["continues"] == {"source": "claude", "id": OWLS, "offset": 4}
        last = resumed("sessions", "show", OWLS, "--offset", "4", "-n1", "--json").answer["messages"][0]
        assert last["text"] == "Two files: one about a mouse."

    def test_a_whole_copy_leads_to_its_original(self, resumed: Run, agents: Agents) -> None:
        agents.with_claude(copied(owl_session()[1:], BUOYS), BUOYS)
        resumed("index", "--sessions", "--no-embed")
        answer = resumed("sessions", "show", BUOYS, "--json").answer
        assert (answer["total"], answer["continues"]["id"], answer["continues"]["offset"]) == (0, OWLS, 5)
        assert "no messages of its own" in resumed("sessions", "show", BUOYS).out

    def test_one_that_continues_none_says_nothing(self, resumed: Run) -> None:
        assert "it goes on from" not in resumed("sessions", "show", OWLS).out
        assert "continues" not in resumed("sessions", "show", OWLS, "--json").answer

    def test_sub_agents_are_counted_and_the_first_three_can_be_shown(self, resumed: Run) -> None:
        head = head_of(resumed("sessions", "show", OWLS).out)
        assert head[2] == "4 sub-agents, the first three:"
        assert len(head) == 6
        for line in head[3:]:
            assert resumed(*line.split()[1:]).code == 0
        agents = resumed("sessions", "show", OWLS, "--json").answer["sub_agents"]
        assert [agent["messages"] for agent in agents] == [1] * 4
        assert "sub_agents" not in resumed("sessions", "show", FORK, "--json").answer


class TestOnTheScreen:
    def test_a_list_fits_80_columns(self, run: Run, agents: Agents, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("COLUMNS", "80")
        where = "/code/" + "far/" * 40 + "barn"
        agents.with_claude([claude("user", "u1", "the owl " * 30, cwd=where)])
        agent = claude("assistant", "s1", "I look", isSidechain=True, agentId="a1", cwd=where)
        write_lines(agents.claude / "-work-barn" / OWLS / "subagents" / "agent-a1.jsonl", [agent])
        run("index", "--sessions", "--no-embed")
        lines = run("sessions", "list").out.splitlines()
        assert (len(lines), max(map(len, lines)) <= 80) == (6, True)
        assert sum(line.endswith("/far/barn") for line in lines) == 2
        assert any(line.endswith(f"sub-agent of {SHORT}") for line in lines)

    @pytest.mark.parametrize("columns", ["60", "80", "200"])
    def test_which_session_it_is_stays_in_view(
        self, run: Run, agents: Agents, monkeypatch: pytest.MonkeyPatch, columns: str
    ) -> None:
        monkeypatch.setenv("COLUMNS", columns)
        agents.with_claude([claude("user", "u1", "the owl " * 30)])
        run("index", "--sessions", "--no-embed")
        line = run("search", "owl", "--mode", "lexical").out.splitlines()[2]
        assert f"  claude/{SHORT} " in line
        assert len(line) <= int(columns)

    def test_the_best_match_has_a_pointer_and_each_its_call(self, indexed: Run) -> None:
        out = indexed("search", "owl barn mouse", "--session", OWLS, "-p", "sessions", "--mode", "lexical").out
        assert out.count(f"glassdex sessions show {OWLS} --offset ") == 3
        assert out.count("    session:claude/") == 1

    def test_sessions_are_counted_as_sessions(self, indexed: Run, agents: Agents, tmp_path: Path) -> None:
        assert "sessions 1-2 of 2" in indexed("search", "owl kiln", "-p", "sessions", "--mode", "lexical").out
        notes = write(tmp_path / "notes", owl="# Owl\n\nthe owl\n")
        write_lines(notes / "talk.jsonl", owl_session())
        indexed("index", notes, "--no-embed")
        assert "documents and sessions 1-2 of 2" in indexed("search", "owl", "-p", "notes", "--mode", "lexical").out
        only = indexed("search", "owl", "-p", "notes", "--path", "*.md", "--mode", "lexical").out
        assert "documents 1-1 of 1" in only
        assert agents

    def test_an_explanation_names_role_and_session(self, indexed: Run) -> None:
        options = ("--role", "user", "--session", OWLS, "--explain", "-p", "sessions", "--mode", "lexical")
        lines = indexed("search", "owl", *options).out.splitlines()
        scopes = [line for line in lines if line.startswith("  scope · ")]
        assert re.fullmatch(rf"  scope · session {OWLS}: \d+ chunks in, 6 out", scopes[0])
        assert scopes[1] == "  scope · role user: 6 chunks in, 2 out"

    @pytest.mark.parametrize(
        ("text", "shown"),
        [
            (f"a {TOKEN} b", "a [redacted: github token] b"),
            (f"x='{TOKEN}'", "x='[redacted: github token]'"),
            (TOKEN, "[redacted: github token]"),
            ("two  blanks\n   \nstay", "two  blanks\n   \nstay"),
        ],
    )
    def test_what_fills_a_label_up_is_left_out(self, text: str, shown: str) -> None:
        assert squeezed(redact(text).text) == shown

    def test_of_a_key_one_line_is_left(self, run: Run, agents: Agents) -> None:
        key = KEYS["RSA " + "PRIVATE KEY"]
        agents.with_claude([claude("user", "u1", f"This owl:\n\n{key}\n\nKeep it.")])
        run("index", "--sessions", "--no-embed")
        out = run("sessions", "show", OWLS).out
        assert not [line for line in out.splitlines() if line and not line.strip()]
        assert [line for line in out.splitlines()[1:] if "redacted" in line] == ["[redacted: private key]"]
        shown = run("sessions", "show", OWLS, "--json").answer["messages"][0]
        assert len(shown["text"]) == len(f"This owl:\n\n{key}\n\nKeep it."), "JSON keeps offsets"
        opened = run("open", shown["pointer"]).out
        assert not [line for line in opened.splitlines() if line and not line.strip()]


def test_without_redaction_secrets_are_shown(run: Run, agents: Agents, home: Path) -> None:
    agents.with_claude([claude("user", "u1", f"the owl's token is {TOKEN}")])
    home.mkdir(exist_ok=True)
    (home / "config.toml").write_text("redact_secrets = false\n", encoding="utf-8")
    run("index", "--sessions", "--no-embed")
    match = run("search", "owl", "--mode", "lexical", "--json").answer["results"][0]["matches"][0]
    assert TOKEN in match["text"]
    for command in (("sessions", "show", OWLS), ("open", match["pointer"])):
        assert TOKEN in run(*command).out
    (home / "config.toml").unlink()
    assert TOKEN not in run("sessions", "show", OWLS).out


def test_a_command_for_transcripts_names_a_limit_that_is_not_theirs() -> None:
    assert "--limit=10" in command_of(SearchRequest("owl"), usual_limit=5)
    assert "--limit" not in command_of(SearchRequest("owl", limit=5), usual_limit=5)


def test_a_proposal_for_transcripts_names_their_limit(run: Run, agents: Agents) -> None:
    for number in range(7):
        session = f"{OWLS[:-1]}{number}"
        agents.with_claude([claude("user", f"u{number}", f"owl {'owl ' * (9 - number)}", session)], session)
    run("index", "--sessions", "--no-embed")
    options = ("-n", "10", "--path", "nowhere/", "--mode", "lexical")
    out = run("inspect", "why-not", "owl", OWLS[:-1] + "6", *options).out
    assert "--limit=10" in out


def test_examples_fit_80_columns() -> None:
    def lines(command: Any) -> list[str]:
        own = [f"  {line}" for line in (command.epilog or "").splitlines()]
        return own + [line for part in getattr(command, "commands", {}).values() for line in lines(part)]

    assert [line for line in lines(get_command(app)) if len(line) > 80] == []


def test_a_doctor_has_no_advice_on_titles_and_headings_of_transcripts(run: Run, agents: Agents) -> None:
    crowded = "x1 " * 1200
    for number in range(2):
        session = f"{OWLS[:-1]}{number}"
        agents.with_claude(
            [
                claude("user", f"u{number}", "the same owl", session),
                claude("assistant", f"a{number}", crowded, session),
            ],
            session,
        )
    run("index", "--sessions", "--no-embed")
    codes = {finding["code"] for finding in run("doctor", "--json").answer["findings"]}
    assert not codes & {"duplicate_titles", "chunks_at_token_limit"}
