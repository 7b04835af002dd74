"""Pages → the document's text with its blocks, places, and the way back from its offsets to PDFium's characters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from glassdex.model import Block, Place
from glassdex.reading.pdf.headings import chains, levels_of
from glassdex.reading.pdf.lines import Line, PageText
from glassdex.reading.pdf.order import in_reading_order
from glassdex.reading.pdf.paragraphs import Paragraph, Seam, continues, joint, leadings_of, paragraphs_of, typical

_BETWEEN_BLOCKS = "\n\n"


class Piece(NamedTuple):
    """A part of a line: text `[start, end)` of the document is its page's from `offset` on; `angle` as in `Line`."""

    start: int
    end: int
    page: int
    offset: int
    angle: int


@dataclass(frozen=True, slots=True)
class Flow:
    """The text of a document, and where it comes from; pieces are kept only where they were asked for."""

    text: str
    blocks: tuple[Block, ...]
    places: tuple[Place, ...]
    pieces: tuple[Piece, ...] = ()


def flow_of(pages: Sequence[PageText], by_outline: bool, with_pieces: bool = False) -> Flow:
    """The text of the pages, paragraph by paragraph."""
    paragraphs = _paragraphs(pages)
    levels = levels_of(paragraphs, by_outline)
    parts: list[str] = []
    pieces: list[Piece] = []
    spans: list[tuple[int, int]] = []
    of_pages: dict[int, tuple[int, int]] = {}
    offset = 0
    for paragraph in paragraphs:
        if parts:
            parts.append(_BETWEEN_BLOCKS)
            offset += len(_BETWEEN_BLOCKS)
        start = offset
        for text, between, page, line in _texts(paragraph):
            end = offset + len(text)
            of_pages[page] = (of_pages[page][0] if page in of_pages else offset, end)
            if with_pieces:
                pieces.append(Piece(offset, end, page, line.start, line.angle))
            parts += (text, between)
            offset = end + len(between)
        spans.append((start, offset))
    text = "".join(parts)
    titles = [text[start:end] if level else "" for (start, end), level in zip(spans, levels, strict=True)]
    # Where a chunk has to end anyway, it had better end with a page.
    begun = [0, *(int(before.pages[-1] == after.pages[0]) for before, after in pairwise(paragraphs))]
    blocks = (
        Block("heading" if level else "paragraph", start, end, chain, depth)
        for (start, end), level, chain, depth in zip(spans, levels, chains(titles, levels), begun, strict=True)
    )
    return Flow(text, tuple(blocks), tuple(_places(pages, of_pages)), tuple(pieces))


def _paragraphs(pages: Sequence[PageText]) -> list[Paragraph]:
    bodies = [in_reading_order([line for line in page.lines if not line.running]) for page in pages]
    leadings = [leadings_of(lines) for lines in bodies]
    usual = typical([leading for of_page in leadings for leading in of_page])
    found: list[Paragraph] = []
    for page, lines, own_leadings in zip(pages, bodies, leadings, strict=True):
        own = paragraphs_of(page.number, lines, own_leadings, usual)
        running = [Paragraph([page.number], [line], []) for line in page.lines if line.running]
        if found and own and not found[-1].lines[0].running and continues(found[-1], own[0]):
            first = own.pop(0)
            found[-1].seams += [Seam.FLOW, *first.seams]
            found[-1].pages += first.pages
            found[-1].lines += first.lines
            found[-1].is_full = first.is_full
        # A kept header or footer stands where it does not part a sentence that runs over the page's border.
        found += [*running, *own]
    return found


def _texts(paragraph: Paragraph) -> Iterator[tuple[str, str, int, Line]]:
    """Each line's text and what parts it from the next, its page and the line itself."""
    *lines, last = paragraph.lines
    for line, after, seam, page in zip(lines, paragraph.lines[1:], paragraph.seams, paragraph.pages, strict=False):
        text = line.text
        change, between = joint(line, after, seam)
        if change:
            text = text + "-" if change > 0 else text[:-1]
        yield text, between, page, line
    yield last.text + "-" if last.hyphen else last.text, "", paragraph.pages[-1], last


def _places(pages: Sequence[PageText], spans: Mapping[int, tuple[int, int]]) -> Iterator[Place]:
    reached = 0
    for page in pages:
        start, reached = spans.get(page.number, (reached, reached))
        yield Place(start, reached, page=page.number, page_label=page.label)
