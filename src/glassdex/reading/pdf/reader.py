"""PDF files: their text flow, with the page and the page label of each part."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath

from glassdex.errors import FileDamaged, NoTextLayer
from glassdex.model import Document, ReadingWarning, Row
from glassdex.reading.pdf.extraction import Extraction
from glassdex.reading.pdf.flow import Flow, flow_of
from glassdex.reading.pdf.headings import DEEPEST, mark_outlined
from glassdex.reading.pdf.lines import PageText
from glassdex.reading.pdf.metadata import metadata_of, stated_title
from glassdex.reading.pdf.pdfium import OpenFile, opened
from glassdex.reading.pdf.running import set_aside
from glassdex.reading.protocol import ReadingOptions

_MAGIC = b"%PDF-"
_MAGIC_WITHIN = 1_024
_OCR = "recognise its text first, for example with `ocrmypdf in.pdf out.pdf`"


class PdfReader:
    """Reads a PDF.

    One `section` row is the whole text flow, with its paragraphs and headings as blocks; a chunk of it may span pages.
    A running header or footer is kept where it first stands.
    """

    name: str = "pdf"
    version: int = 1
    format: str = "pdf"
    isolated: bool = True

    def bid(self, path: PurePosixPath, head: bytes) -> int:
        """95 for what calls itself a PDF within its first 1,024 bytes, 80 for what is only named so, else 0."""
        if _MAGIC in head[:_MAGIC_WITHIN]:
            return 95
        return 80 if path.suffix.lower() == ".pdf" else 0

    def read(self, path: PurePosixPath, content: bytes, options: ReadingOptions = ReadingOptions()) -> Document:
        """The file's document.

        Raises:
            FileDamaged, PasswordRequired, NoTextLayer, LimitExceeded: it cannot be read.
            MissingExtra: pypdfium2 is not installed.

        """
        with opened(content, options) as file:
            flow, warnings = layout(file, options)
            title = stated_title(file, path)
            metadata = metadata_of(file)
        created = metadata.get("created")
        return Document(
            format=self.format,
            title=title or path.stem,
            title_source="metadata" if title else "file_name",
            text=flow.text,
            rows=(Row("section", 0, flow.text, 0, flow.blocks),),
            date=created if isinstance(created, str) else None,
            metadata=metadata,
            warnings=tuple(warnings),
            places=flow.places,
        )


def layout(file: OpenFile, options: ReadingOptions, with_pieces: bool = False) -> tuple[Flow, list[ReadingWarning]]:
    """The text flow of an open file, the same each time; with the pieces that lead back to its characters if asked.

    Raises:
        NoTextLayer, FileDamaged, LimitExceeded: there is no text, none can be read, or too much.

    """
    extraction = Extraction(file.pdfium, options.limits.characters)
    pages = []
    for number in range(1, file.page_count + 1):
        with file.page(number) as page:
            pages.append(extraction.read(number, file.label(number), page))
    warnings = _missing(pages)
    left_out = set_aside(pages)
    by_outline = mark_outlined(pages, file.outline(DEEPEST))
    flow = flow_of(pages, by_outline, with_pieces)
    return flow, warnings if left_out is None else [*warnings, left_out]


def _missing(pages: Sequence[PageText]) -> list[ReadingWarning]:
    broken = [page.number for page in pages if page.unreadable]
    scanned = [page.number for page in pages if page.has_images]
    if not any(page.lines for page in pages):
        if len(broken) == len(pages):
            raise FileDamaged("no page of the PDF can be read", "open it in a viewer and save it again")
        what = "images only" if scanned else "nothing that is text"
        count = "the only page holds" if len(pages) == 1 else f"its {len(pages)} pages hold"
        raise NoTextLayer(f"the PDF has no text layer: {count} {what}", _OCR)
    warnings = []
    if broken:
        warnings.append(ReadingWarning("page_unreadable", f"{_listed(broken)} cannot be read"))
    if scanned:
        warnings.append(ReadingWarning("no_text_layer", f"{_listed(scanned)} hold images and no text; {_OCR}"))
    return warnings


def _listed(numbers: Sequence[int]) -> str:
    """`pages 3, 7–9`."""
    spans: list[list[int]] = []
    for number in numbers:
        if spans and spans[-1][-1] == number - 1:
            spans[-1] = [spans[-1][0], number]
        else:
            spans.append([number])
    return ("page " if len(numbers) == 1 else "pages ") + ", ".join("–".join(map(str, span)) for span in spans)
