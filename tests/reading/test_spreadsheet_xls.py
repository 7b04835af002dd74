"""What is taken from an XLS file's own records: its error values, and whether it asks for a password."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassdex.reading.compound_file import is_encrypted, xls_errors

from .workbooks import case, compound_file, small_compound_file


def record(kind: int, body: bytes = b"") -> bytes:
    return struct.pack("<HH", kind, len(body)) + body


def error_cell(row: int, column: int, code: int) -> bytes:
    return record(0x205, struct.pack("<HHHBB", row, column, 15, code, 1))


def formula(row: int, column: int, result: bytes) -> bytes:
    return record(0x06, struct.pack("<HHH", row, column, 15) + result + bytes(6))


def workbook(*cells: bytes) -> bytes:
    begin, end = record(0x809, bytes(16)), record(0x0A)
    front = len(begin) + 4 + 8 + len(end)
    sheet = record(0x85, struct.pack("<IHH", front, 0, 0))
    return begin + sheet + end + begin + b"".join(cells) + end


CELLS = workbook(
    error_cell(3, 2, 0x2A),
    record(0x205, struct.pack("<HHHBB", 4, 0, 15, 1, 0)),
    formula(5, 1, b"\x02\x00\x07\x00\x00\x00\xff\xff"),
    formula(6, 1, struct.pack("<d", 2.5)),
    error_cell(7, 0, 0x63),
)
ERRORS = {(3, 2): "#N/A", (5, 1): "#DIV/0!", (7, 0): "#ERROR(99)"}


def test_errors_stand_in_cells_and_are_results_of_formulas() -> None:
    assert xls_errors(compound_file("Workbook", first=CELLS)) == [ERRORS]


def test_a_short_workbook_stands_in_parts_of_another_stream() -> None:
    assert len(CELLS) > 64
    assert xls_errors(small_compound_file("Book", CELLS)) == [ERRORS]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (compound_file("EncryptedPackage", "EncryptionInfo"), True),
        (compound_file("Workbook", first=record(0x809, bytes(16)) + record(0x2F, bytes(6)) + record(0x0A)), True),
        (compound_file("Workbook", first=CELLS), False),
        (compound_file("WordDocument"), False),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", False),
    ],
)
def test_encryption_is_told_by_its_stream_or_record(content: bytes, expected: bool) -> None:
    assert is_encrypted(content) is expected


@given(st.binary(max_size=40), st.integers(0, 5600), st.integers(0, 5632))
def test_damage_is_no_error_here(noise: bytes, at: int, length: int) -> None:
    content = bytearray(case("made-with-xlwt.xls"))
    content[at : at + len(noise)] = noise
    damaged = bytes(content[:length])
    assert isinstance(xls_errors(damaged), list)
    assert is_encrypted(damaged) in (True, False)
