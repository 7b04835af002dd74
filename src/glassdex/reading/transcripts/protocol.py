"""What a transcript reader gives: turns out of records, in file order, and facts about their conversation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal, Protocol, TypeGuard, runtime_checkable

from glassdex.model import Json, Role
from glassdex.reading.protocol import Reader

Channel = Literal["own", "echo", "replay"]
"""`own`: the record that says a turn. `echo`: a second record that a format writes of the same turn beside it.
`replay`: history that a compaction repeats."""
Framing = Literal["lines", "whole"]
"""`lines`: a record is a line that ends at `\\n`, and a file may grow by more. `whole`: the file is one record."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One content block of one record: what becomes a message row.

    `uuid` is the id that the record has in its file, "" where it has none (one is then made from the content);
    `block` the place of this turn among those of the record, from 0. `parent` is the uuid of the record that this one
    follows, where the format says so. `sent_at` is in seconds since 1970 UTC, absent where unknown. `speaker` is a
    person's or an agent's own name, "" where a format has roles alone. `tool` names the tool of a call or a result.
    `conversation` is the id of the conversation within a file that holds several, "" where the file is one.
    """

    role: Role
    text: str
    uuid: str = ""
    block: int = 0
    parent: str = ""
    sent_at: float | None = None
    speaker: str = ""
    tool: str = ""
    injected: bool = False
    """Put in by the program, not said by anybody: reminders, environment, project instructions."""
    sidechain: bool = False
    """Of a sub-agent whose turns stand between those of the conversation."""
    error: bool = False
    """A tool's result that reports a failure."""
    channel: Channel = "own"
    conversation: str = ""


@dataclass(slots=True)
class ConversationFacts:
    """What the records so far say of a conversation; "" where they do not.

    `id` is the program's own id of it. `parent` is the id of the conversation that a sub-agent worked for,
    `forked_from` that of the conversation whose history this one begins with.
    """

    id: str
    title: str = ""
    cwd: str = ""
    branch: str = ""
    parent: str = ""
    forked_from: str = ""


class TranscriptParser(Protocol):
    """Turns the records of one file into turns; it keeps what later records need of earlier ones.

    `facts` holds each conversation of the file by `Turn.conversation`: "" always, filled in as records tell.
    """

    facts: dict[str, ConversationFacts]

    def turns(self, record: Json) -> Iterator[Turn]:
        """The turns of a record, in order; none for one of another kind. Never raises for an odd record.

        A record may be anything that JSON can say. The same record gives the same turns (but for the tool's name of a
        result, which an earlier record tells), so that one message can be read again alone.
        """
        ...

    def state(self) -> Json:
        """All that a parser of the grown file must know, small: one made with it goes on where this one stopped."""
        ...


@runtime_checkable
class TranscriptReader(Reader, Protocol):
    """A reader of conversations. `source` is what their pointers begin with: `session:claude/…`."""

    source: str
    framing: Framing

    def parser(self, path: PurePosixPath, state: Json = None) -> TranscriptParser:
        """A parser for the file at `path`, new or, with the `state` of another, going on where that one stopped."""
        ...


def is_transcript(reader: Reader) -> TypeGuard[TranscriptReader]:
    """Whether the reader's files are conversations."""
    return isinstance(reader, TranscriptReader)
