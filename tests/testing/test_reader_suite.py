"""The reader suite rejects readers that break the protocol, each by the test that says so."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import PurePosixPath

import pytest

from glassdex.errors import UnsupportedEncoding
from glassdex.model import Document, Place, Row
from glassdex.reading.markdown import MarkdownReader
from glassdex.reading.protocol import ReadingOptions
from glassdex.testing import ReaderConformance

from .rejection import failed_tests
from .test_markdown import NOTE


class BrokenReader(MarkdownReader):
    """Markdown, with something done to the document behind the reader's back."""

    def __init__(self, change: Callable[[Document], Document]) -> None:
        self.change = change

    def read(self, path: PurePosixPath, content: bytes, options: ReadingOptions = ReadingOptions()) -> Document:
        return self.change(super().read(path, content, options))


class Suite(ReaderConformance):
    def __init__(self, reader: MarkdownReader) -> None:
        self.broken = reader

    def reader(self) -> MarkdownReader:
        return self.broken

    def samples(self) -> Mapping[str, bytes]:
        return {"tide.md": NOTE.encode(), "windows.md": NOTE.replace("\n", "\r\n").encode()}


def each_row(change: Callable[[Row], Row]) -> Callable[[Document], Document]:
    return lambda document: replace(document, rows=tuple(change(row) for row in document.rows))


def in_places(*places: Place) -> Callable[[Document], Document]:
    return lambda document: replace(document, places=places)


def unify(document: Document) -> Document:
    return replace(document, text=document.text.replace("\r\n", "\n"))


def overlap(row: Row) -> Row:
    return replace(row, blocks=tuple(replace(block, start=0) for block in row.blocks))


def count_from_one(row: Row) -> Row:
    return replace(row, ordinal=row.ordinal + 1)


@pytest.mark.parametrize(
    ("change", "caught_by"),
    [
        (
            in_places(Place(0, 9, page=0), Place(9, 12, page=1)),
            "test_places_ascend_within_the_text_and_count_from_one",
        ),
        (
            in_places(Place(0, 9, page=1), Place(5, 12, page=2)),
            "test_places_ascend_within_the_text_and_count_from_one",
        ),
        (in_places(Place(0, 9_999, page=1)), "test_places_ascend_within_the_text_and_count_from_one"),
        (in_places(Place(0, 9, sheet="a"), Place(9, 12, sheet="b")), "test_a_row_stands_on_one_sheet_and_one_slide"),
        (in_places(Place(0, 9, slide=1), Place(9, 12, slide=2)), "test_a_row_stands_on_one_sheet_and_one_slide"),
        (
            each_row(lambda row: replace(row, start=row.start + 1)),
            "test_a_rows_text_is_the_documents_text_at_its_offset",
        ),
        (each_row(overlap), "test_blocks_lie_within_their_row_in_order_without_overlap"),
        (each_row(count_from_one), "test_ordinals_count_from_zero_within_each_kind"),
        (unify, "test_windows_and_old_mac_newlines_change_neither_lines_nor_rows"),
        (lambda document: replace(document, format="text"), "test_documents_carry_the_readers_format_and_a_title"),
        (
            lambda document: replace(document, links=tuple(replace(link, line=0) for link in document.links)),
            "test_links_name_lines_that_exist",
        ),
    ],
)  # fmt: skip
def test_a_broken_reader_is_rejected(change: Callable[[Document], Document], caught_by: str):
    assert caught_by in failed_tests(Suite(BrokenReader(change)))


def test_a_reader_that_guesses_an_encoding_or_lets_an_error_escape_is_rejected():
    class LetsErrorsEscape(MarkdownReader):
        def read(self, path: PurePosixPath, content: bytes, options: ReadingOptions = ReadingOptions()) -> Document:
            try:
                return super().read(path, content, options)
            except UnsupportedEncoding:
                content.decode("utf-8")
                raise

    failed = failed_tests(Suite(LetsErrorsEscape()))
    assert failed == {"test_no_bytes_whatever_raise_anything_but_a_read_error"}


def test_a_reader_of_extracted_text_without_places_is_rejected():
    suite = Suite(MarkdownReader())
    suite.text_format = False
    assert failed_tests(suite) == {"test_places_ascend_within_the_text_and_count_from_one"}


def test_a_reader_that_remembers_the_last_file_is_rejected():
    class Remembers(MarkdownReader):
        seen = 0

        def read(self, path: PurePosixPath, content: bytes, options: ReadingOptions = ReadingOptions()) -> Document:
            self.seen += 1
            return replace(super().read(path, content, options), title=f"file {self.seen}")

    assert "test_the_same_bytes_give_the_same_document" in failed_tests(Suite(Remembers()))
