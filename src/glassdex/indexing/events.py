"""Whether something changed below the root folders: told by the system, or found by looking where it cannot tell.

What changed is not asked: a run finds that by itself, and misses nothing that an event would have left out.
"""

from __future__ import annotations

import os
import platform
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from glassdex.errors import GlassdexError, MissingExtra, UnavailableError
from glassdex.indexing.ignore import IGNORE_FILES, IgnoreRules, default_rules, folder_rules, ignoring_rule
from glassdex.indexing.scan import Scan
from glassdex.storage.records import RootRecord

if TYPE_CHECKING:
    from watchfiles._rust_notify import RustNotify

QUIET_MS = 50
"""A burst is over once nothing new came for so long."""
BURST_MS = 800
"""A burst that does not end is taken as far as it came."""
POLL_SECONDS = 1.0
_POLL_SHARE = 4
"""Looking at all files takes at most a fifth of the time."""
_STOP_SECONDS = 0.1
_ADDED = 1
"""The number that watchfiles gives a new file or folder."""


class ChangesLost(Exception):
    """The system does not tell any more; what changed since is not known."""


class Changes(Protocol):
    """Where a watcher hears of changes."""

    def wait(self, seconds: float) -> bool:
        """Whether something changed since the last call; waits so long for it, 0: not at all.

        Raises:
            ChangesLost: it must be made anew.
        """
        ...

    def close(self) -> None:
        """Ends the watching."""
        ...


def require_watchfiles() -> None:
    """Watching needs the extra `watch`.

    Raises:
        MissingExtra: it is not installed.
    """
    try:
        import watchfiles  # noqa: F401
    except ImportError as error:
        raise MissingExtra("watching folders needs watchfiles", "pip install 'glassdex[watch]'") from error


def watch_roots(
    roots: Sequence[RootRecord], max_bytes: int, stop: threading.Event, own_folder: str | None
) -> tuple[Changes, GlassdexError | None]:
    """Watches the root folders, by looking at all files where the system cannot tell; then also why, if it should.

    `own_folder` holds the stores: what is written there is our own doing.
    """
    if _must_poll():
        return PolledChanges(roots, max_bytes, stop), None
    from watchfiles._rust_notify import WatchfilesRustInternalError

    try:
        return NotifiedChanges([root.path for root in roots], stop, own_folder), None
    except (OSError, WatchfilesRustInternalError) as error:
        problem = UnavailableError(
            "the system does not watch so many folders: files are looked at every second instead, which takes more of"
            f" the processor ({str(error).partition(' about ')[0].rstrip('.')})",
            "let it watch more, on Linux: sudo sysctl fs.inotify.max_user_watches=1048576"
            " fs.inotify.max_user_instances=1024, then start this again",
        )
        return PolledChanges(roots, max_bytes, stop), problem


def _must_poll() -> bool:
    """Whether watchfiles would poll, too: where the user says so, and where Linux does not hear what Windows writes."""
    forced = os.environ.get("WATCHFILES_FORCE_POLLING")
    if forced:
        return forced.lower() not in ("false", "disable", "disabled")
    return "microsoft-standard" in platform.release().lower()


class NotifiedChanges:
    """Changes that the system tells of."""

    def __init__(self, roots: Sequence[str], stop: threading.Event, own_folder: str | None) -> None:
        self._roots = roots
        self._stop = stop
        self._own_folder = own_folder
        self._defaults = default_rules()
        self._appeared = False
        """Whether folders appeared when it was last asked."""
        self._notify = _notify(roots)
        try:
            self._refuse_limit()
        except BaseException:
            self._notify.close()
            raise

    def wait(self, seconds: float) -> bool:
        """See `Changes`."""
        events = self._gather(QUIET_MS if seconds else 1, max(1, round(seconds * 1000)))
        if events and not seconds:
            events |= self._gather(QUIET_MS, 1)
        paths = [path for change, path in events if change == _ADDED]
        appeared = any(os.path.isdir(path) for path in paths)  # noqa: PTH112
        if appeared or self._appeared:  # once more after a while: the first time they may not all be watched yet
            try:
                self._refuse_limit()
            except (OSError, RuntimeError) as error:
                raise ChangesLost from error
        self._appeared = appeared
        return self._matters(path for _, path in events)

    def close(self) -> None:
        """See `Changes`."""
        self._notify.close()

    def _gather(self, quiet_ms: int, wait_ms: int) -> set[tuple[int, str]]:
        from watchfiles._rust_notify import WatchfilesRustInternalError

        try:
            events = self._notify.watch(BURST_MS, quiet_ms, wait_ms, self._stop)
        except WatchfilesRustInternalError as error:  # for one a file name that is no Unicode; it keeps saying so
            raise ChangesLost from error
        if events == "signal":
            raise KeyboardInterrupt
        return set() if isinstance(events, str) else events

    def _refuse_limit(self) -> None:
        """Folders beyond the system's limit are passed over in silence; where it is reached, one more is refused."""
        for root in self._roots:
            if os.access(root, os.R_OK | os.X_OK):
                _notify([root], probing=True).close()
                return

    def _matters(self, paths: Iterable[str]) -> bool:
        left_out = {root: LeftOut(root, self._defaults) for root in self._roots}
        return any(self._path_matters(path, left_out) for path in paths)

    def _path_matters(self, path: str, left_out: dict[str, LeftOut]) -> bool:
        roots = [root for root in self._roots if _within(path, root)]
        own = self._own_folder
        if own is not None and _within(path, own):
            roots = [root for root in roots if _within(root, own)]
        return any(not left_out[root].holds(path) for root in roots)


class LeftOut:
    """Which paths below a root the rules leave out. What it has read of a folder's rules, it keeps."""

    def __init__(self, root: str, defaults: IgnoreRules) -> None:
        self._root = root
        self._rules: dict[str, list[IgnoreRules] | None] = {"": [defaults, *folder_rules(root, "")]}

    def holds(self, path: str) -> bool:
        """Whether a file or folder, an absolute path, is left out."""
        inside = os.path.relpath(path, self._root).replace(os.sep, "/")
        if inside == ".":
            return False
        above: list[IgnoreRules] | None = None
        for base in _bases(inside):
            above = self._of(base, above)
            if above is None:
                return True
        if os.path.basename(path) in IGNORE_FILES:  # noqa: PTH119 - what they change matters, whoever ignores them
            return False
        assert above is not None
        return ignoring_rule(f"{inside}/" if os.path.isdir(path) else inside, above) is not None  # noqa: PTH112

    def _of(self, base: str, above: list[IgnoreRules] | None) -> list[IgnoreRules] | None:
        if base not in self._rules:
            assert above is not None
            folder = f"{self._root}/{base}"
            left_out = os.path.islink(folder[:-1]) or ignoring_rule(base, above) is not None  # noqa: PTH114
            self._rules[base] = None if left_out else above + folder_rules(folder, base)
        return self._rules[base]


class PolledChanges:
    """Changes that looking at every file finds, by the rules of a scan.

    Not what watchfiles would do: it compares whole seconds, and misses the second change within one.
    """

    def __init__(self, roots: Sequence[RootRecord], max_bytes: int, stop: threading.Event) -> None:
        self._roots = roots
        self._max_bytes = max_bytes
        self._stop = stop
        self._seen = self._look()
        self._next = time.monotonic() + POLL_SECONDS

    def wait(self, seconds: float) -> bool:
        """See `Changes`."""
        deadline = time.monotonic() + seconds
        while True:
            started = time.monotonic()
            if started >= self._next:
                before, self._seen = self._seen, self._look()
                now = time.monotonic()
                self._next = now + max(POLL_SECONDS, _POLL_SHARE * (now - started))
                if before != self._seen:
                    return True
            left = deadline - time.monotonic()
            if left <= 0 or self._stop.is_set():
                return False
            time.sleep(min(left, _STOP_SECONDS))

    def close(self) -> None:
        """See `Changes`."""

    def _look(self) -> int:
        return hash(
            frozenset(
                (root.id, file.raw_path, file.stat)
                for root in self._roots
                for file in Scan(root, self._max_bytes).files()
            )
        )


def _notify(roots: Sequence[str], *, probing: bool = False) -> RustNotify:
    # The backend itself, not `watchfiles.watch`: that one waits as long each time, and between slices of embedding
    # nobody should. A folder that may not be read is no reason to watch none.
    from watchfiles._rust_notify import RustNotify

    return RustNotify(list(roots), False, False, 0, not probing, not probing)


def _bases(inside: str) -> Iterator[str]:
    """The folders above a path, outermost first: '', 'a/', 'a/b/'."""
    yield ""
    end = inside.find("/")
    while end >= 0:
        yield inside[: end + 1]
        end = inside.find("/", end + 1)


def _within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def own_folder(store_path: Path | None) -> str | None:
    """The folder where a store lies, as events name it."""
    return None if store_path is None else os.path.realpath(store_path.parent)
