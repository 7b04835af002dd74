"""Readers that do what no reader should, as a third party's distribution; run in real processes of their own."""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from glassdex.errors import MissingExtra, PasswordRequired, ReadError
from glassdex.model import Block, Document, Row
from glassdex.reading.protocol import ReadingOptions
from glassdex.reading.registry import discovery

if TYPE_CHECKING:
    import pytest

_ENTRY_POINTS = f"[glassdex.readers]\nhostile = {__name__}:HostileReader\nplain = {__name__}:PlainReader\n"
_served = 0


def install(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes the readers found, as if their distribution were installed; `discovery` must be cleared afterwards."""
    metadata = folder / "hostile_readers-1.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: hostile-readers\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(_ENTRY_POINTS)
    monkeypatch.syspath_prepend(str(folder))
    discovery.cache_clear()


def document(text: str, **more: object) -> Document:
    """One section with that text."""
    row = Row("section", 0, text, 0, (Block("paragraph", 0, len(text)),))
    return Document("hostile", "t", "file_name", text, (row,), metadata=dict(more))  # type: ignore[arg-type]


class StrangeError(BaseException):
    """Nobody expects it, and it cannot say what it is."""

    def __str__(self) -> str:
        raise RuntimeError("no words")


class OwnReadError(ReadError):
    """A third party's own class with arguments of its own."""

    code = "own_code"

    def __init__(self, number: int) -> None:
        super().__init__(f"number {number}", "try another", ["1", "2"])


def _loop(words: str, options: ReadingOptions) -> Document:
    while True:
        pass


def _loop_in_c(words: str, options: ReadingOptions) -> Document:
    re.match(r"(a+)+$", "a" * 60 + "b")
    raise AssertionError("unreachable")


def _swell(words: str, options: ReadingOptions) -> Document:
    held = []
    while True:
        held.append(bytearray(10_000_000))


def _leave(words: str, options: ReadingOptions) -> Document:
    os._exit(3)


def _crash(words: str, options: ReadingOptions) -> Document:
    os.kill(os.getpid(), signal.SIGSEGV)
    raise AssertionError("unreachable")


def _print(words: str, options: ReadingOptions) -> Document:
    print("printed" * 1000)
    os.write(1, b"written")
    os.system("echo said by a child")
    assert sys.stdin.read() == ""
    return document("quiet")


def _strange(words: str, options: ReadingOptions) -> Document:
    raise StrangeError


def _exit(words: str, options: ReadingOptions) -> Document:
    sys.exit("enough")


def _unpicklable(words: str, options: ReadingOptions) -> Document:
    return document("x", function=lambda: None)


def _own_error(words: str, options: ReadingOptions) -> Document:
    raise OwnReadError(7)


def _missing(words: str, options: ReadingOptions) -> Document:
    raise MissingExtra("this needs parser", "pip install 'glassdex[documents]'")


def _nothing(words: str, options: ReadingOptions) -> Document:
    return None  # type: ignore[return-value]


def _process(words: str, options: ReadingOptions) -> Document:
    return document(str(os.getpid()))


def _long(words: str, options: ReadingOptions) -> Document:
    return document("x" * int(words))


def _only_in_a_fresh_process(words: str, options: ReadingOptions) -> Document:
    if _served > 1:
        os._exit(1)
    return document("fresh")


def _locked(words: str, options: ReadingOptions) -> Document:
    if words not in options.passwords:
        raise PasswordRequired("the file is encrypted", "glassdex index --password")
    return document("opened at last")


def _tell_then_loop(words: str, options: ReadingOptions) -> Document:
    _tell(words, options)
    return _loop(words, options)


def _tell(words: str, options: ReadingOptions) -> Document:
    """Tells its process id through the named pipe, and holds that open until the process ends."""
    pipe = os.open(words, os.O_WRONLY)
    os.write(pipe, f"{os.getpid()}\n".encode())
    return document("told")


ACTIONS: dict[str, Callable[[str, ReadingOptions], Document]] = {
    "loop": _loop,
    "loop in c": _loop_in_c,
    "swell": _swell,
    "leave": _leave,
    "crash": _crash,
    "print": _print,
    "strange": _strange,
    "exit": _exit,
    "unpicklable": _unpicklable,
    "own error": _own_error,
    "missing": _missing,
    "nothing": _nothing,
    "process": _process,
    "long": _long,
    "fresh": _only_in_a_fresh_process,
    "locked": _locked,
    "tell": _tell,
    "tell then loop": _tell_then_loop,
}


class PlainReader:
    """Does what the file says, `action: words`, in the program's own process; else its text is the document."""

    name = "plain"
    version = 1
    format = "hostile"
    suffix = ".plain"

    def bid(self, path: PurePosixPath, head: bytes) -> int:
        return 90 if path.suffix == self.suffix else 0

    def read(self, path: PurePosixPath, content: bytes, options: ReadingOptions = ReadingOptions()) -> Document:
        global _served
        _served += 1
        action, _, words = content.decode().partition(": ")
        if action in ACTIONS:
            return ACTIONS[action](words, options)
        return document(content.decode())


class HostileReader(PlainReader):
    """The same in a process of its own."""

    name = "hostile"
    suffix = ".hostile"
    isolated = True
