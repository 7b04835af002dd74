"""What every reader must do: rows whose offsets and lines lead back to the file, and no surprise on any bytes."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from glassdex.errors import ReadError
from glassdex.locators import LocatorMap
from glassdex.model import Document, Locator, Row
from glassdex.reading.protocol import HEAD_BYTES, Reader

_LINE_END = re.compile(r"\r\n|\r|\n")
_ARBITRARY_FILES = 200


class ReaderConformance:
    """Derive, and provide `reader` and `samples`."""

    text_format = True
    """Whether `Document.text` is the file's own text; `False` for a format whose text is extracted (PDF, …)."""

    def reader(self) -> Reader:
        """The reader under test."""
        raise NotImplementedError

    def samples(self) -> Mapping[str, bytes]:
        """File name → content of files that the reader reads, several of them, with every kind of row it makes."""
        raise NotImplementedError

    def test_it_has_a_name_a_version_and_a_format(self) -> None:
        reader = self.reader()
        assert reader.name and reader.format, "name and format are what people filter and report by"
        assert reader.version >= 1, f"version {reader.version}"

    def test_it_bids_for_its_samples_between_one_and_a_hundred(self) -> None:
        for name, content in self.samples().items():
            bid = self.reader().bid(PurePosixPath(name), content[:HEAD_BYTES])
            assert 0 < bid <= 100, f"{name}: a bid of {bid}"

    def test_documents_carry_the_readers_format_and_a_title(self) -> None:
        for name, document in self._documents():
            assert document.format == self.reader().format, f"{name}: format {document.format!r}"
            assert document.title.strip(), f"{name}: no title"

    def test_a_rows_text_is_the_documents_text_at_its_offset(self) -> None:
        for name, row, document in self._rows():
            there = document.text[row.start : row.start + len(row.text)]
            assert there == row.text, (
                f"{name}, {row.key}: {row.text[:40]!r} is not at offset {row.start}: {there[:40]!r}"
            )

    def test_places_ascend_within_the_text_and_count_from_one(self) -> None:
        for name, document in self._documents():
            assert self.text_format or document.places, f"{name}: extracted text stands in places of its file"
            end = 0
            for place in document.places:
                assert end <= place.start <= place.end <= len(document.text), f"{name}: {place}"
                end = place.end
                numbers = (place.page, place.row, place.slide, place.record, place.line_start, place.line_end)
                assert all(number is None or number >= 1 for number in numbers), f"{name}: {place}"

    def test_a_row_stands_on_one_sheet_and_one_slide(self) -> None:
        for name, row, document in self._rows():
            end = row.start + len(row.text)
            touched = [p for p in document.places if p.start < end and p.end > row.start]
            assert len({(place.sheet, place.slide) for place in touched}) <= 1, f"{name}, {row.key}: {touched}"

    def test_blocks_lie_within_their_row_in_order_without_overlap(self) -> None:
        for name, row, _ in self._rows():
            end = 0
            for block in row.blocks:
                assert end <= block.start <= block.end <= len(row.text), f"{name}, {row.key}: {block}"
                end = block.end

    def test_ordinals_count_from_zero_within_each_kind(self) -> None:
        for name, document in self._documents():
            for kind in {row.kind for row in document.rows}:
                ordinals = [row.ordinal for row in document.rows if row.kind == kind]
                assert ordinals == list(range(len(ordinals))), f"{name}: {kind} rows are numbered {ordinals}"

    def test_links_name_lines_that_exist(self) -> None:
        for name, document in self._documents():
            last = max((place.line_end or 0 for place in document.places), default=0)
            count = last or _line_of(document.text, len(document.text))
            assert all(1 <= link.line <= count for link in document.links), f"{name}: {document.links}"

    def test_the_same_bytes_give_the_same_document(self) -> None:
        for name, content in self.samples().items():
            first, second = (self._read(name, content) for _ in range(2))
            assert first == second, f"{name}: read twice, two documents"

    def test_the_text_is_that_of_the_file(self) -> None:
        if not self.text_format:
            return
        for name, content in self.samples().items():
            expected = content.decode("utf-8-sig")
            assert self._read(name, content).text == expected, f"{name}: newlines and all"

    def test_windows_and_old_mac_newlines_change_neither_lines_nor_rows(self) -> None:
        if not self.text_format:
            return
        for name, content in self.samples().items():
            plain = _LINE_END.sub("\n", content.decode("utf-8-sig"))
            unix = self._read(name, plain.encode())
            for newline in ("\r\n", "\r"):
                other = self._read(name, plain.replace("\n", newline).encode())
                assert other.text == plain.replace("\n", newline), f"{name}: text with {newline!r} was rewritten"
                assert _outline(other) == _outline(unix), f"{name}: other rows or lines with {newline!r}"
                for row in other.rows:
                    assert other.text[row.start : row.start + len(row.text)] == row.text, f"{name}, {newline!r}"

    def test_no_bytes_whatever_raise_anything_but_a_read_error(self) -> None:
        reader = self.reader()
        for content in self._arbitrary_files():
            for name in (*list(self.samples())[:1], "no extension", "odd \N{SNOWMAN}\udcff.md"):
                try:
                    reader.bid(PurePosixPath(name), content[:HEAD_BYTES])
                    reader.read(PurePosixPath(name), content)
                except ReadError as error:
                    assert error.message, "an error says what happened"
                except Exception as error:
                    message = f"{type(error).__name__}: {error} on {name!r}: {content[:80]!r}"
                    raise AssertionError(message) from error

    def _read(self, name: str, content: bytes) -> Document:
        return self.reader().read(PurePosixPath(name), content)

    def _documents(self) -> Iterator[tuple[str, Document]]:
        samples = self.samples()
        assert samples, "the suite needs sample files"
        for name, content in samples.items():
            yield name, self._read(name, content)

    def _rows(self) -> Iterator[tuple[str, Row, Document]]:
        for name, document in self._documents():
            for row in document.rows:
                yield name, row, document

    def _arbitrary_files(self) -> Iterator[bytes]:
        """Bytes that are nothing, and samples that were cut, doubled or damaged; the same ones each time."""
        yield from (b"", b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"\r", b"\n" * 50, b"---", b"\x80" * 9)
        yield "\ufeff\u2028\x85\x0b\x0c e\u0301 \U0001f6df".encode()
        source = random.Random(20)  # noqa: S311 - repeatable noise, no secret
        samples = list(self.samples().values())
        for _ in range(_ARBITRARY_FILES):
            content = bytearray(source.choice(samples))
            for _ in range(source.randrange(1, 6)):
                at = source.randrange(len(content) + 1)
                content[at : at + source.randrange(4)] = source.randbytes(source.randrange(4))
            yield bytes(content[: source.randrange(len(content) + 1)])


def _line_of(text: str, offset: int) -> int:
    r"""The 1-based line of an offset; `\r\n` is one newline and belongs to the line that it ends."""
    return 1 + sum(1 for newline in _LINE_END.finditer(text) if newline.end() <= offset and newline.end() < len(text))


def _outline(document: Document) -> list[tuple[str, int, Locator, str]]:
    located = LocatorMap(document.text, document.places)
    places = [located.locate(row.start, row.start + max(len(row.text), 1)) for row in document.rows]
    return [
        (row.kind, row.ordinal, place, _LINE_END.sub("\n", row.text))
        for row, place in zip(document.rows, places, strict=True)
    ]
