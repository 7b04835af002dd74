"""A retrieval that collapsed says so, and returns no noise unless asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from glassdex.mcp.answering import Answering
from glassdex.project import Project
from tests.cli.running import write
from tests.mcp.talking import answering, ask

UNRELATED = "quantum chromodynamics lattice gauge"


def test_nothing_relevant_has_no_results_and_says_what_to_do(agent: Answering) -> None:
    found = ask(agent, "search", query=UNRELATED).found
    assert found["verdict"]["status"] == "nothing_relevant"
    assert found["results"] == []
    assert found["scope"]["returned"] == 0
    assert found["not_shown"]["results"] > 0
    assert "show_anyway" in found["not_shown"]["suggestion"]


def test_they_are_shown_when_asked_for(agent: Answering) -> None:
    hidden = ask(agent, "search", query=UNRELATED).found
    shown = ask(agent, "search", query=UNRELATED, show_anyway=True).found
    assert len(shown["results"]) == hidden["not_shown"]["results"]
    assert shown["verdict"] == hidden["verdict"]
    assert "not_shown" not in shown


def test_a_context_keeps_back_likewise(agent: Answering) -> None:
    assert ask(agent, "context", task=UNRELATED).found["state"] == "nothing_relevant"
    assert ask(agent, "context", task=UNRELATED, show_anyway=True).found["passages"]


@pytest.mark.parametrize(("indexed", "status"), [(False, "index_empty"), (True, "not_ready")])
def test_an_index_that_is_not_ready(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, indexed: bool, status: str
) -> None:
    monkeypatch.setenv("GLASSDEX_HOME", str(tmp_path / "home"))
    notes = write(tmp_path / "notes", owls="# Owls\n\nOwls hunt at night.\n")
    with Project.create("notes", [notes]) as project:
        if indexed:
            project.index(embed=False)
    with answering("notes") as agent:
        found = ask(agent, "search", query="owls").found
    assert found["verdict"]["status"] == status
    assert found["results"] == []
    assert "glassdex index" in found["not_shown"]["suggestion"]
