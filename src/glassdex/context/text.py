"""How a context reads: each passage numbered, below a header that says where it stands and why it is there.

This is the very text that is printed: what could steer a terminal is visible in it, and the budget counts it.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, tzinfo

from glassdex.context.merge import Merged
from glassdex.context.packed import Reason
from glassdex.escaping import safe, safe_line, safe_path, squeezed
from glassdex.locators import described
from glassdex.search.locate import MatchedMessage
from glassdex.wording import chain

NAMES = {"lexical": "words", "dense": "meaning", "position": "place"}
SHOWN_WORDS = 6


def headed(merged: Merged, printed_in: tzinfo, *, linked: bool) -> str:
    """A passage as it is printed, without its number: the header's two lines, what it needs to be understood, itself.

    `linked`: with the link that its document came through. It ends with an empty line.
    """
    best = merged.best
    message = best.match.message
    section = " › ".join(safe_line(name) for name in merged.section)
    place = " · ".join(part for part in (_place(merged), _said(message, printed_in), section) if part)
    state = best.result.freshness.state
    doubts = [] if state == "fresh" else [state.replace("_", " ")]
    reason = best.reason if linked else replace(best.reason, linked=None)
    why = reason_text(reason, len(merged.pieces))
    lines = [place, " · ".join([safe_path(merged.pointer), *([why] if why else []), *doubts])]
    if merged.context and message is None:  # a message's is what was said before: other messages
        lines.append(f"({safe_line(merged.context)})")
    text = safe(squeezed(merged.text) if message else merged.text).strip("\n")
    return "\n".join([*lines, "", text, "", ""])


def _place(merged: Merged) -> str:
    """Where it stands; the path only where the pointer below does not say it as readably."""
    path = merged.best.result.path
    if merged.best.match.message is not None or not merged.pointer.startswith(f"{path}#"):
        return safe_path(merged.citation)
    return ", ".join(described(merged.locator)) or safe_path(merged.citation)


def numbered(number: int) -> str:
    """What stands before the header."""
    return f"[{number}] "


def reason_text(reason: Reason, chunks: int = 1) -> str:
    """In a few words: `words 2 (backup, copies), meaning 1`; the numbers are ranks."""
    shown = ", ".join(safe_line(word) for word in reason.words[:SHOWN_WORDS])
    more = len(reason.words) - SHOWN_WORDS
    words = shown + (f" and {more} more" if more > 0 else "")
    parts = []
    for leg, rank in reason.legs.items():
        said = f"{NAMES.get(leg, leg)} {rank}" if leg != "position" else "in the place that was asked for"
        parts.append(f"{said} ({words})" if leg == "lexical" and words else said)
    if words and "lexical" not in reason.legs:
        parts.append(f"has {words}")
    if reason.linked is not None:
        linked = reason.linked
        via = f" via {chain([safe_path(path) for path in linked.via], linked.via_left_out)}" if linked.via else ""
        parts.append(f"through {safe_line(linked.kind)} from {safe_path(linked.seed)}{via}")
    if chunks > 1:
        parts.append(f"{chunks} chunks")
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
