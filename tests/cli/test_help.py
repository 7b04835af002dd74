"""Help is quick, complete and the same everywhere."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import glassdex
from tests.cli.running import Run, environment, in_process_of_its_own

COMMANDS = (
    "index",
    "search",
    "open",
    "inspect",
    "inspect chunks",
    "inspect query",
    "inspect why-not",
    "inspect neighbors",
    "status",
    "eval",
    "compare",
    "demo",
    "projects",
    "projects list",
    "projects rename",
    "projects relocate",
    "projects remove",
)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_every_command_explains_itself(run: Run, command: str, flag: str) -> None:
    ran = run(*command.split(), flag)
    assert ran.code == 0
    assert ran.err == ""
    assert ran.out.startswith(f"Usage: glassdex {command} [OPTIONS]")
    if command not in ("projects", "inspect"):
        assert "--json" in ran.out


def test_the_help_lists_every_command(run: Run) -> None:
    listed = run("--help").out
    for command in COMMANDS:
        assert f"\n  {command.split()[0]} " in listed


def test_the_examples_keep_their_lines(run: Run) -> None:
    assert '\n    glassdex search "why is the embedding model swappable"\n' in run("search", "--help").out


@pytest.mark.parametrize("arguments", [(), ("projects",)])
def test_without_a_command_the_help_is_on_standard_error(run: Run, arguments: tuple[str, ...]) -> None:
    ran = run(*arguments)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("Usage: glassdex")


def test_the_version(run: Run) -> None:
    assert run("--version").out == f"glassdex {glassdex.__version__}\n"


def modules_after(home: Path, folder: Path, *arguments: str) -> set[str]:
    """The top-level modules that a run of `main` has imported."""
    program = (
        "import json, sys\n"
        "from glassdex.cli.main import main\n"
        "try:\n"
        "    main(sys.argv[1:])\n"
        "except SystemExit:\n"
        "    pass\n"
        "print(json.dumps(sorted({name.partition('.')[0] for name in sys.modules})), file=sys.stderr)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        cwd=folder,
        env=environment(home),
        capture_output=True,
        check=True,
        timeout=120,
    )
    return set(json.loads(ran.stderr))


@pytest.mark.parametrize("arguments", [("--help",), ("search", "--help"), ("--version",), ("completion", "bash")])
def test_help_loads_nothing_heavy(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    heavy = {"numpy", "onnxruntime", "pydantic", "rich", "apsw", "yaml", "markdown_it", "tokenizers"}
    assert not heavy & modules_after(tmp_path, tmp_path, *arguments)


def test_a_search_for_people_loads_no_pydantic(vault_home: Path) -> None:
    vault = vault_home.parent / "vault"
    assert "pydantic" not in modules_after(vault_home, vault, "search", "backup")


def test_a_search_by_words_loads_no_model(vault_home: Path) -> None:
    vault = vault_home.parent / "vault"
    loaded = modules_after(vault_home, vault, "search", "backup", "--mode", "lexical")
    assert not {"onnxruntime", "tokenizers", "pydantic"} & loaded


def test_it_runs_as_a_module(tmp_path: Path) -> None:
    ran = in_process_of_its_own(tmp_path, tmp_path, "--version")
    assert (ran.returncode, ran.stderr) == (0, b"")
