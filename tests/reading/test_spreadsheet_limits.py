"""Workbooks that ask for too much are given up, and the error names the limit."""

from __future__ import annotations

import struct

import pytest

from glassdex.errors import FileDamaged, LimitExceeded
from glassdex.reading.protocol import Limits, ReadingOptions

from .workbooks import book, lines, raw_book, read, sheet_xml

ONE_CELL = sheet_xml('<row r="1"><c r="A1"><v>1</v></c></row>')


def refused(content: bytes, **limits: int) -> str:
    with pytest.raises(LimitExceeded) as caught:
        read(content, options=ReadingOptions(limits=Limits(**limits)))
    return caught.value.message


def test_a_zip_bomb_is_stopped_while_it_unpacks() -> None:
    bomb = raw_book(ONE_CELL, extra={"xl/media/image1.png": bytes(30_000_000)})
    assert len(bomb) < 100_000
    assert "more than 10,000,000 bytes (limit unpacked_bytes)" in refused(bomb, unpacked_bytes=10_000_000)
    assert lines(read(bomb)) == {1: "1"}


def test_a_bomb_that_lies_about_its_size_is_stopped_too() -> None:
    bomb = raw_book(ONE_CELL, extra={"xl/media/image1.png": bytes(30_000_000)})
    lying = bomb.replace(struct.pack("<I", 30_000_000), struct.pack("<I", 10))
    assert lying != bomb
    assert "unpacked_bytes" in refused(lying, unpacked_bytes=10_000_000)


def test_a_bomb_behind_another_member_of_its_name_is_stopped_too() -> None:
    with pytest.warns(UserWarning, match="Duplicate name"):
        bomb = raw_book(ONE_CELL, extra={"xl/bomb": bytes(30_000_000), "XL/bomb": b"", "xl/workbook.xml": b"<w/>"})
    assert "unpacked_bytes" in refused(bomb, unpacked_bytes=10_000_000)


def test_two_cells_at_the_ends_of_a_sheet_are_not_held_as_the_grid_between_them() -> None:
    far = sheet_xml('<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>2</v></c></row>')
    assert "1,048,576 rows and 16,384 columns" in refused(raw_book(far))


def test_two_cells_far_down_one_column_are_read() -> None:
    far = sheet_xml('<row r="1"><c r="A1"><v>1</v></c></row><row r="1000000"><c r="A1000000"><v>2</v></c></row>')
    assert lines(read(raw_book(far))) == {1: "1", 1_000_000: "2"}


def test_too_many_cells_are_given_up() -> None:
    content = book({f"{column}{row}": 1 for column in "ABCDE" for row in range(1, 21)})
    assert refused(content, cells=99) == "the workbook has more than 99 cells (limit cells)"
    assert len(lines(read(content, options=ReadingOptions(limits=Limits(cells=100))))) == 20


def test_too_much_text_is_given_up() -> None:
    assert "limit characters" in refused(book({"A1": "x" * 500, "A2": "y" * 500}), characters=900)


def test_ranges_merged_over_each_other_are_given_up() -> None:
    merges = '<mergeCell ref="A1:Z100"/>' * 50
    xml = sheet_xml('<row r="1"><c r="A1"><v>1</v></c></row><row r="100"><c r="Z100"><v>1</v></c></row>')
    xml = xml.replace("</sheetData>", f"</sheetData><mergeCells>{merges}</mergeCells>")
    assert "merged ranges" in refused(raw_book(xml), cells=10_000)


def test_declared_entities_are_refused() -> None:
    laughs = '<!DOCTYPE w [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]>'
    with pytest.raises(FileDamaged, match="declares entities"):
        read(raw_book(f'{laughs}<x:worksheet xmlns:x="http://x"><x:sheetData>&b;</x:sheetData></x:worksheet>'))


def test_a_cut_workbook_is_damaged() -> None:
    content = book({"A1": "x"})
    for length in (0, 30, len(content) // 2, len(content) - 30):
        with pytest.raises(FileDamaged):
            read(content[:length])
