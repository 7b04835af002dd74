"""What a conversation has said so far, as far as later turns depend on it: names, repetitions, who spoke before."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from glassdex.model import Json, Message, Role
from glassdex.reading.transcripts.protocol import Channel, Turn

_UNPAIRED = 64
"""Records that wait for the second one of the same turn; formats that write both write them close together."""


@dataclass(frozen=True, slots=True)
class Said:
    """A message as those after it remember it."""

    role: Role
    speaker: str
    tool: str
    opening: str
    injected: bool
    sent_at: float | None
    before: Said | None = field(repr=False)


class History:
    """Grows by one message after the other; of a grown file it is made again from the messages that are stored."""

    def __init__(self, messages: Iterable[Message] = (), unpaired: Json = None) -> None:
        self._seen: set[tuple[str, str, int, bytes]] = set()
        self._contents: Counter[tuple[str, bytes]] = Counter()
        self._by_record: dict[tuple[str, str], Said] = {}
        self._last: dict[tuple[str, bool], Said] = {}
        self._last_record: dict[str, str] = {}
        self._unpaired: deque[tuple[str, Channel, str]] = deque(_restored(unpaired), maxlen=_UNPAIRED)
        for message in messages:
            self.remember(message)

    def unpaired(self) -> Json:
        """What a history of the grown file must know besides its messages."""
        return [list(entry) for entry in self._unpaired]

    def is_repeated(self, turn: Turn, content_hash: bytes) -> bool:
        """Whether the turn is there already: under its name, as a second record beside it, or as replayed history."""
        conversation = turn.conversation
        if turn.uuid and (conversation, turn.uuid, turn.block, content_hash) in self._seen:
            return True
        if turn.channel == "replay":
            return (conversation, content_hash) in self._contents
        return self._is_second_record(turn, content_hash)

    def name(self, turn: Turn, content_hash: bytes) -> str:
        """The turn's uuid; made from its content, and how often that was said before, where its record has none."""
        if turn.uuid:
            return turn.uuid
        repeated = self._contents[turn.conversation, content_hash]
        return f"h{content_hash[:8].hex()}" + (f"-{repeated}" if repeated else "")

    def before(self, turn: Turn) -> Said | None:
        """The message that the turn follows: the block before it, its parent, else the last one of its chain."""
        conversation = turn.conversation
        if turn.uuid and self._last_record.get(conversation) == turn.uuid:
            return self._by_record.get((conversation, turn.uuid))
        parent = self._by_record.get((conversation, turn.parent)) if turn.parent else None
        return parent or self._last.get((conversation, turn.sidechain))

    def remember(self, message: Message) -> Said:
        """Adds a message that was kept."""
        conversation, uuid = message.conversation, message.uuid
        turn = Turn(
            message.role, "", uuid, message.block, message.parent,
            sidechain=message.sidechain, conversation=conversation,
        )  # fmt: skip
        said = Said(
            message.role, message.speaker, message.tool, message.opening, message.injected, message.sent_at,
            before=self.before(turn),
        )  # fmt: skip
        self._seen.add((conversation, uuid, message.block, message.content_hash))
        self._contents[conversation, message.content_hash] += 1
        self._by_record[conversation, uuid] = said
        self._last[conversation, message.sidechain] = said
        self._last_record[conversation] = uuid
        return said

    def _is_second_record(self, turn: Turn, content_hash: bytes) -> bool:
        """Whether an unpaired record of the other channel says the same; if not, this one waits for its second."""
        other: Channel = "own" if turn.channel == "echo" else "echo"
        key = content_hash.hex()
        if (turn.conversation, other, key) in self._unpaired:
            self._unpaired.remove((turn.conversation, other, key))
            return True
        self._unpaired.append((turn.conversation, turn.channel, key))
        return False


def _restored(unpaired: Json) -> Iterator[tuple[str, Channel, str]]:
    for entry in unpaired if isinstance(unpaired, list) else ():
        match entry:
            case [str(conversation), "own" | "echo" as channel, str(key)]:
                yield conversation, channel, key
