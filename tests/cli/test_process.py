"""What only a process of its own can show: pipes, encodings, signals, terminals."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.running import QUERY, command, environment, in_process_of_its_own, write

ASCII = {"PYTHONIOENCODING": "ascii"}
posix = pytest.mark.skipif(os.name != "posix", reason="needs a pseudo terminal or POSIX signals")


@posix
@pytest.mark.parametrize("more", [("--explain",), ("--json", "--explain"), ("-l",)])
def test_a_reader_that_goes_away_is_no_error(vault_home: Path, more: tuple[str, ...]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "wb") as closed_pipe:  # noqa: PTH123 - a descriptor
        ran = subprocess.run(
            command("search", "buoy", "--mode", "lexical", "-n", "30", *more),
            cwd=vault_home.parent / "vault",
            env=environment(vault_home),
            stdout=closed_pipe,
            stderr=subprocess.PIPE,
            check=False,
            timeout=60,
        )
    assert (ran.returncode, ran.stderr) == (0, b"")


@posix
@pytest.mark.parametrize("more", [(), ("--json",)])
def test_an_error_that_nobody_reads_keeps_its_exit_code(tmp_path: Path, more: tuple[str, ...]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "wb") as closed_pipe:  # noqa: PTH123 - a descriptor
        ran = subprocess.run(
            command("search", "", *more),
            cwd=tmp_path,
            env=environment(tmp_path),
            stdout=subprocess.PIPE,
            stderr=closed_pipe,
            check=False,
            timeout=60,
        )
    assert (ran.returncode, ran.stdout) == (2, b"")


@posix
@pytest.mark.parametrize("more", [("--explain",), ("--json",), ("-l",), ("--help",)])
def test_a_closed_standard_output_is_no_crash(vault_home: Path, more: tuple[str, ...]) -> None:
    words = command("search", "buoy", "--mode", "lexical", *more)
    ran = subprocess.run(
        ["/bin/sh", "-c", 'exec "$0" "$@" >&-', *words],
        cwd=vault_home.parent / "vault",
        env=environment(vault_home),
        stderr=subprocess.PIPE,
        check=False,
        timeout=60,
    )
    assert (ran.returncode, ran.stderr) == (0, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a disk that is always full")
@pytest.mark.parametrize("more", [("--explain",), ("--json",), ("-l",)])
def test_a_full_disk_is_an_error_of_one_line(vault_home: Path, more: tuple[str, ...]) -> None:
    with Path("/dev/full").open("wb") as full:
        ran = subprocess.run(
            command("search", "buoy", "--mode", "lexical", *more),
            cwd=vault_home.parent / "vault",
            env=environment(vault_home),
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
            timeout=60,
        )
    assert ran.returncode == 3
    assert ran.stderr.count(b"\n") == 1
    assert b"no space left on device" in ran.stderr


@pytest.mark.parametrize("variables", [ASCII, {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0"}])
def test_any_locale_shows_a_search(vault_home: Path, variables: dict[str, str]) -> None:
    vault = vault_home.parent / "vault"
    ran = in_process_of_its_own(vault_home, vault, "search", QUERY, "--explain", "-n2", variables=variables)
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert b"decisions/adr-7d9f-embedding-providers.md#L" in ran.stdout
    if variables is ASCII:
        assert ran.stdout.isascii()
        assert b"* fresh" in ran.stdout


def test_an_ascii_locale_shows_foreign_words_as_escapes(vault_home: Path) -> None:
    vault = vault_home.parent / "vault"
    ran = in_process_of_its_own(vault_home, vault, "search", "Kältekammer", "-n1", "--mode", "lexical", variables=ASCII)
    assert rb"K\xe4ltekammer" in ran.stdout


def test_json_is_utf_8_in_any_locale(vault_home: Path) -> None:
    vault = vault_home.parent / "vault"
    words = ("search", "Kältekammer", "-n1", "--mode", "lexical", "--json")
    ran = in_process_of_its_own(vault_home, vault, *words, variables=ASCII)
    assert "Kältekammer" in json.loads(ran.stdout.decode("utf-8"))["results"][0]["document"]["title"]
    ran = in_process_of_its_own(vault_home, vault, *words, "--kind", "Kälte", variables=ASCII)
    assert "Kälte" in json.loads(ran.stderr.decode("utf-8"))["message"]


class Terminal:
    """A process on a pseudo terminal of 100 columns."""

    def __init__(self, home: Path, folder: Path, *arguments: str, **variables: str) -> None:
        import fcntl
        import pty
        import struct
        import termios

        self._ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
        self.process = subprocess.Popen(
            command(*arguments),
            cwd=folder,
            env=environment(home, TERM="xterm-256color", LC_ALL="C.UTF-8", **variables),
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
        os.close(theirs)
        self.seen = b""

    def read_until(self, marker: bytes) -> None:
        """Reads until the process has written `marker`."""
        while marker not in self.seen:
            piece = self._read()
            assert piece, f"it ended without {marker!r}: {self.seen!r}"
            self.seen += piece

    def write(self, text: bytes) -> None:
        """Types."""
        os.write(self._ours, text)

    def finish(self) -> tuple[int, str]:
        """The exit code and everything that was written."""
        while piece := self._read():
            self.seen += piece
        os.close(self._ours)
        return self.process.wait(timeout=60), self.seen.decode("utf-8").replace("\r\n", "\n")

    def _read(self) -> bytes:
        try:
            return os.read(self._ours, 65536)
        except OSError:  # Linux: the other side is closed
            return b""


def without_colours(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)


@posix
def test_a_terminal_gets_colours_and_the_same_words(vault_home: Path) -> None:
    vault = vault_home.parent / "vault"
    words = ("search", "buoy battery", "--mode", "lexical", "-n3")
    code, shown = Terminal(vault_home, vault, *words).finish()
    assert code == 0
    assert "\x1b[32m" in shown
    piped = in_process_of_its_own(vault_home, vault, *words).stdout.decode()
    assert without_colours(shown) == piped


@posix
def test_what_is_said_of_a_context_is_folded_between_words_and_stands_apart(vault_home: Path) -> None:
    vault = vault_home.parent / "vault"
    code, shown = Terminal(vault_home, vault, "context", "how do we get the server up again").finish()
    assert code == 0
    lines = without_colours(shown).splitlines()
    first = next(place for place, line in enumerate(lines) if line.startswith("[1] "))
    assert lines[0].startswith("verdict weak (")
    assert first > 1, "it does not fit on one line of 100 columns"
    count = next(place for place, line in enumerate(lines) if " tokens by " in line)
    assert lines[count - 1] == ""
    about = [*lines[:first], *lines[count:]]
    assert all(len(line) <= 100 or " " not in line for line in about)
    assert any(line.startswith("left out: ") for line in about)


@posix
def test_no_color_is_respected(vault_home: Path) -> None:
    vault = vault_home.parent / "vault"
    _, shown = Terminal(vault_home, vault, "search", "buoy", "--mode", "lexical", "-n3", NO_COLOR="1").finish()
    colours = [code for run in re.findall(r"\x1b\[([0-9;]*)m", shown) for code in run.split(";")]
    assert not {code for code in colours if code and int(code) >= 30}


@posix
def test_a_terminal_gets_progress_bars_and_a_last_line(tmp_path: Path) -> None:
    notes = write(tmp_path / "notes", **{f"n{number}": f"# Note {number}\n\nowl {number}\n" for number in range(40)})
    code, shown = Terminal(tmp_path / "home", notes, "index").finish()
    assert code == 0
    assert "embed" in shown
    assert "━" in shown
    assert without_colours(shown).rstrip().splitlines()[-1].startswith("notes: 40 files (40 new), 40 passages embedded")


@posix
def test_an_interrupt_ends_with_one_line_and_keeps_what_was_done(tmp_path: Path) -> None:
    body = "Owls and foxes went out that night. " * 20
    notes = write(tmp_path / "notes", **{f"n{number}": f"# Note {number}\n\n{number} {body}" for number in range(150)})
    terminal = Terminal(tmp_path / "home", notes, "index")
    terminal.read_until(b"embed")
    terminal.process.send_signal(signal.SIGINT)
    code, shown = terminal.finish()
    assert code == 130
    assert "Traceback" not in shown
    assert without_colours(shown).rstrip().splitlines()[-1].endswith("interrupted; the next run goes on from there")
    found = in_process_of_its_own(tmp_path / "home", notes, "search", "owls", "-l", "-n", "3", "--mode", "lexical")
    assert found.returncode == 0
    assert len(found.stdout.splitlines()) == 3


@posix
@pytest.mark.parametrize(("typed", "code", "left"), [(b"y\n", 0, 0), (b"n\n", 1, 1), (b"\x04", 1, 1)])
def test_removing_a_project_asks(tmp_path: Path, typed: bytes, code: int, left: int) -> None:
    home, notes = tmp_path / "home", write(tmp_path / "notes", a="# A\n\nowl\n")
    in_process_of_its_own(home, notes, "index", "--no-embed")
    terminal = Terminal(home, notes, "projects", "remove", "notes")
    terminal.read_until(b"[y/N]")
    terminal.write(typed)
    assert terminal.finish()[0] == code
    listed = in_process_of_its_own(home, tmp_path, "projects", "list", "--json").stdout
    assert len(json.loads(listed)["projects"]) == left


@posix
def test_a_terminal_without_a_query_is_told_so(vault_home: Path) -> None:
    code, shown = Terminal(vault_home, vault_home, "search").finish()
    assert code == 2
    assert shown.startswith("error: there is no query [invalid_request]")


def test_starting_warns_of_nothing(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-m", "glassdex.cli.main", "--version"],
        env=environment(tmp_path),
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert (ran.returncode, ran.stderr) == (0, b"")
