"""Transcripts of Claude Code: `<session>.jsonl`, and the files of its sub-agents, `agent-….jsonl`.

The format is not documented; what is read here was seen in files of versions 1.0 to 2.1. A line is a record with a
`type`; those of `user` and `assistant` hold content blocks, and each block that says something is a turn.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from glassdex.model import Document, Json
from glassdex.reading.protocol import ReadingOptions
from glassdex.reading.transcripts.claude_records import SESSION_TYPES, Frame, Said, said_in
from glassdex.reading.transcripts.claude_titles import Titles
from glassdex.reading.transcripts.claude_values import id_of, object_of, strings_of, text_of
from glassdex.reading.transcripts.protocol import ConversationFacts, Framing, Turn

_BID = 90
_MESSAGE_TYPES = frozenset({"user", "assistant", "system", "attachment", "progress"})
_KEYS_IN_RAW = re.compile(rb'(?<!\\)"(\w+)"\s*:')
_TYPE_IN_RAW = re.compile(rb'(?<!\\)"type"\s*:\s*"([\w-]+)"')
_MOST_OPEN_CALLS = 256
_MOST_FACT_CHARACTERS = 2_000
_FACTS = ("title", "cwd", "branch", "parent", "forked_from")


class ClaudeCodeReader:
    """Reads what Claude Code keeps under `~/.claude/projects`."""

    name: str = "claude"
    version: int = 1
    format: str = "claude"
    source: str = "claude"
    framing: Framing = "lines"

    def bid(self, path: PurePosixPath, head: bytes) -> int:
        """90 for `.jsonl` with a record of Claude Code in its head, be it whole or the beginning of a long one."""
        return _BID if path.suffix.lower() == ".jsonl" and any(map(_is_ours, head.split(b"\n"))) else 0

    def read(self, path: PurePosixPath, content: bytes, options: ReadingOptions = ReadingOptions()) -> Document:
        """All messages of the file, in its order."""
        from glassdex.reading.transcripts.document import read_transcript

        return read_transcript(self, path, content, options)

    def parser(self, path: PurePosixPath, state: Json = None) -> ClaudeCodeParser:
        """A parser for the file at `path`, going on where the one with that `state` stopped."""
        return ClaudeCodeParser(path, state)


class ClaudeCodeParser:
    """One file's records, one after the other. What they tell is kept small: the newest open calls and the facts."""

    def __init__(self, path: PurePosixPath, state: Json = None) -> None:
        self._of_agent = path.stem.startswith("agent-")
        before = object_of(state)
        facts = {"parent": _session_folder(path) if self._of_agent else ""} | strings_of(before.get("facts"))
        told = {name: facts[name] for name in _FACTS if name in facts}
        self.facts = {"": ConversationFacts(path.stem, **told)}
        self._open_calls = strings_of(before.get("open_calls"))
        self._titles = Titles(self.facts[""], object_of(before.get("titles")))
        self._copied_from = text_of(before.get("copied_from"))
        self._has_own = before.get("has_own") is True

    def turns(self, record: Json) -> Iterator[Turn]:
        """The turns of a record; it is taken in whole before the first one is given."""
        if not isinstance(record, dict):
            return iter(())
        frame = Frame.of(record)
        self._learn(record, frame)
        turns = []
        for block, said in said_in(record, frame):
            tool = self._tool(said)
            if not said.text or said.text.isspace():
                continue
            turns.append(
                Turn(
                    said.role, said.text, frame.uuid, block, frame.parent, frame.sent_at, said.speaker, tool,
                    said.injected, frame.sidechain, said.error,
                )
            )  # fmt: skip
            by_user = said.role == "user" and not said.injected and not said.speaker
            if by_user and (self._of_agent or not frame.sidechain):
                self._titles.offer_prompt(said.text)
        return iter(turns)

    def state(self) -> Json:
        """Facts, open calls and what the title hangs on: a few kilobytes at most."""
        return {
            "facts": {name: getattr(self.facts[""], name) for name in _FACTS},
            "open_calls": dict(self._open_calls),
            "titles": self._titles.state(),
            "copied_from": self._copied_from,
            "has_own": self._has_own,
        }

    def _learn(self, record: dict[str, Json], frame: Frame) -> None:
        facts = self.facts[""]
        facts.cwd = facts.cwd or _fact(record.get("cwd"))
        facts.branch = _fact(record.get("gitBranch")) or facts.branch
        self._titles.learn(record, frame.uuid)
        session = id_of(record.get("sessionId"))
        if self._of_agent:
            facts.parent = facts.parent or session
        elif not facts.forked_from:
            self._learn_origin(record, frame, session)

    def _learn_origin(self, record: dict[str, Json], frame: Frame, session: str) -> None:
        """Whose history the file begins with: `forkedFrom`; before there was that, a resumed session's file began with
        records that kept the id of the session they were copied from. A copy under another name is no fork.
        """
        facts = self.facts[""]
        origin = id_of(object_of(record.get("forkedFrom")).get("sessionId"))
        if origin and origin != facts.id:
            facts.forked_from = origin
        elif not session or not frame.uuid or self._has_own:
            return
        elif session != facts.id:
            self._copied_from = session
        else:
            facts.forked_from = self._copied_from
            self._has_own = True

    def _tool(self, said: Said) -> str:
        """The tool's name; of a result, that of the call which it answers."""
        if said.role == "tool_call" and said.call:
            self._open_calls.pop(said.call, None)
            self._open_calls[said.call] = said.tool
            if len(self._open_calls) > _MOST_OPEN_CALLS:
                del self._open_calls[next(iter(self._open_calls))]
        elif said.role == "tool_result":
            return self._open_calls.pop(said.call, said.tool)
        return said.tool


def _is_ours(line: bytes) -> bool:
    """Whether a line, or the beginning of one, is a record of Claude Code."""
    stripped = line.strip(b"\0 \t\r\xef\xbb\xbf")
    if not stripped.startswith(b"{") or b'"type"' not in stripped:
        return False
    try:
        record = object_of(json.loads(stripped))
    except (ValueError, RecursionError):
        flat = stripped[1:].partition(b"{")[0]  # its own members alone, not those of an object in it
        kind = _TYPE_IN_RAW.search(flat)
        keys = {key.decode() for key in _KEYS_IN_RAW.findall(flat)}
        return _is_kind_of_ours(kind[1].decode() if kind else "", keys)
    return _is_kind_of_ours(text_of(record.get("type")), set(record) | set(object_of(record.get("message"))))


def _is_kind_of_ours(kind: str, keys: set[str]) -> bool:
    match kind:
        case "summary":
            return "leafUuid" in keys
        case "file-history-snapshot":
            return "messageId" in keys
        case _ if kind in SESSION_TYPES:
            return "sessionId" in keys
    if "isSidechain" in keys:
        return "parentUuid" in keys or (kind in _MESSAGE_TYPES and "sessionId" in keys)
    return kind in _MESSAGE_TYPES and {"content", "sessionId", "uuid"} <= keys and "parts" not in keys


def _session_folder(path: PurePosixPath) -> str:
    """The session whose folder a sub-agent's file lies in: `<session>/subagents/…/agent-….jsonl`."""
    folders = path.parts[:-1]
    if "subagents" not in folders[1:]:
        return ""
    return folders[len(folders) - 2 - folders[::-1].index("subagents")]


def _fact(value: Json) -> str:
    return value if isinstance(value, str) and len(value) <= _MOST_FACT_CHARACTERS else ""
