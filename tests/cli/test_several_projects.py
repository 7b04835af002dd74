"""`-p a -p b` and `--all-projects` on the command line."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.cli.running import Run, runner
from tests.cli.transcripts import BUOYS, OWLS, agents_of, buoy_session, owl_session, write_lines
from tests.envelopes.test_envelopes import holds
from tests.several.conftest import three_homes

__all__ = ["three_homes"]

QUERY = "harbour ice in winter"
BOTH = ("-p", "inland", "-p", "island")


@pytest.fixture
def three(
    home: Path, three_homes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    """The command line over a copy of the three projects, standing in nobody's folder."""
    shutil.copytree(three_homes, tmp_path / "three")
    monkeypatch.setenv("GLASSDEX_HOME", str(tmp_path / "three"))
    return runner(capsys)


def test_each_project_has_a_line_and_each_result_names_its_project(three: Run):
    ran = three("search", QUERY, *BOTH)
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert lines[0].startswith("verdict ok")
    assert lines[1].startswith("  inland  3 documents ranked · verdict ")
    assert lines[2].startswith("  island  2 documents ranked · verdict ")
    assert " 1  Ice  island:ice.md" in ran.out
    assert " 2  Harbour  inland:harbour.md" in ran.out
    assert "documents 1-5 of 5 in 2 projects" in ran.out
    assert "private" not in ran.out


def test_a_printed_pointer_opens_as_it_is(three: Run):
    for result in three("search", QUERY, *BOTH, "--json").answer["results"]:
        for match in result["matches"]:
            ran = three("open", match["pointer"], "--json")
            assert ran.code == 0
            assert ran.answer["state"] == "exact"


def test_the_order_of_json_and_terminal_is_the_same(three: Run):
    answer = three("search", QUERY, *BOTH, "--json").answer
    listed = three("search", QUERY, *BOTH, "--paths").out.splitlines()
    assert listed == [f"{r['project']}:{r['document']['path']}" for r in answer["results"]]


def test_pages_follow_each_other(three: Run):
    whole = three("search", QUERY, *BOTH, "--json", "-n", "6").answer["results"]
    pages = [three("search", QUERY, *BOTH, "--json", "-n", "2", "--page", str(page)).answer for page in (1, 2, 3)]
    assert [result for page in pages for result in page["results"]] == whole
    assert "next: --page 2" in three("search", QUERY, *BOTH, "-n", "2").out


def test_json_says_how_it_was_merged_and_what_each_project_did(three: Run):
    answer = three("search", QUERY, *BOTH, "--json").answer
    assert (answer["merge"]["name"], answer["merge"]["version"]) == ("merge", 1)
    assert answer["merge"]["comparable"] == ["similarity", "words"]
    assert answer["merge"]["documents"] == answer["page"]["total"] == 5
    assert [(p["project"], p["status"]) for p in answer["projects"]] == [("inland", "answered"), ("island", "answered")]
    assert answer["verdict"]["project"] in ("inland", "island")
    assert "trace" not in answer
    assert "executions" not in answer


def test_an_explanation_shows_the_evidence_and_a_trace_for_each_project(three: Run):
    answer = three("search", QUERY, *BOTH, "--json", "--explain").answer
    assert [one["project"] for one in answer["executions"]] == ["inland", "island"]
    assert "trace" not in answer
    assert answer["results"] == three("search", QUERY, *BOTH, "--json").answer["results"]
    best = answer["merge"]["results"][0]
    assert (best["project"], best["document"]) == ("island", "ice.md")
    assert sum(best["merge"]["parts"].values()) == pytest.approx(best["merge"]["evidence"], abs=2e-6)
    ran = three("search", QUERY, *BOTH, "--explain")
    assert "── inland ──" in ran.out
    assert "merged by merge/1" in ran.out
    assert "    merged 1 (" in ran.out


def test_the_whole_trace_of_all(three: Run):
    ran = three("inspect", "query", QUERY, *BOTH, "--show-misses", "-n", "1")
    assert ran.code == 0
    assert ran.out.index("── inland ──") < ran.out.index("── island ──") < ran.out.index("── merged ──")
    answer = three("inspect", "query", QUERY, *BOTH, "--show-misses", "-n", "1", "--json").answer
    assert {group["project"] for group in answer["misses"]} == {"inland", "island"}
    assert all(m["pointer"].startswith(f"{g['project']}:") for g in answer["misses"] for m in g["listed"])


def test_all_projects(three: Run):
    answer = three("search", "harbour", "--all-projects", "--json").answer
    assert {result["project"] for result in answer["results"]} == {"inland", "island", "private"}
    both = three("search", "harbour", "--all-projects", "-p", "inland", "--json")
    assert (both.code, both.error["code"]) == (2, "invalid_request")


def test_all_of_no_projects(run: Run):
    ran = run("search", "harbour", "--all-projects", "--json")
    assert (ran.code, ran.error["code"]) == (2, "project_not_found")


def test_a_project_named_twice_is_one(three: Run):
    answer = three("search", "harbour", "-p", "inland", "-p", "inland", "--json").answer
    assert "merge" not in answer
    assert answer["results"] == three("search", "harbour", "-p", "inland", "--json").answer["results"]


def test_a_project_that_fails_is_told_and_the_exit_code_says_so(three: Run, tmp_path: Path):
    (tmp_path / "three" / "projects" / "island.db").write_bytes(b"no database at all")
    ran = three("search", QUERY, *BOTH, "--json")
    assert ran.code == 3
    answer = ran.answer
    assert {result["project"] for result in answer["results"]} == {"inland"}
    assert answer["projects"][1]["error"]["code"] == "store_corrupt"
    assert answer["verdict"]["status"] == "weak"
    ran = three("search", QUERY, *BOTH)
    assert ran.code == 3
    assert "  island  failed: the" in ran.out
    ran = three("search", QUERY, *BOTH, "--paths")
    assert ran.code == 3
    assert "island  failed" in ran.err


@pytest.mark.parametrize("named", ["--in", "--watch"])
@pytest.mark.parametrize("name", ["island:report.md", "island:nowhere.md"])
def test_a_name_in_a_project_that_cannot_be_read_is_that_error(three: Run, tmp_path: Path, named: str, name: str):
    (tmp_path / "three" / "projects" / "island.db").write_bytes(b"no database at all")
    ran = three("search", QUERY, *BOTH, named, name, "--json")
    assert (ran.code, ran.error["code"]) == (3, "store_corrupt")
    assert ran.error["message"].startswith("island: ")
    assert "did you mean" not in ran.error["suggestion"]
    assert three("search", QUERY, *BOTH, named, "inland:report.md", "--json").answer["results"]


def test_nothing_found_in_any(three: Run):
    ran = three("search", "zzyzx", "--mode", "lexical", *BOTH)
    assert ran.code == 1
    assert "in none of the projects: zzyzx" in ran.out


def test_the_words_that_no_project_has_stand_on_one_line_without_stop_words(three: Run):
    query = "why did the harbuor zzyzx"
    unknown = three("search", query, *BOTH, "--json").answer["unknown_words"]
    assert [one["word"] for one in unknown] == ["harbuor", "zzyzx"]
    ran = three("search", query, *BOTH)
    (line,) = [line for line in ran.out.splitlines() if "in none of the projects" in line]
    near = ", ".join(unknown[0]["near"])
    assert line == f"in none of the projects: harbuor (near: {near}), zzyzx"
    assert "harbour" in near
    alone = three("search", query, *BOTH[:2], "--json").answer["unknown_words"]
    assert [one["word"] for one in alone] == ["harbuor", "zzyzx"]


def test_a_context_over_two_projects_is_refused_with_what_to_do(three: Run):
    ran = three("context", QUERY, *BOTH, "--json")
    assert ran.code == 2
    assert ran.error["code"] == "invalid_request"
    assert "this command takes one project" in ran.error["message"]
    assert "glassdex search" in ran.error["suggestion"]


def test_an_ambiguous_name_lists_it_with_its_projects(three: Run):
    ran = three("search", "harbour", *BOTH, "--in", "report.md", "--json")
    assert ran.code == 2
    assert ran.error["code"] == "document_ambiguous"
    assert ran.error["candidates"] == ["inland:report.md", "island:report.md"]
    ran = three("search", "ferry", *BOTH, "--in", "island:report.md")
    assert ran.code == 0
    assert "  inland  skipped: the document is in island" in ran.out


def test_a_watched_document_and_the_command_that_returns_it(three: Run):
    ran = three("search", QUERY, *BOTH, "-n", "1", "--watch", "inland:report.md")
    assert "✓ merged" in ran.out
    command = next(line.strip() for line in ran.out.splitlines() if line.strip().startswith("glassdex search"))
    assert "--project=inland --project=island" in command
    import shlex

    assert "inland:report.md" in three(*shlex.split(command)[1:]).out


@pytest.mark.parametrize(
    "words",
    [
        ("status", "-p", "inland", "-p", "island"),
        ("inspect", "chunks", "ice.md", "--project", "inland", "--project=island"),
        ("inspect", "why-not", "ice", "ice.md", "-p", "inland", "-p", "island"),
    ],
)
def test_other_commands_take_one_project(three: Run, words: tuple[str, ...]):
    ran = three(*words)
    assert ran.code == 2
    assert "this command takes one project [invalid_request]" in ran.err


def test_hostile_names_are_escaped(three: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    folder = tmp_path / "hostile"
    folder.mkdir()
    (folder / "bad\x1b[31m.md").write_text("# \x1b[31mred\n\nThe harbour \x1b[2J of ice.\n")
    assert three("index", str(folder)).code == 0
    for more in ((), ("--explain",), ("--paths",)):
        assert "\x1b" not in three("search", "harbour", "-p", "inland", "-p", "hostile", *more).out
    assert "\x1b" not in three("inspect", "query", "harbour", "-p", "inland", "-p", "hostile", "--show-misses").out


def test_the_answer_keeps_to_the_published_schema(three: Run, tmp_path: Path):
    (tmp_path / "three" / "projects" / "private.db").write_bytes(b"no database at all")
    ran = three("search", QUERY, "--all-projects", "--explain", "--show-misses", "--watch", "owls", "-n", "1", "--json")
    assert ran.code == 3
    holds(ran.answer, "glassdex.search/1")
    holds(three("search", "ferry", *BOTH, "--in", "ice", "--json").answer, "glassdex.search/1")


def test_sessions_of_several_projects(run: Run, tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch):
    agents = agents_of(tmp_path / "person", monkeypatch)
    agents.with_claude()
    agents.with_claude(buoy_session(), BUOYS)
    assert run("index", "--sessions").code == 0
    copied = tmp_path / "copied"
    write_lines(copied / f"{OWLS}.jsonl", owl_session())
    assert run("index", str(copied)).code == 0
    asked = ("search", "owl barn", "-p", "sessions", "-p", "copied")
    answer = run(*asked, "--json").answer
    assert {result["project"] for result in answer["results"]} == {"sessions", "copied"}
    for result in answer["results"]:
        pointer = result["matches"][0]["pointer"]
        assert pointer.startswith(f"{result['project']}:session:claude/")
        opened = run("open", pointer, "--json").answer
        assert (opened["state"], opened["text"]) == ("exact", result["matches"][0]["text"])
        assert run("sessions", "show", "--at", pointer).code == 0
    ran = run(*asked)
    assert "sessions:claude/11111111" in ran.out
    assert f"glassdex sessions show {OWLS} --project copied --offset " in ran.out
    ran = run(*asked, "--session", OWLS, "--json")
    assert (ran.code, ran.error["code"]) == (2, "session_ambiguous")
    assert ran.error["candidates"] == [f"copied:claude/{OWLS}", f"sessions:claude/{OWLS}"]
    only = run(*asked, "--session", f"copied:{OWLS}", "--json").answer
    assert {result["project"] for result in only["results"]} == {"copied"}
    ran = run("search", "buoy", "-p", "sessions", "-p", "copied", "--session", BUOYS, "--json")
    assert [(p["project"], p["status"]) for p in ran.answer["projects"]] == [
        ("sessions", "answered"),
        ("copied", "skipped"),
    ]


def test_inspect_takes_a_document_with_its_project_in_front(three: Run):
    chunks = three("inspect", "chunks", "island:ice.md")
    assert chunks.code == 0
    pointer = next(line.split()[-1] for line in chunks.out.splitlines() if "#L" in line)
    assert pointer.startswith("island:ice.md#")
    near = three("inspect", "neighbors", pointer)
    pointers = [line.split()[-1] for line in near.out.splitlines() if "#L" in line]
    assert near.code == 0 and pointers[0] == pointer
    assert all(one.startswith("island:") and three("open", one).code == 0 for one in pointers)
    assert three("inspect", "links", "island:ice.md").code == 0
    why = three("inspect", "why-not", QUERY, "island:ice.md")
    assert why.code == 0 and "why not ice.md" in why.out and "it is there" in why.out
    assert three("inspect", "chunks", "island:ice.md", "-p", "island").code == 0
    assert three("inspect", "chunks", "island:ice.md", "-p", "inland", "--json").code == 2


def test_every_candidate_of_several_projects_names_its_project(three: Run):
    ran = three("inspect", "query", QUERY, *BOTH, "--show-misses")
    pointers = [line.split()[-1] for line in ran.out.splitlines() if "#L" in line]
    assert {pointer.partition(":")[0] for pointer in pointers} == {"inland", "island"}
    assert three("open", pointers[0]).code == 0
