"""What stands around a message: embedded with it, and indexed with it.

All of it comes from messages before it: what is appended later changes nothing. How much, and what of it, was measured
(benchmarks/dialogue.py): the vector gets the one message before and the speaker's name, the words those of two.
"""

from __future__ import annotations

from glassdex.reading.transcripts.history import Said

EMBEDDED_CHARACTERS = 260
"""Of the message before: with the speaker's name it stays within what a chunk's context may have."""
OPENING_CHARACTERS = 300
"""Of a message, as those after it know it."""


def embedded_context(said: Said) -> str:
    """The message before, without its speaker's name, then the own speaker's."""
    before = [opening[:EMBEDDED_CHARACTERS] for opening in said.preceding[:1]]
    return "\n".join([*before, *([f"{said.speaker}:"] if said.speaker else [])])


def indexed_context(said: Said) -> str:
    """The messages before, the nearest first."""
    return "\n".join(said.preceding)
