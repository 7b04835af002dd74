"""The snippets of docs/mcp.md: they parse, and start what there is."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from glassdex.cli.main import app
from glassdex.cli.mcp import PORT
from glassdex.mcp.parameters import MAX_TOKENS, USUAL_TOKENS, SearchParameters
from glassdex.mcp.tools import TOOLS

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "mcp.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(json|toml)\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
KEYS = {"type", "command", "args", "url", "headers", "bearer_token_env_var"}


def servers(language: str, block: str) -> dict[str, Any]:
    parsed = json.loads(block) if language == "json" else tomllib.loads(block)
    assert len(parsed) == 1
    ((key, found),) = parsed.items()
    assert key in ({"mcpServers", "servers"} if language == "json" else {"mcp_servers"})
    return dict(found)


def test_there_is_one_for_each_client() -> None:
    for client in ("Claude Desktop", "Claude Code", "Cursor", "VS Code", "Codex CLI", "Gemini CLI"):
        assert f"**{client}**" in TEXT
    assert len(BLOCKS) == 8


@pytest.mark.parametrize(("language", "block"), BLOCKS)
def test_a_snippet_starts_what_there_is(language: str, block: str) -> None:
    server = servers(language, block)["glassdex"]
    assert set(server) <= KEYS
    if "url" in server:
        assert server["url"] == f"http://127.0.0.1:{PORT}/mcp"
        return
    assert server["command"] == "glassdex"
    command = get_command(app)
    with command.make_context("glassdex", [*server["args"]], resilient_parsing=True):
        pass
    ran = CliRunner().invoke(app, [*server["args"], "--help"])
    assert ran.exit_code == 0, ran.output
    options = {name for name in server["args"] if name.startswith("--")}
    assert all(option in ran.output for option in options)


def test_it_names_every_tool_and_the_numbers_that_there_are() -> None:
    for name in TOOLS:
        assert f"`{name}`" in TEXT
    for name in SearchParameters.names():
        assert name == "query" or f"`{name}`" in TEXT
    assert f"`max_tokens` ({MAX_TOKENS[0]} to {MAX_TOKENS[1]:,}, {USUAL_TOKENS:,} by default)" in TEXT
