"""`glassdex sessions list` and `show`, and the way from a match to its message."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import pytest

from glassdex.answers.command import command_of
from glassdex.model import Json
from glassdex.search.request import SearchRequest
from tests.cli.running import Run, in_process_of_its_own, write
from tests.cli.transcripts import BUOYS, CODEX, OWLS, Agents, agents_of, buoy_session, claude, owl_session, write_lines

MANY = 45
LAST = "Is the weathervane mended?"
U1 = f"session:claude/{OWLS}#u1.0@3fa9c1d2e4b5"


@pytest.fixture
def agents(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Agents:
    assert home
    return agents_of(tmp_path / "user", monkeypatch)


@pytest.fixture
def indexed(run: Run, agents: Agents) -> Run:
    """Three sessions in the project `sessions`; the current folder is outside of it."""
    agents.with_claude()
    agents.with_claude(buoy_session(), BUOYS)
    agents.with_codex()
    assert run("index", "--sessions").code == 0
    return run


@pytest.fixture
def long(run: Run, agents: Agents) -> Run:
    """One session of 45 messages."""
    agents.with_claude([claude("user", f"m{n}", f"message number {n}") for n in range(MANY)])
    assert run("index", "--sessions", "--no-embed").code == 0
    return run


def calls_in(out: str) -> list[list[str]]:
    """Every command that the output tells to type, as a shell would split it."""
    lines = (line.partition("glassdex sessions show ") for line in out.splitlines())
    return [["sessions", "show", *shlex.split(rest)] for _, command, rest in lines if command]


class TestList:
    def test_the_latest_comes_first_in_three_lines(self, indexed: Run) -> None:
        assert indexed("sessions", "list").out.splitlines() == [
            "2026-11-30 10:00:09 UTC  claude  6 messages  /code/barn",
            "    Where does the owl live?",
            f"    {OWLS}",
            "2026-11-30 08:00:04 UTC  claude  2 messages  /code/barn",
            "    Which buoy drifts?",
            f"    {BUOYS}",
            "2026-11-29 09:00:03 UTC  codex  2 messages  /code/kiln",
            "    Why does the kiln crack its tiles?",
            f"    {CODEX}",
        ]

    def test_json(self, indexed: Run) -> None:
        answer = indexed("sessions", "list", "--json", "--limit", "1").answer
        assert {name: answer[name] for name in ("schema", "project", "total")} == {
            "schema": "glassdex.sessions/1",
            "project": "sessions",
            "total": 3,
        }
        assert answer["sessions"] == [
            {
                "source": "claude",
                "id": OWLS,
                "title": "Where does the owl live?",
                "path": f"-work-barn/{OWLS}.jsonl",
                "cwd": "/code/barn",
                "started_at": "2026-11-30T10:00:00.000Z",
                "ended_at": "2026-11-30T10:00:09.000Z",
                "messages": 6,
                "copied": 0,
            }
        ]

    def test_days_are_included_whole_in_the_zone_that_is_named(self, indexed: Run) -> None:
        def found(*options: str) -> list[str]:
            return [one["id"] for one in indexed("sessions", "list", "--json", *options).answer["sessions"]]

        assert found("--since", "2026-11-30") == [OWLS, BUOYS]
        assert found("--until", "2026-11-29") == [CODEX]
        assert found("--since", "2026-11-30T09:00") == [OWLS]
        assert found("--since", "2026-11-30", "--until", "2026-11-30", "--tz", "America/Los_Angeles") == [OWLS, BUOYS]
        assert found("--until", "2026-11-30", "--since", "2026-11-30", "--tz", "Pacific/Kiritimati") == [BUOYS]
        assert found("--since", "2026-11-30T22:00", "--tz", "Pacific/Kiritimati") == [OWLS, BUOYS]

    def test_times_are_shown_in_that_zone(self, indexed: Run) -> None:
        out = indexed("sessions", "list", "-n1", "--tz", "Europe/Berlin").out
        assert out.startswith("2026-11-30 11:00:09 CET")
        answer = indexed("sessions", "list", "-n1", "--tz", "Europe/Berlin", "--json").answer
        assert answer["sessions"][0]["ended_at"] == "2026-11-30T11:00:09.000+01:00"

    def test_more_than_shown_are_counted(self, indexed: Run) -> None:
        assert indexed("sessions", "list", "--limit", "2").out.splitlines()[-1] == "… 1 more: --limit 3"

    def test_none_is_exit_code_1_with_what_to_do(self, run: Run, tmp_path: Path) -> None:
        run("index", write(tmp_path / "notes", a="a note"), "--no-embed")
        ran = run("sessions", "list")
        assert ran.code == 1
        assert ran.out == "no sessions; index those of this machine's agents: glassdex index --sessions\n"
        assert run("sessions", "list", "--json").answer["sessions"] == []

    def test_a_range_that_holds_none_is_no_reason_to_index(self, indexed: Run) -> None:
        ran = indexed("sessions", "list", "--since", "2027")
        assert (ran.code, ran.out) == (1, "no sessions in that time\n")

    @pytest.mark.parametrize(
        ("options", "code"),
        [
            (("--since", "soon"), "invalid_request"),
            (("--tz", "Mars/Olympus"), "invalid_request"),
            (("--limit", "0"), "invalid_request"),
            (("--limit", "many"), "invalid_request"),
        ],
    )
    def test_what_cannot_be_read_is_named(self, indexed: Run, options: tuple[str, str], code: str) -> None:
        ran = indexed("sessions", "list", *options)
        assert (ran.code, options[1] in ran.err) == (2, True)
        assert indexed("sessions", "list", "--json", *options).error["code"] == code


class TestShow:
    def test_a_page_in_the_order_of_the_file(self, indexed: Run) -> None:
        assert indexed("sessions", "show", "1111").out.splitlines() == [
            f"claude/{OWLS}  Where does the owl live?",
            "messages 0 to 5 of 6 (0 to 5)",
            "",
            "[0] user · 2026-11-30 10:00:00 UTC",
            "Where does the owl live?",
            "",
            "[1] assistant · 2026-11-30 10:00:05 UTC",
            "The owl lives in the old barn.",
            "",
            "[2] tool call · Bash · 2026-11-30 10:00:05 UTC",
            "command: ls barn",
            "",
            "[3] tool result · Bash · 2026-11-30 10:00:06 UTC",
            "owl.txt",
            "mouse.txt",
            "",
            "[4] assistant · 2026-11-30 10:00:09 UTC",
            "Two files: one about a mouse.",
            "",
            "[5] user · 2026-11-30 10:00:08 UTC",
            "Is the weathervane mended?",
        ]

    def test_json(self, indexed: Run) -> None:
        answer = indexed("sessions", "show", OWLS, "--offset", "3", "--limit", "2", "--json").answer
        assert {name: answer[name] for name in ("schema", "project", "total", "offset", "limit")} == {
            "schema": "glassdex.session/1",
            "project": "sessions",
            "total": 6,
            "offset": 3,
            "limit": 2,
        }
        assert answer["session"]["id"] == OWLS
        shown = answer["messages"][0]
        assert shown["message"] == {
            "uuid": "u2",
            "block": 0,
            "role": "tool_result",
            "tool": "Bash",
            "sent_at": "2026-11-30T10:00:06.000Z",
            "line": 4,
        }
        assert (shown["offset"], shown["state"], shown["text"]) == (3, "exact", "owl.txt\nmouse.txt")
        assert shown["pointer"].startswith(f"session:claude/{OWLS}#u2.0@")
        assert [one["offset"] for one in answer["messages"]] == [3, 4]
        assert answer["next"].startswith("5.2~")
        assert answer["previous"].startswith("1.2~")

    @pytest.mark.parametrize("name", [OWLS, OWLS[:4], f"claude/{OWLS}", f"{OWLS}.jsonl", f"session:claude/{OWLS}"])
    def test_a_session_has_several_names(self, indexed: Run, name: str) -> None:
        assert indexed("sessions", "show", name, "--json", "-n1").answer["session"]["id"] == OWLS

    def test_printed_calls_page_through_it_and_back(self, long: Run) -> None:
        seen: list[int] = []
        ran = long("sessions", "show", OWLS, "--limit", "20")
        while True:
            seen += [int(line[1:].split("]")[0]) for line in ran.out.splitlines() if line.startswith("[")]
            following = calls_in("\n".join(_lines(ran.out, "next:")))
            if not following:
                break
            ran = long(*following[0])
            assert ran.code == 0
        assert seen == list(range(MANY))
        back = long(*calls_in("\n".join(_lines(ran.out, "previous:")))[0])
        assert "[20] user" in back.out and "[39] user" in back.out and "[40] user" not in back.out

    def test_cursors_page_through_json(self, long: Run) -> None:
        answer = long("sessions", "show", OWLS, "-n", "20", "--json").answer
        texts: list[str] = []
        while True:
            texts += [shown["text"] for shown in answer["messages"]]
            if "next" not in answer:
                break
            answer = long("sessions", "show", OWLS, "--offset", answer["next"], "--json").answer
        assert texts == [f"message number {n}" for n in range(MANY)]

    def test_long_texts_are_shortened_until_full(self, run: Run, agents: Agents) -> None:
        agents.with_claude([claude("user", "u1", "begin " + "x" * 60_000 + " end")])
        run("index", "--sessions", "--no-embed")
        short = run("sessions", "show", OWLS)
        assert "32,010 characters left out, --full" in short.out
        assert len(short.out) < 30_000
        whole = run("sessions", "show", OWLS, "--full")
        assert "x" * 60_000 in whole.out and "left out" not in whole.out
        assert run("sessions", "show", OWLS, "--json").answer["messages"][0]["left_out"] == 32_010
        assert "left_out" not in run("sessions", "show", OWLS, "--full", "--json").answer["messages"][0]

    def test_an_unknown_time_stays_unknown(self, run: Run, agents: Agents) -> None:
        agents.with_claude([claude("user", "u1", "when was that?", timestamp=None)])
        run("index", "--sessions", "--no-embed")
        assert "[0] user · time unknown" in run("sessions", "show", OWLS).out
        assert "sent_at" not in run("sessions", "show", OWLS, "--json").answer["messages"][0]["message"]
        assert run("sessions", "list").out.startswith("time unknown  claude  1 message")
        listed = run("sessions", "list", "--since", "2020-01-01")
        assert listed.out.splitlines()[-1] == "1 session without a known time left out"
        assert listed.code == 1

    def test_what_kind_of_message_it_is_stands_beside_it(self, run: Run, agents: Agents) -> None:
        result: Any = {"type": "tool_result", "tool_use_id": "t", "content": "no such file", "is_error": True}
        agents.with_claude(
            [
                claude("user", "u1", "mend it"),
                claude("user", "u2", [result]),
                claude("user", "u3", "Caveat: what follows was put in", isMeta=True),
                claude("assistant", "u4", "found it", isSidechain=True),
            ]
        )
        run("index", "--sessions", "--no-embed")
        heads = [line.split(" · 2026")[0] for line in run("sessions", "show", OWLS).out.splitlines() if line[:1] == "["]
        assert heads == ["[0] user", "[1] tool result · error", "[2] user · injected", "[3] assistant · sub-agent"]

    def test_a_message_that_left_its_file_says_so(self, indexed: Run, agents: Agents) -> None:
        records = owl_session()
        del records[-1]
        agents.with_claude(records)
        out = indexed("sessions", "show", OWLS).out
        assert out.endswith(f"[5] user · 2026-11-30 10:00:08 UTC · gone: not in its file as indexed\n{LAST}\n")
        shown = indexed("sessions", "show", OWLS, "--json").answer["messages"][5]
        assert (shown["state"], "pointer" in shown) == ("gone", False)


class TestErrors:
    """As text with exit code 2, and with `--json` as `glassdex.error/1`."""

    @pytest.mark.parametrize(
        ("arguments", "code", "said"),
        [
            (("show", "9999"), "session_not_found", "glassdex sessions list"),
            (("show", ""), "invalid_request", "glassdex sessions list"),
            (("show",), "invalid_request", "glassdex sessions list"),
            (("show", OWLS, "--offset", "6"), "offset_out_of_range", "offsets go from 0 to 5"),
            (("show", OWLS, "--offset", "999999999999"), "offset_out_of_range", "offsets go from 0 to 5"),
            (("show", OWLS, "--offset=-1"), "invalid_request", "'-1' is no offset"),
            (("show", OWLS, "--offset", "last"), "invalid_request", "'last' is no offset"),
            (("show", OWLS, "--limit", "0"), "invalid_request", "limit = 0 is not between 1 and 500"),
            (("show", OWLS, "--limit", "501"), "invalid_request", "limit = 501 is not between 1 and 500"),
            (("show", OWLS, "--offset", "0.20~000000000000"), "cursor_outdated", "--offset 0"),
            (("show", "--at", "nonsense"), "invalid_pointer", "nonsense"),
            (("show", "--at", "a.md#L1,c=0-9@3fa9c1d2e4b5"), "invalid_pointer", "glassdex open POINTER"),
            (("show", "--at", f"session:claude/{OWLS}#u9.0@3fa9c1d2e4b5"), "pointer_not_in_session", "search again"),
            (("show", BUOYS, "--at", U1), "pointer_not_in_session", f"leads into session {OWLS}"),
            (("show", OWLS, "--offset", "1", "--at", U1), "invalid_request", "leave one of them out"),
            (("show", OWLS, "-p", "nope"), "project_not_found", "sessions"),
            (("show", "--at", f"nope:{U1}"), "project_not_found", "nope"),
        ],
    )
    def test_what_is_wrong_and_what_to_do(self, indexed: Run, arguments: tuple[str, ...], code: str, said: str) -> None:
        ran = indexed("sessions", *arguments)
        assert (ran.code, ran.out) == (2, "")
        assert ran.err.startswith("error: ") and f"[{code}]" in ran.err.splitlines()[0] and said in ran.err
        assert indexed("sessions", *arguments, "--json").error["code"] == code

    def test_several_sessions_that_may_be_meant_are_listed(self, run: Run, agents: Agents) -> None:
        for last in "ab":
            session = OWLS[:-1] + last
            agents.with_claude([claude("user", f"u{last}", f"prompt {last}", session)], session)
        run("index", "--sessions", "--no-embed")
        ran = run("sessions", "show", OWLS[:8])
        assert (ran.code, "[session_ambiguous]" in ran.err) == (2, True)
        error = run("sessions", "show", OWLS[:8], "--json").error
        assert error["candidates"] == [f"claude/{OWLS[:-1]}a", f"claude/{OWLS[:-1]}b"]
        assert run("sessions", "show", error["candidates"][1]).code == 0

    def test_a_cursor_of_a_session_that_changed_before_it_is_refused(self, long: Run, agents: Agents) -> None:
        cursor = long("sessions", "show", OWLS, "--json").answer["next"]
        agents.with_claude([claude("user", f"m{n}", f"message number {n}!") for n in range(MANY)])
        long("index", "--sessions", "--no-embed")
        ran = long("sessions", "show", OWLS, "--offset", cursor)
        assert (ran.code, "[cursor_outdated]" in ran.err, "--offset 0" in ran.err) == (2, True, True)

    def test_a_cursor_stays_good_while_the_session_grows(self, long: Run, agents: Agents) -> None:
        cursor = long("sessions", "show", OWLS, "--json").answer["next"]
        agents.with_claude([claude("user", f"m{n}", f"message number {n}") for n in range(MANY + 5)])
        long("index", "--sessions", "--no-embed")
        answer = long("sessions", "show", OWLS, "--offset", cursor, "--json").answer
        assert (answer["total"], answer["offset"]) == (MANY + 5, 20)


class TestSearch:
    def test_a_match_names_its_message_and_how_to_get_there(self, indexed: Run) -> None:
        lines = indexed("search", "weathervane", "-p", "sessions", "--mode", "lexical").out.splitlines()
        assert lines[2].startswith(" 1  Where does the owl live?") and lines[2].endswith("● fresh")
        assert lines[3] == "    Is the weathervane mended?  user · 2026-11-30 10:00:08 UTC"
        assert lines[4] == f"    glassdex sessions show {OWLS} --offset 5"
        assert lines[5].startswith(f"    session:claude/{OWLS}#u3.0@")

    def test_json(self, indexed: Run) -> None:
        answer = indexed("search", "old barn", "-p", "sessions", "--mode", "lexical", "--json").answer
        result = answer["results"][0]
        assert result["session"]["id"] == OWLS
        match = result["matches"][0]
        assert (match["offset"], match["kind"], match["text"]) == (1, "message", "The owl lives in the old barn.")
        assert match["message"] == {
            "uuid": "a1",
            "block": 0,
            "role": "assistant",
            "sent_at": "2026-11-30T10:00:05.000Z",
            "line": 3,
        }
        assert match["before"] == {"offset": 0, "role": "user", "text": "Where does the owl live?"}
        assert match["after"] == {"offset": 2, "role": "tool_call", "text": "command: ls barn"}

    def test_the_first_has_none_before_and_the_last_none_after(self, indexed: Run) -> None:
        first = indexed("search", "Which buoy drifts", "--session", BUOYS, "-p", "sessions", "--json").answer
        by_offset = {match["offset"]: match for result in first["results"] for match in result["matches"]}
        assert "before" not in by_offset[0] and "after" not in by_offset[1]

    def test_every_offset_and_pointer_leads_to_its_own_message(self, indexed: Run) -> None:
        answer = indexed("search", "owl barn mouse buoy kiln", "-p", "sessions", "--matches", "9", "--json").answer
        matches = [(result["session"]["id"], match) for result in answer["results"] for match in result["matches"]]
        assert len(matches) >= 8
        for session, match in matches:
            place = ("--offset", match["offset"]), ("--at", match["pointer"])
            for option, value in place:
                shown = indexed("sessions", "show", session, option, str(value), "-n1", "--json").answer["messages"]
                assert [one["text"] for one in shown] == [match["text"]]
                assert shown[0]["message"] == match["message"]
            assert indexed("open", match["pointer"], "--json").answer["text"] == match["text"]

    def test_only_one_session_one_role_one_day(self, indexed: Run) -> None:
        def roles(*options: str) -> set[str]:
            answer = indexed("search", "owl barn buoy drifts kiln", "-p", "sessions", "--json", *options).answer
            return {match["message"]["role"] for result in answer["results"] for match in result["matches"]}

        assert roles("--role", "user") == {"user"}
        assert roles("--role", "tool_call", "--role", "tool_result") <= {"tool_call", "tool_result"}
        answer = indexed("search", "drifts", "-p", "sessions", "--session", BUOYS[:6], "--json").answer
        assert {result["session"]["id"] for result in answer["results"]} == {BUOYS}

    def test_a_role_or_session_that_is_none_is_refused(self, indexed: Run) -> None:
        for option, code in (("--role", "invalid_request"), ("--session", "session_not_found")):
            assert indexed("search", "owl", "-p", "sessions", option, "9999", "--json").error["code"] == code

    def test_five_sessions_a_page_and_three_messages_of_each(self, run: Run, agents: Agents) -> None:
        for number in range(7):
            session = f"{OWLS[:-1]}{number}"
            agents.with_claude(
                [claude("user", f"o{number}{n}", f"owl {number} {n}", session) for n in range(5)], session
            )
        run("index", "--sessions", "--no-embed")
        answer = run("search", "owl", "--mode", "lexical", "--json").answer
        assert [len(result["matches"]) for result in answer["results"]] == [3] * 5
        assert answer["page"]["has_more"] is True

    def test_without_words_a_session_is_listed_in_its_order(self, indexed: Run) -> None:
        ran = indexed("search", "--in", f"{OWLS}.jsonl", "-p", "sessions")
        assert ran.code == 0
        offsets = [call[call.index("--offset") + 1] for call in calls_in(ran.out)]
        assert offsets == [str(n) for n in range(len(offsets))]

    def test_the_command_of_a_request_has_the_options_as_they_are_typed(self, indexed: Run) -> None:
        request = SearchRequest(
            "owl", roles=("user", "assistant"), session=OWLS, tz="Europe/Berlin", since="2026-11-30"
        )
        command = shlex.split(command_of(request, "sessions"))[1:]
        assert ("--role=user" in command, "--role=assistant" in command) == (True, True)
        answer = indexed(*command[:-2], "--json", *command[-2:]).answer
        assert {result["session"]["id"] for result in answer["results"]} == {OWLS}


class TestWhichProject:
    """A printed call works as it is, wherever it was printed."""

    def run_printed(self, run: Run, *arguments: str) -> list[list[str]]:
        calls = calls_in(run(*arguments).out)
        assert calls
        for call in calls:
            assert run(*call).code == 0
        return calls

    def test_outside_of_all_folders_sessions_are_those_of_the_project_sessions(
        self, indexed: Run, tmp_path: Path
    ) -> None:
        indexed("index", write(tmp_path / "notes", a="a note on owls"), "--no-embed")
        assert indexed("sessions", "list", "--json").answer["project"] == "sessions"
        for call in self.run_printed(indexed, "search", "owl", "-p", "sessions"):
            assert "--project" not in call
        pointer = indexed("search", "barn", "-p", "sessions", "--json").answer["results"][0]["matches"][0]["pointer"]
        assert indexed("open", pointer).code == 0
        assert indexed("search", "owl").code == 2, "what to search must be said where there are several"

    def test_inside_another_project_the_call_names_it(
        self, indexed: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        notes = write(tmp_path / "notes", a="a note on owls")
        indexed("index", notes, "--no-embed")
        monkeypatch.chdir(notes)
        for call in self.run_printed(indexed, "search", "owl", "-p", "sessions"):
            assert call[call.index("--project") + 1] == "sessions"
        paged = self.run_printed(indexed, "sessions", "show", OWLS, "-n2", "-p", "sessions")
        assert all(call[call.index("--project") + 1] == "sessions" for call in paged)
        ran = indexed("sessions", "list")
        assert ran.code == 1
        assert ran.out == "no sessions in project notes; in another: glassdex sessions list --project sessions\n"

    def test_inside_its_own_folder_it_needs_no_name(
        self, indexed: Run, agents: Agents, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        indexed("index", write(tmp_path / "notes", a="a note"), "--no-embed")
        monkeypatch.chdir(agents.claude)
        for call in self.run_printed(indexed, "search", "owl"):
            assert "--project" not in call

    def test_a_project_of_another_name_is_named(self, run: Run, agents: Agents, tmp_path: Path) -> None:
        agents.with_claude()
        run("index", "--sessions", "-p", "talks", "--no-embed")
        for call in self.run_printed(run, "search", "owl", "--mode", "lexical"):
            assert "--project" not in call, "the only one there is"
        run("index", write(tmp_path / "notes", a="a note"), "--no-embed")
        for call in self.run_printed(run, "search", "owl", "--mode", "lexical", "-p", "talks"):
            assert call[call.index("--project") + 1] == "talks"

    def test_before_there_is_any_project_it_says_how_to_make_one(self, run: Run) -> None:
        for command in (("list",), ("show", OWLS)):
            ran = run("sessions", *command)
            assert (ran.code, "[project_not_found]" in ran.err, "glassdex index --sessions" in ran.err) == (
                2,
                True,
                True,
            )

    def test_an_id_that_two_sources_have_is_told_apart(self, run: Run, agents: Agents) -> None:
        agents.with_claude()
        said: Json = [{"role": "user", "content": "another owl"}, {"role": "assistant", "content": "hoot"}]
        write_lines(agents.claude / "x" / "talk.jsonl", [{"id": OWLS, "messages": said}])
        run("index", "--sessions", "--no-embed")
        calls = self.run_printed(run, "search", "owl", "--mode", "lexical")
        assert {call[2] for call in calls} == {f"claude/{OWLS}", f"chat/{OWLS}"}

    def test_two_files_with_one_id_are_told_apart_by_their_paths(self, run: Run, agents: Agents) -> None:
        agents.with_claude()
        write_lines(agents.claude / "copy" / f"{OWLS}.jsonl", [claude("user", "z1", "the owl of another file")])
        run("index", "--sessions", "--no-embed")
        calls = self.run_printed(run, "search", "owl", "--mode", "lexical")
        assert {call[2] for call in calls} == {f"-work-barn/{OWLS}.jsonl", f"copy/{OWLS}.jsonl"}

    @pytest.mark.parametrize(
        "name", ["-dash", "two words", "a'b\"c$(x)", "日本", "a\tb\x1b[31m", "a/b", "x#y.z@1", "%41"]
    )
    def test_any_id_can_be_typed(self, run: Run, agents: Agents, name: str) -> None:
        messages: Json = [{"role": "user", "content": f"owl {n}"} for n in range(3)]
        write_lines(agents.claude / "talk.jsonl", [{"id": name, "messages": messages}])
        run("index", "--sessions", "--no-embed")
        self.run_printed(run, "search", "owl", "--mode", "lexical")
        self.run_printed(run, "sessions", "show", "--offset", "1", "-n1", "talk.jsonl")

    def test_a_shell_runs_what_was_printed(self, indexed: Run, home: Path, tmp_path: Path) -> None:
        call = calls_in(indexed("search", "old barn", "-p", "sessions").out)[0]
        ran = in_process_of_its_own(home, tmp_path, *call)
        assert (ran.returncode, ran.stderr) == (0, b"")
        assert b"The owl lives in the old barn." in ran.stdout.split(b"[")[1]


def _lines(out: str, name: str) -> list[str]:
    return [line for line in out.splitlines() if line.startswith(name)]
