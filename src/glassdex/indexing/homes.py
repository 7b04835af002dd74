"""Where the agents that are known keep their transcripts on this machine."""

from __future__ import annotations

import os
from pathlib import Path

PROJECT = "sessions"
"""What the project of these folders is called by default."""


def transcript_homes() -> list[Path]:
    """The folders that exist, resolved; `CLAUDE_CONFIG_DIR` and `CODEX_HOME` say where else they may be."""
    user = os.path.expanduser("~")  # noqa: PTH111 - leaves `~nobody` as it is, Path raises
    named = [folder.strip() for folder in os.environ.get("CLAUDE_CONFIG_DIR", "").split(",")]
    claude = list(filter(None, named)) or [f"{user}/.claude", f"{user}/.config/claude"]
    codex = os.environ.get("CODEX_HOME", "").strip() or f"{user}/.codex"
    known = [*(f"{folder}/projects" for folder in claude), f"{codex}/sessions", f"{codex}/archived_sessions"]
    found = (Path(os.path.expanduser(folder)) for folder in known)  # noqa: PTH111
    # os.path: a folder that may not be looked into is none, where Path raises.
    return list(dict.fromkeys(folder.resolve() for folder in found if os.path.isdir(folder)))  # noqa: PTH112
