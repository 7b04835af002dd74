"""A page of PDFium → its lines with boxes, in a handful of calls a line.

Calls through ctypes cost about a microsecond each: the page's text is fetched at once, and boxes by line, not by
character.
"""

from __future__ import annotations

import ctypes
import re
from collections import Counter
from itertools import pairwise
from math import hypot
from types import ModuleType

from glassdex.errors import LimitExceeded
from glassdex.reading.pdf.lines import Box, Line, PageText, turned

_HYPHEN = "\ufffe"
"""What PDFium writes for a hyphen that only breaks a line; older versions write U+0002."""
_LINE_END = "\r\n"
_UNWANTED = re.compile("\r(?!\n)|(?<!\r)\n|[\0-\x09\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\uffff]")
_BOLD_NAME = re.compile(rb"bold|black|heavy|demi|CMBX|SFBX", re.IGNORECASE)
_FORCED_BOLD = 1 << 18
_FONT_NAME_BYTES = 128
_CELL_GAP = 1.2
"""Widths of an em that part two cells, or two columns which PDFium took for one line."""
_FEWEST_SPLIT_LINES = 6
_FEWEST_COLUMN_CHARACTERS = 20
_MOST_FORM_DEPTH = 4


class Extraction:
    """Reads pages one after the other into buffers of its own; counts characters against the limit."""

    def __init__(self, pdfium: ModuleType, most_characters: int) -> None:
        self._pdfium = pdfium
        self._left_over = self._most = most_characters
        self._sides = [ctypes.c_double() for _ in range(4)]
        self._matrix = pdfium.FS_MATRIX()
        self._font_name = ctypes.create_string_buffer(_FONT_NAME_BYTES)
        self._font_flags = ctypes.c_int()
        self._bold: dict[bytes, bool] = {}
        self._count_rects = pdfium.FPDFText_CountRects
        self._get_rect = pdfium.FPDFText_GetRect
        self._get_matrix = pdfium.FPDFText_GetMatrix
        self._get_font_size = pdfium.FPDFText_GetFontSize
        self._get_font_info = pdfium.FPDFText_GetFontInfo

    def read(self, number: int, label: str | None, page: object | None) -> PageText:
        """The page's text and lines in PDFium's order."""
        if page is None:
            return PageText(number, label, unreadable=True)
        text_page = self._pdfium.FPDFText_LoadPage(page)
        if not text_page:
            return PageText(number, label, unreadable=True)
        try:
            text, index = self._text(text_page)
            found = PageText(number, label, text, index=index)
            found.lines = self._lines(text_page, found) if text else []
        finally:
            self._pdfium.FPDFText_ClosePage(text_page)
        if not found.lines:
            found.has_images = self._has_images(page)
        return found

    def _text(self, text_page: object) -> tuple[str, list[int] | None]:
        pdfium = self._pdfium
        count = max(0, pdfium.FPDFText_CountChars(text_page))
        self._left_over -= count
        if self._left_over < 0:
            raise LimitExceeded(
                f"the file has more text than the limit `characters`, {self._most:,}",
                "raise the limit if the file is what it should be",
            )
        first, last = 0, count - 1
        # PDFium miscounts a range that begins or ends with characters which are not in its text.
        while first <= last and pdfium.FPDFText_GetTextIndexFromCharIndex(text_page, first) < 0:
            first += 1
        while last > first and pdfium.FPDFText_GetTextIndexFromCharIndex(text_page, last) < 0:
            last -= 1
        if first > last:
            return "", None
        buffer = (ctypes.c_ushort * (2 * count + 2))()
        units = pdfium.FPDFText_GetText(text_page, first, last + 1 - first, buffer) - 1
        text = bytes(memoryview(buffer).cast("B")[: 2 * max(0, units)]).decode("utf-16-le", "surrogatepass")
        index = None if len(text) == count else _character_index(pdfium, text_page, text)
        return _cleaned(text), index

    def _lines(self, text_page: object, page: PageText) -> list[Line]:
        start = 0
        lines: list[Line] = []
        before: Line | None = None
        for raw in _with_ends(page.text):
            hyphen = raw[-1] == _HYPHEN
            shown = raw[:-1].strip() if hyphen else raw.strip()
            if shown:
                begin = start if raw[0] == shown[0] else start + raw.index(shown[0])
                before = self._line(text_page, page, shown, begin, before)
                before.hyphen = hyphen
                lines.append(before)
            start += len(raw)
        angle = page.angle = _prevailing_angle(lines)
        if angle:
            for line in lines:
                _turn(line, angle)
        for line in lines:
            if line.rects:
                line.has_cells = _widest_gap(line, angle) is not None
        gutter = _gutter(lines, angle)
        return lines if gutter is None else self._split(text_page, page, lines, gutter, angle)

    def _line(self, text_page: object, page: PageText, text: str, start: int, before: Line | None) -> Line:
        first, count = (start, len(text)) if page.index is None else page.characters(start, start + len(text))
        rects = self._rects(text_page, first, count)
        if len(rects) == 1:
            box = rects[0]
        elif rects:
            box = _union(rects)
        else:  # nothing was drawn: it stands where the text before it ends
            box = (before.right, before.bottom, before.right, before.top) if before else (0.0, 0.0, 0.0, 0.0)
        matrix = self._matrix
        self._get_matrix(text_page, first, matrix)
        size = self._get_font_size(text_page, first) * hypot(matrix.c, matrix.d)
        line = Line(text, start, *box, matrix.f, size if size > 0 else max(box[3] - box[1], 1.0))
        if matrix.b or matrix.a < 0:
            line.angle = _angle(matrix.a, matrix.b, matrix.d)
            line.base = matrix.e if line.angle % 2 else matrix.f
        if len(rects) > 1:
            line.rects = rects
        line.bold = self._is_bold(text_page, first) and self._is_bold(text_page, first + count - 1)
        return line

    def _rects(self, text_page: object, first: int, count: int) -> list[Box]:
        left, top, right, bottom = self._sides
        get_rect = self._get_rect
        rects = []
        for rect in range(self._count_rects(text_page, first, count)):
            get_rect(text_page, rect, left, top, right, bottom)
            rects.append((left.value, bottom.value, right.value, top.value))
        return rects

    def _is_bold(self, text_page: object, character: int) -> bool:
        name, flags = self._font_name, self._font_flags
        self._get_font_info(text_page, character, name, _FONT_NAME_BYTES, flags)
        key = name.value
        known = self._bold.get(key)
        if known is None:
            known = self._bold[key] = bool(_BOLD_NAME.search(key)) or bool(flags.value & _FORCED_BOLD)
        return known

    def _split(self, text_page: object, page: PageText, lines: list[Line], gutter: float, angle: int) -> list[Line]:
        """The lines that run over the gutter as two each, the right one behind the left one."""
        parts: list[Line] = []
        for line in lines:
            gap = _widest_gap(line, angle)
            if gap is None or not gap[0] <= gutter <= gap[1]:
                parts.append(line)
                continue
            at = self._first_behind(text_page, page, line, gutter, angle)
            before = None
            for text, start in ((line.text[:at], line.start), (line.text[at:], line.start + at)):
                shown = text.strip()
                if shown:
                    begin = start + text.index(shown[0])
                    before = self._line(text_page, page, shown, begin, before)
                    _turn(before, angle)
                    parts.append(before)
            parts[-1].hyphen = line.hyphen
        return parts

    def _first_behind(self, text_page: object, page: PageText, line: Line, gutter: float, angle: int) -> int:
        left, right, bottom, top = self._sides
        for offset in range(len(line.text)):
            character, _ = page.characters(line.start + offset, line.start + offset + 1)
            if line.text[offset] == " " or not self._pdfium.FPDFText_GetCharBox(
                text_page, character, left, right, bottom, top
            ):
                continue
            if turned((left.value, bottom.value, right.value, top.value), angle)[0] >= gutter:
                return offset
        return len(line.text)

    def _has_images(self, page: object) -> bool:
        pdfium = self._pdfium
        objects = [(pdfium.FPDFPage_GetObject(page, number), 0) for number in range(pdfium.FPDFPage_CountObjects(page))]
        while objects:
            item, depth = objects.pop()
            kind = pdfium.FPDFPageObj_GetType(item)
            if kind == pdfium.FPDF_PAGEOBJ_IMAGE:
                return True
            if kind == pdfium.FPDF_PAGEOBJ_FORM and depth < _MOST_FORM_DEPTH:
                inside = range(pdfium.FPDFFormObj_CountObjects(item))
                objects += [(pdfium.FPDFFormObj_GetObject(item, number), depth + 1) for number in inside]
        return False


def _with_ends(text: str) -> list[str]:
    """The lines with what ends them: a newline, or a hyphen that breaks a word."""
    lines = text.splitlines(keepends=True)
    if _HYPHEN not in text:
        return lines
    parts = [line.split(_HYPHEN) for line in lines]
    ended = (part + _HYPHEN * (at < len(of_line)) for of_line in parts for at, part in enumerate(of_line, start=1))
    return [part for part in ended if part]


def _cleaned(text: str) -> str:
    """The text without controls and lone surrogates, as long as before; line ends stay."""
    if text.replace(_LINE_END, "").isprintable():
        return text
    text = text.replace("\x02", _HYPHEN)
    return _UNWANTED.sub(lambda found: "\ufffd" if found.group() >= "\ud800" else " ", text)


def _character_index(pdfium: ModuleType, text_page: object, text: str) -> list[int]:
    """PDFium's character for each of the text's; PDFium counts UTF-16 units."""
    index: list[int] = []
    unit = 0
    for character in text:
        found = pdfium.FPDFText_GetCharIndexFromTextIndex(text_page, unit)
        index.append(found if found >= 0 else (index[-1] if index else 0))
        unit += 2 if character > "\uffff" else 1
    return index


def _angle(a: float, b: float, d: float) -> int:
    """Quarter turns of text with such a matrix; mirrored text stands upright."""
    if abs(b) > abs(a):
        return 1 if b > 0 else 3
    return 2 if a < 0 and d < 0 else 0


def _union(boxes: list[Box]) -> Box:
    left, bottom, right, top = zip(*boxes, strict=True)
    return min(left), min(bottom), max(right), max(top)


def _turn(line: Line, angle: int) -> None:
    line.base = -line.base if angle in (1, 2) else line.base
    line.left, line.bottom, line.right, line.top = turned((line.left, line.bottom, line.right, line.top), angle)
    line.angle = (line.angle - angle) % 4


def _prevailing_angle(lines: list[Line]) -> int:
    """Of the most characters; text that stands otherwise (a stamp at the margin) is the exception."""
    if not any(line.angle for line in lines):
        return 0
    counts: Counter[int] = Counter()
    for line in lines:
        counts[line.angle] += len(line.text)
    return counts.most_common(1)[0][0]


def _widest_gap(line: Line, angle: int) -> tuple[float, float] | None:
    rects = [turned(rect, angle) for rect in line.rects]
    gaps = [(before[2], after[0]) for before, after in pairwise(rects)]
    widest = max(gaps, key=lambda gap: gap[1] - gap[0], default=(0.0, 0.0))
    return widest if widest[1] - widest[0] > _CELL_GAP * line.size else None


def _gutter(lines: list[Line], angle: int) -> float | None:
    """Where two columns of prose were taken for one: in the gap that most lines have, with long text on both sides."""
    if 2 * sum(1 for line in lines if line.has_cells) < len(lines):
        return None
    gaps = [(gap, line) for line in lines if line.has_cells and (gap := _widest_gap(line, angle))]
    if len(gaps) < _FEWEST_SPLIT_LINES or 2 * len(gaps) < len(lines):
        return None
    starts, ends = sorted(gap[0] for gap, _ in gaps), sorted(gap[1] for gap, _ in gaps)
    gutter = (starts[int(0.9 * (len(gaps) - 1))] + ends[int(0.1 * (len(gaps) - 1))]) / 2
    hit = [(gap, line) for gap, line in gaps if gap[0] <= gutter <= gap[1]]
    if 5 * len(hit) < 4 * len(gaps):
        return None
    # Each side of a table's gap is a few words; prose fills its column.
    left = sum(len(line.text) * (gap[0] - line.left) / (line.right - line.left) for gap, line in hit) / len(hit)
    right = sum(len(line.text) * (line.right - gap[1]) / (line.right - line.left) for gap, line in hit) / len(hit)
    return gutter if min(left, right) >= _FEWEST_COLUMN_CHARACTERS else None
