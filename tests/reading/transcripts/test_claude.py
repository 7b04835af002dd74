"""Transcripts of Claude Code: what is said by whom, what nobody said, and what a conversation is called."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassdex.model import ROLES, Json
from glassdex.reading.protocol import HEAD_BYTES
from glassdex.reading.transcripts.claude import ClaudeCodeParser, ClaudeCodeReader
from glassdex.reading.transcripts.protocol import ConversationFacts, TranscriptReader, Turn

CASES = Path(__file__).parents[2] / "data" / "cases"
FACTS: list[dict[str, Any]] = json.loads((CASES / "expected-claude.json").read_text(encoding="utf-8"))
FILES = sorted({fact["file"] for fact in FACTS})
SESSION = "11111111-1111-4111-8111-111111111111"
OTHER = "22222222-2222-4222-8222-222222222222"


class Placed(NamedTuple):
    """A turn and the physical line of its record."""

    line: int
    turn: Turn


def lines_of(file: str) -> list[bytes]:
    return (CASES / file).read_bytes().split(b"\n")


def placed(file: str) -> list[Placed]:
    parser = ClaudeCodeParser(PurePosixPath(file))
    return [
        Placed(number, turn)
        for number, line in enumerate(lines_of(file), start=1)
        if line.strip()
        for turn in parser.turns(json.loads(line))
    ]


def on_line(file: str, line: int) -> list[Turn]:
    return [turn for number, turn in placed(file) if number == line]


def facts_with(*fields: str) -> pytest.MarkDecorator:
    chosen = [fact for fact in FACTS if all(field in fact for field in fields)]
    assert chosen
    return pytest.mark.parametrize("fact", chosen, ids=lambda fact: f"{fact['file']}:{FACTS.index(fact)}")


def parsed(*records: Json, path: str = f"{SESSION}.jsonl") -> tuple[list[Turn], ConversationFacts]:
    parser = ClaudeCodeParser(PurePosixPath(path))
    turns = [turn for record in records for turn in parser.turns(record)]
    return turns, parser.facts[""]


def user(content: Json, **more: Json) -> dict[str, Json]:
    message: Json = {"role": "user", "content": content}
    common: dict[str, Json] = {"type": "user", "uuid": "u1", "parentUuid": None, "isSidechain": False}
    return {**common, "sessionId": SESSION, "message": message, **more}


def assistant(*blocks: Json, **more: Json) -> dict[str, Json]:
    message: Json = {"role": "assistant", "content": list(blocks)}
    return {**user(""), "type": "assistant", "uuid": "a1", "parentUuid": "u1", "message": message, **more}


def attachment(**members: Json) -> dict[str, Json]:
    return {"type": "attachment", "uuid": "t1", "isSidechain": False, "sessionId": SESSION, "attachment": members}


def system(**members: Json) -> dict[str, Json]:
    return {"type": "system", "uuid": "s1", "isSidechain": False, "sessionId": SESSION, **members}


def only(record: Json) -> Turn:
    [turn] = parsed(record)[0]
    return turn


def said(record: Json) -> list[tuple[str, str, bool]]:
    return [(turn.role, turn.text, turn.injected) for turn in parsed(record)[0]]


class TestFactsAboutRealFiles:
    @facts_with("line", "contains")
    def test_text_stands_on_its_line(self, fact):
        found = [turn for turn in on_line(fact["file"], fact["line"]) if fact["contains"] in turn.text]
        assert found
        if "role" in fact:
            assert {turn.role for turn in found} == {fact["role"]}
        if "sidechain" in fact:
            assert all(turn.sidechain for turn in found)
        if "is_error" in fact:
            assert all(turn.error for turn in found)

    @facts_with("line", "role", "text")
    def test_text_that_a_block_holds_twice_is_there_once(self, fact):
        [turn] = on_line(fact["file"], fact["line"])
        assert (turn.role, turn.text, turn.tool) == (fact["role"], fact["text"], "Bash")

    @facts_with("lines_with")
    def test_text_stands_on_all_its_lines_and_no_other(self, fact):
        lines = [line for line, turn in placed(fact["file"]) if fact["contains"] in turn.text]
        assert sorted(set(lines)) == fact["lines_with"]

    @facts_with("same_text")
    def test_an_answer_comes_back_word_for_word(self, fact):
        first, second = (turn for line in fact["same_text"] for turn in on_line(fact["file"], line))
        assert first.text == second.text
        assert (first.role, second.role) == ("assistant", "tool_result")

    @facts_with("sidechain_lines")
    def test_sidechains_are_marked(self, fact):
        assert sorted({line for line, turn in placed(fact["file"]) if turn.sidechain}) == fact["sidechain_lines"]

    @facts_with("all_sidechain")
    def test_all_of_a_sub_agents_file_is_a_sidechain(self, fact):
        assert all(turn.sidechain for _, turn in placed(fact["file"]))

    @pytest.mark.parametrize(
        ("file", "expected"), [("claude-inline-sidechain.jsonl", [1]), ("claude-compacted-main-slice.jsonl", [44, 51])]
    )
    def test_what_the_user_said(self, file, expected):
        by_user = [
            line for line, turn in placed(file) if turn.role == "user" and not turn.injected and not turn.sidechain
        ]
        assert by_user == expected

    @facts_with("compact_boundary_line")
    def test_a_compaction_is_a_boundary_and_a_summary(self, fact):
        [boundary] = on_line(fact["file"], fact["compact_boundary_line"])
        assert (boundary.role, boundary.text) == ("system", "Conversation compacted (manual, 142,431 tokens)")
        assert boundary.parent == "23b73f9a-2123-4b8e-81a2-b98378c7498f"
        assert [turn.role for turn in on_line(fact["file"], fact["compact_summary_line"])] == ["summary"]

    def test_lines_of_the_files_are_those_of_the_facts(self):
        for fact in FACTS:
            if "lines" in fact:
                assert len([line for line in lines_of(fact["file"]) if line.strip()]) == fact["lines"]

    def test_blocks_of_a_record_are_counted_as_in_its_content(self):
        turns = on_line("claude-record-types.jsonl", 29)
        assert [(turn.role, turn.block, turn.tool) for turn in turns] == [
            ("thinking", 0, ""),
            ("assistant", 1, ""),
            ("tool_call", 2, "Bash"),
        ]

    def test_results_carry_the_name_of_the_tool_that_was_called(self):
        results = {
            line: turn.tool for line, turn in placed("claude-inline-sidechain.jsonl") if turn.role == "tool_result"
        }
        assert (results[9], results[23], results[33], results[46]) == ("Glob", "Task", "Bash", "Edit")

    def test_a_whole_file_is_read_as_a_document(self):
        file = "claude-inline-sidechain.jsonl"
        document = ClaudeCodeReader().read(PurePosixPath(file), (CASES / file).read_bytes())
        assert document.title == "/orchestrator @CLAUDE.md を最新の状態にアップデートしてください"
        assert [row.category for row in document.rows] == [turn.role for _, turn in placed(file)]

    def test_facts_of_the_conversations(self):
        told = {}
        for file in FILES:
            parser = ClaudeCodeParser(PurePosixPath(file))
            for line in filter(bytes.strip, lines_of(file)):
                list(parser.turns(json.loads(line)))
            told[file] = parser.facts[""]
        slice_ = told["claude-compacted-main-slice.jsonl"]
        assert slice_.title == "/compact and continue with the reamining tasks"
        assert (slice_.cwd, slice_.branch) == ("/home/USER/projects/spotter-worktrees/spotter-4te", "spotter-4te")
        assert told["claude-record-types.jsonl"].title == "Stage0 small fixture"
        assert {facts.forked_from for facts in told.values()} == {""}


class TestGoingOn:
    @pytest.mark.parametrize("file", FILES)
    def test_a_parser_goes_on_where_another_stopped(self, file):
        records = [json.loads(line) for line in lines_of(file) if line.strip()]
        path = PurePosixPath(file)
        whole = ClaudeCodeParser(path)
        states, turns = [whole.state()], []
        for record in records:
            turns.append(list(whole.turns(record)))
            states.append(whole.state())
        for at, state in enumerate(states):
            rest = ClaudeCodeReader().parser(path, json.loads(json.dumps(state)))
            assert [list(rest.turns(record)) for record in records[at:]] == turns[at:]
            assert rest.facts == whole.facts
            assert rest.state() == whole.state()

    def test_turns_need_not_be_taken_for_the_parser_to_learn(self):
        parser = ClaudeCodeParser(PurePosixPath("a.jsonl"))
        parser.turns(assistant({"type": "tool_use", "id": "c1", "name": "Bash", "input": {}}))
        parser.turns(user("Fix the build"))
        [result] = parser.turns(user([{"type": "tool_result", "tool_use_id": "c1", "content": "done"}]))
        assert (result.tool, parser.facts[""].title) == ("Bash", "Fix the build")

    def test_the_state_stays_small_however_much_is_left_open(self):
        parser = ClaudeCodeParser(PurePosixPath("a.jsonl"))
        for number in range(2_000):
            call: Json = {"type": "tool_use", "id": f"c{number}", "name": "Bash", "input": {"command": "x" * 1_000}}
            parser.turns(assistant(call, uuid=f"a{number}"))
            parser.turns({"type": "summary", "summary": "s" * 1_000, "leafUuid": f"l{number}"})
            parser.turns(user("w" * 10_000, cwd="c" * 10_000, uuid="u" * 10_000))
        assert len(json.dumps(parser.state())) < 30_000


class TestWhatTheUserSaid:
    def test_a_prompt(self):
        record = user("Why does it fail?", uuid="u7", parentUuid="a6", timestamp="2025-12-16T00:00:01.500Z")
        assert only(record) == Turn("user", "Why does it fail?", "u7", 0, "a6", 1_765_843_201.5)

    def test_a_slash_command_reads_as_it_was_typed(self):
        text = "<command-message>review is running…</command-message>\n<command-name>/review</command-name>\n"
        assert said(user(f"{text}<command-args>PR 7, Zoë</command-args>")) == [("user", "/review PR 7, Zoë", False)]
        assert said(user(f"{text}<skill-format>true</skill-format>")) == [("user", "/review", False)]

    def test_shell_lines_and_memories_read_as_they_were_typed(self):
        assert said(user("<bash-input>ls -l</bash-input>")) == [("user", "! ls -l", False)]
        assert said(user("<user-memory-input>use tabs</user-memory-input>")) == [("user", "# use tabs", False)]

    def test_a_local_command_of_a_system_record_is_the_users_too(self):
        typed = system(
            subtype="local_command", content="<command-name>/model</command-name><command-args>x</command-args>"
        )
        answered = system(subtype="local_command", content="<local-command-stdout>Set model</local-command-stdout>")
        assert said(typed) == [("user", "/model x", False)]
        assert said(answered) == [("system", "<local-command-stdout>Set model</local-command-stdout>", True)]

    def test_words_typed_while_the_agent_worked(self):
        queued = attachment(
            type="queued_command", prompt="and the tests", commandMode="prompt", origin={"kind": "human"}
        )
        assert said(queued) == [("user", "and the tests", False)]
        blocks: Json = [
            {"type": "image", "source": {"media_type": "image/png", "data": "AAAA"}},
            {"type": "text", "text": "see"},
        ]
        turns, _ = parsed(attachment(type="queued_command", prompt=blocks))
        assert [(turn.block, turn.text) for turn in turns] == [(0, "[image image/png]"), (1, "see")]

    def test_a_queued_prompt_comes_once_although_the_queue_names_it_as_well(self):
        queue: Json = {
            "type": "queue-operation",
            "operation": "enqueue",
            "content": "and the tests",
            "sessionId": SESSION,
        }
        assert parsed(queue)[0] == []

    @pytest.mark.parametrize("tag", ["system-reminder", "local-command-stdout", "task-notification", "ide_opened_file"])
    def test_what_the_program_wraps_is_not_said_by_the_user(self, tag):
        assert [turn.injected for turn in parsed(user(f"<{tag}>words</{tag}>\n"))[0]] == [True]
        assert [turn.injected for turn in parsed(user(f"<{tag}>words, cut off"))[0]] == [True]
        assert [turn.injected for turn in parsed(user(f"<{tag}>words</{tag}> and mine"))[0]] == [False]
        assert parsed(user(f"<{tag}> (no content)</{tag}>"))[0] == []

    @pytest.mark.parametrize(
        "mark",
        [{"isMeta": True}, {"promptSource": "system"}, {"origin": {"kind": "task-notification"}}],
        ids=["meta", "source", "origin"],
    )
    def test_what_the_record_marks_as_the_programs_is_not_said_by_the_user(self, mark):
        assert only(user("A background task ended", **mark)).injected

    def test_another_agents_message_has_its_senders_name(self):
        turn = only(user("take over", origin={"kind": "peer", "name": "builder", "from": "uds:/tmp/x"}))
        assert (turn.speaker, turn.injected) == ("builder", True)

    def test_an_interruption_is_not_said_by_the_user(self):
        assert only(user([{"type": "text", "text": "[Request interrupted by user for tool use]"}])).injected

    def test_an_html_snippet_is_the_users(self):
        assert said(user("<div>why is this red?</div>")) == [("user", "<div>why is this red?</div>", False)]

    def test_terminal_colours_are_left_out(self):
        turn = only(user("<local-command-stdout>\x1b[2mCompacted\x1b[22m \x1b]8;;x\x07link</local-command-stdout>"))
        assert turn.text == "<local-command-stdout>Compacted link</local-command-stdout>"

    def test_a_summary_of_old_versions_without_a_mark_is_a_summary(self):
        text = "This session is being continued from a previous conversation that ran out of context. It was …"
        assert said(user(text)) == [("summary", text, False)]
        assert said(user([{"type": "text", "text": "In short"}], isCompactSummary=True)) == [
            ("summary", "In short", False)
        ]


class TestToolsAndBlocks:
    def test_a_call_reads_as_its_arguments(self):
        arguments: Json = {"command": "ls\npwd", "timeout": 5, "quiet": True, "edits": [{"old": "é"}], "none": None}
        turn = only(assistant({"type": "tool_use", "id": "c1", "name": "Bash", "input": arguments}))
        assert turn.text == 'command: ls\npwd\ntimeout: 5\nquiet: true\nedits: [{"old":"é"}]\nnone: null'
        assert (turn.role, turn.tool) == ("tool_call", "Bash")

    def test_a_call_without_arguments_reads_as_its_name(self):
        assert (
            only(assistant({"type": "tool_use", "id": "c1", "name": "ExitPlanMode", "input": {}})).text
            == "ExitPlanMode"
        )

    def test_a_failed_call_is_an_error_with_or_without_a_flag(self):
        wrapped = "<tool_use_error>File not read yet</tool_use_error>"
        turn = only(user([{"type": "tool_result", "tool_use_id": "c1", "content": wrapped}]))
        assert (turn.text, turn.error) == ("File not read yet", True)
        assert only(user([{"type": "tool_result", "content": "exit 1", "is_error": True}])).error
        assert not only(user([{"type": "tool_result", "content": "exit 0", "is_error": False}])).error

    def test_a_result_without_an_id_takes_it_from_its_record(self):
        call = assistant({"type": "tool_use", "id": "c1", "name": "Bash", "input": {"command": "ls"}})
        turns, _ = parsed(call, user([{"type": "tool_result", "content": "ok"}], sourceToolUseID="c1", isMeta=True))
        assert (turns[1].tool, turns[1].injected) == ("Bash", False)

    def test_results_of_a_server_tool(self):
        found: Json = [
            {"type": "web_search_result", "title": "Zoë", "url": "https://z.example", "encrypted_content": "QUJD" * 99},
            {"type": "web_search_result", "title": "Ada", "url": "https://a.example"},
        ]
        turns, _ = parsed(
            assistant(
                {"type": "server_tool_use", "id": "c1", "name": "web_search", "input": {"query": "who"}},
                {"type": "web_search_tool_result", "tool_use_id": "c1", "content": found},
                {"type": "web_search_tool_result", "tool_use_id": "c2",
                 "content": {"type": "web_search_tool_result_error", "error_code": "max_uses_exceeded"}},
            )
        )  # fmt: skip
        assert [(turn.role, turn.tool, turn.text, turn.error) for turn in turns] == [
            ("tool_call", "web_search", "query: who", False),
            ("tool_result", "web_search", "Zoë\nhttps://z.example\nAda\nhttps://a.example", False),
            ("tool_result", "", "max_uses_exceeded", True),
        ]

    def test_images_and_documents_are_named_and_their_bytes_left_out(self):
        image: Json = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo"}}
        pdf: Json = {
            "type": "document",
            "title": "Plan",
            "source": {"media_type": "application/pdf", "data": "JVBERi0"},
        }
        text: Json = {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "Dear Zoë"}}
        turns, _ = parsed(
            user([image, pdf, text, {"type": "tool_result", "content": [image, {"type": "text", "text": "shot"}]}])
        )
        assert [turn.text for turn in turns] == [
            "[image image/png]",
            "[document application/pdf] Plan",
            "[document text/plain]\nDear Zoë",
            "[image image/png]\nshot",
        ]

    def test_thinking_that_cannot_be_read_is_no_turn(self):
        thoughts: list[Json] = [{"type": "redacted_thinking", "data": "QUJD"}, {"type": "thinking", "thinking": ""}]
        turns, _ = parsed(assistant(*thoughts, {"type": "text", "text": " \n"}, {"type": "text", "text": "Done."}))
        assert [(turn.block, turn.text) for turn in turns] == [(3, "Done.")]

    def test_blocks_of_an_unknown_type_keep_their_words(self):
        block: Json = {
            "type": "hologram",
            "title": "Bridge",
            "payload": {"text": "not looked at"},
            "content": [{"text": "hi"}],
        }
        assert said(assistant(block)) == [("assistant", "[hologram] Bridge\nhi", False)]
        assert parsed(assistant({"type": "hologram", "payload": "QUJD"}))[0] == []

    def test_an_error_of_the_service_is_not_said_by_the_model(self):
        assert only(assistant({"type": "text", "text": "API Error: 529"}, isApiErrorMessage=True)).injected

    def test_a_sub_agents_name_is_that_of_its_speaker(self):
        assert only(assistant({"type": "text", "text": "found"}, attributionAgent="Explore")).speaker == "Explore"


class TestOtherRecords:
    def test_what_the_program_lays_before_the_model(self):
        memory = attachment(
            type="nested_memory", displayPath="CLAUDE.md", content={"content": "Use tabs.", "path": "/r/CLAUDE.md"}
        )
        assert said(memory) == [("system", "[nested_memory] CLAUDE.md\n/r/CLAUDE.md\nUse tabs.", True)]
        hook = attachment(type="hook_success", hookName="Stop", content="ok then", stdout="ok then", stderr="")
        assert said(hook) == [("system", "[hook_success] Stop\nok then", True)]
        assert said(attachment(type="date_change", newDate="2026-01-02")) == [
            ("system", "[date_change] 2026-01-02", True)
        ]
        assert parsed(attachment(type="auto_mode", bypass=False))[0] == []

    def test_system_records_with_words(self):
        assert said(system(subtype="informational", content="Remote on")) == [("system", "Remote on", False)]
        failure: Json = {"error": {"error": {"type": "overloaded_error", "message": "Overloaded"}}, "status": 529}
        assert said(system(subtype="api_error", error=failure)) == [("system", "api_error: Overloaded", False)]
        hook = system(subtype="stop_hook_summary", hookErrors=["lint failed"], content=None)
        assert said(hook) == [("system", "lint failed", True)]
        assert parsed(system(subtype="turn_duration", durationMs=5))[0] == []

    def test_a_boundary_without_words_is_named(self):
        assert only(system(subtype="compact_boundary")).text == "Conversation compacted"

    @pytest.mark.parametrize(
        "kind", ["progress", "file-history-snapshot", "mode", "last-prompt", "summary", "content-replacement"]
    )
    def test_records_without_words_for_a_reader_are_no_turns(self, kind):
        assert (
            parsed({"type": kind, "sessionId": SESSION, "content": "x", "summary": "y", "data": {"message": "z"}})[0]
            == []
        )

    def test_records_of_an_unknown_type_keep_their_words(self):
        assert said({"type": "recap", "summary": "We fixed it"}) == [("system", "[recap] We fixed it", False)]
        assert said({"type": "note", "message": {"role": "assistant", "content": "Hi"}}) == [("assistant", "Hi", False)]
        assert said({"type": "user", "message": "as a string"}) == [("user", "as a string", False)]

    @pytest.mark.parametrize(
        "sent", [None, "", "yesterday", "2025", "2025-12-16", 0, 1_765_843_201, "1970-01-01T00:00:00Z"]
    )
    def test_a_time_that_is_missing_or_malformed_is_unknown(self, sent):
        assert only(user("hi", timestamp=sent)).sent_at is None


class TestFactsOfAConversation:
    def test_a_title_is_the_best_there_is(self):
        steps: list[tuple[dict[str, Json], str]] = [
            (user("<command-name>/clear</command-name>"), "/clear"),
            (user("Fix  the\nbuild <system-reminder>no</system-reminder>"), "Fix the build"),
            (user("And the tests"), "Fix the build"),
            ({"type": "summary", "summary": "Build fixes", "leafUuid": "u1"}, "Build fixes"),
            ({"type": "ai-title", "aiTitle": "Fixing the build"}, "Fixing the build"),
            ({"type": "custom-title", "customTitle": "CI"}, "CI"),
            ({"type": "ai-title", "aiTitle": "Fixing it all"}, "CI"),
            ({"type": "custom-title", "customTitle": "CI again"}, "CI again"),
        ]
        for count in range(1, len(steps) + 1):
            assert parsed(*(record for record, _ in steps[:count]))[1].title == steps[count - 1][1]

    def test_a_long_prompt_is_cut(self):
        title = parsed(user("word " * 100))[1].title
        assert (len(title), title[-2:]) == (80, "d…")

    def test_a_summary_of_another_conversation_is_not_the_title(self):
        other: Json = {"type": "summary", "summary": "Something else", "leafUuid": "elsewhere"}
        assert parsed(other, user("Fix the build"))[1].title == "Fix the build"
        assert parsed(other)[1].title == "Something else"
        assert parsed(other, user("Fix the build", uuid="elsewhere"))[1].title == "Something else"

    def test_what_nobody_said_gives_no_title(self):
        records = [user("meta", isMeta=True), user("side", isSidechain=True), user("peer", origin={"kind": "peer"})]
        assert parsed(*records)[1].title == ""

    def test_a_sub_agents_title_is_the_task_it_was_given(self):
        assert parsed(user("Look around", isSidechain=True), path="agent-1a2b.jsonl")[1].title == "Look around"

    def test_where_it_began_and_the_newest_branch(self):
        _, facts = parsed(
            user("a", cwd="/r", gitBranch="main"), user("b", cwd="/r/sub", gitBranch="fix"), user("c", gitBranch="")
        )
        assert (facts.id, facts.cwd, facts.branch) == (SESSION, "/r", "fix")

    @pytest.mark.parametrize(
        "path",
        [
            f"-home-r/{SESSION}/subagents/agent-1a.jsonl",
            f"{SESSION}/subagents/workflows/w1/agent-1a.jsonl",
            "-home-r/agent-1a.jsonl",
            "subagents/agent-1a.jsonl",
        ],
    )
    def test_a_sub_agents_parent_is_the_session_it_worked_for(self, path):
        _, facts = parsed(user("go"), path=path)
        assert (facts.id, facts.parent, facts.forked_from) == ("agent-1a", SESSION, "")

    def test_a_fork_names_its_origin(self):
        fork: Json = {"sessionId": OTHER, "messageUuid": "m1"}
        assert parsed(user("hi", forkedFrom=fork))[1].forked_from == OTHER

    def test_a_resumed_session_of_old_versions_was_forked_from_the_one_it_copies(self):
        copied, own = user("hi", sessionId=OTHER, uuid="u1"), user("go on", uuid="u2")
        assert parsed(copied, own)[1].forked_from == OTHER
        assert parsed(own, copied)[1].forked_from == ""

    def test_a_copy_under_another_name_is_no_fork(self):
        assert parsed(user("hi"), path="backup.jsonl")[1].forked_from == ""


class TestBids:
    def bid(self, *lines: Json | bytes, path: str = "x.jsonl") -> int:
        encoded = [line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines]
        return ClaudeCodeReader().bid(PurePosixPath(path), b"\n".join(encoded)[:HEAD_BYTES])

    def test_it_is_a_reader_of_transcripts(self):
        reader = ClaudeCodeReader()
        assert isinstance(reader, TranscriptReader)
        assert (reader.name, reader.source, reader.format, reader.framing) == ("claude", "claude", "claude", "lines")

    @pytest.mark.parametrize("file", FILES)
    def test_real_files(self, file):
        content = (CASES / file).read_bytes()
        assert ClaudeCodeReader().bid(PurePosixPath(file), content[:HEAD_BYTES]) == 90
        assert ClaudeCodeReader().bid(PurePosixPath(file).with_suffix(".txt"), content[:HEAD_BYTES]) == 0

    @pytest.mark.parametrize(
        "record",
        [
            user("w" * HEAD_BYTES),
            {"parentUuid": None, "isSidechain": False, "attachment": {"type": "file", "content": "w" * HEAD_BYTES}},
            {"parentUuid": "u", "isSidechain": False, "message": {"type": "message", "content": "w" * HEAD_BYTES}},
            {"type": "file-history-snapshot", "messageId": "m", "snapshot": {"a": "w" * HEAD_BYTES}},
        ],
        ids=["user", "attachment", "assistant", "snapshot"],
    )
    def test_a_first_line_longer_than_the_head(self, record):
        assert self.bid({**record, "type": record.get("type", "behind the head")}) == 90

    def test_first_lines_that_hold_no_message(self):
        assert self.bid({"type": "summary", "summary": "s", "leafUuid": "l"}) == 90
        assert self.bid({"type": "mode", "mode": "normal", "sessionId": SESSION}) == 90
        assert self.bid({"type": "file-history-snapshot", "messageId": "m", "snapshot": {}}) == 90

    def test_an_unfinished_line_and_nuls(self):
        line = json.dumps(user("hello")).encode()
        assert self.bid(line[:120]) == 90
        assert self.bid(b"\0\0" + line) == 90
        assert self.bid(line.replace(b"hello", b"he\0llo")) == 90
        assert self.bid(b"\xef\xbb\xbf" + line) == 90

    @pytest.mark.parametrize(
        "record",
        [
            {"timestamp": "2025-12-16T00:00:00Z", "type": "session_meta", "payload": {"id": SESSION, "cwd": "/r"}},
            {
                "timestamp": "2025-12-16T00:00:00Z",
                "type": "response_item",
                "payload": {"type": "message", "role": "user"},
            },
            {"messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "ho"}]},
            {"conversations": [{"from": "human", "value": "hi"}]},
            {"type": "user", "name": "Ada", "id": 3},
            {"type": "summary", "summary": "of a book"},
            {
                "uuid": "q",
                "parentUuid": None,
                "sessionId": SESSION,
                "type": "user",
                "message": {"role": "user", "parts": [{"text": "hi"}]},
            },
            {"display": "hi", "pastedContents": {}, "timestamp": 1, "project": "/r"},
            {"trace": [user("hi")], "type": "sample"},
            {"note": 'it says "type":"user","isSidechain":false,"parentUuid":null', "type": "a"},
            [],
            "type",
            None,
        ],
    )
    def test_other_peoples_lines_are_not_ours(self, record):
        assert self.bid(record, record) == 0
        assert self.bid(json.dumps(record).encode()[:-1]) == 0

    def test_an_empty_file_is_not_ours(self):
        assert self.bid(b"") == 0
        assert self.bid(b"\xff\xfe{\0\n{not json}") == 0


KEYS = st.sampled_from(
    [
        *(
            "type",
            "message",
            "content",
            "uuid",
            "parentUuid",
            "sessionId",
            "timestamp",
            "isSidechain",
            "isMeta",
            "role",
        ),
        *(
            "text",
            "thinking",
            "input",
            "id",
            "name",
            "tool_use_id",
            "is_error",
            "source",
            "data",
            "media_type",
            "title",
        ),
        *("attachment", "prompt", "origin", "kind", "subtype", "error", "compactMetadata", "preTokens", "trigger"),
        *("summary", "leafUuid", "customTitle", "aiTitle", "forkedFrom", "cwd", "gitBranch", "hookErrors", "url"),
    ]
)
WORDS = st.sampled_from(
    [
        *("user", "assistant", "system", "attachment", "summary", "custom-title", "queued_command", "text", "thinking"),
        *("tool_use", "tool_result", "image", "document", "compact_boundary", "local_command", "tool_reference", ""),
        *("<command-name>", "<system-reminder>", "<tool_use_error>", "2025-12-16T00:00:00.000Z", "\ud800", "\x1b[2m"),
        *("9999-12-31T23:59:59-23:59", "0001-01-01T00:00:00+23:59"),
    ]
)
ANY_JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | WORDS | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS | st.text(max_size=3), inner, max_size=6),
    max_leaves=30,
)


def likely() -> st.SearchStrategy[Any]:
    block = st.dictionaries(KEYS, ANY_JSON, max_size=6)
    message = st.fixed_dictionaries({"content": st.lists(block, max_size=3) | ANY_JSON})
    members = {"type": WORDS, "message": message | ANY_JSON, "attachment": block | ANY_JSON}
    return st.fixed_dictionaries(
        {}, optional={**members, "uuid": WORDS | ANY_JSON, "timestamp": WORDS, "subtype": WORDS}
    )


def nested(kind: str) -> Json:
    value: Json = {"type": kind, "text": "x"}
    for _ in range(900):
        value = (
            {"type": kind, "source": {"content": [value]}} if kind == "document" else {"type": kind, "content": value}
        )
    return value


class TestAnyRecord:
    @given(st.lists(likely() | ANY_JSON, max_size=5))
    def test_no_record_raises_and_all_turns_hold_text(self, records):
        parser = ClaudeCodeParser(PurePosixPath("a.jsonl"))
        for record in records:
            for turn in parser.turns(record):
                assert turn.role in ROLES
                assert turn.text.strip()
                assert isinstance(turn.uuid, str)
                assert turn.sent_at is None or turn.sent_at > 0
        again = ClaudeCodeParser(PurePosixPath("a.jsonl"), json.loads(json.dumps(parser.state())))
        assert again.state() == parser.state()

    @given(likely())
    def test_a_record_gives_the_same_turns_again(self, record):
        parser = ClaudeCodeParser(PurePosixPath("a.jsonl"))
        first, second = ([replace(turn, tool="") for turn in parser.turns(record)] for _ in range(2))
        assert first == second

    @given(ANY_JSON)
    def test_no_state_raises(self, state):
        turns: Iterator[Turn] = ClaudeCodeParser(PurePosixPath("a.jsonl"), state).turns(user("hi"))
        assert [turn.text for turn in turns] == ["hi"]

    @pytest.mark.parametrize("kind", ["tool_result", "tool_use", "document", "text", "hologram"])
    def test_deep_nesting(self, kind):
        deep = nested(kind)
        parser = ClaudeCodeParser(PurePosixPath("a.jsonl"))
        tool: Json = {"type": "tool_use", "name": "Bash", "input": {"deep": deep}}
        for record in (
            user([deep]),
            user(deep),
            attachment(type="file", content=deep),
            system(error=deep),
            deep,
            assistant(tool),
        ):
            for turn in parser.turns(record):
                assert turn.text
