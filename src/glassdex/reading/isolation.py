"""Reading in a process of its own: a file that loops, swells or crashes its parser is that file's error.

A reader asks for it with the class attribute `isolated = True`. The process is an interpreter of its own, not a fork
(threads and locks of the program would come along) and not `multiprocessing` (which runs the user's script again).
It reads one file after another; it is ended and replaced when a file takes too long, too much memory, or kills it.
It is no sandbox: the parser has the rights of the user.
"""

from __future__ import annotations

import logging
import math
import pickle
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import PurePosixPath
from types import TracebackType
from typing import IO, Self

from glassdex.errors import GlassdexError, LimitExceeded, ReadError
from glassdex.model import Document
from glassdex.reading.messages import OUT_OF_MEMORY, SentError, receive, send
from glassdex.reading.protocol import Limits, Reader, ReadingOptions, read_within_limits
from glassdex.reading.worker import LONGEST_SECONDS, READY

START_SECONDS = 60.0
"""How long a new process may take until it is ready: an interpreter's start on a busy machine."""
# Not `-m`: that looks for Glassdex in the child's own path, which begins with the current folder and may lack ours.
_PROGRAM = "import sys; sys.path[:] = sys.argv[1:]; from glassdex.reading.worker import main; main()"

_log = logging.getLogger(__name__)
_here = threading.Lock()
"""Held while an isolated reader runs in this process after all: not every parser bears two threads."""


class ReadingProcess:
    """The process for isolated readers, started when the first file needs it; a context manager.

    Any thread may call `close`, also while another is in `read`, which then ends with a `ReadError`.
    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._watch = _Watch()
        self._available: bool | None = None
        """Whether a process can be had here at all; not known before the first."""
        self.closed = False

    @property
    def pid(self) -> int | None:
        """The process's id while there is one."""
        return None if self._process is None else self._process.pid

    def read(self, reader: Reader, path: PurePosixPath, content: bytes, options: ReadingOptions) -> Document:
        """What `reader.read` makes of the file, or the error that it ends with.

        A file is judged by what it does to a fresh process: when one that has read others runs out of memory or
        ends, the file is read once more.

        Raises:
            LimitExceeded: it took too long or too much memory.
            ReadError: the process ended, or the reader raised what it should not.
            GlassdexError: what the reader raised.
        """
        with self._lock:
            if self._available is not False:
                used = self._process is not None
                try:
                    return self._ask(reader, path, content, options)
                except _NoProcess as error:
                    if self.closed or self._available:  # a machine short of processes has no limits to give up
                        raise error.error from None
                    self._available = False
                    _log.warning("files are read without limits of time and memory: %s", error)
                except _Lost as lost:
                    if not used or self.closed:
                        raise lost.error from None
                    return self._ask_again(reader, path, content, options)
        with _here:
            return read_within_limits(reader, path, content, options)

    def close(self) -> None:
        """Ends the process, whatever it is at."""
        self.closed = True
        process = self._process
        if process is not None:
            process.kill()
        with self._lock:
            self._discard()
            self._watch.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _ask_again(self, reader: Reader, path: PurePosixPath, content: bytes, options: ReadingOptions) -> Document:
        try:
            return self._ask(reader, path, content, options)
        except (_Lost, _NoProcess) as lost:
            raise lost.error from None

    def _ask(self, reader: Reader, path: PurePosixPath, content: bytes, options: ReadingOptions) -> Document:
        process = self._running()
        try:
            reply = _exchange(self._watch, process, (reader, path, options), content, options.limits)
        except BaseException:  # an interrupt, too: what comes out of this pipe next would be this file's
            self._discard()
            raise
        if isinstance(reply, Document):
            return reply
        if isinstance(reply, SentError):
            raise reply.restored()
        assert reply == OUT_OF_MEMORY
        self._discard()
        raise _Lost(_too_much_memory(options.limits))

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is not None and self._process.poll() is not None:
            self._discard()
        if self._process is None and not self.closed:
            self._process = _started()
            try:
                _await_ready(self._watch, self._process)
            except BaseException:
                self._discard()
                raise
            self._available = True
        if self.closed:  # whoever closed may have looked before the process was there
            self._discard()
            raise ReadError("reading was stopped")
        assert self._process is not None
        return self._process

    def _discard(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                with suppress(OSError):
                    if pipe is not None:
                        pipe.close()


class _NoProcess(Exception):
    """No process can be had here."""

    @property
    def error(self) -> GlassdexError:
        return ReadError(f"no process to read the file in: {self}", "index again")


class _Lost(Exception):
    """The process is of no more use: it ended, or has no memory left."""

    def __init__(self, error: GlassdexError) -> None:
        super().__init__(error.message)
        self.error = error


class _Watch:
    """Kills a process that is at a file for too long.

    One thread for all files, which sleeps on while they end in time: a thread for each would cost more than passing
    a small file on does.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._due = self._wakes = math.inf
        self._passed = False
        self._stopped = False

    def begin(self, process: subprocess.Popen[bytes], seconds: float) -> None:
        """From now on the process has so many seconds."""
        with self._changed:
            self._process, self._passed = process, False
            self._due = time.monotonic() + min(seconds, LONGEST_SECONDS)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="glassdex-watch", daemon=True)
                self._thread.start()
            elif self._due < self._wakes:
                self._changed.notify()

    def end(self) -> bool:
        """Leaves the process alone; whether it was killed."""
        with self._changed:
            self._process, self._due = None, math.inf
            return self._passed

    def stop(self) -> None:
        """Ends the thread."""
        with self._changed:
            self._stopped = True
            self._changed.notify()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        with self._changed:
            while not self._stopped:
                left = self._due - time.monotonic()
                if self._process is not None and left <= 0:
                    self._process.kill()
                    self._process, self._due, self._passed = None, math.inf, True
                else:
                    self._wakes = self._due
                    self._changed.wait(None if left == math.inf else left)


def _started() -> subprocess.Popen[bytes]:
    if getattr(sys, "frozen", False) or not sys.executable:
        raise _NoProcess("this program has no interpreter of its own to start")
    flags = ["-I"] if sys.flags.isolated else ["-P"]
    path = [entry for entry in sys.path if isinstance(entry, str)]
    try:
        return subprocess.Popen(  # noqa: S603 - our own interpreter
            [sys.executable, *flags, "-c", _PROGRAM, *path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
    except OSError as error:
        raise _NoProcess(error.strerror or str(error)) from error


def _await_ready(watch: _Watch, process: subprocess.Popen[bytes]) -> None:
    _, replies = _pipes(process)
    watch.begin(process, START_SECONDS)
    try:
        # What the interpreter's own start prints (a sitecustomize) may stand before it.
        ready = any(line.endswith(READY) for line in iter(replies.readline, b""))
    finally:
        watch.end()
    if not ready:
        raise _NoProcess(f"{sys.executable} does not start as a reader")


def _exchange(
    watch: _Watch, process: subprocess.Popen[bytes], request: object, content: bytes, limits: Limits
) -> object:
    requests, replies = _pipes(process)
    reply = None
    watch.begin(process, limits.seconds)
    try:
        send(requests, request, content)
        reply, _ = receive(replies)
    except (EOFError, OSError):
        pass  # the process is gone; below is said why
    except (pickle.PicklingError, TypeError, AttributeError) as error:
        raise ReadError(f"the reader cannot be sent to a process of its own: {error}") from error
    finally:
        passed = watch.end()
    if reply is not None:  # be it that it was killed the moment it had answered: the next file gets another
        return pickle.loads(reply)  # noqa: S301 - from our own process
    code = process.wait()
    if passed or code == -getattr(signal, "SIGALRM", 0):
        raise LimitExceeded(
            f"reading took more than {limits.seconds:g} s, the limit for one file",
            "leave the file out with a line in .glassdexignore, or split it",
        )
    raise _Lost(_ended(code, limits))


def _pipes(process: subprocess.Popen[bytes]) -> tuple[IO[bytes], IO[bytes]]:
    assert process.stdin is not None
    assert process.stdout is not None
    return process.stdin, process.stdout


def _ended(code: int, limits: Limits) -> ReadError:
    how = f"signal {-code}" if code < 0 else f"exit code {code}"
    with suppress(ValueError):
        how = f"{how}, {signal.Signals(-code).name}" if code < 0 else how
    return ReadError(
        f"the reader's process ended ({how}) while reading the file",
        f"the file may be damaged, or need more than {_gigabytes(limits.memory_bytes)} of memory",
    )


def _too_much_memory(limits: Limits) -> LimitExceeded:
    return LimitExceeded(
        f"reading needs more than {_gigabytes(limits.memory_bytes)} of memory, the limit for one file",
        "leave the file out with a line in .glassdexignore, or split it",
    )


def _gigabytes(size: int) -> str:
    return f"{size / 1024**3:.3g} GiB"
