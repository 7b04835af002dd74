"""Tab: the script of each shell, and what it is answered, each in a process of its own as a shell has it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from glassdex.projects import project_names
from tests.cli.running import Run, environment, in_process_of_its_own

SHELLS = ("bash", "zsh", "fish")


@pytest.fixture
def projects(home: Path) -> Path:
    """A home with the projects notes, novels and work, and with files that are none."""
    folder = home / "projects"
    folder.mkdir(parents=True)
    for name in ("notes", "novels", "work", "no $(touch ran) `x`", "no'n"):
        (folder / f"{name}.db").touch()
    assert "notes" in project_names()
    return home


def asked(home: Path, shell: str, line: str) -> list[str]:
    """What a shell is answered for a command line that ends at the cursor: one entry a line, without its help."""
    if shell == "bash":
        words = line.split(" ")
        variables = {"COMP_WORDS": "\n".join(words), "COMP_CWORD": str(len(words) - 1)}
    else:
        variables = {"_TYPER_COMPLETE_ARGS": line, "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    variables["_GLASSDEX_COMPLETE"] = f"complete_{shell}"
    ran = in_process_of_its_own(home, home, variables=variables)
    assert (ran.returncode, ran.stderr) == (0, b"")
    text = ran.stdout.decode()
    if shell == "zsh":
        text = text.removeprefix("_arguments '*: :((").strip().removesuffix("))'")
        return [] if text == "_files" else [entry.split('"')[1] for entry in text.splitlines()]
    return [entry.split("\t")[0] for entry in text.splitlines() if entry]


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("glassdex st", ["status"]),
        ("glassdex inspect why", ["why-not"]),
        ("glassdex search --fus", ["--fusion"]),
        ("glassdex search -p no", ["notes", "novels"]),
        ("glassdex search -p notes -p w", ["work"]),
        ("glassdex search backup --project n", ["notes", "novels"]),
        ("glassdex sessions show --project nov", ["novels"]),
        ("glassdex index -p wo", ["work"]),
        ("glassdex projects remove w", ["work"]),
        ("glassdex completion z", ["zsh"]),
        ("glassdex search -p nothing", []),
    ],
)
def test_a_shell_is_told_what_may_follow(projects: Path, shell: str, line: str, expected: list[str]) -> None:
    assert asked(projects, shell, line) == expected


def test_where_no_project_can_be_read_nothing_is_said(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "projects").write_text("no folder")
    assert asked(home, "bash", "glassdex search -p ") == []


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_is_all_that_is_printed(run: Run, shell: str) -> None:
    ran = run("completion", shell)
    assert (ran.code, ran.err) == (0, "")
    assert f"_GLASSDEX_COMPLETE=complete_{shell}" in ran.out
    if program := shutil.which(shell):
        checked = subprocess.run([program, "-n"], input=ran.out.encode(), capture_output=True, check=False, timeout=60)
        assert (checked.returncode, checked.stderr) == (0, b"")


def test_another_shell_is_told_which_there_are(run: Run) -> None:
    ran = run("completion", "tcsh")
    assert ran.code == 2
    assert all(shell in ran.err for shell in SHELLS)


@pytest.mark.skipif(not shutil.which("bash"), reason="there is no bash")
def test_bash_itself_completes_with_the_script(projects: Path, run: Run, tmp_path: Path) -> None:
    program = tmp_path / "bin" / "glassdex"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m glassdex.cli.main "$@"\n')
    program.chmod(0o755)
    script = run("completion", "bash").out + (
        "\ncomplete -p glassdex"
        '\nCOMP_WORDS=(glassdex search -p no) COMP_CWORD=3; _glassdex_completion glassdex; echo "${COMPREPLY[*]}"\n'
    )
    variables = environment(projects)
    variables["PATH"] = f"{program.parent}:{variables['PATH']}"
    ran = subprocess.run(
        ["bash", "--norc", "-s"], input=script, env=variables, text=True, capture_output=True, check=False, timeout=60
    )
    assert ran.stderr == ""
    assert ran.stdout.splitlines() == ["complete -o default -F _glassdex_completion glassdex", "notes novels"]
