"""Which members of a generic conversation mean what: the one table of names, as documented.

A name with a dot is a member of a member. Of several names the first one that has a value counts.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from glassdex.dates import parse_instant
from glassdex.model import Json, Role
from glassdex.reading.transcripts.chat_text import text_of

Members = dict[str, Json]

MESSAGES = ("messages", "conversations", "conversation", "turns", "chat", "chat_messages", "contents")
"""Of an object: the list of its messages, or of its conversations."""
CONVERSATION_ID = ("conversation_id", "id", "uuid")
TITLE = ("title", "name", "subject")
MESSAGE_ID = ("id", "uuid", "message_id")
ROLE = ("role", "from", "sender", "author.role", "sender.role")
NAME = ("name", "speaker", "author.name", "sender.name", "author")
CONTENT = ("content", "text", "value", "message", "parts")
TIME = ("timestamp", "created_at", "create_time", "time", "date")
THINKING = ("reasoning_content", "reasoning", "thinking")
CALL_ID = ("tool_call_id", "tool_use_id", "call_id")

ROLES: dict[str, Role] = {
    **dict.fromkeys(("user", "human", "customer", "client", "prompter"), "user"),
    **dict.fromkeys(("assistant", "gpt", "ai", "bot", "model", "chatgpt", "chatbot"), "assistant"),
    **dict.fromkeys(("system", "developer"), "system"),
    **dict.fromkeys(("tool", "function", "observation", "tool_response", "function_response"), "tool_result"),
    **dict.fromkeys(("tool_call", "function_call"), "tool_call"),
}
"""Role words, in small letters. Any other word is the name of somebody, who takes part as a user."""

MOST_ID_CHARACTERS = 200
_SECONDS = (1e8, 1e11)
"""1973 to 5138: a number below is a position or a duration, one above counts milliseconds, then microseconds."""


def member(members: Members, names: tuple[str, ...]) -> Json:
    """The first value that one of the names has; None where none has."""
    return next(members_named(members, names), None)


def members_named(members: Members, names: tuple[str, ...]) -> Iterator[Json]:
    """Every value that the names have, in their order."""
    for name in names:
        first, _, second = name.partition(".")
        value = members.get(first)
        if second:
            value = value.get(second) if isinstance(value, dict) else None
        if value is not None:
            yield value


def text_member(members: Members, names: tuple[str, ...]) -> str:
    """The first string with something in it that one of the names has, or ""."""
    return next((text for value in members_named(members, names) if (text := text_of(value)).strip()), "")


def id_member(members: Members, names: tuple[str, ...]) -> str:
    """The first id, a string or a whole number, that one of the names has, or ""; what is much longer is none."""
    for value in members_named(members, names):
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value) if abs(value) < 10**18 else ""
        if isinstance(value, str) and value.strip() and len(value) <= MOST_ID_CHARACTERS:
            return text_of(value)
    return ""


def time_member(members: Members) -> float | None:
    """When, in seconds since 1970 UTC, by the first name that has a time which is understood."""
    return next((moment for value in members_named(members, TIME) if (moment := instant(value)) is not None), None)


def instant(value: Json) -> float | None:
    """Seconds since 1970 UTC of an ISO 8601 time (without a zone: UTC; a day: its begin) or of a count since then."""
    if isinstance(value, str):
        text = value.strip()
        if text[:1].isdigit() and text.isascii() and text.replace(".", "", 1).isdigit():
            return _counted(float(text)) if len(text) <= 20 else None
        return _written(text)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return _counted(float(value)) if abs(value) < 1e18 else None


def _counted(count: float) -> float | None:
    least, most = _SECONDS
    if not math.isfinite(count) or count < least:
        return None
    for divisor in (1, 1_000, 1_000_000):
        if count / divisor < most:
            return count / divisor
    return None


def _written(text: str) -> float | None:
    if len(text) < len("2026-01-01"):
        return None  # a year or a month says too little
    try:
        return parse_instant(text)[0]
    except ValueError:
        return None
