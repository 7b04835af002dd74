"""A line of text on a page, and a page's lines: what everything after PDFium works on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

Box = tuple[float, float, float, float]
"""Left, bottom, right, top in PDF points; y grows upwards."""


@dataclass(slots=True)
class Line:
    """A line as it is seen: its text is `PageText.text[start : start + len(text)]`.

    The box is turned so that the page's text runs to the right and downwards, whatever the rotation; its origin means
    nothing. `base` is the height of the baseline and `size` the font's in points, both of the first character; `bold`
    says that the line begins and ends so.
    """

    text: str
    start: int
    left: float
    bottom: float
    right: float
    top: float
    base: float
    size: float
    bold: bool = False
    angle: int = 0
    """Direction of the text against that of the page's text, in quarter turns against the clock."""
    hyphen: bool = False
    """PDFium saw a hyphen behind the text that only breaks the line; the text is without it."""
    level: int = 0
    """As a heading by the file's outline, 1 the highest; 0 is none."""
    heading: int = 0
    """Which entry of the outline that is, so that a heading over two lines stays one."""
    running: bool = False
    """A header or footer that is kept where it first stands."""
    has_cells: bool = False
    """Parts of it stand far from each other: a row of a table, or its header."""
    rects: Sequence[Box] = ()
    """The runs of the line where there are several, on the paper's axes."""


@dataclass(slots=True)
class PageText:
    """What was found on a page. `index` maps offsets in `text` to PDFium's characters, absent where they agree."""

    number: int
    label: str | None = None
    text: str = ""
    lines: list[Line] = field(default_factory=list)
    index: Sequence[int] | None = None
    angle: int = 0
    """Direction of the text on the paper, in quarter turns against the clock."""
    has_images: bool = False
    unreadable: bool = False

    def characters(self, start: int, end: int) -> tuple[int, int]:
        """First character and count, as PDFium counts, of the text `[start, end)`, end after start."""
        if self.index is None:
            return start, end - start
        first = self.index[start]
        return first, self.index[end - 1] + 1 - first


def turned(box: Box, angle: int) -> Box:
    """The box with text of that angle running to the right."""
    left, bottom, right, top = box
    if angle == 1:
        return bottom, -right, top, -left
    if angle == 2:
        return -right, -top, -left, -bottom
    if angle == 3:
        return -top, left, -bottom, right
    return box
