"""What an examination finds, and all of it together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Literal

Severity = Literal["error", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")
MAX_EXAMPLES = 5


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing. `error`: answers are missing or wrong; `warning`: there is something to do; `note`: good to know.

    `count` counts what `message` speaks of. `examples` are the first few of them. `command` is what mends it, absent
    where no command does.
    """

    code: str
    severity: Severity
    count: int
    message: str
    remedy: str
    command: str | None = None
    examples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """All findings, the worst first; `healthy` when there is nothing above a note."""

    project: str
    documents: int
    chunks: int
    store_bytes: int
    findings: tuple[Finding, ...]

    @property
    def healthy(self) -> bool:
        """Whether there is nothing to do."""
        return all(finding.severity == "note" for finding in self.findings)


def first(examples: Iterable[str]) -> tuple[str, ...]:
    """The examples that are shown."""
    return tuple(islice(examples, MAX_EXAMPLES))
