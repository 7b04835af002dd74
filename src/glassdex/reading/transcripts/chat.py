"""Generic conversations: lists of messages as OpenAI's and Anthropic's interfaces take them, ShareGPT, exports of
ChatGPT and Claude, and whatever else names its members as chat_fields.py does.

`.json` is one record; in `.jsonl` and `.ndjson` each line is one: a conversation, or a message of the one that the file
is.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field, replace
from itertools import islice
from pathlib import PurePosixPath

from glassdex.model import Document, Json
from glassdex.reading.protocol import LINE_SUFFIXES, ReadingOptions
from glassdex.reading.transcripts import chat_fields as fields
from glassdex.reading.transcripts.chat_export import export_turns, is_export
from glassdex.reading.transcripts.chat_fields import Members
from glassdex.reading.transcripts.chat_head import head_records, head_value
from glassdex.reading.transcripts.chat_messages import Setting, is_message, message_turns
from glassdex.reading.transcripts.chat_text import text_of, title_of
from glassdex.reading.transcripts.protocol import ConversationFacts, Framing, Turn

_BID = 70
_RECORDS_SEEN = 10
_MESSAGES_SEEN = 20
_CLEAR_ROLE = (("role", "author.role"), ("content", "text", "parts"))
_CLEAR_SENDER = (("from", "sender"), ("value", "text", "content"))
"""Pairs of members that mean a message, if the word of the first is a role's."""


class ChatReader:
    """Reads `.json`: a message list, an object with one, or a list of conversations."""

    name: str = "chat"
    version: int = 1
    format: str = "chat"
    source: str = "chat"
    framing: Framing = "whole"

    def bid(self, path: PurePosixPath, head: bytes) -> int:
        """70 where the head is clearly of messages, with roles that are known."""
        return _BID if path.suffix.lower() == ".json" and _is_clear(head_value(head)) else 0

    def read(self, path: PurePosixPath, content: bytes, options: ReadingOptions = ReadingOptions()) -> Document:
        """All messages of the file, in its order."""
        from glassdex.reading.transcripts.document import read_transcript

        return read_transcript(self, path, content, options)

    def parser(self, path: PurePosixPath, state: Json = None) -> ChatParser:
        """See `TranscriptReader.parser`."""
        return ChatParser.of(path, state, by_lines=False)


class ChatLinesReader:
    """Reads `.jsonl` and `.ndjson`: a conversation or a message on each line."""

    name: str = "chat-lines"
    version: int = 1
    format: str = "chat"
    source: str = "chat"
    framing: Framing = "lines"

    def bid(self, path: PurePosixPath, head: bytes) -> int:
        """70 where each of the first lines is clearly of messages, with roles that are known."""
        if path.suffix.lower() not in LINE_SUFFIXES:
            return 0
        records = head_records(head, _RECORDS_SEEN)
        return _BID if records and all(_is_clear(record) or _is_clear([record]) for record in records) else 0

    def read(self, path: PurePosixPath, content: bytes, options: ReadingOptions = ReadingOptions()) -> Document:
        """All messages of the file, in its order."""
        from glassdex.reading.transcripts.document import read_transcript

        return read_transcript(self, path, content, options)

    def parser(self, path: PurePosixPath, state: Json = None) -> ChatParser:
        """See `TranscriptReader.parser`."""
        return ChatParser.of(path, state, by_lines=True)


@dataclass(slots=True)
class ChatParser:
    """Turns of the conversations of one file; a line that is a conversation needs nothing of the others."""

    facts: dict[str, ConversationFacts]
    stem: str
    by_lines: bool
    _calls: dict[str, str] = field(default_factory=dict)
    """Of the conversation that the file is, whose messages come one a line."""

    @classmethod
    def of(cls, path: PurePosixPath, state: Json, *, by_lines: bool) -> ChatParser:
        """A new parser, or one that goes on from the state of another."""
        parser = cls({"": ConversationFacts(path.stem)}, path.stem, by_lines)
        if isinstance(state, dict):
            facts, calls = state.get("facts"), state.get("calls")
            if isinstance(facts, dict):
                parser.facts[""] = ConversationFacts(text_of(facts.get("id")) or path.stem, text_of(facts.get("title")))
            if isinstance(calls, dict):
                parser._calls = {call_id: text_of(tool) for call_id, tool in calls.items()}
        return parser

    def turns(self, record: Json) -> Iterator[Turn]:
        """See `TranscriptParser.turns`."""
        for turn in self._conversations(record) if _holds_conversations(record) else self._conversation(record, None):
            if turn.text.strip():
                yield turn

    def state(self) -> Json:
        """See `TranscriptParser.state`; of a conversation that is a line of its own nothing need be known later."""
        facts = asdict(self.facts[""])
        return {"facts": {name: facts[name] for name in ("id", "title")}, "calls": dict(self._calls)}

    def _conversations(self, record: Json) -> Iterator[Turn]:
        """Several in one record: each has a key, its id, or its place among them where it has none."""
        listed = record if isinstance(record, list) else _messages_of(record)
        for place, conversation in enumerate(listed or [], start=1):
            yield from self._conversation(conversation, None if self.by_lines else f"{self.stem}-{place}")

    def _conversation(self, record: Json, key: str | None) -> Iterator[Turn]:
        """One of them; without a `key` the one that the file is, or of which a line is the whole."""
        if is_message(record):
            yield from self._noted("", self._said([record], Setting(calls=self._calls)))
            return
        members = record if isinstance(record, dict) else {}
        said = self._turns_of(record, members)
        if key is None and not self.by_lines:
            self._know("", members)
            yield from self._noted("", said)
            return
        named = fields.id_member(members, fields.CONVERSATION_ID)
        turns = list(said)
        key = named or key or f"{self.stem}-{_digest(turns)}"
        if turns:
            self.facts[key] = ConversationFacts(key)
            self._know(key, members)
            yield from self._noted(key, turns)

    def _turns_of(self, record: Json, members: Members) -> Iterator[Turn]:
        setting = Setting(sent_at=fields.time_member(members))
        if is_export(record):
            return export_turns(members, setting)
        return self._said(record if isinstance(record, list) else _messages_of(record) or [], setting)

    def _said(self, messages: Iterable[Json], setting: Setting) -> Iterator[Turn]:
        for message in messages:
            if isinstance(message, dict) and is_message(message):
                yield from message_turns(message, setting)

    def _know(self, key: str, members: Members) -> None:
        facts = self.facts[key]
        facts.id = fields.id_member(members, fields.CONVERSATION_ID) or facts.id
        facts.title = title_of(fields.text_member(members, fields.TITLE)) or facts.title

    def _noted(self, key: str, turns: Iterable[Turn]) -> Iterator[Turn]:
        """The turns with the key of their conversation, whose first prompt is its title where it has no other."""
        facts = self.facts[key]
        for turn in turns:
            if turn.role == "user" and not turn.injected and not facts.title:
                facts.title = title_of(turn.text)
            yield replace(turn, conversation=key) if key else turn


def _messages_of(value: Json) -> list[Json] | None:
    """The list that an object has under one of the names for it."""
    listed = fields.members_named(value, fields.MESSAGES) if isinstance(value, dict) else iter(())
    return next((found for found in listed if isinstance(found, list)), None)


def _is_conversation(value: Json) -> bool:
    return (
        is_export(value) or _messages_of(value) is not None or (isinstance(value, list) and any(map(is_message, value)))
    )


def _holds_conversations(value: Json) -> bool:
    """Whether the value is a list of conversations, or an object around one, and not a list of messages."""
    listed = value if isinstance(value, list) else _messages_of(value)
    return listed is not None and not is_export(value) and any(map(_is_conversation, listed))


def _digest(turns: list[Turn]) -> str:
    """A name for a conversation without one, from what was said: the same wherever in the file it stands."""
    said = "\0".join(f"{turn.role}\0{turn.speaker}\0{turn.text}" for turn in turns)
    return hashlib.sha256(said.encode()).hexdigest()[:12]


def _is_clear(value: Json) -> bool:
    """Whether the value is of conversations so clearly that no other reader should have it.

    The last one of several, and the last of several messages, may lack what the head cuts off.
    """
    if _holds_conversations(value):
        listed = value if isinstance(value, list) else _messages_of(value)
        seen = list(islice(listed or [], _RECORDS_SEEN))
        return all(map(_is_clear_conversation, seen[:-1] or seen)) and isinstance(seen[-1], dict | list)
    return _is_clear_conversation(value)


def _is_clear_conversation(value: Json) -> bool:
    if is_export(value):
        return True
    messages = value if isinstance(value, list) else _messages_of(value)
    seen = list(islice(messages or [], _MESSAGES_SEEN))
    return bool(seen) and all(map(_is_clear_message, seen[:-1] or seen)) and isinstance(seen[-1], dict)


def _is_clear_message(value: Json) -> bool:
    """Whether a known role says something."""
    if not isinstance(value, dict):
        return False
    for whose, what in (_CLEAR_ROLE, _CLEAR_SENDER):
        role = fields.text_member(value, whose).strip().lower()
        if role in fields.ROLES:
            said = [fields.member(value, (name,)) for name in (*what, "tool_calls", "function_call")]
            return any(isinstance(content, str | list | dict) for content in said)
    return False
