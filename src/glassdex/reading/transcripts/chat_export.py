"""A conversation of ChatGPT's data export, a tree of messages → the turns of its current branch.

An edited prompt or a repeated answer is a branch of its own; the branches left behind are not read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from glassdex.model import Json, Role
from glassdex.reading.transcripts import chat_fields as fields
from glassdex.reading.transcripts.chat_fields import Members
from glassdex.reading.transcripts.chat_messages import Setting
from glassdex.reading.transcripts.chat_text import arguments_text, joined_parts, text_of
from glassdex.reading.transcripts.protocol import Turn

_CONTEXT_KINDS = frozenset({"user_editable_context", "model_editable_context"})
_HIDDEN = "is_visually_hidden_from_conversation"


def is_export(value: Json) -> bool:
    """Whether the value is a conversation of that kind."""
    mapping = value.get("mapping") if isinstance(value, dict) else None
    if not isinstance(mapping, dict) or not mapping:
        return False
    nodes = [node for node in mapping.values() if isinstance(node, dict)]
    linked = len(nodes) == len(mapping) and all("message" in node or "parent" in node for node in nodes)
    return linked and any(map(_says, nodes))


def _says(node: Members) -> bool:
    """Whether a node of the tree holds a message that somebody said."""
    message = node.get("message")
    author = message.get("author") if isinstance(message, dict) else None
    return isinstance(author, dict) and isinstance(author.get("role"), str)


def export_turns(conversation: Members, setting: Setting) -> Iterator[Turn]:
    """The turns of the current branch, in its order."""
    mapping = conversation.get("mapping")
    nodes = mapping if isinstance(mapping, dict) else {}
    parent = ""
    for name in _branch(nodes, conversation.get("current_node")):
        node = nodes[name]
        message = node.get("message") if isinstance(node, dict) else None
        if isinstance(message, dict):
            uuid = fields.id_member(message, fields.MESSAGE_ID) or text_of(name)
            for turn in _message_turns(message, setting):
                yield replace(turn, uuid=uuid, parent=parent)
            parent = uuid


def _branch(nodes: Members, current: Json) -> list[str]:
    """The names from the root to the current node, or to the newest one where that is missing."""
    if not isinstance(current, str) or current not in nodes:
        current = _newest(nodes)
    chain: dict[str, None] = {}
    while isinstance(current, str) and current in nodes and current not in chain:
        chain[current] = None
        node = nodes[current]
        current = node.get("parent") if isinstance(node, dict) else None
    return list(reversed(chain))


def _newest(nodes: Members) -> str | None:
    """The node that is nobody's parent and stands last in the file."""
    parents = [node.get("parent") for node in nodes.values() if isinstance(node, dict)]
    inner = {parent for parent in parents if isinstance(parent, str)}
    return next((name for name in reversed(nodes) if name not in inner), None)


def _message_turns(message: Members, setting: Setting) -> Iterator[Turn]:
    content = message.get("content")
    members: Members = content if isinstance(content, dict) else {"parts": [content]}
    kind = text_of(members.get("content_type")) or "text"
    word = fields.text_member(message, ("author.role",))
    role: Role = fields.ROLES.get(word, "user")
    name = fields.text_member(message, ("author.name",))
    sent_at = fields.time_member(message)
    turn = Turn(
        role,
        "",
        sent_at=setting.sent_at if sent_at is None else sent_at,
        speaker=name if role in ("user", "assistant") else "",
        tool=name if role == "tool_result" else "",
        injected=role == "system" or kind in _CONTEXT_KINDS or _is_hidden(message),
        conversation=setting.conversation,
    )
    recipient = text_of(message.get("recipient"))
    if role == "assistant" and recipient not in ("", "all"):
        turn = replace(turn, role="tool_call", tool=recipient)
    for block, (said, text) in enumerate(_texts(kind, members, turn.role)):
        yield replace(turn, role=said, text=text, block=block)


def _texts(kind: str, content: Members, role: Role) -> Iterator[tuple[Role, str]]:
    """What a content of that kind says, and as what."""
    match kind:
        case "thoughts":
            for thought in _listed(content.get("thoughts")):
                if isinstance(thought, dict):
                    texts = (text_of(thought.get("summary")), text_of(thought.get("content")))
                    yield "thinking", "\n".join(filter(None, texts))
        case "reasoning_recap":
            yield "thinking", text_of(content.get("content"))
        case "user_editable_context" | "model_editable_context":
            keys = ("user_profile", "user_instructions", "model_set_context")
            yield role, "\n\n".join(filter(None, (text_of(content.get(key)) for key in keys)))
        case _:
            keys = ("text", "result", "summary")
            text = joined_parts(content.get("parts")) or fields.text_member(content, keys)
            yield role, arguments_text(text) if role == "tool_call" else text


def _is_hidden(message: Members) -> bool:
    metadata = message.get("metadata")
    return isinstance(metadata, dict) and metadata.get(_HIDDEN) is True


def _listed(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []
