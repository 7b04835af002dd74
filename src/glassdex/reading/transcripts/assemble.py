"""Turns → message rows: named, without repetitions, secrets redacted, capped in size, with what was said before."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise

from glassdex.model import Block, Conversation, Json, Message, Role, Row
from glassdex.reading.transcripts.context import OPENING_CHARACTERS, embedded_context, indexed_context
from glassdex.reading.transcripts.history import History, Said
from glassdex.reading.transcripts.lines import Line
from glassdex.reading.transcripts.protocol import ConversationFacts, TranscriptParser, Turn
from glassdex.redaction import redact

VERSION = 1
"""Raised whenever the same turns may give other rows; part of the identity of every transcript reader."""
MAX_CHARACTERS: dict[Role, tuple[int, int]] = {"tool_call": (1_000, 300), "tool_result": (900, 300)}
"""How much of a longer text is indexed, from its beginning and from its end."""
_MAX_SAID = (24_000, 4_000)
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
_PARAGRAPHS = re.compile(r"\n[ \t]*\n\s*")
_FENCE = re.compile(r"^ {0,3}(```|~~~)", re.MULTILINE)
_SPACE = re.compile(r"\s+")
_HASH_BYTES = 16
_YEAR_10000 = 253_402_300_800.0
_LABELS: dict[Role, str] = {
    "user": "",
    "assistant": "",
    "system": "system",
    "tool_call": "tool call",
    "tool_result": "tool result",
    "thinking": "thinking",
    "summary": "summary",
}


@dataclass(slots=True)
class Tally:
    """Characters of text that the turns have and that are indexed of them, and secrets found, by rule."""

    said: int = 0
    indexed: int = 0
    secrets: Counter[str] = field(default_factory=Counter)


class Assembler:
    """Makes the message rows of one file; `history` says what came before."""

    def __init__(self, source: str, parser: TranscriptParser, history: History, *, redacting: bool = True) -> None:
        self.parser = parser
        self.history = history
        self.tally = Tally()
        self._source = source
        self._redacting = redacting

    def rows(self, record: Json, line: Line, ordinal: int, start: int) -> Iterator[Row]:
        """The new rows of a record, the first one `ordinal` among the document's and at `start` in its text."""
        for index, said in enumerate(self.parser.turns(record)):
            turn = as_stored(said)
            text = turn.text
            digest = content_hash(turn.role, text)
            if not text.strip() or self.history.is_repeated(turn, digest):
                continue
            row = self._row(turn, text, digest, line, index, ordinal, start)
            yield row
            ordinal += 1
            start += len(row.text) + len(SEPARATOR)

    def conversations(self, spoken: set[str]) -> tuple[Conversation, ...]:
        """What is known by now of the file's own conversation and of those that were spoken in."""
        facts = self.parser.facts
        return tuple(self._conversation(key, facts.get(key)) for key in sorted({"", *spoken} & {*facts, *spoken}))

    def _conversation(self, key: str, facts: ConversationFacts | None) -> Conversation:
        if facts is None:
            return Conversation(self._source, storable(key), key)
        told = (facts.title, facts.cwd, facts.branch, facts.parent, facts.forked_from)
        title, *rest = (storable(text) for text in told)
        return Conversation(self._source, storable(facts.id), key, self.redacted(title), *rest)

    def _row(self, turn: Turn, text: str, digest: bytes, line: Line, index: int, ordinal: int, start: int) -> Row:
        redacted = self._counted(text)
        shown, left_out = elided(turn.role, redacted)
        self.tally.said += len(text)
        self.tally.indexed += len(shown)
        message = Message(
            conversation=turn.conversation,
            uuid=self.history.name(turn, digest),
            block=turn.block,
            role=turn.role,
            content_hash=digest,
            sent_at=_known_time(turn.sent_at),
            speaker=turn.speaker,
            tool=turn.tool,
            injected=turn.injected,
            sidechain=turn.sidechain,
            error=turn.error,
            parent=turn.parent,
            line=line.number,
            byte_start=line.start,
            byte_end=line.end,
            turn=index,
            left_out=left_out,
            opening=_SPACE.sub(" ", shown[: 2 * OPENING_CHARACTERS]).strip()[:OPENING_CHARACTERS],
        )
        said = self.history.remember(message)
        return Row(
            kind="message",
            ordinal=ordinal,
            text=shown,
            start=start,
            blocks=tuple(_blocks(shown, turn.role, _headings(said, turn), embedded_context(said))),
            category=turn.role,
            message=message,
            before=indexed_context(said),
            original=None if redacted is text else elided(turn.role, text)[0],
        )

    def state(self) -> Json:
        """What the parser of the grown file must know, without secrets."""
        return self._redacted_values(self.parser.state())

    def redacted(self, text: str) -> str:
        """The text without secrets; these are not counted."""
        return redact(text).text if self._redacting else text

    def _redacted_values(self, value: Json) -> Json:
        match value:
            case str():
                return self.redacted(storable(value))
            case list():
                return [self._redacted_values(item) for item in value]
            case dict():
                return {name: self._redacted_values(item) for name, item in value.items()}
            case _:
                return value

    def _counted(self, text: str) -> str:
        """The text of a turn without secrets, which are counted."""
        if not self._redacting:
            return text
        redaction = redact(text)
        self.tally.secrets.update(redaction.counts)
        return redaction.text


SEPARATOR = "\n\n"
"""Between two messages in a document's text."""


def storable(text: str) -> str:
    """The text with what neither UTF-8 nor a store can hold (NULs, lone surrogates) as U+FFFD: the same length."""
    return text if text.isascii() and "\0" not in text else _UNSTORABLE.sub("\ufffd", text)


def as_stored(turn: Turn) -> Turn:
    """The turn with everything in it as a store can hold it."""
    told = (turn.text, turn.uuid, turn.parent, turn.speaker, turn.tool, turn.conversation)
    text, uuid, parent, speaker, tool, conversation = map(storable, told)
    if told == (text, uuid, parent, speaker, tool, conversation):
        return turn
    return replace(turn, text=text, uuid=uuid, parent=parent, speaker=speaker, tool=tool, conversation=conversation)


def content_hash(role: Role, text: str) -> bytes:
    """16 bytes that tell apart what two turns of one name say."""
    return hashlib.sha256(f"{role}\0{text}".encode()).digest()[:_HASH_BYTES]


def elided(role: Role, text: str) -> tuple[str, int]:
    """The part of a turn's text that is indexed, with a mark where its middle is left out, and how much that is.

    It depends on the text's length alone, so that redacted and original text are cut at the same places.
    """
    head, tail = MAX_CHARACTERS.get(role, _MAX_SAID)
    left_out = len(text) - head - tail
    if left_out <= 0:
        return text, 0
    return f"{text[:head]}\n[... {left_out:,} characters left out ...]\n{text[len(text) - tail :]}", left_out


def _known_time(seconds: float | None) -> float | None:
    """The time, if it can be one: a clock that was never set says 1970 or less, and a calendar ends with 9999."""
    return seconds if seconds is not None and 0 < seconds < _YEAR_10000 else None


def _headings(said: Said, turn: Turn) -> tuple[str, ...]:
    label = _LABELS[said.role]
    if said.tool:
        label = f"{label} {said.tool}"
    if turn.error:
        label += " (error)"
    return tuple(name for name in (said.speaker, label) if name)


def _blocks(text: str, role: Role, headings: tuple[str, ...], context: str) -> Iterator[Block]:
    """The paragraphs of what was said; what a tool was given or gave is one block, cut at its lines."""
    given = role in ("tool_call", "tool_result")
    if given or _FENCE.search(text):
        borders = [(0, len(text))]
    else:
        gaps = [(0, 0), *(match.span() for match in _PARAGRAPHS.finditer(text)), (len(text), len(text))]
        borders = [(before[1], after[0]) for before, after in pairwise(gaps)]
    for start, end in borders:
        ended = start + len(text[start:end].rstrip())
        if text[start:ended].strip():
            yield Block("fence" if given else "paragraph", start, ended, headings, context=context)
