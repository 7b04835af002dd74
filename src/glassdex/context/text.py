"""How a context reads: each passage numbered, below a header that says where it stands and why it is there.

This is the very text that is printed: what could steer a terminal is visible in it, and the budget counts it.
"""

from __future__ import annotations

from datetime import datetime, tzinfo

from glassdex.context.merge import Merged
from glassdex.context.packed import Reason
from glassdex.escaping import safe, safe_line, safe_path, squeezed
from glassdex.search.locate import MatchedMessage

NAMES = {"lexical": "words", "dense": "meaning", "position": "place"}
SHOWN_WORDS = 6


def headed(merged: Merged, printed_in: tzinfo) -> str:
    """A passage as it is printed, without its number: the header's two lines, what it needs to be understood, itself.

    It ends with an empty line.
    """
    best = merged.best
    message = best.match.message
    section = " › ".join(safe_line(name) for name in merged.section)
    place = " · ".join(part for part in (safe_path(merged.citation), _said(message, printed_in), section) if part)
    state = best.result.freshness.state
    doubts = [] if state == "fresh" else [state.replace("_", " ")]
    lines = [place, " · ".join([safe_path(merged.pointer), reason_text(best.reason, len(merged.pieces)), *doubts])]
    if merged.context and message is None:  # a message's is what was said before: other messages
        lines.append(f"({safe_line(merged.context)})")
    text = safe(squeezed(merged.text) if message else merged.text).strip("\n")
    return "\n".join([*lines, "", text, "", ""])


def numbered(number: int) -> str:
    """What stands before the header."""
    return f"[{number}] "


def reason_text(reason: Reason, chunks: int = 1) -> str:
    """In a few words: `words 2 (backup, copies), meaning 1`; the numbers are ranks."""
    parts = []
    for leg, rank in reason.legs.items():
        parts.append(f"{NAMES.get(leg, leg)} {rank}" if leg != "position" else "in the place that was asked for")
    if reason.linked is not None:
        linked = reason.linked
        via = f" via {', '.join(safe_path(path) for path in linked.via)}" if linked.via else ""
        parts.append(f"through {safe_line(linked.kind)} from {safe_path(linked.seed)} ({linked.route}{via})")
    if reason.words:
        shown = ", ".join(safe_line(word) for word in reason.words[:SHOWN_WORDS])
        more = len(reason.words) - SHOWN_WORDS
        parts.append(f"has {shown}" + (f" and {more} more" if more > 0 else ""))
    if chunks > 1:
        parts.append(f"{chunks} neighbouring chunks")
    return ", ".join(parts)


def _said(message: MatchedMessage | None, printed_in: tzinfo) -> str:
    """Who said it and when."""
    if message is None:
        return ""
    said = message.message
    who = said.speaker or " ".join(part for part in (said.role.replace("_", " "), said.tool) if part)
    return safe_line(" · ".join(part for part in (who, _moment(said.sent_at, printed_in)) if part))


def _moment(seconds: float | None, printed_in: tzinfo) -> str:
    if seconds is None:
        return ""
    try:
        return f"{datetime.fromtimestamp(seconds, printed_in):%Y-%m-%d %H:%M}"
    except (ValueError, OverflowError, OSError):  # a time that no calendar has
        return ""
