"""Errors are for the person who reads them, and with --json for the program that does."""

from __future__ import annotations

from pathlib import Path

import pytest

import glassdex.project
from glassdex.cli.main import wants_json
from tests.cli.running import Run, in_process_of_its_own, write

WRONG = {
    "unknown option": (("search", "x", "--limt", "3"), "no such option: --limt"),
    "unknown option of another command": (("status", "--explain"), "no such option: --explain"),
    "unknown command": (("serach", "x"), "no such command 'serach'"),
    "missing argument": (("open",), "missing argument 'POINTER'"),
    "too many arguments": (("status", "x"), "got unexpected extra argument"),
    "not a number": (
        ("search", "x", "--limit", "many"),
        "invalid value for '--limit' / '-n': 'many' is not a valid int",
    ),
    "negative": (("search", "x", "--max-candidates", "-1"), "invalid value for '--max-candidates'"),
    "no value": (("search", "x", "--path"), "option '--path' requires an argument"),
    "limit 0": (("search", "x", "--limit", "0"), "limit is 0; it must be between 1 and 1000"),
    "limit 1001": (("search", "x", "--limit", "1001"), "limit is 1001"),
    "page 0": (("search", "x", "--page", "0"), "page is 0; it must be 1 or more"),
    "mode": (("search", "x", "--mode", "magic"), "unknown mode 'magic'"),
    "fusion": (("search", "x", "--fusion", "cold/1"), "unknown fusion 'cold/1'"),
    "no fusion": (("search", "x", "--fusion", ""), "unknown fusion ''"),
    "kind": (("search", "x", "--kind", "chapter"), "unknown kind 'chapter'"),
    "cosine": (("search", "x", "--min-similarity", "1.5"), "min-similarity is 1.5"),
    "date": (("search", "x", "--since", "yesterday"), "not a date"),
    "empty query": (("search", " "), "the query is empty"),
}


@pytest.mark.parametrize("name", WRONG)
def test_bad_input_is_exit_code_2_with_a_reason(in_vault: Run, name: str) -> None:
    arguments, message = WRONG[name]
    ran = in_vault(*arguments)
    assert (ran.code, ran.out) == (2, "")
    first, *more = ran.err.splitlines()
    assert first.startswith(f"error: {message}")
    assert first.endswith(" [invalid_request]")
    assert all(line.startswith("  ") for line in more)


@pytest.mark.parametrize("name", WRONG)
def test_with_json_an_error_is_an_envelope(in_vault: Run, name: str) -> None:
    (command, *rest), message = WRONG[name]
    ran = in_vault(command, "--json", *rest)
    assert ran.code == 2
    assert ran.error["code"] == "invalid_request"
    assert ran.error["message"].startswith(message)


def test_a_misspelt_option_is_answered_with_the_right_one(in_vault: Run) -> None:
    suggestion = in_vault("search", "x", "--limt", "3", "--json").error["suggestion"]
    assert suggestion.startswith("--limit")
    assert "glassdex search -- --limt" in suggestion
    assert in_vault("status", "--al", "--json").error["suggestion"].startswith("--all")


def test_a_reversed_range(in_vault: Run) -> None:
    ran = in_vault("search", "x", "--since", "2026-02-01", "--until", "2026-01-01", "--json")
    assert (ran.code, ran.error["code"]) == (2, "invalid_range")


def test_an_unknown_project_lists_those_there_are(in_vault: Run) -> None:
    ran = in_vault("search", "x", "-p", "valut")
    assert ran.err == (
        "error: there is no project 'valut' [project_not_found]\n  try: choose one with --project: vault\n"
    )
    assert in_vault("status", "-p", "valut", "--json").error["candidates"] == ["vault"]


def test_no_project_at_all_says_how_to_make_one(run: Run) -> None:
    ran = run("search", "x")
    assert ran.code == 2
    assert "try: make one: glassdex index FOLDER" in ran.err


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        (["search", "x", "--json"], True),
        (["search", "--json", "x"], True),
        (["search", "--", "--json"], False),
        (["search", "--path", "--json", "x"], False),
        (["search", "-p", "--json"], False),
        (["search", "json"], False),
        (["search", "--explain", "--json"], True),
        (["projects", "relocate", "--from", "--json"], False),
        (["projects", "list", "--json"], True),
    ],
)
def test_json_is_an_option_and_no_word(arguments: list[str], wanted: bool) -> None:
    assert wants_json(arguments) is wanted


def test_a_query_word_does_not_make_json(run: Run) -> None:
    ran = run("search", "--", "--json")
    assert ran.code == 2
    assert ran.err.startswith("error: ")


def test_settings_that_are_wrong(in_vault: Run, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLASSDEX_HOME", str(home))
    home.mkdir()
    (home / "config.toml").write_text("limt = 3\n", encoding="utf-8")
    ran = in_vault("search", "x", "--json")
    assert (ran.code, ran.error["code"]) == (2, "invalid_setting")


def test_a_home_that_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    (tmp_path / "notes").mkdir()
    ran = in_process_of_its_own(tmp_path / "file", tmp_path, "index", "notes")
    assert ran.returncode in (2, 3)
    assert ran.stderr.startswith(b"error: ")
    assert b"Traceback" not in ran.stderr


def test_a_reversed_range_in_a_path_pattern_is_bad_input(run: Run, tmp_path: Path) -> None:
    run("index", write(tmp_path / "notes", a="owls"))
    ran = run("search", "owls", "--path", "[z-a]")
    assert ran.code == 2
    assert "invalid_request" in ran.err


@pytest.fixture
def faulty(in_vault: Run, monkeypatch: pytest.MonkeyPatch) -> Run:
    """The command line with a fault inside that quotes a hostile file."""

    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("cannot \x1b[31mcope\x1b[0m with\n" + "this " * 1000)

    monkeypatch.setattr(glassdex.project.Project, "search", fail)
    return in_vault


def test_an_unexpected_fault_is_one_clear_line_and_no_traceback(faulty: Run) -> None:
    ran = faulty("search", "x")
    assert (ran.code, ran.out) == (3, "")
    first, second = ran.err.splitlines()
    assert first.startswith("error: a fault of Glassdex, not of your request: RuntimeError: cannot \\x1b[31mcope")
    assert first.endswith("… [internal_error]")
    assert len(first) < 500
    assert "GLASSDEX_DEBUG=1" in second
    assert "\x1b" not in ran.err


def test_an_unexpected_fault_is_an_envelope_with_json(faulty: Run) -> None:
    ran = faulty("search", "x", "--json")
    assert (ran.code, ran.error["code"]) == (3, "internal_error")
    assert "\x1b" not in ran.err
    assert "GLASSDEX_DEBUG=1" in ran.error["suggestion"]


def test_the_traceback_of_a_fault_is_printed_where_it_is_asked_for(
    faulty: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GLASSDEX_DEBUG", "1")
    ran = faulty("search", "x")
    assert ran.code == 3
    assert ran.err.startswith("Traceback (most recent call last):\n")
    assert "\x1b" not in ran.err
    assert ran.err.splitlines()[-2].endswith("[internal_error]")
    monkeypatch.setenv("GLASSDEX_DEBUG", "0")
    assert "Traceback" not in faulty("search", "x").err


def test_an_interrupt_and_a_closed_pipe_inside_a_search_are_no_faults(
    in_vault: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    for error, left in ((KeyboardInterrupt(), (130, "interrupted\n")), (BrokenPipeError(), (0, ""))):

        def fail(*_: object, error: BaseException = error, **__: object) -> None:
            raise error

        monkeypatch.setattr(glassdex.project.Project, "search", fail)
        ran = in_vault("search", "x")
        assert (ran.code, ran.err) == left


@pytest.mark.parametrize("more", [["--show-misses"], ["--watch", "a.md"], ["--explain"], ["--json"]])
def test_a_list_of_paths_refuses_what_it_has_no_place_for(in_vault: Run, more: list[str]) -> None:
    ran = in_vault("search", "backup", "-l", *more)
    assert (ran.code, ran.out) == (2, "")
    assert f"--paths prints paths and nothing else, not {more[0]}" in ran.err
    assert "invalid_request" in ran.err


def test_what_could_be_meant_is_listed_whole_beside_what_is_suggested(run: Run, tmp_path: Path):
    folder = write(tmp_path / "notes", ferry="the ferry\n", ferries="all ferries\n")
    assert run("index", folder).code == 0
    ran = run("inspect", "chunks", "ferri")
    suggested = ran.err.split("did you mean ")[1].partition("?")[0]
    listed = ran.err.split("there is: ")[1].split("\n")[0].split(", ")
    assert suggested in listed and sorted(listed) == ["ferries.md", "ferry.md"]
