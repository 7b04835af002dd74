"""Where the agents that are known keep their transcripts on this machine."""

from __future__ import annotations

import os
from pathlib import Path

PROJECT = "sessions"
"""What the project of these folders is called by default."""


def transcript_homes() -> list[Path]:
    """The folders that exist, resolved; `CLAUDE_CONFIG_DIR` and `CODEX_HOME` say where else they may be."""
    user = Path.home()
    claude = [Path(folder) for folder in os.environ.get("CLAUDE_CONFIG_DIR", "").split(",") if folder.strip()]
    claude = claude or [user / ".claude", user / ".config" / "claude"]
    codex = Path(os.environ.get("CODEX_HOME") or user / ".codex")
    known = [*(folder / "projects" for folder in claude), codex / "sessions", codex / "archived_sessions"]
    found = (folder.expanduser().resolve() for folder in known if folder.expanduser().is_dir())
    return list(dict.fromkeys(found))
