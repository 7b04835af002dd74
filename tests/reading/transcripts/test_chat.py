"""Generic conversations: the shapes, the names of members, and the many JSON files that are none."""

from __future__ import annotations

import json
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassdex.model import Json
from glassdex.reading.json_records import JsonReader
from glassdex.reading.protocol import HEAD_BYTES, Reader
from glassdex.reading.registry import choose_reader
from glassdex.reading.transcripts.chat import ChatLinesReader, ChatParser, ChatReader
from glassdex.reading.transcripts.chat_fields import CONTENT, MESSAGES, ROLE, TIME, instant
from glassdex.reading.transcripts.protocol import TranscriptReader, Turn

CASES = Path(__file__).parents[2] / "data" / "cases"
WHOLE, LINES = ChatReader(), ChatLinesReader()
JSON_PATH, LINES_PATH = PurePosixPath("chats/talk.json"), PurePosixPath("chats/talk.jsonl")

MESSAGE_LIST: Json = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "What is a leg?", "name": "zoë"},
    {"role": "assistant", "content": "A part of a search."},
]


def whole(record: Json) -> tuple[list[Turn], ChatParser]:
    parser = WHOLE.parser(JSON_PATH)
    return list(parser.turns(json.loads(json.dumps(record)))), parser


def by_lines(*records: Json, parser: ChatParser | None = None) -> tuple[list[Turn], ChatParser]:
    parser = parser or LINES.parser(LINES_PATH)
    return [turn for record in records for turn in parser.turns(json.loads(json.dumps(record)))], parser


def plain(turns: list[Turn]) -> list[tuple[str, str]]:
    return [(turn.role, turn.text) for turn in turns]


class TestMessageLists:
    def test_a_list_is_one_conversation(self):
        turns, parser = whole(MESSAGE_LIST)
        assert [(t.role, t.text, t.speaker, t.injected, t.conversation) for t in turns] == [
            ("system", "Be brief.", "", True, ""),
            ("user", "What is a leg?", "zoë", False, ""),
            ("assistant", "A part of a search.", "", False, ""),
        ]
        assert (parser.facts[""].id, parser.facts[""].title) == ("talk", "What is a leg?")

    def test_an_object_names_itself(self):
        turns, parser = whole({"id": 7, "title": "Legs", "date": "2024-05-01", "messages": MESSAGE_LIST})
        assert (parser.facts[""].id, parser.facts[""].title) == ("7", "Legs")
        assert {t.sent_at for t in turns} == {1714521600.0}

    def test_parts_are_turns_and_an_image_keeps_its_place(self):
        content: Json = [
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}},
            {"type": "text", "text": "What is it?"},
            {"type": "input_text", "text": "And why?"},
        ]
        turns, _ = whole([{"role": "user", "content": content, "id": "m1"}])
        assert [(t.text, t.block, t.uuid) for t in turns] == [("What is it?", 1, "m1"), ("And why?", 2, "m1")]

    def test_calls_and_results_of_openai(self):
        call: Json = {"id": "c1", "type": "function", "function": {"name": "find", "arguments": '{"q": "leg"}'}}
        turns, _ = whole(
            [
                {"role": "assistant", "content": None, "tool_calls": [call, "odd"], "reasoning_content": "Hm."},
                {"role": "tool", "tool_call_id": "c1", "content": "two hits"},
                {"role": "assistant", "content": "", "function_call": {"name": "old", "arguments": "{}"}},
                {"role": "function", "name": "old", "content": "3"},
            ]
        )
        assert [(t.role, t.tool, t.text, t.block) for t in turns] == [
            ("thinking", "", "Hm.", 0),
            ("tool_call", "find", "q: leg", 2),
            ("tool_result", "find", "two hits", 0),
            ("tool_call", "old", "old", 1),
            ("tool_result", "old", "3", 0),
        ]
        assert {t.speaker for t in turns} == {""}

    def test_calls_and_results_of_anthropic(self):
        turns, _ = whole(
            [
                {"role": "assistant", "content": [
                    {"type": "thinking", "thinking": "Look.", "signature": "c2ln"},
                    {"type": "tool_use", "id": "t1", "name": "ls", "input": {"path": "/w"}},
                ]},
                {"role": "user", "content": [
                    {"type": "tool_result", "tool_use_id": "t1", "is_error": True,
                     "content": [{"type": "text", "text": "no such folder"}]},
                ]},
            ]
        )  # fmt: skip
        assert [(t.role, t.tool, t.text, t.error) for t in turns] == [
            ("thinking", "", "Look.", False),
            ("tool_call", "ls", "path: /w", False),
            ("tool_result", "ls", "no such folder", True),
        ]

    def test_space_and_nothing_are_no_turns(self):
        assert whole([{"role": "user", "content": " "}, {"role": "user", "content": None}, {"role": "user"}])[0] == []

    def test_read_makes_a_row_of_each(self):
        document = WHOLE.read(JSON_PATH, json.dumps(MESSAGE_LIST).encode())
        assert [row.text for row in document.rows] == ["Be brief.", "What is a leg?", "A part of a search."]


SHARE_GPT: Json = {
    "id": "identity_0",
    "conversations": [
        {"from": "system", "value": "Be brief."},
        {"from": "human", "value": "Weather?"},
        {"from": "function_call", "value": '{"name": "weather", "arguments": {"city": "Bern"}}'},
        {"from": "observation", "value": '{"sky": "clear"}'},
        {"from": "gpt", "value": "Clear."},
    ],
}


class TestShareGpt:
    TURNS = (
        ("system", "Be brief."), ("user", "Weather?"), ("tool_call", "city: Bern"), ("tool_result", '{"sky": "clear"}'),
        ("assistant", "Clear."),
    )  # fmt: skip

    def test_an_object_is_the_conversation_of_its_file(self):
        turns, parser = whole(SHARE_GPT)
        assert tuple(plain(turns)) == self.TURNS
        assert {t.conversation for t in turns} == {""}
        assert parser.facts[""].id == "identity_0"

    @pytest.mark.parametrize("around", [lambda c: [c], lambda c: {"conversations": [c]}])
    def test_a_list_has_each_under_its_id(self, around):
        turns, parser = whole(around(SHARE_GPT))
        assert tuple(plain(turns)) == self.TURNS
        assert {t.conversation for t in turns} == {"identity_0"}
        assert (parser.facts["identity_0"].title, parser.facts[""].id) == ("Weather?", "talk")

    def test_a_line_has_it_under_its_id(self):
        turns, _ = by_lines(SHARE_GPT)
        assert {t.conversation for t in turns} == {"identity_0"}


FIRST: Json = {"messages": [{"role": "user", "content": "One?"}, {"role": "assistant", "content": "1"}]}
SECOND: Json = {"messages": [{"role": "user", "content": "Two?"}, {"role": "assistant", "content": "2"}]}


class TestLines:
    def test_each_line_is_a_conversation_with_a_name_that_stays(self):
        turns, parser = by_lines(FIRST, SECOND)
        first, second = dict.fromkeys(t.conversation for t in turns)
        assert first.startswith("talk-")
        assert (parser.facts[second].id, parser.facts[second].title) == (second, "Two?")
        assert {t.conversation for t in by_lines(SECOND)[0]} == {second}

    def test_a_list_without_ids_names_them_by_place(self):
        turns, _ = whole([FIRST, SECOND])
        assert list(dict.fromkeys(t.conversation for t in turns)) == ["talk-1", "talk-2"]

    def test_read_makes_a_row_of_each_message(self):
        document = LINES.read(LINES_PATH, "\n".join(map(json.dumps, [FIRST, SECOND])).encode())
        assert [row.text for row in document.rows] == ["One?", "1", "Two?", "2"]

    def test_messages_by_line_are_one_conversation(self):
        records: tuple[Json, ...] = (
            {"role": "user", "content": "Find it", "timestamp": "2024-05-01T10:00:00+02:00"},
            {"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": "find", "arguments": "{}"}}]},
            {"role": "tool", "tool_call_id": "c", "content": "here"},
        )
        turns, parser = by_lines(*records)
        assert {t.conversation for t in turns} == {""}
        assert (turns[0].sent_at, turns[2].tool, parser.facts[""].title) == (1714550400.0, "find", "Find it")

    def test_a_parser_made_with_the_state_goes_on(self):
        records: list[Json] = [
            {"role": "user", "content": "Find it"},
            {"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": "find", "arguments": "{}"}}]},
            FIRST,
            {"role": "tool", "tool_call_id": "c", "content": "here"},
            SHARE_GPT,
        ]
        parser = LINES.parser(LINES_PATH)
        for record in records:
            resumed = LINES.parser(LINES_PATH, json.loads(json.dumps(parser.state())))
            again, _ = by_lines(record, parser=resumed)
            assert again == by_lines(record, parser=parser)[0]
            assert resumed.state() == parser.state()
            assert all(parser.facts[key] == facts for key, facts in resumed.facts.items())

    def test_state_does_not_grow_with_conversations(self):
        _, parser = by_lines(*({"id": number, **FIRST} for number in range(100)))  # type: ignore[dict-item]
        assert len(parser.facts) == 101
        assert len(json.dumps(parser.state())) < 100


def node(name: str, parent: str | None, role: str, *parts: Json, **more: Json) -> Json:
    content: Json = {"content_type": "text", "parts": list(parts)}
    message: Json = {"id": name, "author": {"role": role}, "content": content, "recipient": "all", **more}
    return {"id": name, "parent": parent, "children": [], "message": message}


EXPORT: dict[str, Json] = {
    "title": "Legs",
    "create_time": 1714521600.5,
    "conversation_id": "conv-1",
    "current_node": "answer-2",
    "mapping": {
        "root": {"id": "root", "parent": None, "children": ["hidden"], "message": None},
        "hidden": node("hidden", "root", "system", ""),
        "ask": node("ask", "hidden", "user", {"content_type": "image"}, "What is a leg?", create_time=None),
        "answer-1": node("answer-1", "ask", "assistant", "A limb.", create_time=1714521700.0),
        "code": node(
            "code", "ask", "assistant", create_time=1714521800.0, recipient="python",
            content={"content_type": "code", "text": "print(1)"},
        ),
        "output": node(
            "output", "code", "tool", author={"role": "tool", "name": "python"},
            content={"content_type": "execution_output", "text": "1"},
        ),
        "thoughts": node(
            "thoughts", "output", "assistant",
            content={"content_type": "thoughts", "thoughts": [{"summary": "Compare", "content": "A part."}, 3]},
        ),
        "answer-2": node("answer-2", "thoughts", "assistant", "A part of a search.", create_time=1714521900.0),
    },
}  # fmt: skip


class TestChatGptExport:
    def test_the_current_branch_in_its_order(self):
        turns, parser = whole([EXPORT])
        assert [(t.role, t.text, t.tool, t.uuid, t.parent, t.sent_at) for t in turns] == [
            ("user", "What is a leg?", "", "ask", "hidden", 1714521600.5),
            ("tool_call", "print(1)", "python", "code", "ask", 1714521800.0),
            ("tool_result", "1", "python", "output", "code", 1714521600.5),
            ("thinking", "Compare\nA part.", "", "thoughts", "output", 1714521600.5),
            ("assistant", "A part of a search.", "", "answer-2", "thoughts", 1714521900.0),
        ]
        assert {t.conversation for t in turns} == {"conv-1"}
        assert (parser.facts["conv-1"].id, parser.facts["conv-1"].title) == ("conv-1", "Legs")

    def test_one_conversation_alone(self):
        turns, parser = whole(EXPORT)
        assert {t.conversation for t in turns} == {""}
        assert parser.facts[""].id == "conv-1"

    @pytest.mark.parametrize("current", [None, "gone", 3])
    def test_without_a_current_node_the_newest_branch_is_read(self, current):
        assert whole(EXPORT | {"current_node": current})[0][-1].text == "A part of a search."

    def test_a_circle_ends(self):
        mapping: Json = {"a": node("a", "b", "user", "A"), "b": node("b", "a", "assistant", "B")}
        assert plain(whole({"mapping": mapping, "current_node": "b"})[0]) == [("user", "A"), ("assistant", "B")]

    def test_what_the_user_did_not_say_is_injected(self):
        about: Json = {
            "content_type": "user_editable_context",
            "user_profile": "A gardener",
            "user_instructions": "Short",
        }
        mapping: Json = {
            "a": node("a", None, "user", content=about),
            "b": node("b", "a", "user", "Secret", metadata={"is_visually_hidden_from_conversation": True}),
            "c": node("c", "b", "user", "Hello"),
        }
        turns, parser = whole({"mapping": mapping, "current_node": "c"})
        assert [(t.text, t.injected) for t in turns] == [
            ("A gardener\n\nShort", True), ("Secret", True), ("Hello", False),
        ]  # fmt: skip
        assert parser.facts[""].title == "Hello"


class TestNames:
    @pytest.mark.parametrize("key", MESSAGES)
    def test_every_name_of_the_list(self, key):
        assert plain(whole({key: MESSAGE_LIST})[0])[1] == ("user", "What is a leg?")

    @pytest.mark.parametrize("name", ROLE)
    def test_every_name_of_the_role(self, name):
        first, _, second = name.partition(".")
        message: dict[str, Json] = {first: {second: "assistant"} if second else "assistant", "text": "Hi"}
        assert plain(whole([message])[0]) == [("assistant", "Hi")]

    @pytest.mark.parametrize("name", CONTENT)
    def test_every_name_of_the_content(self, name):
        assert plain(whole([{"role": "human", name: ["Hi"]}])[0]) == [("user", "Hi")]

    @pytest.mark.parametrize("name", TIME)
    def test_every_name_of_the_time(self, name):
        assert whole([{"role": "user", "content": "Hi", name: "2024-05-01T00:00:00Z"}])[0][0].sent_at == 1714521600.0

    @pytest.mark.parametrize(
        ("word", "role"),
        [
            ("Human", "user"), ("customer", "user"), ("GPT", "assistant"), ("AI", "assistant"), ("model", "assistant"),
            ("ChatGPT", "assistant"), ("bot", "assistant"), ("developer", "system"), ("tool", "tool_result"),
        ],
    )  # fmt: skip
    def test_role_words(self, word, role):
        turns, _ = whole([{"role": word, "content": "Hi"}])
        assert [(t.role, t.speaker) for t in turns] == [(role, "")]

    @pytest.mark.parametrize(
        ("who", "speaker"),
        [
            ({"role": "moderator", "name": "Bo"}, "Bo"), ({"from": "Alice"}, "Alice"), ({"speaker": "Chen"}, "Chen"),
            ({"author": {"name": "Dee", "role": "guest"}}, "Dee"), ({"author": "Eve"}, "Eve"),
        ],
    )  # fmt: skip
    def test_anybody_else_takes_part_by_name(self, who, speaker):
        turns, _ = whole([{**who, "text": "Hi"}])
        assert [(t.role, t.speaker) for t in turns] == [("user", speaker)]

    def test_claudes_export(self):
        messages: Json = [
            {"uuid": "m1", "sender": "human", "text": "Hi", "content": [], "created_at": "2024-05-01T10:00:00.5Z"},
            {"uuid": "m2", "sender": "assistant", "text": "", "content": [{"type": "text", "text": "Hello"}]},
        ]
        record: Json = [{"uuid": "c1", "name": "Greeting", "created_at": "2024-05-01", "chat_messages": messages}]
        turns, parser = whole(record)
        assert [(t.uuid, t.role, t.text, t.sent_at) for t in turns] == [
            ("m1", "user", "Hi", 1714557600.5), ("m2", "assistant", "Hello", 1714521600.0),
        ]  # fmt: skip
        assert parser.facts["c1"].title == "Greeting"

    @pytest.mark.parametrize(
        ("value", "moment"),
        [
            ("2024-05-01T12:00:00+02:00", 1714557600.0), ("2024-05-01T10:00:00", 1714557600.0),
            ("2024-05-01", 1714521600.0), (1714557600, 1714557600.0), (1714557600.25, 1714557600.25),
            (1714557600000, 1714557600.0), (1714557600000000, 1714557600.0), ("1714557600.000200", 1714557600.0002),
            ("yesterday", None), ("2024", None), (12, None), (0, None), (True, None), ("", None), (float("nan"), None),
            (10**400, None), (-1, None), ("1" * 40, None), (None, None), ([], None), ("२०२४-०५-०१", None),
        ],
    )  # fmt: skip
    def test_times(self, value, moment):
        assert instant(value) == moment

    def test_a_time_of_its_own_beats_that_of_the_conversation(self):
        messages: Json = [
            {"role": "user", "content": "a", "time": "?"},
            {"role": "user", "content": "b", "time": 1714557600},
        ]
        turns, _ = whole({"create_time": 1714521600, "messages": messages})
        assert [t.sent_at for t in turns] == [1714521600.0, 1714557600.0]


POSITIVE: dict[str, Json] = {
    "list": MESSAGE_LIST,
    "object": {"model": "m", "messages": MESSAGE_LIST},
    "sharegpt": SHARE_GPT,
    "sharegpt list": [SHARE_GPT],
    "export": [EXPORT],
    "one export": EXPORT,
    "claude": [{"uuid": "c", "name": "n", "chat_messages": [{"sender": "human", "text": "Hi"}]}],
    "gemini": {"contents": [{"role": "user", "parts": [{"text": "Hi"}]}, {"role": "model", "parts": [{"text": "Ho"}]}]},
}
NEGATIVE: dict[str, Json] = {
    "empty list": [],
    "empty object": {},
    "a number": 3,
    "package.json": {"name": "a", "version": "1.0.0", "scripts": {"test": "x"}, "author": {"name": "B", "role": "dev"}},
    "tsconfig": {"compilerOptions": {"strict": True}, "files": ["a.ts"]},
    "GeoJSON": {"type": "FeatureCollection", "features": [{"type": "Feature", "properties": {"name": "Bern"}}]},
    "a table with text": [{"id": 1, "text": "Hello", "label": "pos"}, {"id": 2, "text": "Bye", "label": "neg"}],
    "a table of users": [{"id": 1, "role": "user", "name": "Bo"}, {"id": 2, "role": "admin", "name": "Al"}],
    "pages with roles": [{"role": "admin", "content": "All"}, {"role": "editor", "content": "Some"}],
    "flows": [{"from": "Bern", "to": "Basel", "value": 12}, {"from": "Basel", "to": "Bern", "value": 9}],
    "mails": {"messages": [{"from": "a@example.org", "subject": "Hi", "text": "Hello"}]},
    "translations": {"messages": [{"id": "a", "defaultMessage": "Hello"}]},
    "an extension's texts": {"appName": {"message": "Glass", "description": "The name"}},
    "an API dump": {"data": [{"id": 1, "user": {"login": "bo"}, "body": "Fails"}], "total": 1},
    "issues": [{"number": 1, "title": "Fails", "user": {"login": "bo"}, "body": "It fails"}],
    "chat of a game": {"chat": ["hello", "bye"]},
    "turns of a game": {"turns": [{"player": "a", "move": "e4"}]},
    "preferences": {"prompt": "Q", "chosen": MESSAGE_LIST, "rejected": MESSAGE_LIST},
    "lint messages": [{"filePath": "a.js", "messages": [{"ruleId": "x", "message": "bad", "line": 1}]}],
    "a source map": {"version": 3, "mappings": "AAAA", "sources": ["a.ts"]},
    "an index mapping": {"mapping": {"properties": {"type": "object"}}},
    "commits": [{"sha": "a", "message": "Fix", "author": {"name": "Bo"}}],
    "speakers": [{"speaker": "Al", "text": "Hello"}],
    "a notebook": {"cells": [{"cell_type": "markdown", "source": ["# A"]}], "metadata": {}},
}


class TestBids:
    def test_they_are_transcript_readers(self):
        for reader in (WHOLE, LINES):
            assert isinstance(reader, Reader)
            assert isinstance(reader, TranscriptReader)
        assert (WHOLE.framing, LINES.framing) == ("whole", "lines")

    @pytest.mark.parametrize("record", POSITIVE.values(), ids=POSITIVE.keys())
    def test_conversations(self, record):
        assert WHOLE.bid(JSON_PATH, json.dumps(record, indent=1).encode()) == 70
        assert LINES.bid(LINES_PATH, (json.dumps(record) + "\n").encode() * 3) == 70

    @pytest.mark.parametrize("record", NEGATIVE.values(), ids=NEGATIVE.keys())
    def test_other_json_stays_with_the_generic_reader(self, record):
        for path, head in (
            (JSON_PATH, json.dumps(record).encode()),
            (LINES_PATH, (json.dumps(record) + "\n").encode() * 3),
        ):
            reader = choose_reader(path, head, [WHOLE, LINES, JsonReader()])
            assert reader is not None
            assert reader.name == "json"

    @pytest.mark.parametrize("record", POSITIVE.values(), ids=POSITIVE.keys())
    def test_a_conversation_longer_than_the_head(self, record):
        for indent in (None, 2):
            long = json.dumps([record] * 900 if isinstance(record, dict) else record * 900, indent=indent).encode()
            assert WHOLE.bid(JSON_PATH, b" " * max(0, HEAD_BYTES - len(long)) + long[:HEAD_BYTES]) == 70

    @pytest.mark.parametrize("end", range(12))
    def test_a_head_that_ends_within_a_message(self, end):
        prompt = 'Zoë says "\\u00eb" and \\\\ ' * 4_000
        content = json.dumps([{"role": "system", "content": prompt}], ensure_ascii=False).encode()
        shift = b" " * end
        assert WHOLE.bid(JSON_PATH, (shift + content)[:HEAD_BYTES]) == 70
        assert LINES.bid(LINES_PATH, (shift + content[1:-1])[:HEAD_BYTES]) == 70

    def test_messages_by_line(self):
        head = b"".join(json.dumps(message).encode() + b"\n" for message in MESSAGE_LIST)  # type: ignore[union-attr]
        assert LINES.bid(PurePosixPath("a.ndjson"), head) == 70
        assert LINES.bid(LINES_PATH, head + b'{"role": "us') == 70
        assert LINES.bid(LINES_PATH, head + b'{"event": "login"}\n') == 0
        assert LINES.bid(JSON_PATH, head) == WHOLE.bid(JSON_PATH, head) == 0

    @pytest.mark.parametrize("file", sorted(CASES.glob("*.jsonl")), ids=lambda file: file.name)
    def test_transcripts_of_agents_are_not_its_own(self, file):
        assert LINES.bid(LINES_PATH, file.read_bytes()[:HEAD_BYTES]) == 0

    @pytest.mark.parametrize(
        "head", [b"", b"\0", b"\xff\xfe[", b"[" * 60_000, b"[" * HEAD_BYTES, b'"user"', b"]" * HEAD_BYTES]
    )
    def test_no_json(self, head):
        assert WHOLE.bid(JSON_PATH, head) == LINES.bid(LINES_PATH, head) == 0


scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
names = st.sampled_from(
    ["role", "from", "content", "text", "value", "messages", "conversations", "mapping", "message", "author", "parent",
     "current_node", "tool_calls", "function", "name", "type", "id", "create_time", "parts", "content_type", "sender"]
)  # fmt: skip
words = st.sampled_from(["user", "assistant", "tool", "function_call", "text", "tool_use", "tool_result", "code", "a"])
json_values: st.SearchStrategy[Json] = st.recursive(
    scalars | words,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=5),
    max_leaves=25,
)
nodes: st.SearchStrategy[Json] = st.fixed_dictionaries({"message": json_values, "parent": words})
exports: st.SearchStrategy[Json] = st.fixed_dictionaries(
    {"mapping": st.dictionaries(words, nodes), "current_node": words}
)


class TestOddRecords:
    @given(st.lists(json_values | exports, max_size=4))
    def test_nothing_raises_and_no_turn_is_empty(self, found):
        for reader in (WHOLE, LINES):
            parser = reader.parser(JSON_PATH)
            turns = [turn for record in found for turn in parser.turns(record)]
            assert all(turn.text.strip() for turn in turns)
            assert {turn.conversation for turn in turns} <= parser.facts.keys()
            again = [turn for record in found for turn in reader.parser(JSON_PATH).turns(record)]
            assert [t.text for t in again] == [t.text for t in turns]
            json.dumps(parser.state())

    @given(json_values)
    def test_any_state_can_be_given(self, state):
        list(LINES.parser(LINES_PATH, state).turns({"role": "user", "content": "Hi"}))

    @given(json_values)
    def test_any_value_can_be_seen(self, value):
        head = json.dumps(value).encode()
        assert WHOLE.bid(JSON_PATH, head) in (0, 70)
        assert LINES.bid(LINES_PATH, head) in (0, 70)

    @given(st.binary(max_size=100))
    def test_any_head_can_be_seen(self, head):
        assert WHOLE.bid(JSON_PATH, head + b" " * HEAD_BYTES) == 0
        assert LINES.bid(LINES_PATH, head) == 0

    def test_half_a_pair_of_surrogates_is_no_name(self):
        turns, parser = by_lines(
            {"id": "\ud800", "messages": [{"id": "\udc00", "role": "user", "content": "\ud800\0"}]}
        )
        assert [(t.conversation, t.uuid, t.text) for t in turns] == [("\ufffd", "\ufffd", "\ufffd\ufffd")]
        assert "\ufffd" in parser.facts
