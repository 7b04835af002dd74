"""The writer lock between processes: it names its holder, and the system frees it when the holder dies."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from glassdex.errors import StoreLocked
from glassdex.storage.sqlite.lock import writer_lock

HOLD = """
import sys
from pathlib import Path
from glassdex.storage.sqlite.lock import writer_lock
with writer_lock(Path(sys.argv[1]), "index"):
    print("held", flush=True)
    sys.stdin.readline()
print("released", flush=True)
"""


@contextmanager
def holder(path: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds the lock until it reads a line."""
    arguments = [sys.executable, "-c", HOLD, str(path)]
    with subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        try:
            yield process
        finally:
            process.kill()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "my notes.db"


def test_a_second_writer_is_told_who_writes_and_why(path: Path):
    with holder(path) as process:
        with (
            pytest.raises(StoreLocked, match=rf"'my notes'.*process {process.pid} \(index, since \d\d:\d\d:\d\d\)"),
            writer_lock(path, "index", wait_seconds=0),
        ):
            pass
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write("\n")
        process.stdin.flush()
        assert process.stdout.readline() == "released\n"
        with writer_lock(path, "index", wait_seconds=0):
            pass


def test_the_lock_is_free_when_its_holder_was_killed(path: Path):
    with holder(path) as process:
        process.kill()
        process.wait()
        assert path.with_suffix(".writer.json").exists(), "the dead holder's note is still there"
        with writer_lock(path, "index", wait_seconds=0):
            pass
    assert not path.with_suffix(".writer.json").exists()


@pytest.mark.parametrize("note", ["", "{", "[]", '{"pid": 1}', '{"pid": 1, "purpose": "x", "since": "noon"}', "null"])
def test_a_holder_whose_note_is_unreadable_is_another_process(path: Path, note: str):
    with holder(path):
        path.with_suffix(".writer.json").write_text(note)
        with (
            pytest.raises(StoreLocked, match="by another process"),
            writer_lock(path, "index", wait_seconds=0),
        ):
            pass


def test_an_error_inside_frees_the_lock(path: Path):
    with pytest.raises(ZeroDivisionError), writer_lock(path, "index"):
        raise ZeroDivisionError
    with writer_lock(path, "index", wait_seconds=0):
        pass
    assert not path.with_suffix(".writer.json").exists()
