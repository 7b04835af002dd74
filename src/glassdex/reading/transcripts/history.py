"""What a conversation has said so far, as far as later turns depend on it: names, repetitions, who spoke before."""

from __future__ import annotations

import hashlib
from collections import Counter, OrderedDict, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from glassdex.model import Json, Message, Role
from glassdex.reading.transcripts.protocol import Channel, Turn

REACH = 500
"""How many messages back a turn's parent is looked for: what is further back is not what it answers."""
RECENT = 2 * REACH
"""How many stored messages a grown file's history begins with: those within reach, and what these have before them."""
PRECEDING_MESSAGES = 2
_UNPAIRED = 64
"""Records that wait for the second one of the same turn; formats that write both write them close together."""
_SAID_ALOUD = frozenset({"user", "assistant", "summary"})
_Value = TypeVar("_Value")


class Told(Protocol):
    """What is stored of a file that has grown: asked for, never loaded whole."""

    def has(self, conversation: str, uuid: str, block: int, content_hash: bytes) -> bool:
        """Whether the conversation has a message of that name and content."""
        ...

    def times(self, conversation: str, content_hash: bytes) -> int:
        """How many messages of the conversation say that."""
        ...


class _Nothing:
    """Of a file that is read from its beginning."""

    def has(self, conversation: str, uuid: str, block: int, content_hash: bytes) -> bool:
        return False

    def times(self, conversation: str, content_hash: bytes) -> int:
        return 0


@dataclass(frozen=True, slots=True)
class Said:
    """A message as those after it remember it; `preceding` are openings of what was said before it, nearest first."""

    role: Role
    speaker: str
    tool: str
    opening: str
    preceding: tuple[str, ...]

    def openings(self) -> tuple[str, ...]:
        """What a message right after this one has before it."""
        own = (self.opening,) if self.role in _SAID_ALOUD and self.opening else ()
        return (*own, *self.preceding)[:PRECEDING_MESSAGES]


class History:
    """Grows by one message after the other; of a grown file it begins with the last ones that are stored."""

    def __init__(self, recent: Iterable[Message] = (), told: Told | None = None, unpaired: Json = None) -> None:
        self._told: Told = told or _Nothing()
        self._names: set[bytes] = set()
        self._contents: Counter[bytes] = Counter()
        self._by_record: _Latest[tuple[str, str], Said] = _Latest(REACH)
        self._last: _Latest[tuple[str, bool], Said] = _Latest(REACH)
        self._last_record: _Latest[str, str] = _Latest(REACH)
        self._unpaired: deque[tuple[str, Channel, str]] = deque(_restored(unpaired), maxlen=_UNPAIRED)
        for message in recent:
            self._follow(message)

    def unpaired(self) -> Json:
        """What a history of the grown file must know besides its messages."""
        return [list(entry) for entry in self._unpaired]

    def is_repeated(self, turn: Turn, content_hash: bytes) -> bool:
        """Whether the turn is there already: under its name, as a second record beside it, or as replayed history."""
        conversation = turn.conversation
        if turn.uuid and self._has(conversation, turn.uuid, turn.block, content_hash):
            return True
        if turn.channel == "replay":
            return self._times(conversation, content_hash) > 0
        return self._is_second_record(turn, content_hash)

    def name(self, turn: Turn, content_hash: bytes) -> str:
        """The turn's uuid; made from its content, and how often that was said before, where its record has none."""
        if turn.uuid:
            return turn.uuid
        repeated = self._times(turn.conversation, content_hash)
        return f"h{content_hash[:8].hex()}" + (f"-{repeated}" if repeated else "")

    def remember(self, message: Message) -> Said:
        """Adds a message that was kept."""
        self._names.add(_digest(message.conversation, message.uuid, message.block, message.content_hash))
        self._contents[_digest(message.conversation, "", 0, message.content_hash)] += 1
        return self._follow(message)

    def _has(self, conversation: str, uuid: str, block: int, content_hash: bytes) -> bool:
        known = _digest(conversation, uuid, block, content_hash) in self._names
        return known or self._told.has(conversation, uuid, block, content_hash)

    def _times(self, conversation: str, content_hash: bytes) -> int:
        now = self._contents[_digest(conversation, "", 0, content_hash)]
        return now + self._told.times(conversation, content_hash)

    def _follow(self, message: Message) -> Said:
        before = self._before(message)
        preceding: tuple[str, ...] = ()
        if before is not None:
            preceding = before.openings()
            if before.role == "tool_call" and message.role == "tool_result" and before.opening:
                preceding = (before.opening, *before.preceding)[:PRECEDING_MESSAGES]
        opening = "" if message.injected else message.opening
        said = Said(message.role, message.speaker, message.tool, opening, preceding)
        self._by_record[message.conversation, message.uuid] = said
        self._last[message.conversation, message.sidechain] = said
        self._last_record[message.conversation] = message.uuid
        return said

    def _before(self, message: Message) -> Said | None:
        """The message that this one follows: the block before it, its parent, else the last one of its chain."""
        conversation = message.conversation
        if self._last_record.get(conversation) == message.uuid:
            return self._by_record.get((conversation, message.uuid))
        parent = self._by_record.get((conversation, message.parent)) if message.parent else None
        return parent or self._last.get((conversation, message.sidechain))

    def _is_second_record(self, turn: Turn, content_hash: bytes) -> bool:
        """Whether an unpaired record of the other channel says the same; if not, this one waits for its second."""
        other: Channel = "own" if turn.channel == "echo" else "echo"
        key = content_hash.hex()
        if (turn.conversation, other, key) in self._unpaired:
            self._unpaired.remove((turn.conversation, other, key))
            return True
        self._unpaired.append((turn.conversation, turn.channel, key))
        return False


_Key = TypeVar("_Key")


class _Latest(Generic[_Key, _Value]):
    """The entries that were set last, up to `most`."""

    def __init__(self, most: int) -> None:
        self._entries: OrderedDict[_Key, _Value] = OrderedDict()
        self._most = most

    def get(self, key: _Key) -> _Value | None:
        return self._entries.get(key)

    def __setitem__(self, key: _Key, value: _Value) -> None:
        self._entries[key] = value
        self._entries.move_to_end(key)
        if len(self._entries) > self._most:
            self._entries.popitem(last=False)


def _digest(conversation: str, uuid: str, block: int, content_hash: bytes) -> bytes:
    """16 bytes for one entry: a set of them takes a tenth of what the parts would."""
    named = f"{conversation}\0{uuid}\0{block}\0".encode("utf-8", "surrogatepass")
    return hashlib.blake2b(named + content_hash, digest_size=16).digest()


def _restored(unpaired: Json) -> Iterator[tuple[str, Channel, str]]:
    for entry in unpaired if isinstance(unpaired, list) else ():
        match entry:
            case [str(conversation), "own" | "echo" as channel, str(key)]:
                yield conversation, channel, key
