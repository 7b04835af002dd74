"""PDFs made for a test, and what a reader makes of them."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from pathlib import Path, PurePosixPath

from pypdf import PdfReader as PypdfReader
from pypdf import PdfWriter
from reportlab.lib.pagesizes import A4
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

from glassdex.model import Document, Place
from glassdex.reading.pdf import PdfReader
from glassdex.reading.protocol import ReadingOptions

CASES = Path(__file__).parents[1] / "data" / "cases"
WIDTH, HEIGHT = A4
LEADING = 14


def case(name: str) -> bytes:
    return (CASES / name).read_bytes()


def read(content: bytes, name: str = "report.pdf", options: ReadingOptions = ReadingOptions()) -> Document:
    return PdfReader().read(PurePosixPath(name), content, options)


def made(*pages: Callable[[Canvas], None], rotation: int = 0, **info: str) -> bytes:
    """A PDF with a page for each painter; `info` is its title, author, subject."""
    target = io.BytesIO()
    canvas = Canvas(target, pagesize=A4, invariant=True)
    for name, value in info.items():
        getattr(canvas, f"set{name.capitalize()}")(value)
    for paint in pages:
        canvas.setPageRotation(rotation)
        canvas.setFont("Helvetica", 11)
        paint(canvas)
        canvas.showPage()
    canvas.save()
    return target.getvalue()


def lines(
    *texts: str, top: float = 760, left: float = 72, leading: float = LEADING, font: str = "Helvetica", size: float = 11
) -> Callable[[Canvas], None]:
    """Paints lines below each other."""

    def paint(canvas: Canvas) -> None:
        canvas.setFont(font, size)
        for number, text in enumerate(texts):
            canvas.drawString(left, top - number * leading, text)

    return paint


def blank(canvas: Canvas) -> None:
    """Paints nothing."""


def image(canvas: Canvas) -> None:
    """Paints a picture and no text."""
    from PIL import Image
    from reportlab.lib.utils import ImageReader

    canvas.drawImage(ImageReader(Image.new("RGB", (40, 40), (200, 30, 30))), 72, 400, 300, 300)


def all_of(*painters: Callable[[Canvas], None]) -> Callable[[Canvas], None]:
    def paint(canvas: Canvas) -> None:
        for painter in painters:
            painter(canvas)

    return paint


def wrapped(text: str, width: float = 420) -> list[str]:
    """The text in lines as wide as fits into so many points, in the font that `lines` paints with."""
    found: list[str] = []
    for word in text.split():
        if found and stringWidth(f"{found[-1]} {word}", "Helvetica", 11) <= width:
            found[-1] += " " + word
        else:
            found.append(word)
    return found


def rewritten(content: bytes, change: Callable[[PdfWriter], object]) -> bytes:
    """The PDF after pypdf changed it."""
    writer = PdfWriter(clone_from=PypdfReader(io.BytesIO(content)))
    change(writer)
    target = io.BytesIO()
    writer.write(target)
    return target.getvalue()


def paragraphs(document: Document) -> list[str]:
    (row,) = document.rows
    return [row.text[block.start : block.end] for block in row.blocks]


def page_text(document: Document, page: int) -> str:
    place = place_of(document, page)
    return document.text[place.start : place.end]


def place_of(document: Document, page: int) -> Place:
    return document.places[page - 1]


def pages_with(document: Document, text: str) -> list[int]:
    return [place.page or 0 for place in document.places if text in document.text[place.start : place.end]]


def headings(document: Document) -> Sequence[tuple[str, ...]]:
    return [block.headings for block in document.rows[0].blocks if block.kind == "heading"]
