"""What each kind of Claude Code's records says: its blocks, who speaks in them, and what nobody said."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from glassdex.dates import parse_instant
from glassdex.model import Json, Role
from glassdex.reading.transcripts.claude_text import (
    call_text,
    labelled,
    media_text,
    plain,
    result_text,
    user_words,
    words,
)
from glassdex.reading.transcripts.claude_values import id_of, object_of, text_of

SESSION_TYPES = frozenset(
    {
        *("mode", "permission-mode", "custom-title", "ai-title", "agent-name", "agent-color", "agent-setting", "tag"),
        *("last-prompt", "queue-operation", "pr-link", "worktree-state", "relocated", "bridge-session", "atis-latch"),
    }
)
"""Records about a session that name it."""
_SILENT_TYPES = SESSION_TYPES | {
    *("progress", "summary", "file-history-snapshot", "file-history-delta", "attribution-snapshot", "started"),
    *("content-replacement", "speculation-accept", "marble-origami-snapshot"),
}
"""Nothing for a reader, or nothing that does not stand in another record: a queued prompt comes again when it is sent.
A summary names the conversation that its `leafUuid` belongs to, often another one: see `Titles`."""
_CONTINUED = "This session is being continued from a previous conversation that ran out of context"
_NOT_TYPED = frozenset({"peer", "task-notification", "coordinator", "auto-continuation", "hook", "scheduled"})


class Frame(NamedTuple):
    """What a record says of all its turns."""

    uuid: str
    parent: str
    sent_at: float | None
    sidechain: bool
    meta: bool
    speaker: str

    @classmethod
    def of(cls, record: dict[str, Json]) -> Frame:
        """The frame of a record, its members being of any kind."""
        return cls(
            id_of(record.get("uuid")),
            id_of(record.get("parentUuid")) or id_of(record.get("logicalParentUuid")),
            _instant(record.get("timestamp")),
            record.get("isSidechain") is True,
            record.get("isMeta") is True,
            id_of(record.get("attributionAgent")) or id_of(record.get("agentName")),
        )


class Said(NamedTuple):
    """What a block says. `call` is the id by which a result names its call."""

    role: Role
    text: str
    injected: bool = False
    tool: str = ""
    error: bool = False
    speaker: str = ""
    call: str = ""


def said_in(record: dict[str, Json], frame: Frame) -> Iterator[tuple[int, Said]]:
    """What each block of the record says, with its place among them."""
    kind = text_of(record.get("type"))
    if kind in _SILENT_TYPES:
        return iter(())
    if kind == "attachment":
        return enumerate(_said_by_attachment(object_of(record.get("attachment"))))
    if kind == "system":
        return enumerate(_said_by_system(record, frame))
    if kind in ("user", "assistant") or "content" in object_of(record.get("message")):
        return enumerate(_said_in_message(record, frame))
    return enumerate([Said("system", labelled(kind, record), frame.meta)])


def _said_in_message(record: dict[str, Json], frame: Frame) -> Iterator[Said]:
    message = record.get("message")
    fields = object_of(message)
    from_model = "assistant" in (record.get("type"), fields.get("role"))
    if from_model:
        injected = frame.meta or record.get("isApiErrorMessage") is True or fields.get("model") == "<synthetic>"
        side = _Side("assistant", injected, frame.speaker)
    else:
        injected = frame.meta or record.get("promptSource") == "system" or _is_injected_by(record.get("origin"))
        role: Role = "summary" if record.get("isCompactSummary") is True else "user"
        side = _Side(role, injected and role == "user", _sender(record.get("origin")))
    fallback = id_of(record.get("sourceToolUseID"))
    for block in _blocks(fields.get("content") if isinstance(message, dict) else message):
        said = _said_in_block(block, side)
        yield said._replace(call=fallback) if said.role == "tool_result" and not said.call else said


class _Side(NamedTuple):
    """Who speaks in a record's message."""

    role: Role
    injected: bool
    speaker: str


def _blocks(content: Json) -> list[dict[str, Json]]:
    """The blocks of a message's content; one that is no object is a text or says nothing, and keeps its place."""
    listed = content if isinstance(content, list) else [content]
    return [
        block if isinstance(block, dict) else {"type": "text", "text": block if isinstance(block, str) else ""}
        for block in listed
    ]


def _said_in_block(block: dict[str, Json], side: _Side) -> Said:
    kind = text_of(block.get("type"))
    reading = _BLOCK_KINDS.get(kind)
    if reading:
        return reading(block, side)
    if kind.endswith("tool_use"):
        return _call(block, side)
    if kind.endswith("tool_result") or "tool_use_id" in block:
        return _result(block, side)
    return Said(side.role, labelled(kind, block), side.injected, speaker=side.speaker)


def _spoken(block: dict[str, Json], side: _Side) -> Said:
    text = text_of(block.get("text"))
    if side.role != "user":
        return Said(side.role, text, side.injected, speaker=side.speaker)
    if text.startswith(_CONTINUED):
        return Said("summary", text)
    said = user_words(text)
    return Said("user", said.text, side.injected or said.injected, speaker=side.speaker)


def _thought(block: dict[str, Json], side: _Side) -> Said:
    return Said("thinking", text_of(block.get("thinking")), speaker=side.speaker)


def _unreadable(block: dict[str, Json], side: _Side) -> Said:
    return Said("thinking", "")


def _shown(block: dict[str, Json], side: _Side) -> Said:
    return Said(side.role, media_text(block), side.injected, speaker=side.speaker)


def _call(block: dict[str, Json], side: _Side) -> Said:
    tool = id_of(block.get("name"))
    text = call_text(tool, block.get("input"))
    return Said("tool_call", text, tool=tool, speaker=side.speaker, call=id_of(block.get("id")))


def _result(block: dict[str, Json], side: _Side) -> Said:
    text, error = result_text(block)
    return Said("tool_result", text, tool=_tool_named(block), error=error, call=id_of(block.get("tool_use_id")))


_BLOCK_KINDS: dict[str, Callable[[dict[str, Json], _Side], Said]] = {
    "text": _spoken,
    "thinking": _thought,
    "redacted_thinking": _unreadable,
    "tool_use": _call,
    "tool_result": _result,
    "image": _shown,
    "document": _shown,
}


def _tool_named(result: dict[str, Json]) -> str:
    """The tool's name as a result itself may give it."""
    content = result.get("content")
    first = content[0] if isinstance(content, list) and content else None
    return id_of(object_of(first).get("tool_name")) if object_of(first).get("type") == "text" else ""


def _said_by_attachment(attachment: dict[str, Json]) -> Iterator[Said]:
    """What the program laid before the model; `queued_command` alone is what somebody said while it worked."""
    kind = text_of(attachment.get("type"))
    if kind != "queued_command":
        yield Said("system", labelled(kind, attachment), injected=True)
        return
    origin = attachment.get("origin")
    notified = attachment.get("commandMode") == "task-notification"
    injected = notified or attachment.get("isMeta") is True or _is_injected_by(origin)
    side = _Side("user", injected, _sender(origin))
    for block in _blocks(attachment.get("prompt")):
        yield _said_in_block(block, side)


def _said_by_system(record: dict[str, Json], frame: Frame) -> Iterator[Said]:
    kind = text_of(record.get("subtype"))
    content = text_of(record.get("content"))
    if kind == "compact_boundary":
        yield Said("system", _boundary(content, object_of(record.get("compactMetadata"))), frame.meta)
        return
    if kind == "local_command":
        said = user_words(content)
        yield Said("system" if said.injected else "user", said.text, frame.meta or said.injected)
        return
    hooks = words([record.get("hookErrors"), record.get("hookAdditionalContext"), record.get("stopReason")])
    if hooks:
        yield Said("system", hooks, injected=True)
        return
    failure = words(record.get("error"))
    explained = words([record.get("content"), record.get("apiRefusalExplanation")])
    label = f"{kind}: " if failure and kind and not explained else ""
    yield Said("system", label + "\n".join(part for part in (plain(explained), failure) if part), frame.meta)


def _boundary(content: str, metadata: dict[str, Json]) -> str:
    """Such as `Conversation compacted (manual, 142,431 tokens)`."""
    tokens = metadata.get("preTokens")
    size = f"{tokens:,} tokens" if isinstance(tokens, int) and not isinstance(tokens, bool) and tokens > 0 else ""
    details = ", ".join(part for part in (id_of(metadata.get("trigger")), size) if part)
    said = content if content.strip() else "Conversation compacted"
    return f"{said} ({details})" if details else said


def _is_injected_by(origin: Json) -> bool:
    return text_of(object_of(origin).get("kind")) in _NOT_TYPED


def _sender(origin: Json) -> str:
    """The name of another agent that wrote a message."""
    return id_of(object_of(origin).get("name")) or id_of(object_of(origin).get("from"))


def _instant(value: Json) -> float | None:
    if not isinstance(value, str) or not value:
        return None
    try:
        instant, is_day = parse_instant(value)
    except (ValueError, OverflowError):
        return None
    return None if is_day or instant <= 0 else instant
