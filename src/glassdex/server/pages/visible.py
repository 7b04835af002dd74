"""Text from files on a page: nothing of it is markup, and what cannot be seen is made visible."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from markupsafe import Markup, escape

from glassdex.escaping import UNSAFE
from glassdex.model import unify_newlines

EXCERPT = 420
"""Characters of a passage that a result shows."""


def shown(text: str) -> Markup:
    """`text` as HTML: control characters, half characters and what reorders the line as `\\x1b`, set apart."""
    text = unify_newlines(text)
    parts, cursor = [], 0
    for found in UNSAFE.finditer(text):
        name = found.group().encode("unicode_escape").decode()
        parts += [escape(text[cursor : found.start()]), Markup('<span class="ctl">{}</span>').format(name)]
        cursor = found.end()
    return Markup("").join([*parts, escape(text[cursor:])])


def shown_line(text: str) -> Markup:
    """The same on one line, apart from the direction of what stands beside it."""
    return Markup("<bdi>{}</bdi>").format(shown(" ".join(text.split())))


def shown_path(text: str) -> Markup:
    """A file's name, whose blanks stay as they are."""
    return Markup("<bdi>{}</bdi>").format(shown(text.replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r")))


def marked(text: str, highlights: Sequence[tuple[int, int]]) -> Markup:
    """`text` with the stretches `highlights` (code points, ascending) marked."""
    parts, cursor = [], 0
    for start, end in highlights:
        if cursor <= start < end <= len(text):
            parts += [shown(text[cursor:start]), Markup("<mark>{}</mark>").format(shown(text[start:end]))]
            cursor = end
    return Markup("").join([*parts, shown(text[cursor:])])


def excerpt(text: str, highlights: Sequence[tuple[int, int]], room: int = EXCERPT) -> Markup:
    """At most `room` characters and a word of `text`, where most marks are, with these marked."""
    if len(text) <= room:
        return marked(text, highlights)
    starts = [0, *(max(0, start - room // 6) for start, _ in highlights)]
    best = max(starts, key=lambda at: (sum(at <= a and b <= at + room for a, b in highlights), -at))
    start, end = _after_blank(text, best), _before_blank(text, min(len(text), best + room))
    inside = [(a - start, b - start) for a, b in highlights if start <= a and b <= end]
    dots = ("…" if start else "", "…" if end < len(text) else "")
    return Markup("{}{}{}").format(dots[0], marked(text[start:end], inside), dots[1])


def _after_blank(text: str, position: int) -> int:
    return next((at for at in _near(position, 20, len(text)) if at == 0 or text[at - 1].isspace()), position)


def _before_blank(text: str, position: int) -> int:
    if position == len(text):
        return position
    return next((at for at in range(position, max(position - 20, 0), -1) if text[at].isspace()), position)


def _near(position: int, most: int, end: int) -> Iterator[int]:
    yield from range(position, min(position + most, end))
