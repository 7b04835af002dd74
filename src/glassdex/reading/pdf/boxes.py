"""From a passage back to the paper: where its characters stand, and a picture of the page with them marked."""

from __future__ import annotations

import ctypes
import io
import math
from collections.abc import Sequence
from types import ModuleType

from glassdex.errors import FileDamaged, MissingExtra, PageOutOfRange
from glassdex.reading.pdf.extraction import Extraction
from glassdex.reading.pdf.flow import Piece
from glassdex.reading.pdf.lines import Box, PageText
from glassdex.reading.pdf.pdfium import OpenFile, opened
from glassdex.reading.pdf.reader import layout
from glassdex.reading.protocol import ReadingOptions

_MARKER = (255, 226, 0, 110)
"""Translucent yellow: red, green, blue, opacity of 255."""
_MARGIN = 1.0
"""Points that the mark is wider and higher than the characters."""
_LONGEST_SIDE = 4_000
"""Pixels of a picture; the scale is lowered to that."""


def page_boxes(
    content: bytes, start: int, end: int, options: ReadingOptions = ReadingOptions()
) -> dict[int, list[Box]]:
    """Page → a box for each of its lines that the text `[start, end)` of the document touches.

    Boxes are left, bottom, right, top in PDF points on the unrotated page.

    Raises:
        ReadError, MissingExtra: as `PdfReader.read`.

    """
    with opened(content, options) as file:
        flow, _ = layout(file, options, with_pieces=True)
        touched = [piece for piece in flow.pieces if piece.start < end and start < piece.end]
        found: dict[int, list[Box]] = {}
        for number in sorted({piece.page for piece in touched}):
            own = [piece for piece in touched if piece.page == number]
            found[number] = _boxes_on_page(file, number, own, start, end, options)
    return found


def render_page(
    content: bytes,
    page: int,
    boxes: Sequence[Box] = (),
    options: ReadingOptions = ReadingOptions(),
    scale: float = 2.0,
) -> bytes:
    """The page as PNG with the boxes marked, as a viewer shows it; `scale` is pixels a point, lowered for huge pages.

    Raises:
        PageOutOfRange: the file has no such page.
        ReadError, MissingExtra: as `PdfReader.read`; Pillow is needed too.

    """
    try:
        from PIL import Image, ImageDraw
    except ImportError as error:
        raise MissingExtra("a picture of a page needs Pillow", "pip install 'glassdex[documents]'") from error
    with opened(content, options) as file:
        if not 1 <= page <= file.page_count:
            raise PageOutOfRange(f"there is no page {page}", f"the file has the pages 1–{file.page_count}")
        with file.page(page) as handle:
            if handle is None:
                raise FileDamaged(f"page {page} cannot be read", "open the file in a viewer and save it again")
            size, pixels = _rendered(file.pdfium, handle, scale)
            areas = [_on_picture(file.pdfium, handle, size, box) for box in boxes]
    picture = Image.frombuffer("RGBA", size, pixels, "raw", "BGRA", 0, 1)
    marks = Image.new("RGBA", size, (0, 0, 0, 0))
    draw = ImageDraw.Draw(marks)
    for area in areas:
        draw.rectangle(area, fill=_MARKER)
    target = io.BytesIO()
    Image.alpha_composite(picture, marks).convert("RGB").save(target, "PNG")
    return target.getvalue()


def _boxes_on_page(
    file: OpenFile, number: int, pieces: Sequence[Piece], start: int, end: int, options: ReadingOptions
) -> list[Box]:
    pdfium = file.pdfium
    with file.page(number) as handle:
        page = Extraction(pdfium, options.limits.characters).read(number, None, handle)
        text_page = pdfium.FPDFText_LoadPage(handle)
        try:
            boxes: list[Box] = []
            for piece in pieces:
                first = piece.offset + max(0, start - piece.start)
                last = piece.offset + min(end, piece.end) - piece.start
                boxes += _merged(_rects(pdfium, text_page, page, first, last), (page.angle + piece.angle) % 2 == 1)
        finally:
            pdfium.FPDFText_ClosePage(text_page)
    return boxes


def _rects(pdfium: ModuleType, text_page: object, page: PageText, start: int, end: int) -> list[Box]:
    left, top, right, bottom = (ctypes.c_double() for _ in range(4))
    boxes = []
    for rect in range(pdfium.FPDFText_CountRects(text_page, *page.characters(start, end))):
        pdfium.FPDFText_GetRect(text_page, rect, left, top, right, bottom)
        boxes.append((left.value, bottom.value, right.value, top.value))
    return boxes


def _merged(boxes: Sequence[Box], is_upright: bool) -> list[Box]:
    """One box for those that stand in one line, which an upright one is from the bottom to the top."""
    low, high = (0, 2) if is_upright else (1, 3)
    merged: list[Box] = []
    for box in boxes:
        last = merged[-1] if merged else None
        if last is not None and box[low] < last[high] and last[low] < box[high]:
            merged[-1] = (min(last[0], box[0]), min(last[1], box[1]), max(last[2], box[2]), max(last[3], box[3]))
        else:
            merged.append(box)
    return merged


def _rendered(pdfium: ModuleType, page: object, scale: float) -> tuple[tuple[int, int], bytes]:
    """Width and height in pixels, and the pixels as blue, green, red, opacity."""
    points = pdfium.FPDF_GetPageWidthF(page), pdfium.FPDF_GetPageHeightF(page)
    scale = min(scale, _LONGEST_SIDE / max(1.0, *points))
    width, height = (max(1, math.ceil(side * scale)) for side in points)
    bitmap = pdfium.FPDFBitmap_CreateEx(width, height, pdfium.FPDFBitmap_BGRA, None, 0)
    if not bitmap:
        raise MemoryError("no room for a picture of the page")
    try:
        pdfium.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, 0xFFFFFFFF)
        pdfium.FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, pdfium.FPDF_ANNOT)
        stride = pdfium.FPDFBitmap_GetStride(bitmap)
        raw = ctypes.string_at(pdfium.FPDFBitmap_GetBuffer(bitmap), stride * height)
    finally:
        pdfium.FPDFBitmap_Destroy(bitmap)
    if stride == 4 * width:
        return (width, height), raw
    return (width, height), b"".join(raw[row * stride : row * stride + 4 * width] for row in range(height))


def _on_picture(pdfium: ModuleType, page: object, size: tuple[int, int], box: Box) -> tuple[int, int, int, int]:
    x, y = ctypes.c_int(), ctypes.c_int()
    corners = []
    for across, up in ((box[0] - _MARGIN, box[1] - _MARGIN), (box[2] + _MARGIN, box[3] + _MARGIN)):
        pdfium.FPDF_PageToDevice(page, 0, 0, *size, 0, across, up, x, y)
        corners.append((x.value, y.value))
    (x0, y0), (x1, y1) = corners
    return min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)
