"""Which project answers, and that no other does."""

from __future__ import annotations

from pathlib import Path

import pytest

from glassdex.mcp.answering import Answering
from glassdex.project import Project
from glassdex.projects import remove_project
from tests.cli.running import write
from tests.cli.transcripts import claude, write_lines
from tests.mcp.talking import Talk, answering, ask, over_stdio, talk

SECRET = "sk-ant-api03-" + "Ab1" * 31


@pytest.fixture
def two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two projects; the current folder is in neither."""
    monkeypatch.setenv("GLASSDEX_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    for name, text in (("work", "Owls of the office hunt at night."), ("home-notes", "Owls of the garden sleep.")):
        with Project.create(name, [write(tmp_path / name, owls=f"# Owls\n\n{text}\n")]) as project:
            project.index()
    return tmp_path


def project_parameter(agent: Answering) -> list[str] | None:
    async def speak(one: Talk) -> list[str] | None:
        properties = (await one.client.list_tools()).tools[0].input_schema["properties"]
        return list(properties["project"]["enum"]) if "project" in properties else None

    return talk(agent, speak)


def test_where_several_could_be_meant_a_call_names_one(two: Path) -> None:
    with answering() as agent:
        assert project_parameter(agent) == ["home-notes", "work"]
        unsaid = ask(agent, "search", query="owls")
        assert unsaid.code == "project_not_found"
        assert sorted(unsaid.answer["candidates"]) == ["home-notes", "work"]
        for name in ("home-notes", "work"):
            found = ask(agent, "search", query="owls", project=name).found
            assert {result["project"] for result in found["results"]} == {name}
        assert ask(agent, "search", query="owls", project="no such").code == "project_not_found"
        assert ask(agent, "search", query="owls", project="*").code == "project_not_found"


def test_a_pointer_names_its_project(two: Path) -> None:
    with answering() as agent:
        pointer = ask(agent, "search", query="owls", project="work").found["results"][0]["matches"][0]["pointer"]
        assert ask(agent, "open", pointer=f"work:{pointer}").found["state"] == "exact"


def test_a_pinned_project_is_the_only_one(two: Path) -> None:
    with answering() as agent:
        pointer = ask(agent, "search", query="owls", project="work").found["results"][0]["matches"][0]["pointer"]
    with answering("home-notes") as agent:
        assert project_parameter(agent) is None
        assert ask(agent, "search", query="owls").found["results"][0]["project"] == "home-notes"
        assert ask(agent, "search", query="owls", project="home-notes").found["results"]
        for tool, asked in (
            ("search", {"query": "owls", "project": "work"}),
            ("status", {"project": "work"}),
            ("open", {"pointer": f"work:{pointer}"}),
            ("neighbors", {"chunk": f"work:{pointer}"}),
            ("inspect_chunks", {"document": f"work:{pointer}"}),
            ("why_not", {"query": "owls", "document": f"work:{pointer}"}),
        ):
            said = ask(agent, tool, **asked)
            assert said.code == "project_not_found", tool
            assert said.answer["candidates"] == ["home-notes"]
            assert "office" not in str(said.answer)


def test_a_pinned_project_that_was_removed_names_no_other(two: Path) -> None:
    with answering("home-notes") as agent:
        remove_project("home-notes")
        said = ask(agent, "search", query="owls")
    assert said.code == "project_not_found"
    assert not said.answer.get("candidates")
    assert "work" not in str(said.answer)


def test_the_current_folders_project_is_pinned(two: Path) -> None:
    async def speak(one: Talk) -> None:
        assert (await one.call("search", query="owls")).found["results"][0]["project"] == "work"
        assert (await one.call("search", query="owls", project="home-notes")).code == "project_not_found"

    talk(over_stdio(two / "home", two / "work"), speak)
    talk(over_stdio(two / "home", two, "--project", "work"), speak)


def test_without_a_project_it_says_how_to_make_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLASSDEX_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    with answering() as agent:
        said = ask(agent, "search", query="owls")
        assert said.code == "project_not_found"
        assert "glassdex index" in said.answer["suggestion"]
        with Project.create("late", [write(tmp_path / "late", owls="# Owls\n\nOwls hunt at night.\n")]) as project:
            project.index()
        assert ask(agent, "search", query="owls").found["results"], "one that is made later is found"


def test_secrets_of_transcripts_stay_redacted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLASSDEX_HOME", str(tmp_path / "home"))
    session = "44444444-4444-4444-8444-444444444444"
    write_lines(
        tmp_path / "talks" / f"{session}.jsonl",
        [claude("user", "u1", f"Use the key {SECRET} for the owl service.", session)],
    )
    with Project.create("talks", [tmp_path / "talks"]) as project:
        project.index()
    with answering("talks") as agent:
        found = ask(agent, "search", query="owl service key", show_anyway=True)
        pointer = found.found["results"][0]["matches"][0]["pointer"]
        answers = [
            found,
            ask(agent, "context", task="owl service key", show_anyway=True),
            ask(agent, "open", pointer=pointer),
            ask(agent, "show_session", session=session),
            ask(agent, "inspect_chunks", document=session),
            ask(agent, "inspect_query", query="owl service key"),
            ask(agent, "list_sessions"),
        ]
    for said in answers:
        assert not said.is_error, said.answer
        assert SECRET not in str(said.answer)
    assert "redacted" in str(answers[2].answer)
