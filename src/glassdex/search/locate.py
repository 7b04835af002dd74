"""Locate: of each match that is shown and is a message, where it stands in its conversation now.

An offset is what `sessions show` takes. It is counted here, for shown matches alone, and stored nowhere; a match whose
offset cannot be counted is returned without one, and the trace says why.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from glassdex.model import Message
from glassdex.search.ledger import Candidate, Ledger
from glassdex.storage.records import MessageRecord, SessionHead
from glassdex.storage.sqlite.snapshot import SqliteSnapshot


@dataclass(frozen=True, slots=True)
class Neighbour:
    """The message before or after a match, with its opening words; `offset` is its own."""

    offset: int
    message: Message


@dataclass(frozen=True, slots=True)
class MatchedMessage:
    """The message that a match is a passage of. `offset` (0-based) is its place in its conversation, where known."""

    message: Message
    offset: int | None = None
    before: Neighbour | None = None
    after: Neighbour | None = None


@dataclass(frozen=True, slots=True)
class Located:
    """The shown messages by the row that they are, and their conversations by id."""

    messages: dict[int, MatchedMessage] = field(default_factory=dict)
    sessions: dict[int, SessionHead] = field(default_factory=dict)


def locate(ledger: Ledger, snapshot: SqliteSnapshot, shown: Iterable[Sequence[Candidate]]) -> Located:
    """Where each shown message stands."""
    records = [candidate.record for matches in shown for candidate in matches if candidate.record.kind == "message"]
    if not records:
        return Located()
    references = [record.message for record in records if record.message]
    with ledger.stage("locate") as stage:
        stored = snapshot.messages(reference.row_id for reference in references)
        located = Located(
            sessions={
                session.session_id: session
                for session in snapshot.session_heads({reference.session_id for reference in references})
            }
        )
        lost = [record for record in records if record.message is None]
        failures = [f"{record.path}, {record.key}: the store does not know any more which one it is" for record in lost]
        for reference in references:
            record = stored.get(reference.row_id)
            if record is None:
                failures.append(f"{reference.uuid}.{reference.block}: it is not in the store any more")
                continue
            try:
                located.messages[reference.row_id] = _located(snapshot, record)
            except Exception as error:  # whatever it is: the match was found, and only its place is unknown
                located.messages[reference.row_id] = MatchedMessage(record.message)
                failures.append(f"{reference.uuid}.{reference.block}: {error}")
        stage.measured["located"] = len(records) - len(failures)
        stage.measured["without_offset"] = len(failures)
    ledger.notes += (f"the offset of a message is not known: {failure}" for failure in failures)
    return located


def _located(snapshot: SqliteSnapshot, record: MessageRecord) -> MatchedMessage:
    offset = snapshot.message_position(record.row_id)
    if offset is None:
        raise LookupError("it is not in the sequence of its session")
    before, after = snapshot.messages_around(record)
    return MatchedMessage(
        record.message,
        offset,
        None if before is None else Neighbour(offset - 1, before.message),
        None if after is None else Neighbour(offset + 1, after.message),
    )
