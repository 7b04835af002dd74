"""Real files of several formats, made on the spot."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence

import openpyxl
from docx import Document as WordDocument
from openpyxl.workbook import Workbook
from pptx import Presentation
from pypdf import PdfReader as Reader
from pypdf import PdfWriter
from pypdf.constants import PageLabelStyle
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas


def pdf(pages: Sequence[str], labels: Mapping[int, tuple[PageLabelStyle, int]] | None = None) -> bytes:
    """A PDF with one page a text, line by line; `labels` starts a numbering (style, first) at a page index."""
    stream = io.BytesIO()
    canvas = Canvas(stream, pagesize=A4, invariant=True)
    for text in pages:
        for position, line in enumerate(text.splitlines()):
            canvas.drawString(72, 760 - 14 * position, line)
        canvas.showPage()
    canvas.save()
    if not labels:
        return stream.getvalue()
    writer = PdfWriter(clone_from=Reader(stream))
    starts = sorted(labels)
    for start, end in zip(starts, [*starts[1:], len(pages)], strict=True):
        style, first = labels[start]
        writer.set_page_label(start, end - 1, style, start=first)
    labelled = io.BytesIO()
    writer.write(labelled)
    return labelled.getvalue()


def workbook(sheets: Mapping[str, Sequence[Sequence[object]]], hidden: Sequence[str] = ()) -> bytes:
    """A workbook with each sheet's cells from A1 on."""
    book = Workbook()
    book.remove(book.worksheets[0])
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(list(row))
        if name in hidden:
            sheet.sheet_state = "hidden"
    return saved(book)


def saved(book: openpyxl.Workbook) -> bytes:
    """A workbook's bytes."""
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def slides(texts: Sequence[str], hidden: Sequence[int] = ()) -> bytes:
    """A deck with a title and a text a slide; `hidden` are slide numbers."""
    deck = Presentation()
    for number, text in enumerate(texts, start=1):
        slide = deck.slides.add_slide(deck.slide_layouts[1])
        title, body = slide.placeholders[0], slide.placeholders[1]
        title.text_frame.text = f"Slide {number}"
        body.text_frame.text = text
        if number in hidden:
            slide._element.set("show", "0")
    stream = io.BytesIO()
    deck.save(stream)
    return stream.getvalue()


def word(paragraphs: Sequence[str]) -> bytes:
    """A DOCX of a heading and paragraphs."""
    document = WordDocument()
    document.add_heading("Report", 1)
    for text in paragraphs:
        document.add_paragraph(text)
    stream = io.BytesIO()
    document.save(stream)
    return stream.getvalue()


def jsonl(records: Sequence[Mapping[str, object]]) -> bytes:
    """One record a line."""
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records).encode()
