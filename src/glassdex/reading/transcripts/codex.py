"""Codex's rollouts, `~/.codex/sessions/YYYY/MM/DD/rollout-*.jsonl`.

A line is `{timestamp, type, payload}`; the oldest files have a header and then bare items, without time. What the model
was given and gave are response items (codex_items.py); events (codex_events.py) mostly say the same a second time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import PurePosixPath

from glassdex.dates import parse_instant
from glassdex.model import Document, Json
from glassdex.reading.protocol import ReadingOptions
from glassdex.reading.transcripts.chat_head import head_records
from glassdex.reading.transcripts.chat_text import text_of, title_of
from glassdex.reading.transcripts.claude_values import id_of
from glassdex.reading.transcripts.codex_events import event_turns
from glassdex.reading.transcripts.codex_frame import Frame
from glassdex.reading.transcripts.codex_items import Members, item_turns
from glassdex.reading.transcripts.protocol import ConversationFacts, Framing, Turn

_BID = 90
_ENVELOPES = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted", "world_state"})
_RECORDS_SEEN = 8
_UUID_AT_END = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z", re.IGNORECASE)
_REQUEST = "## My request for Codex:"
"""Where the user's own words begin, after what an editor tells of its open files."""
_WORKING_FOLDER = re.compile(r"<cwd>([^<\n]+)</cwd>|Current working directory: ([^\n]+)")


class CodexReader:
    """Reads rollouts of Codex, of all versions."""

    name: str = "codex"
    version: int = 1
    format: str = "codex"
    source: str = "codex"
    framing: Framing = "lines"

    def bid(self, path: PurePosixPath, head: bytes) -> int:
        """90 where a record of the first ones is a rollout's, or where the oldest shape's header and name agree."""
        if path.suffix.lower() != ".jsonl":
            return 0
        records = head_records(head, _RECORDS_SEEN)
        is_old = path.name.lower().startswith("rollout-") and bool(records) and _is_old_header(records[0])
        return _BID if is_old or any(map(_is_rollout_record, records)) else 0

    def read(self, path: PurePosixPath, content: bytes, options: ReadingOptions = ReadingOptions()) -> Document:
        """All messages of the file, in its order."""
        from glassdex.reading.transcripts.document import read_transcript

        return read_transcript(self, path, content, options)

    def parser(self, path: PurePosixPath, state: Json = None) -> CodexParser:
        """See `TranscriptReader.parser`."""
        parser = CodexParser({"": ConversationFacts(_id_of(path))})
        if isinstance(state, dict):
            parser.restore(state)
        return parser


@dataclass(slots=True)
class CodexParser:
    """Turns of one rollout. A fork or a sub-agent begins with its own header; those copied from others follow."""

    facts: dict[str, ConversationFacts]
    _calls: dict[str, str] = field(default_factory=dict)
    _has_header: bool = False
    _sidechain: bool = False

    def turns(self, record: Json) -> Iterator[Turn]:
        """See `TranscriptParser.turns`."""
        if not isinstance(record, dict):
            return
        for turn in self._turns_of(record):
            if turn.text.strip():
                self._learn(turn)
                yield turn

    def state(self) -> Json:
        """See `TranscriptParser.state`."""
        return {
            "facts": asdict(self.facts[""]),
            "calls": dict(self._calls),
            "has_header": self._has_header,
            "sidechain": self._sidechain,
        }

    def restore(self, state: Members) -> None:
        """Goes on where the parser with this state stopped."""
        facts, calls = state.get("facts"), state.get("calls")
        if isinstance(facts, dict):
            names = ("id", "title", "cwd", "branch", "parent", "forked_from")
            self.facts[""] = ConversationFacts(*(text_of(facts.get(name)) for name in names))
        if isinstance(calls, dict):
            self._calls = {call_id: text_of(tool) for call_id, tool in calls.items()}
        self._has_header = state.get("has_header") is True
        self._sidechain = state.get("sidechain") is True

    def _turns_of(self, record: Members) -> Iterator[Turn]:
        payload = record.get("payload")
        if isinstance(payload, dict):
            yield from self._enveloped(text_of(record.get("type")), payload, _moment(record.get("timestamp")))
        elif _is_old_header(record):
            self._begin(record)
        elif "type" in record and "record_type" not in record:
            yield from item_turns(record, self._frame(record, None))

    def _enveloped(self, kind: str, payload: Members, sent_at: float | None) -> Iterator[Turn]:
        frame = self._frame(payload, sent_at)
        match kind:
            case "response_item":
                yield from item_turns(payload, frame)
            case "event_msg":
                self._name(payload)
                yield from event_turns(payload, frame)
            case "compacted":
                yield from _compacted(payload, frame)
            case "session_meta":
                self._begin(payload)
            case "turn_context":
                facts = self.facts[""]
                facts.cwd = facts.cwd or text_of(payload.get("cwd"))
            case "inter_agent_communication":
                text, author = text_of(payload.get("content")), text_of(payload.get("author"))
                yield replace(frame, channel="echo").turn("assistant", text, speaker=author)
            case _:
                if isinstance(payload.get("role"), str):
                    yield from item_turns(payload, frame)

    def _frame(self, item: Members, sent_at: float | None) -> Frame:
        return Frame(self._calls, sent_at, self._sidechain, uuid=id_of(item.get("id")))

    def _begin(self, header: Members) -> None:
        """Takes the facts from the first header; a fork has those of its parents as well."""
        if self._has_header:
            return
        self._has_header = True
        facts = self.facts[""]
        git = header.get("git")
        spawn = _spawn(header.get("source"))
        facts.id = id_of(header.get("id")) or facts.id
        facts.cwd = text_of(header.get("cwd")) or facts.cwd
        facts.branch = id_of(git.get("branch")) if isinstance(git, dict) else ""
        facts.forked_from = id_of(header.get("forked_from_id"))
        facts.parent = id_of(header.get("parent_thread_id")) or id_of(spawn.get("parent_thread_id"))
        source = header.get("source")
        is_spawned = isinstance(source, dict) and "subagent" in source
        self._sidechain = is_spawned or header.get("thread_source") == "subagent"

    def _name(self, event: Members) -> None:
        name = text_of(event.get("thread_name")) if event.get("type") == "thread_name_updated" else ""
        if name.strip():
            self.facts[""].title = title_of(name)

    def _learn(self, turn: Turn) -> None:
        """A title from the first prompt, and the folder from what the oldest versions tell the model."""
        facts = self.facts[""]
        if turn.role != "user" or turn.channel == "replay":
            return
        if not turn.injected and not facts.title:
            facts.title = title_of(turn.text.rpartition(_REQUEST)[2])
        if turn.injected and not facts.cwd:
            found = _WORKING_FOLDER.search(turn.text)
            facts.cwd = (found[1] or found[2]).strip() if found else ""


def _compacted(payload: Members, frame: Frame) -> Iterator[Turn]:
    """The summary, then the history that goes with it from there: items as they were, with their own names."""
    yield frame.turn("summary", text_of(payload.get("message")))
    history = payload.get("replacement_history")
    for item in history if isinstance(history, list) else []:
        if isinstance(item, dict):
            yield from item_turns(item, replace(frame, channel="replay", uuid=id_of(item.get("id")), sent_at=None))


def _spawn(source: Json) -> Members:
    agent = source.get("subagent") if isinstance(source, dict) else None
    spawn = agent.get("thread_spawn") if isinstance(agent, dict) else None
    return spawn if isinstance(spawn, dict) else {}


def _is_rollout_record(record: Json) -> bool:
    if not isinstance(record, dict):
        return False
    kind = record.get("type")
    return isinstance(kind, str) and kind in _ENVELOPES and isinstance(record.get("payload"), dict)


def _is_old_header(record: Json) -> bool:
    if not isinstance(record, dict) or not {"id", "timestamp", "instructions"} <= record.keys():
        return False
    return "type" not in record and isinstance(record["id"], str)


def _id_of(path: PurePosixPath) -> str:
    found = _UUID_AT_END.search(path.stem)
    return found[0] if found else path.stem


def _moment(value: Json) -> float | None:
    """Seconds since 1970 of a time stamp; unknown where it is none, or only a day."""
    if not isinstance(value, str):
        return None
    try:
        moment, is_day = parse_instant(value)
    except ValueError:
        return None
    return None if is_day else moment
