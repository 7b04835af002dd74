"""DOCX and PPTX files that tests are about, and zip containers that nobody should open."""

from __future__ import annotations

import zipfile
from io import BytesIO
from pathlib import PurePosixPath
from typing import Any

import docx
import pptx
from lxml import etree

from glassdex.model import Block, Document, Row
from glassdex.reading.protocol import Limits, ReadingOptions
from glassdex.reading.slides import SlidesReader
from glassdex.reading.word import WordReader

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
WORDML = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def saved(office: Any) -> bytes:
    """What python-docx or python-pptx saves of a document."""
    buffer = BytesIO()
    office.save(buffer)
    return buffer.getvalue()


def with_body(*inner: str) -> bytes:
    """A DOCX whose body is these pieces of WordprocessingML."""
    document = docx.Document()
    body = document.element.body
    for piece in inner:
        fragment = etree.fromstring(f"<w:body {_NAMESPACES}>{piece}</w:body>")
        for element in fragment:
            body.insert(len(body) - 1, element)
    return saved(document)


_NAMESPACES = (
    f"{WORDML} "
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" '
    'xmlns:v="urn:schemas-microsoft-com:vml" '
    'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
)


def rewritten(content: bytes, **parts: bytes | None) -> bytes:
    """The container with other parts (`word__document`: word/document.xml); None takes one out."""
    changed = {name.replace("__", "/") + ".xml": part for name, part in parts.items()}
    buffer = BytesIO()
    with zipfile.ZipFile(BytesIO(content)) as source, zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as target:
        for info in source.infolist():
            part = changed.pop(info.filename, source.read(info))
            if part is not None:
                target.writestr(info.filename, part)
        for name, part in changed.items():
            if part is not None:
                target.writestr(name, part)
    return buffer.getvalue()


def part_of(content: bytes, name: str) -> bytes:
    with zipfile.ZipFile(BytesIO(content)) as archive:
        return archive.read(name)


def read_word(content: bytes, name: str = "note.docx", limits: Limits = Limits()) -> Document:
    return WordReader().read(PurePosixPath(name), content, ReadingOptions(limits=limits))


def read_slides(content: bytes, name: str = "deck.pptx", limits: Limits = Limits()) -> Document:
    return SlidesReader().read(PurePosixPath(name), content, ReadingOptions(limits=limits))


def blocks_of(document: Document) -> list[tuple[Row, Block, str]]:
    return [(row, block, row.text[block.start : block.end]) for row in document.rows for block in row.blocks]


def texts_of(document: Document) -> list[str]:
    return [text for _, _, text in blocks_of(document)]


def block_with(document: Document, words: str) -> Block:
    return next(block for _, block, text in blocks_of(document) if words in text)


def blank_deck() -> Any:
    return pptx.Presentation()
