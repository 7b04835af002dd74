"""Workbooks for the tests, and what the reader makes of them."""

from __future__ import annotations

import struct
import zipfile
from collections.abc import Callable, Mapping
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import Any

from openpyxl import Workbook

from glassdex.model import Document, Place
from glassdex.reading.protocol import ReadingOptions
from glassdex.reading.spreadsheet import SpreadsheetReader

CASES = Path(__file__).parents[1] / "data" / "cases"
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"


def case(name: str) -> bytes:
    """A file of tests/data/cases."""
    return (CASES / name).read_bytes()


def read(content: bytes, name: str = "book.xlsx", options: ReadingOptions = ReadingOptions()) -> Document:
    """The document of a workbook."""
    return SpreadsheetReader().read(PurePosixPath(name), content, options)


def saved(workbook: Workbook) -> bytes:
    """The workbook as a file."""
    buffer = BytesIO()
    workbook.save(buffer)
    return buffer.getvalue()


def book(cells: Mapping[str, Any], change: Callable[[Any], None] = lambda sheet: None, name: str = "Sheet") -> bytes:
    """A workbook of one sheet with these cells, by their names."""
    workbook = Workbook()
    sheet = workbook.active
    assert sheet is not None
    sheet.title = name
    for where, value in cells.items():
        sheet[where] = value
    change(sheet)
    return saved(workbook)


def raw_book(sheet_xml: str, *, name: str = "S", extra: Mapping[str, bytes] | None = None) -> bytes:
    """A workbook whose one sheet is that XML, byte for byte."""
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(
            "[Content_Types].xml",
            f'<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.'
            'openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>'
            "</Types>",
        )
        archive.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="rId1" Type="{_OFFICE}/officeDocument" '
            'Target="xl/workbook.xml"/></Relationships>',
        )
        archive.writestr(
            "xl/workbook.xml",
            f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets><sheet name="{name}" sheetId="1" r:id="rId1"/>'
            "</sheets></workbook>",
        )
        archive.writestr(
            "xl/_rels/workbook.xml.rels",
            f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="rId1" Type="{_OFFICE}/worksheet" '
            'Target="worksheets/sheet1.xml"/></Relationships>',
        )
        archive.writestr("xl/worksheets/sheet1.xml", sheet_xml)
        for member, content in (extra or {}).items():
            archive.writestr(member, content)
    return buffer.getvalue()


def sheet_xml(rows: str) -> str:
    """A sheet of these rows."""
    return f'<?xml version="1.0" encoding="UTF-8"?><worksheet xmlns="{_MAIN}"><sheetData>{rows}</sheetData></worksheet>'


def compound_file(*streams: str, first: bytes = b"") -> bytes:
    """A compound file with streams of these names, each of 4,096 bytes: `first` in the first, zeros elsewhere."""
    sector, per_stream = 512, 8
    end, table_mark, free = 0xFFFFFFFE, 0xFFFFFFFD, 0xFFFFFFFF
    table = [table_mark, end]
    entries = [_entry("Root Entry", 5, 1, end, 0)]
    for index, name in enumerate(streams):
        start = 2 + per_stream * index
        table += [*range(start + 1, start + per_stream), end]
        entries.append(_entry(name, 2, free if index + 1 == len(streams) else index + 2, start, 4096))
    table += [free] * (sector // 4 - len(table))
    header = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16)
    header += struct.pack("<HHHHH6xIIIIIIIII", 0x3E, 3, 0xFFFE, 9, 6, 0, 1, 1, 0, 4096, end, 0, end, 0)
    header += struct.pack("<109I", 0, *[free] * 108)
    directory = b"".join(entries).ljust(sector, b"\0")
    return header + struct.pack(f"<{len(table)}I", *table) + directory + first.ljust(4096 * len(streams), b"\0")


def small_compound_file(name: str, content: bytes) -> bytes:
    """A compound file whose one stream is shorter than 4,096 bytes, and so stands in the parts of another."""
    sector, part = 512, 64
    end, table_mark, free = 0xFFFFFFFE, 0xFFFFFFFD, 0xFFFFFFFF
    parts = -(-len(content) // part)
    table = [table_mark, end, end, end, *[free] * 124]
    header = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16)
    header += struct.pack("<HHHHH6xIIIIIIIII", 0x3E, 3, 0xFFFE, 9, 6, 0, 1, 1, 0, 4096, 2, 1, end, 0)
    header += struct.pack("<109I", 0, *[free] * 108)
    root, stream = _entry("Root Entry", 5, 1, 3, parts * part), _entry(name, 2, free, 0, len(content))
    small_table = [*range(1, parts), end, *[free] * (sector // 4 - parts)]
    sectors = (struct.pack("<128I", *table), root + stream, struct.pack("<128I", *small_table), content)
    return header + b"".join(one.ljust(sector, b"\0") for one in sectors)


def _entry(name: str, kind: int, sibling_or_child: int, start: int, size: int) -> bytes:
    free = 0xFFFFFFFF
    encoded = name.encode("utf-16-le") + b"\0\0"
    right, child = (free, sibling_or_child) if kind == 5 else (sibling_or_child, free)
    links = struct.pack("<HBBIII", len(encoded), kind, 1, free, right, child)
    return encoded.ljust(64, b"\0") + links + bytes(36) + struct.pack("<IQ", start, size)


def lines(document: Document, sheet: str | None = None) -> dict[int, str]:
    """Row number → line, of one sheet or of the only one."""
    return {
        place.row: document.text[place.start : place.end]
        for place in document.places
        if place.row is not None and sheet in (None, place.sheet)
    }


def places_of(document: Document, sheet: str) -> list[Place]:
    """The places of a sheet."""
    return [place for place in document.places if place.sheet == sheet]
