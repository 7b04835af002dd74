"""A passage on the pages that it stands on: pictures with its words marked, made from the file as it is now."""

from __future__ import annotations

from pathlib import Path

from glassdex.errors import InvalidRequest
from glassdex.inspection.passage import Passage
from glassdex.pointers import parse_file_pointer
from glassdex.reading.files import read_steady
from glassdex.reading.protocol import ReadingOptions


def page_images(passage: Passage, options: ReadingOptions = ReadingOptions()) -> dict[int, bytes]:
    """PNG by physical page, of every page that the passage touches.

    Raises:
        InvalidRequest: there is no passage any more, or its format has no pages that can be drawn.
        ReadError, MissingExtra: the file cannot be read.
    """
    if passage.resolved is None or passage.file is None:
        raise InvalidRequest(f"there is nothing to draw: {passage.detail}", "search again for a current pointer")
    if passage.locator is None or passage.locator.page_start is None or Path(passage.file).suffix.lower() != ".pdf":
        raise InvalidRequest("only the pages of a PDF can be drawn", "leave --image out")
    from glassdex.reading.pdf.drawing import draw_passage

    where = parse_file_pointer(passage.resolved)
    content, _ = read_steady(passage.file)
    return draw_passage(content, where.char_start, where.char_end, where.passage_hash, options)
