"""Codex's rollouts: whose words they are, which record repeats which, and what the file says of its conversation."""

from __future__ import annotations

import json
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassdex.model import Json
from glassdex.reading.protocol import HEAD_BYTES, Reader
from glassdex.reading.transcripts.codex import CodexParser, CodexReader
from glassdex.reading.transcripts.protocol import TranscriptReader, Turn

CASES = Path(__file__).parents[2] / "data" / "cases"
CASE = CASES / "codex-new-record-types.jsonl"
PATH = PurePosixPath("2026/08/03/rollout-2026-08-03T10-48-56-019fc8be-3658-7ca3-9e29-0123456789ab.jsonl")
READER = CodexReader()


def lines_of(content: bytes) -> list[bytes]:
    return [line for line in content.split(b"\n") if line.strip()]


def turns_of(*records: Json, parser: CodexParser | None = None) -> list[Turn]:
    parser = parser or READER.parser(PATH)
    return [turn for record in records for turn in parser.turns(record)]


def item(**payload: Json) -> Json:
    return {"timestamp": "2026-08-03T10:48:56.500Z", "type": "response_item", "payload": dict(payload)}


def event(**payload: Json) -> Json:
    return {"timestamp": "2026-08-03T10:48:56.501Z", "type": "event_msg", "payload": dict(payload)}


def meta(**payload: Json) -> Json:
    return {"timestamp": "2026-08-03T10:48:56Z", "type": "session_meta", "payload": dict(payload)}


def said(role: str, *texts: str, **more: Json) -> Json:
    kind = "output_text" if role == "assistant" else "input_text"
    parts: list[Json] = [{"type": kind, "text": text} for text in texts]
    return item(type="message", role=role, content=parts, **more)


def case_by_line() -> dict[int, list[Turn]]:
    parser = READER.parser(PATH)
    lines = CASE.read_bytes().split(b"\n")
    return {number: turns_of(json.loads(line), parser=parser) for number, line in enumerate(lines, 1) if line.strip()}


class TestTheCaseFile:
    def test_a_prompt_stands_twice_and_one_record_is_the_echo(self):
        found = [(n, t.role, t.channel) for n, ts in case_by_line().items() for t in ts if t.text == "List the files"]
        assert found == [(4, "user", "echo"), (6, "user", "own")]

    def test_an_answer_stands_three_times_and_one_record_is_its_own(self):
        found = [(n, t.role, t.channel) for n, ts in case_by_line().items() for t in ts if t.text == "Found 2 files."]
        assert found == [(23, "assistant", "own"), (24, "assistant", "echo"), (25, "assistant", "replay")]

    def test_the_history_of_a_compaction_is_replayed_and_an_empty_summary_is_none(self):
        assert [(t.role, t.channel, t.uuid) for t in case_by_line()[26]] == [("user", "replay", "msg-0")]

    def test_calls_results_and_their_tools(self):
        lines = case_by_line()
        found = [(n, t.role, t.tool, t.text) for n in (9, 10, 11, 14, 15, 21) for t in lines[n]]
        assert found == [
            (9, "tool_call", "shell", "command: ls"),
            (10, "tool_call", "shell", "command: ls"),
            (11, "tool_result", "shell", "a.txt\n"),
            (14, "tool_call", "web_search", "query: example"),
            (15, "tool_result", "web_search", "Example\nhttps://example.invalid\n[trimmed for fixture]"),
            (21, "tool_result", "shell", "a.txt\nb.txt\n"),
        ]

    def test_snapshots_counts_and_settings_say_nothing(self):
        lines = case_by_line()
        assert [n for n in (1, 2, 3, 5, 16, 17, 18, 19, 20, 22, 39, 80) if lines[n]] == []

    def test_facts_are_those_of_the_first_header(self):
        parser = READER.parser(PATH)
        turns_of(*map(json.loads, lines_of(CASE.read_bytes())), parser=parser)
        facts = parser.facts[""]
        assert (facts.id, facts.cwd, facts.branch) == ("019fc8be-3658-7ca3-9e29-000000000000", "/tmp/repo", "main")
        assert (facts.parent, facts.forked_from) == ("", "")

    def test_a_time_that_is_none_is_unknown(self):
        lines = case_by_line()
        assert lines[6][0].sent_at == 1785754136.0
        assert lines[33][0].sent_at is None

    def test_read_says_each_message_once(self):
        texts = [row.text for row in READER.read(PATH, CASE.read_bytes()).rows]
        assert texts.count("List the files") == 1
        assert texts.count("Found 2 files.") == 1

    def test_a_parser_made_with_the_state_goes_on_as_one_that_read_everything(self):
        records = [json.loads(line) for line in lines_of(CASE.read_bytes())]
        whole = READER.parser(PATH)
        for record in records:
            resumed = READER.parser(PATH, json.loads(json.dumps(whole.state())))
            assert turns_of(record, parser=resumed) == turns_of(record, parser=whole)
            assert (resumed.facts, resumed.state()) == (whole.facts, whole.state())

    def test_its_state_stays_small(self):
        parser = READER.parser(PATH)
        for number in range(5_000):
            turns_of(item(type="function_call", call_id=f"call-{number}", name="shell", arguments="{}"), parser=parser)
        assert len(json.dumps(parser.state())) < 64_000


class TestMessages:
    def test_each_part_is_a_turn_and_an_image_keeps_its_place(self):
        image: Json = {"type": "input_image", "image_url": "data:image/png;base64,iVBORw0KGgo="}
        parts: list[Json] = [
            {"type": "input_text", "text": '<image name="a.png">'}, image, {"type": "input_text", "text": "</image>"},
            {"type": "input_text", "text": "What is it?"}, {"type": "input_text", "text": "And why?"},
        ]  # fmt: skip
        turns = turns_of(item(type="message", id="m-1", role="user", content=parts))
        assert [(t.text, t.block, t.uuid) for t in turns] == [("What is it?", 3, "m-1"), ("And why?", 4, "m-1")]

    @pytest.mark.parametrize(
        "text",
        [
            "<environment_context>\n  <cwd>/work</cwd>\n</environment_context>",
            "<user_instructions>\nBe brief.\n</user_instructions>",
            "# AGENTS.md instructions for /work\n\n<INSTRUCTIONS>\nBe brief.\n</INSTRUCTIONS>",
            "<permissions instructions>\nNo network.\n</permissions instructions>",
            "<turn_aborted>\nThe user interrupted.\n</turn_aborted>",
            '<hook_prompt hook_run_id="1">Run the tests.</hook_prompt>',
            "\n<skill>\n<name>pdf</name>\n</skill>",
        ],
    )
    def test_what_the_program_puts_in_is_not_the_users(self, text):
        assert [(t.role, t.injected) for t in turns_of(said("user", text))] == [("user", True)]

    @pytest.mark.parametrize("text", ["<b>Bold</b> is broken", "What does # AGENTS.md do?", "skill issues"])
    def test_a_prompt_with_a_tag_is_the_users(self, text):
        assert [t.injected for t in turns_of(said("user", text))] == [False]

    def test_developer_and_system_are_the_programs(self):
        turns = turns_of(said("developer", "Sandboxed."), said("system", "Be brief."))
        assert [(t.role, t.injected, t.speaker) for t in turns] == [("system", True, ""), ("system", True, "")]

    def test_an_agents_message_to_another_has_its_author(self):
        parts: list[Json] = [
            {"type": "input_text", "text": "Done."}, {"type": "encrypted_content", "encrypted_content": "gAAAAA"},
        ]  # fmt: skip
        turns = turns_of(item(type="agent_message", author="/root/reviewer", recipient="/root", content=parts))
        assert [(t.role, t.text, t.speaker) for t in turns] == [("assistant", "Done.", "/root/reviewer")]

    def test_an_agents_message_also_stands_in_a_record_of_its_own(self):
        payload: Json = {"author": "/root/reviewer", "content": "Done."}
        record: Json = {"type": "inter_agent_communication", "payload": payload}
        assert [(t.channel, t.text, t.speaker) for t in turns_of(record)] == [("echo", "Done.", "/root/reviewer")]

    def test_somebody_unknown_is_still_heard(self):
        payload: dict[str, Json] = {"type": "message", "role": "critic", "content": "Too long."}
        turns = turns_of(item(**payload), {"type": "new_kind", "payload": payload}, item(type="new", content="Words."))
        assert [(t.role, t.text, t.speaker) for t in turns] == [
            ("system", "Too long.", "critic"), ("system", "Too long.", "critic"), ("system", "Words.", ""),
        ]  # fmt: skip
        assert [t.role for t in turns_of(said("tool", "3"))] == ["tool_result"]

    def test_thoughts_are_read_and_what_is_encrypted_is_not(self):
        thoughts = item(
            type="reasoning", id="rs", encrypted_content="gAAAAABsecret",
            summary=[{"type": "summary_text", "text": "Look first."}, {"type": "summary_text", "text": "Then write."}],
        )  # fmt: skip
        turns = turns_of(thoughts, event(type="agent_reasoning", text="Look first."))
        assert [(t.text, t.block, t.channel) for t in turns] == [
            ("Look first.", 0, "own"), ("Then write.", 1, "own"), ("Look first.", 0, "echo"),
        ]  # fmt: skip
        assert {t.role for t in turns} == {"thinking"}

    def test_a_summary_among_the_messages_is_a_summary(self):
        text = (
            "Another language model started to solve this problem and produced a summary of its thinking process. "
            "You also have access to its tools. The summary: tests fail."
        )
        history: list[Json] = [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}]
        compacted: Json = {"type": "compacted", "payload": {"message": text, "replacement_history": history}}
        assert [(t.role, t.channel) for t in turns_of(compacted)] == [("summary", "own"), ("summary", "replay")]

    def test_space_is_no_turn(self):
        assert turns_of(said("user", "", " \n"), event(type="user_message", message="\t")) == []

    def test_what_cannot_be_written_is_replaced_and_base64_left_out(self):
        turns = turns_of(said("user", "a\ud800b\0c", "see data:image/png;base64,iVBORw0KGgo= here"))
        assert [t.text for t in turns] == ["a\ufffdb\ufffdc", "see [base64 left out] here"]

    @pytest.mark.parametrize("before", [0, 1, 511, 512, 700])
    def test_a_long_run_of_base64_is_left_out_and_a_long_word_is_not(self, before):
        space, run = " " * before, ("aB3" * 400)[:1024]
        turns = turns_of(said("user", f".{space}{run}==", f".{space}{run.lower()}", f".{space}{run[1:]}"))
        assert [t.text.strip(". ") for t in turns] == ["[base64 left out]", run.lower(), run[1:]]


class TestTools:
    @pytest.mark.parametrize(
        ("arguments", "text"),
        [
            (
                '{"command":["bash","-lc","rg -n \\"a b\\" src"],"workdir":"/w"}',
                'command: rg -n "a b" src\nworkdir: /w',
            ),
            ('{"command":["git","commit","-m","two words"]}', "command: git commit -m 'two words'"),
            ('{"cmd":"ls\\nls -l","timeout_ms":1000,"justification":null}', "cmd:\nls\nls -l\ntimeout_ms: 1000"),
            ('{"plan":[{"step":"Grüße","status":"pending"}]}', 'plan: [{"step":"Grüße","status":"pending"}]'),
            ('{"agent_ids":["a","b"]}', "agent_ids: a, b"),
            ('{"command":["C:\\\\bin\\\\PowerShell.exe","-Command","dir"],"env":{}}', "command: dir"),
            ('["a", 1]', '["a", 1]'),
            ("*** Begin Patch\n*** End Patch", "*** Begin Patch\n*** End Patch"),
            ('{"command":["ls"', '{"command":["ls"'),
            ("{}", "shell"),
            ("", "shell"),
        ],
    )
    def test_arguments_are_readable(self, arguments, text):
        turns = turns_of(item(type="function_call", call_id="c", name="shell", arguments=arguments))
        assert [(t.role, t.tool, t.text) for t in turns] == [("tool_call", "shell", text)]

    @pytest.mark.parametrize(
        ("output", "text", "error"),
        [
            ("plain", "plain", False),
            ('{"output":"no such file\\n","metadata":{"exit_code":1,"duration_seconds":0.1}}', "no such file\n", True),
            ('{"output":"fine","metadata":{"exit_code":0,"duration_seconds":0.1}}', "fine", False),
            ({"content": "refused", "success": False}, "refused", True),
            ({"content": "fine", "success": True}, "fine", False),
            ("Exit code: 101\nWall time: 2 seconds\nOutput:\nfailed", None, True),
            ("Exit code: 0\nWall time: 2 seconds\nOutput:\nfine", None, False),
            ("Chunk ID: a1\nWall time: 0.1 seconds\nProcess exited with code 2\nOutput:\n", None, True),
            ('[{"type":"text","text":"from a server"}]', "from a server", False),
            ('{"content":[{"type":"text","text":"no access"}],"isError":true}', "no access", True),
            ('{"name":"package","output":3}', None, False),
            (
                [{"type": "input_text", "text": "a"}, {"type": "input_image", "image_url": "data:x"}],
                "a\n[image]",
                False,
            ),
            ({"stdout": "kept"}, "stdout: kept", False),
            ({"type": "encrypted_content", "encrypted_content": "gAAAA"}, "", False),
        ],
    )
    def test_results_and_their_failures(self, output, text, error):
        call = item(type="function_call", call_id="c", name="shell", arguments="{}")
        turns = turns_of(call, item(type="function_call_output", call_id="c", output=output))[1:]
        expected = output if text is None else text
        assert [(t.role, t.tool, t.text, t.error) for t in turns] == (
            [("tool_result", "shell", expected, error)] if expected else []
        )

    def test_a_server_is_part_of_its_tools_name(self):
        call = item(type="function_call", call_id="c", namespace="mcp__docs__", name="find", arguments='{"q":"a"}')
        assert [t.tool for t in turns_of(call)] == ["mcp__docs__find"]

    def test_other_calls(self):
        turns = turns_of(
            item(type="local_shell_call", call_id="a", action={"type": "exec", "command": ["ls", "-l"], "env": None}),
            item(type="web_search_call", action={"type": "search", "query": "a", "queries": ["a", "b"]}),
            item(type="image_generation_call", id="ig", revised_prompt="A cat", result="iVBORw0KGgo" * 500),
            item(type="computer_call", call_id="d", arguments={"x": 1}),
            item(type="computer_call_output", call_id="d", output=[{"type": "input_image", "image_url": "data:x"}]),
        )
        assert [(t.role, t.tool, t.text) for t in turns] == [
            ("tool_call", "local_shell", "command: ls -l"),
            ("tool_call", "web_search", "query: a\nqueries: a, b"),
            ("tool_call", "image_generation", "A cat"),
            ("tool_call", "computer", "x: 1"),
            ("tool_result", "computer", "[image]"),
        ]

    def test_events_that_end_a_call_repeat_its_result(self):
        assert not turns_of(
            event(type="exec_command_end", call_id="c", aggregated_output="a.txt", exit_code=0),
            event(type="mcp_tool_call_end", call_id="c", result={"Ok": {"content": [{"type": "text", "text": "x"}]}}),
            event(type="patch_apply_end", call_id="c", stdout="Success.", success=True),
            event(type="dynamic_tool_call_response", call_id="c", content_items=[{"type": "inputText", "text": "x"}]),
        )


class TestEvents:
    def test_a_review_is_words_worth_finding(self):
        finding: Json = {
            "title": "Null is not checked", "body": "`get` may give None.",
            "code_location": {"absolute_file_path": "/w/a.py", "line_range": {"start": 3, "end": 5}},
        }  # fmt: skip
        output: Json = {"findings": [finding, 7], "overall_explanation": "One bug.", "overall_correctness": "incorrect"}
        turns = turns_of(
            event(type="entered_review_mode", target={"type": "custom", "instructions": "Look at a.py"}),
            event(type="exited_review_mode", review_output=output),
            event(type="exited_review_mode", review_output=None),
        )
        assert [(t.role, t.text) for t in turns] == [
            ("system", "Review: Look at a.py"),
            ("assistant", "One bug.\n\nincorrect\n\nNull is not checked\n/w/a.py:3-5\n`get` may give None."),
        ]

    def test_failures_are_the_programs(self):
        turns = turns_of(
            event(type="error", message="usage limit"),
            event(type="task_complete", last_agent_message=None, error={"message": "stream ended"}),
            event(type="some_new_notice", message="New."),
        )
        assert [(t.role, t.injected, t.text) for t in turns] == [
            ("system", True, "usage limit"), ("system", True, "stream ended"), ("system", True, "New."),
        ]  # fmt: skip

    def test_completed_items_echo_what_the_response_items_say(self):
        def done(**members: Json) -> Json:
            return event(type="item_completed", item=dict(members))

        turns = turns_of(
            done(type="UserMessage", content=[{"type": "image", "url": "data:x"}, {"type": "text", "text": "Hi"}]),
            done(type="AgentMessage", content=[{"type": "Text", "text": "Hello"}]),
            done(type="Plan", text="1. Look"),
            done(type="Reasoning", summary_text=["Hm."], raw_content=[]),
            done(type="CommandExecution", command=["ls"], aggregated_output="a.txt"),
            done(type="Extension", results=[{"title": "T", "url": "https://e.invalid", "snippet": "S"}]),
        )
        assert [(t.role, t.text) for t in turns] == [
            ("user", "Hi"), ("assistant", "Hello"), ("assistant", "1. Look"), ("thinking", "Hm."),
            ("tool_result", "T\nhttps://e.invalid\nS"),
        ]  # fmt: skip
        assert {t.channel for t in turns} == {"echo"}

    def test_an_older_version_says_which_message_is_its_own(self):
        turns = turns_of(event(type="user_message", message="cwd: /w", kind="environment_context"))
        assert [t.injected for t in turns] == [True]


class TestFacts:
    def test_the_title_is_the_first_real_prompt(self):
        parser = READER.parser(PATH)
        context = "# Context from my IDE setup:\n\n## Open tabs:\n- a.py\n\n## My request for Codex:\n"
        turns_of(
            said("user", "# AGENTS.md instructions for /w\n\n<INSTRUCTIONS>x</INSTRUCTIONS>"),
            said("user", context + "Fix   the\nbug " + "now " * 40),
            said("user", "Thanks"),
            parser=parser,
        )
        title = parser.facts[""].title
        assert title.startswith("Fix the bug now now")
        assert len(title) <= 80
        assert title.endswith("…")

    def test_a_name_that_was_given_is_the_title(self):
        parser = READER.parser(PATH)
        turns_of(said("user", "Hi"), event(type="thread_name_updated", thread_name="The parser"), parser=parser)
        turns_of(said("user", "More"), parser=parser)
        assert parser.facts[""].title == "The parser"

    def test_a_fork_keeps_its_own_header(self):
        parser = READER.parser(PATH)
        turns_of(
            meta(id="child", forked_from_id="mother", cwd="/a", git={"branch": "b"}, source="cli"),
            meta(id="mother", cwd="/x", git={"branch": "y"}, source="cli"),
            parser=parser,
        )
        facts = parser.facts[""]
        assert (facts.id, facts.cwd, facts.branch, facts.forked_from) == ("child", "/a", "b", "mother")

    @pytest.mark.parametrize(
        ("payload", "parent"),
        [
            ({"source": {"subagent": {"thread_spawn": {"parent_thread_id": "p", "depth": 1}}}}, "p"),
            ({"source": {"subagent": "review"}, "parent_thread_id": "q"}, "q"),
            ({"source": "cli", "thread_source": "subagent"}, ""),
        ],
    )
    def test_all_turns_of_a_sub_agent_are_a_side_chain(self, payload, parent):
        parser = READER.parser(PATH)
        turns = turns_of(meta(id="agent", **payload), meta(id="p", source="cli"), said("user", "Look"), parser=parser)
        assert [t.sidechain for t in turns] == [True]
        assert (parser.facts[""].id, parser.facts[""].parent) == ("agent", parent)

    def test_without_a_header_the_id_is_that_of_the_file(self):
        assert READER.parser(PATH).facts[""].id == "019fc8be-3658-7ca3-9e29-0123456789ab"
        assert READER.parser(PurePosixPath("notes.jsonl")).facts[""].id == "notes"


OLD: tuple[Json, ...] = (
    {"id": "5973b6c0", "timestamp": "2025-06-01T10:00:00.000Z", "instructions": None, "git": {"branch": "main"}},
    {"record_type": "state"},
    {"type": "message", "id": None, "role": "user", "content": [
        {"type": "input_text", "text": "<environment_context>\nCurrent working directory: /home/a"}
    ]},
    {"type": "message", "id": None, "role": "user", "content": [{"type": "input_text", "text": "Add a test"}]},
    {"record_type": "state"},
    {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "Look."}]},
    {"type": "function_call", "id": "fc_1", "name": "shell", "arguments": '{"command":["ls"]}', "call_id": "c1"},
    {"type": "function_call_output", "call_id": "c1", "output": '{"output":"a\\n","metadata":{"exit_code":0}}'},
    {"type": "message", "id": "msg_1", "role": "assistant", "content": [{"type": "output_text", "text": "Done."}]},
)  # fmt: skip


class TestTheOldShape:
    def test_bare_items_have_no_time(self):
        turns = turns_of(*OLD)
        assert [(t.role, t.text, t.uuid, t.tool) for t in turns[1:]] == [
            ("user", "Add a test", "", ""),
            ("thinking", "Look.", "rs_1", ""),
            ("tool_call", "command: ls", "fc_1", "shell"),
            ("tool_result", "a\n", "", "shell"),
            ("assistant", "Done.", "msg_1", ""),
        ]
        assert {t.sent_at for t in turns} == {None}

    def test_facts_come_from_the_header_and_the_environment(self):
        parser = READER.parser(PATH)
        turns_of(*OLD, parser=parser)
        facts = parser.facts[""]
        assert (facts.id, facts.title, facts.cwd, facts.branch) == ("5973b6c0", "Add a test", "/home/a", "main")


class TestBids:
    def test_it_is_a_transcript_reader(self):
        assert isinstance(READER, Reader)
        assert isinstance(READER, TranscriptReader)

    def test_a_rollout_by_its_records_whatever_its_name(self):
        assert READER.bid(PurePosixPath("x.jsonl"), CASE.read_bytes()[:HEAD_BYTES]) == 90

    def test_a_first_line_longer_than_the_head(self):
        line = json.dumps(meta(id="a", base_instructions={"text": "é" * HEAD_BYTES}), ensure_ascii=False).encode()
        assert READER.bid(PATH, line[:HEAD_BYTES]) == 90

    def test_the_old_shape_by_header_and_name(self):
        head = "\n".join(map(json.dumps, OLD)).encode()
        assert READER.bid(PATH, head) == 90
        assert READER.bid(PurePosixPath("export.jsonl"), head) == 0

    @pytest.mark.parametrize("name", ["claude-record-types.jsonl", "claude-inline-sidechain.jsonl"])
    def test_not_claude_code(self, name):
        assert READER.bid(PATH, (CASES / name).read_bytes()[:HEAD_BYTES]) == 0

    @pytest.mark.parametrize(
        "head",
        [
            b"",
            b"{}",
            b"\0\0",
            b"[]\n",
            b'{"type":"event_msg"}',
            b'{"role":"user","content":"x"}',
            b"\xff{",
            b"[" * 60_000,
        ],
    )
    def test_not_anything_else(self, head):
        assert READER.bid(PATH, head) == 0

    def test_not_another_suffix(self):
        assert READER.bid(PurePosixPath("rollout.json"), CASE.read_bytes()[:HEAD_BYTES]) == 0


words = st.sampled_from(
    ["response_item", "event_msg", "compacted", "session_meta", "turn_context", "message", "reasoning", "user", "text",
     "assistant", "function_call", "function_call_output", "web_search_call", "tool_search_output", "item_completed",
     "exited_review_mode", "UserMessage", "Extension", "task_complete", '{"output":"x","metadata":{"exit_code":[]}}']
)  # fmt: skip
scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | words
names = words | st.sampled_from(
    ["type", "payload", "id", "role", "content", "text", "output", "arguments", "action", "call_id", "item", "summary",
     "timestamp", "replacement_history", "review_output", "findings", "source", "git", "results", "tools"]
)  # fmt: skip
json_values: st.SearchStrategy[Json] = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=5), max_leaves=20
)
payloads = st.dictionaries(names, json_values, max_size=6)
records = json_values | st.fixed_dictionaries({"type": words, "payload": payloads})


class TestOddRecords:
    @given(st.lists(records, max_size=5))
    def test_nothing_raises_and_no_turn_is_empty(self, found):
        parser = READER.parser(PATH)
        turns = turns_of(*found, parser=parser)
        assert all(turn.text.strip() for turn in turns)
        assert READER.parser(PATH, json.loads(json.dumps(parser.state()))).state() == parser.state()

    @given(json_values)
    def test_any_state_can_be_given(self, state):
        turns_of(said("user", "Hi"), parser=READER.parser(PATH, state))

    @given(st.binary(max_size=200))
    def test_any_head_can_be_seen(self, head):
        assert READER.bid(PATH, head) == 0

    @given(st.integers(1, 3_000))
    def test_any_cut_of_the_case_can_be_seen(self, length):
        assert READER.bid(PATH, CASE.read_bytes()[:length]) in (0, 90)
