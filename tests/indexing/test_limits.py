"""Files that hang, swell or kill their reader in a real run: each is its own error, and the rest is indexed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from glassdex.analysis import analyzer
from glassdex.indexing import read as indexing_read
from glassdex.indexing.progress import NoProgress
from glassdex.indexing.run import IndexReport, IndexRun
from glassdex.reading.protocol import Limits, ReadingOptions
from glassdex.reading.registry import discovery
from tests.cli.running import command, environment
from tests.indexing.runs import MAX_BYTES, Vault
from tests.reading import hostile_readers

ROOT = Path(__file__).resolve().parents[2]
TIGHT = ReadingOptions(limits=Limits(seconds=4.0, memory_bytes=400 * 1024 * 1024, characters=100_000))
"""Enough time for good files on a busy machine."""
SOON = ReadingOptions(limits=Limits(seconds=0.2))


@pytest.fixture(autouse=True)
def readers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    hostile_readers.install(tmp_path / "site", monkeypatch)
    yield
    discovery.cache_clear()


def index(vault: Vault, options: ReadingOptions = TIGHT, progress: NoProgress | None = None) -> IndexReport:
    with vault.store.lock("index"):
        return IndexRun(vault.store, analyzer(), vault.embedder, MAX_BYTES, progress, options).run(embed=False)


def children() -> set[int]:
    """The processes that this one started and that are there, or were not waited for."""
    listed = subprocess.run(["ps", "-o", "pid=,comm=", "--ppid", str(os.getpid())], capture_output=True, check=False)
    lines = [line.split() for line in listed.stdout.decode().splitlines()]
    return {int(pid) for pid, name in lines if name != "ps"}


def test_every_bad_file_is_its_own_error_and_the_rest_is_indexed(vault: Vault) -> None:
    before = children()
    bad = {
        "loop": "limit_exceeded",
        "leave": "read_failed",
        "crash": "read_failed",
        "strange": "read_failed",
        "exit": "read_failed",
        "unpicklable": "read_failed",
        "own error": "own_code",
        "long: 100001": "limit_exceeded",
    }
    if sys.platform == "linux":
        bad["swell"] = "limit_exceeded"
    vault.write({f"{number}.hostile": how for number, how in enumerate(bad)})
    vault.write({f"{number}b.hostile": "print" for number in range(3)})
    vault.write({f"{number}c.hostile": f"good {number}" for number in range(3)})
    vault.write({"a.md": "owls\n", "z.md": "bees\n"})
    report = index(vault)
    codes = {failure.path: failure.code for failure in report.failures}
    assert codes == {f"{number}.hostile": code for number, code in enumerate(bad.values())}
    texts = {text for chunks in vault.texts().values() for text in chunks}
    assert texts == {"quiet", "good 0", "good 1", "good 2", "owls", "bees"}
    with vault.store.read() as snapshot:
        stored = {file.path: file.error_code for file in snapshot.files() if file.write_status == "failed"}
    assert stored == codes
    assert children() == before


def test_a_file_that_was_a_bomb_is_read_by_the_next_run_once_it_is_none(vault: Vault) -> None:
    vault.write({"a.hostile": "loop"})
    assert [failure.code for failure in index(vault, SOON).failures] == ["limit_exceeded"]
    vault.write({"a.hostile": "words"})
    assert index(vault).failures == []
    assert vault.texts() == {"a.hostile": ["words"]}


def test_a_bomb_keeps_what_the_file_said_before(vault: Vault) -> None:
    vault.write({"a.hostile": "words"})
    index(vault)
    vault.write({"a.hostile": "loop"})
    assert len(index(vault, SOON).failures) == 1
    assert vault.texts() == {"a.hostile": ["words"]}


def test_slow_files_hold_back_neither_progress_nor_publishing(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    class Told(NoProgress):
        def __init__(self) -> None:
            self.done: list[tuple[int, int]] = []

        def published(self, done: int, total: int) -> None:
            self.done.append((done, total))

    monkeypatch.setattr(indexing_read, "GROUP_SECONDS", 0.0)
    vault.write({f"{number}.hostile": "words" for number in range(3)})
    told = Told()
    index(vault, progress=told)
    assert told.done == [(1, 3), (2, 3), (3, 3)]


def test_an_interrupt_ends_the_file_that_is_being_read(vault: Vault, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    vault.write({"a.md": "owls\n", "b.hostile": f"tell then loop: {tmp_path / 'pipe'}", "c.md": "bees\n"})
    home = tmp_path / "home"
    path = os.pathsep.join([str(tmp_path / "site"), str(ROOT), str(ROOT / "src")])
    program = subprocess.Popen(
        command("index", str(vault.root), "--no-embed"),
        cwd=tmp_path,
        env=environment(home, PYTHONPATH=path),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    with (tmp_path / "pipe").open() as pipe:
        pipe.readline()
        os.killpg(program.pid, signal.SIGINT)  # as a terminal does: the reader's process gets it, too
        try:
            _, err = program.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            os.killpg(program.pid, signal.SIGKILL)
            program.communicate()
            raise
        assert pipe.read() == "", "the reader's process is gone"
    assert program.returncode == 130, err.decode()
    assert b"interrupted; the next run goes on from there" in err
    assert b"Traceback" not in err
