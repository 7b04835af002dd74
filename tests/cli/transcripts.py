"""Transcripts of agents, and the folders where agents keep them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import pytest

from glassdex.model import Json

OWLS = "11111111-1111-4111-8111-111111111111"
BUOYS = "22222222-2222-4222-8222-222222222222"
CODEX = "019fc8be-3658-7ca3-9e29-0123456789ab"
ROLLOUT = f"2026/11/29/rollout-2026-11-29T09-00-00-{CODEX}.jsonl"


def write_lines(path: Path, records: Iterable[Json]) -> Path:
    """One record a line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def claude(kind: str, uuid: str, content: Json, session: str = OWLS, at: str = "10:00:00", **more: Json) -> Json:
    """A record of Claude Code, of 30 November 2026."""
    return {
        "type": kind,
        "uuid": uuid,
        "parentUuid": None,
        "isSidechain": False,
        "sessionId": session,
        "cwd": "/code/barn",
        "timestamp": f"2026-11-30T{at}.000Z",
        "message": {"role": kind, "content": content},
        **more,
    }


def codex(role: str, text: str, at: str = "09:00:00") -> Json:
    """A turn in a rollout of Codex, of 29 November 2026."""
    kind = "output_text" if role == "assistant" else "input_text"
    payload: Json = {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}
    return {"timestamp": f"2026-11-29T{at}.000Z", "type": "response_item", "payload": payload}


def owl_session() -> list[Json]:
    """Six messages, the times of the last two run backwards; the raw line of none is its offset."""
    call: Json = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls barn"}}
    result: Json = {"type": "tool_result", "tool_use_id": "t1", "content": "owl.txt\nmouse.txt"}
    return [
        {"type": "file-history-snapshot", "messageId": "m0", "snapshot": {}, "isSnapshotUpdate": False},
        claude("user", "u1", "Where does the owl live?"),
        claude("assistant", "a1", [{"type": "text", "text": "The owl lives in the old barn."}, call], at="10:00:05"),
        claude("user", "u2", [result], at="10:00:06"),
        claude("assistant", "a2", "Two files: one about a mouse.", at="10:00:09"),
        claude("user", "u3", "Is the weathervane mended?", at="10:00:08"),
    ]


def buoy_session() -> list[Json]:
    """Two messages on the buoys."""
    return [
        claude("user", "b1", "Which buoy drifts?", BUOYS, "08:00:00"),
        claude("assistant", "b2", "Buoy seven drifts since the storm.", BUOYS, "08:00:04"),
    ]


def codex_session() -> list[Json]:
    """A header and two messages."""
    header: Json = {"id": CODEX, "cwd": "/code/kiln"}
    return [
        {"timestamp": "2026-11-29T09:00:00Z", "type": "session_meta", "payload": header},
        codex("user", "Why does the kiln crack its tiles?"),
        codex("assistant", "The kiln cools too fast below the quartz inversion.", "09:00:03"),
    ]


class Agents:
    """The home folder of somebody who works with agents; nothing is in it yet."""

    def __init__(self, folder: Path) -> None:
        self.home = folder
        self.claude = folder / ".claude" / "projects"
        self.codex = folder / ".codex" / "sessions"

    def with_claude(self, records: Iterable[Json] | None = None, session: str = OWLS) -> Path:
        """A session of Claude Code in it."""
        return write_lines(
            self.claude / "-work-barn" / f"{session}.jsonl", owl_session() if records is None else records
        )

    def with_codex(self, records: Iterable[Json] | None = None) -> Path:
        """A rollout of Codex in it."""
        return write_lines(self.codex / ROLLOUT, codex_session() if records is None else records)


def agents_of(folder: Path, patch: pytest.MonkeyPatch) -> Agents:
    """A new home folder, and nothing elsewhere that the developer's own environment names."""
    folder.mkdir(parents=True)
    patch.setenv("HOME", str(folder))
    patch.setenv("USERPROFILE", str(folder))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME"):
        patch.delenv(name, raising=False)
    return Agents(folder)
