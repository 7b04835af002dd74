"""`glassdex.session/1` and `glassdex.sessions/1`: a page of a conversation, and which conversations there are."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo
from typing import Literal

from pydantic import Field

from glassdex.envelopes.base import Envelope, Part
from glassdex.inspection.sessions.listing import SessionList
from glassdex.inspection.sessions.show import SessionMessage, SessionPage
from glassdex.model import Message, Role
from glassdex.storage.records import SessionHead


class MessagePart(Part):
    """Who said it, and when. `sent_at` is ISO 8601, absent where unknown; times may run backwards, files do.

    `injected` marks what the program put in, `sidechain` what a sub-agent said, `error` a tool's failure.
    """

    uuid: str
    block: int
    role: Role
    speaker: str | None = None
    tool: str | None = None
    sent_at: str | None = None
    line: int
    injected: bool | None = None
    sidechain: bool | None = None
    error: bool | None = None

    @classmethod
    def of(cls, message: Message, zone: tzinfo = UTC) -> MessagePart:
        """From the model's message."""
        return cls(
            uuid=message.uuid,
            block=message.block,
            role=message.role,
            speaker=message.speaker or None,
            tool=message.tool or None,
            sent_at=iso_time(message.sent_at, zone),
            line=message.line,
            injected=message.injected or None,
            sidechain=message.sidechain or None,
            error=message.error or None,
        )


class SessionPart(Part):
    """A conversation: `source` is the program, `id` that program's own id of it.

    `parent` is the id of the conversation that a sub-agent worked for, `forked_from` that of the one whose messages it
    begins with.
    """

    source: str
    id: str
    title: str | None = None
    path: str
    cwd: str | None = None
    branch: str | None = None
    parent: str | None = None
    forked_from: str | None = None
    started_at: str | None = None
    ended_at: str | None = None

    @classmethod
    def of(cls, session: SessionHead, zone: tzinfo = UTC) -> SessionPart:
        """From a stored conversation."""
        return cls(
            source=session.source,
            id=session.name,
            title=session.title or None,
            path=session.path,
            cwd=session.cwd or None,
            branch=session.branch or None,
            parent=session.parent or None,
            forked_from=session.forked_from or None,
            started_at=iso_time(session.started_at, zone),
            ended_at=iso_time(session.ended_at, zone),
        )


class ListedSessionPart(SessionPart):
    """A conversation in a list: `messages` are its own, `copied` those besides that another one had first."""

    messages: int
    copied: int


class ShownMessagePart(Part):
    """A message at its `offset`. `state` says whether `text` is as indexed: `exact`, `moved` within its file, or `gone`
    from it (then the text is what the index has). `left_out` characters of its middle are not shown.
    """

    offset: int
    pointer: str | None = None
    message: MessagePart
    state: Literal["exact", "moved", "gone"]
    text: str
    left_out: int | None = None

    @classmethod
    def of(cls, shown: SessionMessage, zone: tzinfo = UTC) -> ShownMessagePart:
        """From a message of a page."""
        return cls(
            offset=shown.offset,
            pointer=shown.pointer,
            message=MessagePart.of(shown.message, zone),
            state=shown.state,
            text=shown.text,
            left_out=shown.left_out or None,
        )


class ContinuedPart(Part):
    """The conversation that this one goes on from, and the offset there of the last message that both tell."""

    source: str
    id: str
    offset: int


class SubAgentPart(Part):
    """A conversation of a sub-agent that worked for this one."""

    id: str
    title: str | None = None
    messages: int


class SessionAnswer(Envelope):
    """Messages `offset` to `offset + len(messages) - 1` of `total`, in the order of the file, offsets from 0.

    `next` and `previous` are cursors: what to give as offset for the page after and before, absent at the ends.
    `continues` is there where the conversation tells messages once more that another one had first.
    """

    schema_: Literal["glassdex.session/1"] = Field("glassdex.session/1", alias="schema")
    project: str
    session: SessionPart
    total: int
    offset: int
    limit: int
    revision: str
    next: str | None = None
    previous: str | None = None
    continues: ContinuedPart | None = None
    sub_agents: tuple[SubAgentPart, ...] | None = None
    messages: tuple[ShownMessagePart, ...]


class SessionsAnswer(Envelope):
    """The first `sessions` of `total`, the one with the latest message first.

    `undated` counts those that a range of dates left out because no time of theirs is known.
    """

    schema_: Literal["glassdex.sessions/1"] = Field("glassdex.sessions/1", alias="schema")
    project: str
    total: int
    undated: int | None = None
    sessions: tuple[ListedSessionPart, ...]


def session_answer(page: SessionPage, project: str, zone: tzinfo = UTC) -> SessionAnswer:
    """The envelope of a page of a conversation."""
    continues = None
    if page.continues is not None:
        origin, offset = page.continues
        continues = ContinuedPart(source=origin.source, id=origin.name, offset=offset)
    agents = (SubAgentPart(id=one.name, title=one.title or None, messages=one.total) for one in page.sub_agents)
    return SessionAnswer(
        project=project,
        session=SessionPart.of(page.session, zone),
        total=page.total,
        offset=page.offset,
        limit=page.limit,
        revision=page.revision,
        next=page.next,
        previous=page.previous,
        continues=continues,
        sub_agents=tuple(agents) or None,
        messages=tuple(ShownMessagePart.of(message, zone) for message in page.messages),
    )


def sessions_answer(found: SessionList, project: str, zone: tzinfo = UTC) -> SessionsAnswer:
    """The envelope of a list of conversations."""
    return SessionsAnswer(
        project=project,
        total=found.total,
        undated=found.undated or None,
        sessions=tuple(
            ListedSessionPart(
                **SessionPart.of(session, zone).model_dump(), messages=session.total, copied=session.copied
            )
            for session in found.sessions
        ),
    )


def iso_time(seconds: float | None, zone: tzinfo = UTC) -> str | None:
    """ISO 8601 with its offset, to the millisecond, `Z` for UTC; nothing for a time that is unknown or no date."""
    if seconds is None:
        return None
    try:
        moment = datetime.fromtimestamp(seconds, zone)
    except (ValueError, OverflowError, OSError):
        return None
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
