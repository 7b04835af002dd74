"""The stages' letters, for people who cannot tell colours, and a trace's stages as chips."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from glassdex.envelopes.trace import StagePart, Trace

LETTERS = {
    "lexical": "L",
    "dense": "D",
    "fuse": "F",
    "feedback": "P",
    "neighborhood": "N",
    "weight": "W",
    "graph": "G",
    "rerank": "R",
    "diversify": "M",
}
"""As the command line has them. The style sheet has a colour for each, under `.stage-NAME`."""
_COUNTED = {
    "lexical": "returned",
    "dense": "returned",
    "weight": "weighted",
    "rerank": "reranked",
    "diversify": "diversified",
}


@dataclass(frozen=True, slots=True)
class Chip:
    """A stage in the bar: its figure, and all that is known of it in words."""

    name: str
    letter: str
    figure: str
    words: str
    beside: bool
    """It ran beside the one before, not after it."""


def chips(trace: Trace) -> Iterator[Chip]:
    """The stages that say something, in their order."""
    for stage in trace.stages:
        figure = _figure(stage)
        if figure is not None:
            yield Chip(stage.name, LETTERS.get(stage.name, ""), figure, _words(stage), stage.name == "dense")


def _figure(stage: StagePart) -> str | None:
    """What the stage counts of its work; nothing where it has nothing to say."""
    measured = stage.measured or {}
    if stage.name in _COUNTED:
        return f"{measured.get(_COUNTED[stage.name], 0):,}"
    if stage.name == "rewrite":
        return ", ".join(f"+{count} {unit}" for unit, count in measured.items() if count) or None
    if stage.name == "graph":
        return f"+{measured.get('documents_added', 0):,} ↑{measured.get('documents_lifted', 0):,}"
    idle = {"complete": True, "feedback": not measured, "threshold": not stage.dropped}
    return None if idle.get(stage.name) else f"{measured.get('documents', stage.left):,}"


def _words(stage: StagePart) -> str:
    dropped = ", ".join(f"{reason.replace('_', ' ')} {count:,}" for reason, count in stage.dropped.items())
    counts = f"{stage.name}: in {stage.entered:,} · added {stage.added:,} · out {stage.left:,}"
    return f"{counts} · dropped {dropped or '0'} · {stage.ms:.1f} ms"
