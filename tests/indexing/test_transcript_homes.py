"""Where transcripts are looked for, and that nothing but transcripts is read there."""

from __future__ import annotations

from pathlib import Path

import pytest

from glassdex.indexing.homes import transcript_homes
from tests.cli.transcripts import Agents, agents_of


@pytest.fixture
def agents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Agents:
    return agents_of(tmp_path / "user", monkeypatch)


def made(*folders: Path) -> list[Path]:
    for folder in folders:
        folder.mkdir(parents=True)
    return [folder.resolve() for folder in folders]


def test_a_machine_without_agents_has_none(agents: Agents):
    assert transcript_homes() == []


def test_only_what_exists_is_named(agents: Agents):
    assert transcript_homes() == []
    found = made(agents.claude)
    assert transcript_homes() == found
    found += made(agents.codex, agents.home / ".codex" / "archived_sessions")
    assert transcript_homes() == found


def test_the_newer_place_of_claude_counts_as_well(agents: Agents):
    assert made(agents.claude, agents.home / ".config" / "claude" / "projects") == transcript_homes()


def test_variables_say_where_else(agents: Agents, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    made(agents.claude, agents.codex)
    first, second, third = made(tmp_path / "a" / "projects", tmp_path / "b" / "projects", tmp_path / "c" / "sessions")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", f"{first.parent}, {second.parent},,{tmp_path / 'none'}")
    monkeypatch.setenv("CODEX_HOME", str(third.parent))
    assert transcript_homes() == [first, second, third]


def test_an_empty_variable_says_nothing(agents: Agents, monkeypatch: pytest.MonkeyPatch):
    found = made(agents.claude, agents.codex)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", " ")
    monkeypatch.setenv("CODEX_HOME", "")
    assert transcript_homes() == found


def test_a_tilde_is_the_home_folder(agents: Agents, monkeypatch: pytest.MonkeyPatch):
    found = made(agents.home / "elsewhere" / "projects")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", "~/elsewhere")
    assert transcript_homes() == found


def test_one_folder_under_two_names_is_one(agents: Agents, monkeypatch: pytest.MonkeyPatch):
    found = made(agents.claude)
    link = agents.home / "link"
    link.symlink_to(agents.home / ".claude", target_is_directory=True)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", f"{link},{agents.home / '.claude'}")
    assert transcript_homes() == found


def test_a_file_where_a_folder_should_be_is_passed_over(agents: Agents):
    (agents.home / ".claude").mkdir()
    agents.claude.write_text("no folder", encoding="utf-8")
    assert transcript_homes() == []


def test_the_folder_of_a_user_who_does_not_exist_is_none(agents: Agents, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", "~nobody-of-that-name")
    monkeypatch.setenv("CODEX_HOME", "~nobody-of-that-name")
    assert transcript_homes() == []
