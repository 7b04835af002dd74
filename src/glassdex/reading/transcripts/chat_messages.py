"""One message of a generic conversation → turns: its thoughts, its words, its calls of tools, their results."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from glassdex.model import Json, Role
from glassdex.reading.transcripts import chat_fields as fields
from glassdex.reading.transcripts.chat_fields import Members
from glassdex.reading.transcripts.chat_text import arguments_text, decoded, joined_parts, part_text, text_of
from glassdex.reading.transcripts.protocol import Turn

MOST_OPEN_CALLS = 1_000
"""Calls whose results may still come; of more, the oldest are forgotten."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What the messages of a conversation share; `calls` names the tool of each call that waits for its result."""

    conversation: str = ""
    sent_at: float | None = None
    calls: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Piece:
    role: Role
    text: str
    tool: str = ""
    error: bool = False


def is_message(value: Json) -> bool:
    """Whether the value has somebody who says something."""
    if not isinstance(value, dict) or fields.member(value, fields.MESSAGES) is not None or "mapping" in value:
        return False
    who = fields.text_member(value, fields.ROLE) or fields.text_member(value, fields.NAME)
    says = fields.member(value, fields.CONTENT) is not None or "tool_calls" in value or "function_call" in value
    return bool(who) and says


def message_turns(message: Members, setting: Setting) -> Iterator[Turn]:
    """The turns of a message; blocks are counted within it."""
    word, name = fields.text_member(message, fields.ROLE), fields.text_member(message, fields.NAME)
    role = fields.ROLES.get(word.strip().lower())
    speaker = name if role else name or word
    if role in ("tool_result", "tool_call"):
        speaker = ""
    sent_at = fields.time_member(message)
    first = Turn(
        role or "user",
        "",
        uuid=fields.id_member(message, fields.MESSAGE_ID),
        sent_at=setting.sent_at if sent_at is None else sent_at,
        conversation=setting.conversation,
    )
    for block, piece in enumerate(_pieces(message, first.role, name, setting.calls)):
        said = piece.role in ("user", "assistant")
        yield replace(
            first,
            role=piece.role,
            text=piece.text,
            block=block,
            speaker=speaker if said else "",
            tool=piece.tool,
            error=piece.error,
            injected=piece.role == "system",
        )


def _pieces(message: Members, role: Role, name: str, calls: dict[str, str]) -> Iterator[_Piece]:
    content = _content(message)
    thinking = fields.text_member(message, fields.THINKING)
    if thinking:
        yield _Piece("thinking", thinking)
    if role == "tool_result":
        yield _result(message, content, calls, name)
    elif role == "tool_call":
        yield _told_call(content, calls, name)
    else:
        for part in content if isinstance(content, list) else [content]:
            yield _part(part, role, calls)
    listed = message.get("tool_calls")
    for call in [*(listed if isinstance(listed, list) else []), message.get("function_call")]:
        if isinstance(call, dict):
            yield _call(call, calls)


def _content(message: Members) -> Json:
    """The first content that says something: an export may have an empty one beside its text."""
    found = list(fields.members_named(message, fields.CONTENT))
    content = next((content for content in found if content and content is not True), found[0] if found else None)
    return content["parts"] if isinstance(content, dict) and "parts" in content else content


def _part(part: Json, role: Role, calls: dict[str, str]) -> _Piece:
    """One part of a content, as OpenAI's and Anthropic's interfaces have them."""
    if not isinstance(part, dict):
        return _Piece(role, _plain(part))
    match part.get("type"):
        case "thinking" | "reasoning":
            return _Piece("thinking", text_of(part.get("thinking")) or part_text(part))
        case "tool_use" | "function_call" | "tool_call":
            return _call(part, calls)
        case "tool_result" | "function_call_output":
            return _result(part, next((part[key] for key in ("content", "output") if key in part), None), calls, "")
    return _Piece(role, part_text(part))


def _plain(value: Json) -> str:
    """A number is a content as well, as a form writes it."""
    return text_of(value) if isinstance(value, str) or value is None else arguments_text(value)


def _call(call: Members, calls: dict[str, str]) -> _Piece:
    function = call.get("function")
    inner = function if isinstance(function, dict) else call
    tool = text_of(inner.get("name"))
    call_id = fields.text_member(call, ("call_id", "id"))
    if call_id and tool:
        calls[call_id] = tool
        if len(calls) > MOST_OPEN_CALLS:
            del calls[next(iter(calls))]
    given = next((inner[key] for key in ("arguments", "input", "parameters") if inner.get(key)), None)
    return _Piece("tool_call", arguments_text(given) or tool, tool)


def _told_call(content: Json, calls: dict[str, str], name: str) -> _Piece:
    """A call that is the text of a message: `{"name": …, "arguments": …}`, or whatever it was written as."""
    inner = decoded(content) if isinstance(content, str) else content
    if isinstance(inner, dict) and isinstance(inner.get("name"), str):
        return _call(inner, calls)
    return _Piece("tool_call", _plain(content) if inner is None else arguments_text(inner), name)


def _result(message: Members, content: Json, calls: dict[str, str], name: str) -> _Piece:
    tool = calls.pop(fields.text_member(message, fields.CALL_ID), "") or name
    text = joined_parts(content) or _plain(content)
    return _Piece("tool_result", text, tool, error=message.get("is_error") is True)
