"""What stands around a message: embedded with it, indexed with it, and how its day is written.

All of it comes from messages before it: what is appended later changes nothing. How much, and what of it, was measured
(benchmarks/dialogue.py): the vector gets the one message before and the speaker's name, the words those of two.
"""

from __future__ import annotations

from collections.abc import Iterator

from glassdex.reading.transcripts.history import Said

EMBEDDED_CHARACTERS = 260
"""Of the message before: with the speaker's name it stays within what a chunk's context may have."""
INDEXED_MESSAGES = 2
OPENING_CHARACTERS = 300
"""Of a message, as those after it know it."""
_STEPS = 20
"""How far back these are looked for."""
_SAID_ALOUD = frozenset({"user", "assistant", "summary"})


def embedded_context(said: Said) -> str:
    """The message before, without its speaker's name, then the own speaker's."""
    before = [said_before[:EMBEDDED_CHARACTERS] for said_before in _openings(said, 1)]
    return "\n".join([*before, *([f"{said.speaker}:"] if said.speaker else [])])


def indexed_context(said: Said) -> str:
    """The messages before, the nearest first."""
    return "\n".join(_openings(said, INDEXED_MESSAGES))


def _openings(said: Said, most: int) -> Iterator[str]:
    """Of messages before, last one first: of those that somebody said, and of a tool's result its call."""
    before = said.before
    for step in range(_STEPS):
        if before is None or most == 0:
            return
        own_call = before.role == "tool_call" and said.role == "tool_result" and step == 0
        if (before.role in _SAID_ALOUD or own_call) and not before.injected and before.opening:
            most -= 1
            yield before.opening
        before = before.before
