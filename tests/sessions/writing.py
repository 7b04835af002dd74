"""Records in the shapes of Claude Code and Codex, and the files that they make."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable
from typing import Any

Record = dict[str, Any]

_NAMES = uuid.UUID("6ba7b811-9dad-11d1-80b4-00c04fd430c8")
_CONSONANTS = "bdfgklmnprtv"


def uid(name: object) -> str:
    """A uuid that stands for a name."""
    return str(uuid.uuid5(_NAMES, str(name)))


def word(number: int) -> str:
    """A word that no other number has, and that no stemmer cuts."""
    letters = ""
    for _ in range(4):
        number, rest = divmod(number, len(_CONSONANTS))
        letters = _CONSONANTS[rest] + "a" + letters
    return f"zq{letters}x"


def moment(seconds: float) -> str:
    """So many seconds after ten o'clock on the last day of November 2026, as programs write it."""
    whole, part = divmod(round(seconds * 1000), 1000)
    minutes, second = divmod(whole, 60)
    hours, minute = divmod(minutes, 60)
    return f"2026-11-30T{10 + hours:02}:{minute:02}:{second:02}.{part:03}Z"


def claude(
    name: object,
    content: Any,
    *,
    session: str,
    role: str = "user",
    after: object | None = None,
    at: float | str | None = 0.0,
    **more: Any,
) -> Record:
    """A message of Claude Code. `name` and `after` stand for uuids; `at` is a time stamp or seconds, absent if None."""
    if role == "assistant" and isinstance(content, str):
        content = [{"type": "text", "text": content}]
    record: Record = {
        "type": role,
        "uuid": uid(name),
        "parentUuid": None if after is None else uid(after),
        "sessionId": session,
        "isSidechain": False,
        "cwd": "/work",
        "message": {"role": role, "content": content},
    }
    if at is not None:
        record["timestamp"] = at if isinstance(at, str) else moment(at)
    return record | more


def codex_head(session: str, *, at: float = 0.0, **more: Any) -> Record:
    """The header of a rollout."""
    payload = {"id": session, "cwd": "/work", "source": "cli"} | more
    return {"timestamp": moment(at), "type": "session_meta", "payload": payload}


def codex_item(role: str, text: str, at: float | str | None = 0.0, **more: Any) -> Record:
    """What the model was given or gave."""
    kind = "input_text" if role == "user" else "output_text"
    payload = {"type": "message", "role": role, "content": [{"type": kind, "text": text}]} | more
    return _enveloped("response_item", payload, at)


def codex_event(role: str, text: str, at: float | str | None = 0.0) -> Record:
    """The event that older versions write beside an item."""
    kind = "user_message" if role == "user" else "agent_message"
    return _enveloped("event_msg", {"type": kind, "message": text}, at)


def codex_compaction(history: Iterable[Record], at: float | str | None = 0.0) -> Record:
    """A compaction that repeats these items."""
    items = [record["payload"] for record in history]
    return _enveloped("compacted", {"message": "", "replacement_history": items}, at)


def _enveloped(kind: str, payload: Record, at: float | str | None) -> Record:
    record: Record = {"type": kind, "payload": payload}
    if at is not None:
        record["timestamp"] = at if isinstance(at, str) else moment(at)
    return record


def line(record: Record | bytes) -> bytes:
    """A record as its line, without the end; bytes are what stands on it already."""
    return record if isinstance(record, bytes) else json.dumps(record, ensure_ascii=False).encode()


def lines(records: Iterable[Record | bytes]) -> bytes:
    """A file of these records."""
    return b"".join(line(record) + b"\n" for record in records)
