"""`glassdex index --sessions`: the known homes become the project `sessions`, and nothing else there is read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.cli.running import Run, in_process_of_its_own
from tests.cli.transcripts import BUOYS, OWLS, Agents, agents_of, buoy_session, owl_session, write_lines


@pytest.fixture
def agents(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Agents:
    assert home
    return agents_of(tmp_path / "user", monkeypatch)


def test_without_transcripts_it_says_what_to_do(run: Run, agents: Agents) -> None:
    assert agents
    ran = run("index", "--sessions")
    assert ran.code == 2
    assert ran.err.splitlines() == [
        "error: no transcripts of Claude Code or Codex are kept where they usually are [root_not_found]",
        "  try: name their folder: glassdex index --sessions FOLDER",
    ]
    assert run("index", "--sessions", "--json").error["code"] == "root_not_found"
    assert "no projects" in run("projects", "list").out or run("projects", "list").code == 1, "none was made"


def test_known_homes_become_the_project_sessions(run: Run, agents: Agents) -> None:
    agents.with_claude()
    agents.with_codex()
    answer = run("index", "--sessions", "--json").answer
    assert (answer["project"], answer["files"], answer["added"], answer["failures"]) == ("sessions", 2, 2, [])
    status = run("status", "-p", "sessions", "--json").answer
    assert status["roots"] == [str(agents.claude.resolve()), str(agents.codex.resolve())]
    assert (status["transcripts"]["sessions"], status["transcripts"]["messages"]) == (2, 8)


def test_a_second_run_picks_up_a_new_home(run: Run, agents: Agents) -> None:
    agents.with_claude()
    run("index", "--sessions", "--no-embed")
    again = run("index", "--sessions", "--no-embed", "--json").answer
    assert (again["added"], again["unchanged"]) == (0, 1)
    agents.with_codex()
    later = run("index", "--sessions", "--no-embed", "--json").answer
    assert (later["added"], later["unchanged"]) == (1, 1)
    assert len(run("status", "--json").answer["roots"]) == 2


def test_a_home_that_went_leaves_the_project_in_use(run: Run, agents: Agents) -> None:
    agents.with_claude()
    run("index", "--sessions", "--no-embed")
    agents.claude.rename(agents.home / "away")
    ran = run("index", "--sessions", "--no-embed")
    assert (ran.code, "root_not_found" in ran.err) == (2, True)
    assert len(run("sessions", "list", "--json").answer["sessions"]) == 1, "what was indexed stays"


def test_variables_name_other_homes(run: Run, agents: Agents, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    agents.with_claude()
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "work"))
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "box"))
    write_lines(tmp_path / "work" / "projects" / "-x" / f"{BUOYS}.jsonl", buoy_session())
    (tmp_path / "box" / "archived_sessions").mkdir(parents=True)
    run("index", "--sessions", "--no-embed")
    listed = run("sessions", "list", "--json").answer["sessions"]
    assert [session["id"] for session in listed] == [BUOYS]
    assert run("status", "--json").answer["roots"][1].endswith("archived_sessions")


def test_nothing_but_transcripts_is_indexed_there(run: Run, agents: Agents, home: Path) -> None:
    folder = agents.with_claude().parent
    (folder / "memory.md").write_text("# Plans\n\nthe lighthouse plan\n", encoding="utf-8")
    (folder / "settings.json").write_text('{"key": "lighthouse"}', encoding="utf-8")
    (folder / "history.jsonl").write_text('{"display": "lighthouse", "pastedContents": {}}\n', encoding="utf-8")
    (folder / "notes.txt").write_text("lighthouse", encoding="utf-8")
    (folder / "script.py").write_text("lighthouse = 1", encoding="utf-8")
    assert run("index", "--sessions", "--json").answer["files"] == 1
    status = run("status", "--json", "--files").answer
    assert [file["path"] for file in status["listed"]] == [f"-work-barn/{OWLS}.jsonl"]
    assert {skipped["reason"] for skipped in status["skipped"]} == {"no_transcript"}
    assert len(status["skipped"]) == 5
    assert b"lighthouse" not in b"".join(file.read_bytes() for file in (home / "projects").iterdir())


def test_a_folder_is_indexed_in_place_of_the_homes(run: Run, agents: Agents, tmp_path: Path) -> None:
    agents.with_claude()
    write_lines(tmp_path / "backup" / f"{BUOYS}.jsonl", buoy_session())
    (tmp_path / "backup" / "readme.md").write_text("about the backup", encoding="utf-8")
    answer = run("index", tmp_path / "backup", "--sessions", "--no-embed", "--json").answer
    assert (answer["project"], answer["files"]) == ("sessions", 1)
    assert [one["id"] for one in run("sessions", "list", "--json").answer["sessions"]] == [BUOYS]
    run("index", "--sessions", "--no-embed")
    assert {one["id"] for one in run("sessions", "list", "--json").answer["sessions"]} == {OWLS, BUOYS}


def test_a_folder_that_is_not_there_is_an_error(run: Run, agents: Agents, tmp_path: Path) -> None:
    assert agents
    ran = run("index", tmp_path / "none", "--sessions")
    assert (ran.code, "[root_not_found]" in ran.err) == (2, True)


def test_another_name_may_be_given(run: Run, agents: Agents) -> None:
    agents.with_claude()
    assert run("index", "--sessions", "-p", "talks", "--no-embed", "--json").answer["project"] == "talks"
    assert run("sessions", "list", "--json").answer["project"] == "talks", "the only project there is"


def test_transcripts_in_a_folder_of_notes_are_read_beside_them(run: Run, agents: Agents, tmp_path: Path) -> None:
    assert agents
    write_lines(tmp_path / "notes" / "talk.jsonl", owl_session())
    (tmp_path / "notes" / "owl.md").write_text("The owl again.", encoding="utf-8")
    run("index", tmp_path / "notes", "--no-embed")
    formats = {result["document"]["format"] for result in run("search", "owl", "--json").answer["results"]}
    assert formats == {"claude", "markdown"}


@pytest.mark.skipif(os.name != "posix", reason="HOME is POSIX's")
def test_it_works_as_a_process_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    agents = agents_of(tmp_path / "user", monkeypatch)
    agents.with_claude()
    ran = in_process_of_its_own(
        tmp_path / "home", tmp_path, "index", "--sessions", "--no-embed", variables={"HOME": str(agents.home)}
    )
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert ran.stdout.startswith(b"sessions: 1 file (1 new), 6 without a vector")
