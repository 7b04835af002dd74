"""Speed of the document readers, as a ratio to the bare parser that each is built on.

    python benchmarks/documents.py [--pages 300] [--rows 50000] [--json FILE]

The PDF is made with reportlab: paragraphs of an invented language with headings, a running header and page numbers. The
bare parser is pypdfium2's `get_text_range` over all pages; of the sheet, which openpyxl writes, python-calamine's
`to_python`. Both run in this process in turn, and of each the fastest round counts: other work on the machine only ever
adds. What follows reading (tokens and chunks, then a whole `index` without embedding, in which the reader has a process
of its own) is measured by itself.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import io
import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from datetime import date, timedelta
from pathlib import Path, PurePosixPath

from corpora import Language
from machine import machine, machine_line, markdown_table

import glassdex
from glassdex.chunking import chunk_document, frames_of
from glassdex.embedding.tokens import TokenCounter
from glassdex.model import Chunk, Document
from glassdex.reading.pdf import PdfReader
from glassdex.reading.spreadsheet import SpreadsheetReader

ROUNDS = 9
MOST_RATIO = 1.5
PARAGRAPHS_PER_SECTION = 12


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the report; `measured` is as printed, `value` the bare number, `met` absent without a target."""

    name: str
    target: str
    measured: str
    value: float
    met: bool | None = None


def pdf_of(pages: int) -> bytes:
    """A text PDF of exactly that many pages, with headings, a running header and page numbers."""
    from reportlab.lib.styles import getSampleStyleSheet
    from reportlab.pdfgen.canvas import Canvas
    from reportlab.platypus import Paragraph

    language, style = Language(seed=pages), getSampleStyleSheet()
    target = io.BytesIO()
    canvas = Canvas(target, invariant=True)
    width, height = (int(side) for side in canvas._pagesize)
    pending: list[Paragraph] = []
    written = 0
    for number in range(1, pages + 1):
        canvas.setFont("Helvetica", 9)
        canvas.drawString(72, height - 40, "The running head of the whole report")
        canvas.drawString(width / 2, 40, str(number))
        top = height - 72
        while True:
            if not pending:
                is_heading = written % (PARAGRAPHS_PER_SECTION + 1) == 0
                text = " ".join(language.words(4)) if is_heading else language.note(1).rpartition("\n\n")[0]
                pending.append(Paragraph(_plain(text), style["Heading2" if is_heading else "BodyText"]))
                written += 1
            paragraph = pending.pop(0)
            _, needed = paragraph.wrap(width - 144, height)
            if needed > top - 72:
                pending = [*paragraph.split(width - 144, top - 72), *pending]
                if len(pending) > 1:
                    pending[0].wrap(width - 144, height)
                    pending[0].drawOn(canvas, 72, top - pending[0].height)
                    del pending[0]
                else:
                    pending = pending or [paragraph]
                break
            paragraph.drawOn(canvas, 72, top - needed)
            top -= needed + 6
        canvas.showPage()
    canvas.save()
    return target.getvalue()


def pdf_reading(pages: int, content: bytes) -> Iterator[Row]:
    """Reading against the bare parser, then chunking and publishing."""
    name = PurePosixPath("report.pdf")
    reader, counter = PdfReader(), TokenCounter()
    bare, reading = _fastest_in_turn(lambda: _bare_pdf(content), lambda: reader.read(name, content))
    document = reader.read(name, content)
    yield Row(f"bare parser, {pages:,} pages", "", f"{pages / bare:,.0f} pages/s", round(pages / bare))
    yield Row(f"reading, {pages:,} pages", "", f"{pages / reading:,.0f} pages/s", round(pages / reading))
    ratio = reading / bare
    target = f"≤ {MOST_RATIO} × bare parser"
    yield Row("reading against the bare parser", target, f"{ratio:.2f} ×", round(ratio, 3), ratio <= MOST_RATIO)
    (chunking,) = _fastest_in_turn(lambda: _chunks(document, counter))
    count = len(_chunks(document, counter))
    yield Row(f"tokens and {count:,} chunks", "", f"{pages / chunking:,.0f} pages/s", round(pages / chunking))


def sheet_of(rows: int) -> bytes:
    """A workbook of one sheet with 8 columns: numbers, shares, dates, truth values, and words."""
    from openpyxl import Workbook

    language, chance = Language(seed=rows), random.Random(rows)
    workbook = Workbook(write_only=True)
    sheet = workbook.create_sheet("Data")
    sheet.append(["id", "name", "region", "amount", "share", "since", "note", "open"])
    for number in range(1, rows):
        day = date(2020, 1, 1) + timedelta(days=number % 1500)
        name, region, note = " ".join(language.words(2)), *language.words(1), " ".join(language.words(4))
        amount, share = chance.randrange(10**6), round(chance.random(), 4)
        sheet.append([number, name, region, amount, share, day, note, number % 2 == 0])
    target = io.BytesIO()
    workbook.save(target)
    return target.getvalue()


def sheet_reading(folder: Path, rows: int) -> Iterator[Row]:
    """A sheet against python-calamine's `to_python`, then chunking, then a whole `index` without embedding."""
    content, name = sheet_of(rows), PurePosixPath("table.xlsx")
    reader, counter = SpreadsheetReader(), TokenCounter()
    bare, reading = _fastest_in_turn(lambda: _bare_sheet(content), lambda: reader.read(name, content))
    yield Row(f"bare parser, {rows:,} rows × 8", "", f"{rows / bare:,.0f} rows/s", round(rows / bare))
    yield Row(f"reading, {rows:,} rows × 8", "", f"{rows / reading:,.0f} rows/s", round(rows / reading))
    ratio = reading / bare
    target = f"≤ {MOST_RATIO} × bare parser"
    yield Row("reading a sheet against the bare parser", target, f"{ratio:.2f} ×", round(ratio, 3), ratio <= MOST_RATIO)
    document = reader.read(name, content)
    started = time.perf_counter()
    count = len(_chunks(document, counter))
    chunking = time.perf_counter() - started
    yield Row(f"tokens and {count:,} chunks of the sheet", "", f"{rows / chunking:,.0f} rows/s", round(rows / chunking))
    folder.mkdir()
    (folder / "table.xlsx").write_bytes(content)
    with glassdex.Project.create("sheets", [folder]) as project:
        started = time.perf_counter()
        report = project.index(embed=False)
        seconds = time.perf_counter() - started
    what = f"index of the sheet without embedding, {report.chunks_added:,} chunks"
    yield Row(what, "", f"{rows / seconds:,.0f} rows/s", round(rows / seconds))


def _bare_sheet(content: bytes) -> int:
    from python_calamine import CalamineWorkbook

    return len(CalamineWorkbook.from_filelike(io.BytesIO(content)).get_sheet_by_index(0).to_python())


def publishing(folder: Path, pages: int, content: bytes) -> Iterator[Row]:
    """A whole `index` of the one file, without embedding."""
    folder.mkdir()
    (folder / "report.pdf").write_bytes(content)
    with glassdex.Project.create("documents", [folder]) as project:
        started = time.perf_counter()
        report = project.index(embed=False)
        seconds = time.perf_counter() - started
    what = f"index without embedding, {report.chunks_added:,} chunks, reader's process started"
    yield Row(what, "", f"{pages / seconds:,.0f} pages/s", round(pages / seconds))


def _bare_pdf(content: bytes) -> int:
    # Without types of its own, and so imported by name.
    document = importlib.import_module("pypdfium2").PdfDocument(content)
    characters = 0
    for page in document:
        text_page = page.get_textpage()
        characters += len(text_page.get_text_range())
        text_page.close()
        page.close()
    document.close()
    return characters


def _chunks(document: Document, counter: TokenCounter) -> list[Chunk]:
    frames = {frame: [start for start, _ in counter.spans(frame)] for frame in frames_of(document)}
    return chunk_document(document, [start for start, _ in counter.spans(document.text)], frames)


def _fastest_in_turn(*works: Callable[[], object]) -> list[float]:
    """Processor seconds of each work's fastest round; the works take turns, so that a slow moment hits all of them."""
    times: list[list[float]] = [[] for _ in works]
    for _ in range(ROUNDS):
        for work, of_work in zip(works, times, strict=True):
            gc.collect()
            gc.disable()  # as in the reader's own process
            started = time.process_time()
            work()
            of_work.append(time.process_time() - started)
            gc.enable()
    return [min(of_work) for of_work in times]


def _plain(text: str) -> str:
    return " ".join(line for line in text.splitlines() if line[:1] not in ("#", "-") and ": " not in line)


def measure(folder: Path, pages: int, rows: int) -> Iterator[Row]:
    """Every row; what is to be 0 long is left out."""
    if rows:
        yield from sheet_reading(folder / "sheets", rows)
    if not pages:
        return
    content = pdf_of(pages)
    yield from pdf_reading(pages, content)
    yield from publishing(folder / "documents", pages, content)


def main() -> None:
    parser = argparse.ArgumentParser(description="Speed of the document readers.")
    parser.add_argument("--pages", type=int, default=300, help="of the PDF")
    parser.add_argument("--rows", type=int, default=50_000, help="of the sheet")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    arguments = parser.parse_args()
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(prefix="glassdex-documents-") as temporary:
        os.environ["GLASSDEX_HOME"] = str(Path(temporary) / "home")
        for row in measure(Path(temporary), arguments.pages, arguments.rows):
            print(f"{row.name}: {row.measured}", file=sys.stderr)
            rows.append(row)
    cells = [[row.name, row.target, row.measured, {None: "", True: "yes", False: "no"}[row.met]] for row in rows]
    print(f"{machine_line()}\n\n{markdown_table(['what', 'target', 'measured', 'met'], cells)}")
    if arguments.json:
        content = {"machine": machine(), "rows": [asdict(row) for row in rows]}
        arguments.json.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
