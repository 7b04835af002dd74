"""Lines → paragraphs: where one ends, and how its lines are put together."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise

from glassdex.reading.pdf.lines import Line

_CLOSING = "\"'”’»)]』」）】"
_ENDS = frozenset(".!?:;…。！？：；")
_MARK = re.compile(
    r"[•◦▪▸‣●○■–—*·-]\s|\(?\d{1,3}[.)]\s|\[\d{1,3}\]\s|\(?[a-z][.)]\s"
    r"|第[一二三四五六七八九十百]+[章节条]|[（(]?[一二三四五六七八九十百]+[)）、]|[（(]?\d{1,3}[）、]"
)
_HYPHENS = "-\u2010\u00ad"
_LEADERS = "...."
_FIRST_CJK = "\u2e80"
_CJK = re.compile("[\u2e80-\u9fff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef\U00020000-\U0003ffff]")
_USUAL_LEADING = 1.2
"""Distance of baselines in font sizes, where a page does not tell."""
_FEWEST_LEADINGS = 12


class Seam(Enum):
    """How a line follows the one before."""

    FLOW = "within a sentence"
    LINE = "on a line of its own"
    BLOCK = "in another paragraph"


@dataclass(slots=True)
class Paragraph:
    """Lines with the page that each stands on; `seams[n]` joins the line `n` with the next."""

    pages: list[int]
    lines: list[Line]
    seams: list[Seam]
    is_full: bool = True
    """Whether its last line reaches the edge of its column."""
    is_indented: bool = False
    """Whether its first line begins further in than its column."""


@dataclass(frozen=True, slots=True)
class _Column:
    """Lines below each other; its edges, as most lines have them."""

    left: float
    right: float


def paragraphs_of(page: int, lines: Sequence[Line], leadings: Sequence[float], usual_leading: float) -> list[Paragraph]:
    """The paragraphs of a page's lines, which are in reading order and have these leadings."""
    columns = _columns(lines)
    leading = typical(leadings) if len(leadings) >= _FEWEST_LEADINGS else usual_leading
    found: list[Paragraph] = []
    for at, line in enumerate(lines):
        column = columns[at]
        indented = line.left > column.left + 0.8 * line.size
        seam = _seam(found[-1], line, columns[at - 1], column, leading) if found else Seam.BLOCK
        if seam is Seam.BLOCK:
            found.append(Paragraph([page], [line], [], is_indented=indented))
        else:
            paragraph = found[-1]
            paragraph.pages.append(page)
            paragraph.lines.append(line)
            paragraph.seams.append(seam)
        found[-1].is_full = line.right > column.right - 4 * line.size
    return found


def leadings_of(lines: Sequence[Line]) -> list[float]:
    """Distances of the baselines of lines below each other, in font sizes."""
    found = []
    for before, line in pairwise(lines):
        distance = (before.base - line.base) / line.size
        if 0.8 < distance < 2.5 and before.size == line.size and before.left < line.right and line.left < before.right:
            found.append(distance)
    return found


def typical(leadings: Sequence[float]) -> float:
    """Rather a close one of them: paragraphs stand further apart than lines."""
    return sorted(leadings)[len(leadings) // 3] if leadings else _USUAL_LEADING


def continues(before: Paragraph, after: Paragraph) -> bool:
    """Whether a paragraph that ends a page or column goes on with the next one's first."""
    return _goes_on(before.lines[-1], after.lines[0], before.is_full, after.is_indented)


def joint(before: Line, after: Line, seam: Seam) -> tuple[int, str]:
    """Change of the first line's length (a hyphen lost or shown) and what stands between the two."""
    if seam is Seam.LINE:
        return int(before.hyphen), "\n"
    last, first = before.text[-1], after.text[0]
    if before.hyphen:
        return 0 if first.islower() else 1, ""
    if last in _HYPHENS and before.text[-2:-1].isalnum():
        return -1 if _is_broken_word(before, after) or last == "\u00ad" else 0, ""
    if before.base - after.base < 0.5 * after.size and -after.size < after.left - before.right < 0.2 * after.size:
        return 0, ""  # a superscript, or what follows one
    return 0, "" if _is_cjk(last) and _is_cjk(first) else " "


def _columns(lines: Sequence[Line]) -> list[_Column]:
    columns: list[_Column] = []
    first = 0
    for at in range(1, len(lines) + 1):
        if at == len(lines) or not _is_below(lines[at - 1], lines[at]):
            stack = lines[first:at]
            lefts, rights = sorted(line.left for line in stack), sorted(line.right for line in stack)
            last = len(stack) - 1
            columns += [_Column(lefts[last // 10], rights[last - last // 10])] * len(stack)
            first = at
    return columns


def _is_below(before: Line, after: Line) -> bool:
    return after.base < before.base and before.left < after.right and after.left < before.right


def _seam(paragraph: Paragraph, line: Line, column_before: _Column, column: _Column, leading: float) -> Seam:
    before = paragraph.lines[-1]
    if before.heading != line.heading or before.angle != line.angle or before.running or line.running:
        return Seam.BLOCK
    if before.heading or _is_beside(before, line):
        return Seam.FLOW
    down = before.base - line.base
    size = max(before.size, line.size)
    if not _is_below(before, line):
        if _goes_on(before, line, paragraph.is_full, line.left > column.left + 0.8 * size):
            return Seam.FLOW
        return Seam.LINE if abs(down) < 2 * leading * size else Seam.BLOCK
    if abs(before.size - line.size) > 0.13 * size or down > 1.3 * leading * size:
        return Seam.BLOCK
    return _seam_below(paragraph, line, column_before)


def _is_beside(before: Line, line: Line) -> bool:
    """Whether both are one line of the page: cell by cell, or around a superscript."""
    size = line.size if line.size > before.size else before.size
    return (
        line.left >= before.right - 0.3 * size
        and abs(before.base - line.base) < 0.6 * size
        and before.bottom < line.top
        and line.bottom < before.top
    )


def _seam_below(paragraph: Paragraph, line: Line, column: _Column) -> Seam:
    """Of a line at the usual distance below the one before, in its size."""
    before = paragraph.lines[-1]
    is_short = _fitted(before, line, column)
    is_ended = _is_ended(before)
    if (is_short or is_ended) and _begins_anew(paragraph, line):
        return Seam.BLOCK
    if before.bold != line.bold and (is_short or (is_ended and line.bold)):
        return Seam.BLOCK
    if (before.has_cells or line.has_cells) and not before.hyphen:
        return Seam.LINE
    if not is_short or (not is_ended and (line.text[0].islower() or _is_wrapped_cell(before, line))):
        return Seam.LINE if _LEADERS in before.text else Seam.FLOW
    return Seam.BLOCK if is_ended else Seam.LINE


def _begins_anew(paragraph: Paragraph, line: Line) -> bool:
    """Whether a line is marked as an item, is indented, or stands out where the lines above it hang."""
    before = paragraph.lines[-1]
    if _MARK.match(line.text):
        return True
    shift = (line.left - before.left) / line.size
    if shift > 0.8:
        return not _MARK.match(before.text)
    hangs = len(paragraph.lines) > 1 and abs(paragraph.lines[-2].left - before.left) < 0.3 * line.size
    return shift < -0.8 and hangs


def _is_wrapped_cell(before: Line, line: Line) -> bool:
    """Whether Chinese or Japanese goes on below in a table's cell, whose right edge is not known."""
    return (
        abs(line.left - before.left) < 0.3 * line.size
        and before.right + line.size >= line.right
        and _is_cjk(before.text[-1])
        and _is_cjk(line.text[0])
    )


def _fitted(before: Line, line: Line, column: _Column) -> bool:
    """Whether the line's first word would have had room behind the one before: that one was ended on purpose."""
    if before.hyphen:
        return False
    text = line.text
    if _is_cjk(text[0]):
        word = line.size
    else:
        space = text.find(" ")
        word = (line.right - line.left) * (space / len(text) if space > 0 else 1.0)
    return before.right + word + 0.8 * line.size < column.right


def _is_cjk(character: str) -> bool:
    return character >= _FIRST_CJK and _CJK.match(character) is not None


def _is_broken_word(before: Line, after: Line) -> bool:
    return before.text[-1] in _HYPHENS and before.text[-2:-1].isalpha() and after.text[0].islower()


def _is_ended(line: Line) -> bool:
    last = line.text[-1]
    if last in _CLOSING:
        last = line.text.rstrip(_CLOSING)[-1:]
    return last in _ENDS and not line.hyphen


def _goes_on(before: Line, line: Line, is_full: bool, is_indented: bool) -> bool:
    if abs(before.size - line.size) > 0.05 * line.size or before.angle != line.angle or line.heading or before.heading:
        return False
    if before.hyphen or _is_broken_word(before, line):
        return True
    if not is_full or _is_ended(before) or _MARK.match(line.text) or before.running or line.running:
        return False
    if line.text[0].islower() or (_is_cjk(before.text[-1]) and _is_cjk(line.text[0])):
        return True
    return before.bold == line.bold and not is_indented and (before.text[-1].islower() or before.text[-1] in ",-–")
