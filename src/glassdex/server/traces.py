"""The traces of the last searches, in memory."""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict

from glassdex.errors import TraceNotFound
from glassdex.inspection.execution import Execution

KEPT = 256


class Traces:
    """Keeps executions by an id that cannot be guessed; the oldest goes first. Safe to share between threads."""

    def __init__(self, kept: int = KEPT) -> None:
        self._kept = kept
        self._guard = threading.Lock()
        self._executions: OrderedDict[str, Execution] = OrderedDict()

    def keep(self, execution: Execution) -> str:
        """The id under which the execution's trace can be asked for."""
        name = secrets.token_hex(12)
        with self._guard:
            self._executions[name] = execution
            while len(self._executions) > self._kept:
                self._executions.popitem(last=False)
        return name

    def execution(self, name: str) -> Execution:
        """The execution of that id.

        Raises:
            TraceNotFound: there is none, or not any more.
        """
        with self._guard:
            found = self._executions.get(name)
        if found is None:
            raise TraceNotFound(
                f"no trace is kept under {name[:80]!r}", f"the last {self._kept} searches have one; search again"
            )
        return found
