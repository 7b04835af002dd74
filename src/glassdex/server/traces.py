"""The traces of the last searches, in memory."""

from __future__ import annotations

import pickle
import secrets
import threading
from collections import OrderedDict
from dataclasses import fields

from glassdex.errors import TraceNotFound
from glassdex.search.engine import Execution

KEPT = 256


class Traces:
    """Keeps executions by an id that cannot be guessed; the oldest goes first. Safe to share between threads.

    Packed, since an execution has thousands of objects: as they are, 256 take four times the memory, and every garbage
    collection would look at all of them. Making the trace's JSON in advance would cost as much as the search.
    """

    def __init__(self, kept: int = KEPT) -> None:
        self._kept = kept
        self._guard = threading.Lock()
        self._packed: OrderedDict[str, bytes] = OrderedDict()

    def keep(self, execution: Execution) -> str:
        """The id under which the execution's trace can be asked for."""
        name = secrets.token_hex(12)
        # The facts alone: what `Project.search` gives also has a way back to the project.
        bare = Execution(**{part.name: getattr(execution, part.name) for part in fields(Execution)})
        packed = pickle.dumps(bare, pickle.HIGHEST_PROTOCOL)
        with self._guard:
            self._packed[name] = packed
            while len(self._packed) > self._kept:
                self._packed.popitem(last=False)
        return name

    def execution(self, name: str) -> Execution:
        """The execution of that id.

        Raises:
            TraceNotFound: there is none, or not any more.
        """
        with self._guard:
            packed = self._packed.get(name)
        if packed is None:
            raise TraceNotFound(
                f"no trace is kept under {name[:80]!r}", f"the last {self._kept} searches have one; search again"
            )
        execution = pickle.loads(packed)  # noqa: S301 - packed above, and never outside of this process
        assert isinstance(execution, Execution)
        return execution
