"""The process that `isolation` starts: it reads one file after another until its input ends.

What a parser prints goes nowhere, since the pipe that the program listens to is out of its reach.
"""

from __future__ import annotations

import gc
import os
import pickle
import signal
import sys
from contextlib import suppress
from pathlib import PurePosixPath
from typing import IO

from glassdex.errors import GlassdexError, ReadError
from glassdex.model import Document
from glassdex.reading.messages import OUT_OF_MEMORY, SentError, receive, send
from glassdex.reading.protocol import Limits, Reader, ReadingOptions, read_within_limits

READY = b"glassdex reads\n"
"""What the process says once it is up: another program in its place would not."""
GRACE_SECONDS = 1.0
"""How long after the time limit the system ends this process, should the one that would is gone."""
LONGEST_SECONDS = 1e6
"""More is no limit: the system's timers do not reach further everywhere."""
_SHOWN_CHARACTERS = 500
_PR_SET_PDEATHSIG = 1


def main() -> None:
    """Serves standard input and output, and ends without waiting for anything that a parser left running."""
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    _end_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the program, and the program ends this process
    _dump_no_core()
    with suppress(OSError, EOFError):
        replies.write(READY)
        replies.flush()
        serve(requests, replies)
    os._exit(0)


def serve(requests: IO[bytes], replies: IO[bytes]) -> None:
    """Answers requests until there are no more.

    Raises:
        EOFError, OSError: the other side is gone.
    """
    while True:
        request, content = receive(requests)
        reply = _reply(request, content)
        try:
            send(replies, reply)
        except OSError:
            raise
        except MemoryError:
            send(replies, OUT_OF_MEMORY)
        except Exception as error:
            send(replies, _fault(error, "the reader's document cannot be passed on: "))
        del request, content, reply


def _reply(request: bytes, content: bytes) -> Document | SentError | str:
    try:
        reader, path, options = _unpacked(request)
    except Exception as error:
        return _fault(error, "the reader cannot be had in a process of its own: ")
    try:
        _hold_to(options.limits)
        gc.disable()  # a parser makes and keeps objects by the hundred thousand, and looking through them costs a tenth
        return read_within_limits(reader, path, content, options)
    except MemoryError:
        return OUT_OF_MEMORY
    except GlassdexError as error:
        return SentError.of(error)
    except BaseException as error:  # SystemExit and the like, too: the next file must be read
        return _fault(error)
    finally:
        gc.enable()
        _alarm(0)


def _unpacked(request: bytes) -> tuple[Reader, PurePosixPath, ReadingOptions]:
    reader, path, options = pickle.loads(request)  # noqa: S301 - from the program that started this one
    return reader, path, options


def _fault(error: BaseException, before: str = "") -> SentError:
    """A reader's own fault as an error of the file."""
    try:
        words = str(error)[:_SHOWN_CHARACTERS]
    except Exception:
        words = ""
    name = type(error).__name__
    return SentError.of(ReadError(before + (f"{name}: {words}" if words else name)))


def _hold_to(limits: Limits) -> None:
    """Sets the memory that there may be, and a time after which the system itself ends this process."""
    _alarm(limits.seconds + GRACE_SECONDS)
    with suppress(ImportError, ValueError, OSError):  # not on Windows; macOS refuses
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        soft = limits.memory_bytes if hard == resource.RLIM_INFINITY else min(limits.memory_bytes, hard)
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def _alarm(seconds: float) -> None:
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, min(seconds, LONGEST_SECONDS))


def _end_with_parent() -> None:
    """Has the system end this process with the one that started it, where it can."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            import ctypes

            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _dump_no_core() -> None:
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
