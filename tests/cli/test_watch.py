"""`glassdex index --watch` as a process: its lines, its signals, its exit codes."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cli.running import SOURCES, Run, command, environment, in_process_of_its_own, write

posix = pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")


@contextmanager
def started(tmp_path: Path, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """A watcher over `notes`."""
    with subprocess.Popen(
        command("index", str(tmp_path / "notes"), "--watch", *arguments),
        cwd=tmp_path,
        env=environment(tmp_path / "home"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def ended(process: subprocess.Popen[str], number: int) -> tuple[int, str, str]:
    """Exit code and what was not read yet of its output, after a signal."""
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


@posix
def test_people_get_a_line_for_each_run_and_ctrl_c_ends_it(tmp_path: Path) -> None:
    notes = write(tmp_path / "notes", a="owls\n")
    (notes / "bad.md").write_bytes(b"\xff")
    (notes / "picture.png").write_bytes(b"\0")
    with started(tmp_path, "--no-embed") as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        assert re.match(r"\d\d:\d\d:\d\d notes: 2 files \(1 new, 1 failed\), 1 skipped", first)
        assert process.stdout.readline().startswith("  failed: bad.md: ")
        process.stdout.readline()
        write(notes, b="bees\n")
        second = process.stdout.readline()
        assert "notes: 3 files (1 new, 1 unchanged, 1 failed)  (" in second, "few are without a vector for long"
        assert "skipped" not in second, "what did not change is not said again"
        assert ended(process, signal.SIGINT) == (0, "", "")
    found = in_process_of_its_own(tmp_path / "home", notes, "search", "bees", "-l", "--mode", "lexical")
    assert found.stdout == b"b.md\n"


@posix
def test_a_change_is_one_line_and_its_few_vectors_are_none(tmp_path: Path) -> None:
    notes = write(tmp_path / "notes", a="owls\n")
    with started(tmp_path) as process:
        assert process.stdout is not None
        assert "1 file (1 new), 1 without a vector" in process.stdout.readline()
        assert "1 passage embedded" in process.stdout.readline(), "the end of the first backlog"
        for number, name in enumerate("bcd", start=2):
            write(notes, **{name: f"bees {name}\n"})
            assert f"notes: {number} files (1 new, {number - 1} unchanged)  (" in process.stdout.readline()
        assert ended(process, signal.SIGINT) == (0, "", "")


@posix
def test_programs_get_an_object_on_a_line_and_sigterm_ends_it(tmp_path: Path) -> None:
    notes = write(tmp_path / "notes", a="owls\n")
    with started(tmp_path, "--json") as process:
        assert process.stdout is not None
        first = json.loads(process.stdout.readline())
        assert (first["schema"], first["project"], first["added"], first["pending"]) == (
            "glassdex.index/1",
            "notes",
            1,
            1,
        )
        embedded = json.loads(process.stdout.readline())
        assert (embedded["unchanged"], embedded["embedded"], embedded["pending"]) == (1, 1, 0)
        notes.rename(tmp_path / "away")
        assert process.stderr is not None
        assert json.loads(process.stderr.readline())["code"] == "root_not_found"
        assert ended(process, signal.SIGTERM) == (0, "", "")


@posix
def test_strict_makes_the_files_of_the_last_run_count(tmp_path: Path) -> None:
    notes = write(tmp_path / "notes", a="owls\n")
    (notes / "bad.md").write_bytes(b"\xff")
    with started(tmp_path, "--json", "--no-embed", "--strict") as process:
        assert process.stdout is not None
        assert json.loads(process.stdout.readline())["failed"] == 1
        assert ended(process, signal.SIGINT)[0] == 3
    with started(tmp_path, "--json", "--no-embed", "--strict") as process:
        assert process.stdout is not None
        process.stdout.readline()
        write(notes, bad="mended\n")
        assert json.loads(process.stdout.readline())["failed"] == 0
        assert ended(process, signal.SIGINT)[0] == 0


def test_a_folder_that_is_not_there_is_bad_input(run: Run, tmp_path: Path) -> None:
    assert run("index", tmp_path / "nowhere", "--watch").code == 2


def test_without_the_extra_the_line_that_installs_it_and_no_project(tmp_path: Path) -> None:
    write(tmp_path / "notes", a="owls\n")
    lacking = write(tmp_path / "lacking")
    (lacking / "watchfiles.py").write_text("raise ModuleNotFoundError(\"No module named 'watchfiles'\")\n")
    variables = {"PYTHONPATH": os.pathsep.join((str(lacking), str(SOURCES)))}
    ran = in_process_of_its_own(tmp_path / "home", tmp_path, "index", "notes", "--watch", variables=variables)
    assert (ran.returncode, ran.stdout) == (3, b"")
    assert b"[missing_extra]" in ran.stderr
    assert b"pip install 'glassdex[watch]'" in ran.stderr
    assert not (tmp_path / "home").exists()
