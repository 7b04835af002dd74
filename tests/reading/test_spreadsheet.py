"""Workbooks: values as they are written, true row numbers, sheets of any name."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from pathlib import PurePosixPath

import pytest
from openpyxl import Workbook

from glassdex.errors import FileDamaged, MissingExtra, PasswordRequired
from glassdex.reading.protocol import Reader
from glassdex.reading.spreadsheet import SpreadsheetReader
from glassdex.testing.reader import ReaderConformance

from .workbooks import book, case, compound_file, lines, raw_book, read, saved, sheet_xml


def several_sheets() -> bytes:
    workbook = Workbook()
    first = workbook.active
    assert first is not None
    first.append(["name", "n"])
    for number in range(40):
        first.append([f"line {number}", number])
    hidden = workbook.create_sheet("Q1 'Net' ")
    hidden["C5"] = "secret"
    hidden.sheet_state = "veryHidden"
    workbook.create_sheet("empty")
    workbook.create_chartsheet("chart")
    return saved(workbook)


class TestConformance(ReaderConformance):
    text_format = False

    def reader(self) -> Reader:
        return SpreadsheetReader()

    def samples(self) -> Mapping[str, bytes]:
        return {
            "several.xlsx": several_sheets(),
            "macros.xlsm": book({"A1": "a", "B1": "b", "A2": 1, "B2": 2, "A4": "note"}),
            "errors.xlsx": case("errors.xlsx"),
            "formulas.xlsx": case("formulas-no-cache-bug60858.xlsx"),
            "old.xls": case("made-with-xlwt.xls"),
        }


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (12553, "12553"),
        (-7, "-7"),
        (22.2222, "22.2222"),
        (0.1, "0.1"),
        (1e300, "1e+300"),
        (2.0**60, "1.152921504606847e+18"),
        (True, "TRUE"),
        (False, "FALSE"),
        (date(2021, 1, 2), "2021-01-02"),
        (datetime(2021, 1, 2, 3, 4, 5), "2021-01-02 03:04:05"),
        (time(3, 4, 5), "03:04:05"),
        (timedelta(days=10, hours=15, minutes=10, seconds=10), "255:10:10"),
        ("two\nlines", "two lines"),
        ("  blanks around  ", "blanks around"),
        ("a\u2028b\tc", "a b c"),
        ("日本語 \U0001f989", "日本語 \U0001f989"),
    ],
)
def test_a_value_is_written_as_people_write_it(value: object, text: str) -> None:
    assert lines(read(book({"B2": "label", "C2": value}))) == {2: f"label | {text}"}


def test_rows_and_columns_before_the_first_cell_keep_their_numbers() -> None:
    def merge(sheet):
        sheet.merge_cells("C8:D9")

    document = read(book({"C5": "City", "D5": "Visits", "C6": "Bern", "D6": 3, "C8": "both", "C10": "Ulm"}, merge))
    assert lines(document) == {5: "City | Visits", 6: "Bern | 3", 8: "both", 10: "Ulm"}
    sheet = {"name": "Sheet", "state": "visible", "range": "C5:D10", "merged": ["C8:D9"], "merged_total": 1}
    assert document.metadata["sheets"] == [sheet]
    assert [row.text for row in document.rows] == ["City | Visits\nBern | 3", "both\nUlm"]


def test_text_under_a_merged_range_is_not_read_twice() -> None:
    rows = (
        '<row r="1"><c r="A1" t="inlineStr"><is><t>seen</t></is></c><c r="B1" t="inlineStr"><is><t>covered</t></is></c>'
        "</row>"
    )
    xml = sheet_xml(rows).replace("</sheetData>", '</sheetData><mergeCells><mergeCell ref="A1:B1"/></mergeCells>')
    assert read(raw_book(xml)).text == "seen\n"


def test_columns_line_up_within_a_table_and_empty_ones_are_left_out() -> None:
    document = read(book({"A1": "a", "C1": "b", "E1": "c", "A2": 1, "E2": 3, "C3": 2}))
    assert lines(document) == {1: "a | b | c", 2: "1 |  | 3", 3: " | 2"}


@pytest.mark.parametrize("name", ["Q1 'Net' ", " leading", "a.b", 'say "so"', "R&D <x>", "50% – ß", "日本"])
def test_a_sheets_name_is_kept_as_it_is(name: str) -> None:
    document = read(book({"A1": "x"}, name=name))
    assert [place.sheet for place in document.places] == [name]
    assert document.rows[0].blocks[0].headings == (name,)


def test_sheets_that_are_hidden_in_either_way_say_so() -> None:
    document = read(several_sheets())
    assert {place.sheet: place.hidden for place in document.places} == {
        "Sheet": False, "Q1 'Net' ": True, "empty": False, "chart": False,
    }  # fmt: skip
    sheets = document.metadata["sheets"]
    assert isinstance(sheets, list)
    states = [sheet["state"] for sheet in sheets if isinstance(sheet, dict)]
    assert states == ["visible", "very_hidden", "visible", "visible"]
    assert "secret" in document.text


def test_a_table_goes_on_with_its_header_as_context() -> None:
    document = read(several_sheets())
    assert document.rows[0].kind == "table"
    assert document.rows[0].blocks[0].context == "name | n"


@pytest.mark.parametrize("quote", ['"', "'"])
def test_errors_and_formulas_without_a_result_are_shown_where_they_stand(quote: str) -> None:
    rows = (
        '<row r="2"><c r="B2"><v>1</v></c><c r="C2" t="e"><f>1/0</f><v>#DIV/0!</v></c></row>'
        '<row r="4"><c r="A4" t="str"><f>""</f><v></v></c><c r="D4"><f>B2 &amp; "&lt;x>"</f></c></row>'
        '<row r="5"><c r="E5"><f t="shared" si="0"/><v/></c><c r="F5"><f>A1</f><v>3</v></c></row>'
    ).replace('"', quote)
    document = read(raw_book(sheet_xml(rows)))
    assert lines(document)[2] == "1 | #DIV/0!"
    assert [cell for cell in lines(document)[4].split(" | ") if cell.strip()] == [
        f"=B2 & {quote}<x>{quote}",
    ]
    assert lines(document)[5].endswith("=… | 3")
    (warning,) = document.warnings
    assert warning.message.startswith("2 formulas were saved without a result and shown as the formula: S!D4, S!E5.")


def test_a_sheet_of_nothing_but_formulas_without_result_is_no_empty_sheet() -> None:
    document = read(raw_book(sheet_xml('<row r="3"><c r="B3"><f>SUM(A1:A2)</f></c></row>')))
    assert lines(document) == {3: "=SUM(A1:A2)"}


def test_cells_without_a_reference_and_elements_with_a_prefix_are_read_too() -> None:
    bare = sheet_xml('<row><c><v>1</v></c><c t="e"><v>#N/A</v></c></row><row><c><f>A1</f></c></row>')
    assert lines(read(raw_book(bare))) == {1: "1 | #N/A", 2: "=A1"}
    prefixed = sheet_xml('<row r="1"><c r="A1" t="e"><v>#REF!</v></c></row>')
    for element in ("worksheet", "sheetData", "row", "c", "v"):
        prefixed = prefixed.replace(f"<{element} ", f"<x:{element} ").replace(f"<{element}>", f"<x:{element}>")
        prefixed = prefixed.replace(f"</{element}>", f"</x:{element}>")
    assert lines(read(raw_book(prefixed.replace("xmlns=", "xmlns:x=")))) == {1: "#REF!"}


def test_text_that_looks_like_a_mark_of_an_error_is_text() -> None:
    assert lines(read(book({"A1": 't="e" </f></c> <f>', "B1": 2}))) == {1: 't="e" </f></c> <f> | 2'}


def test_marks_across_the_blocks_of_unpacking_are_seen() -> None:
    filler = "".join(f'<row r="{n}"><c r="A{n}"><v>{n}</v></c></row>' for n in range(1, 60_000))
    rows = filler + '<row r="60000"><c r="B60000" t="e"><v>#NUM!</v></c></row>'
    assert lines(read(raw_book(sheet_xml(rows))))[60_000] == " | #NUM!"


def test_xls_files_are_read_like_xlsx() -> None:
    document = read(case("made-with-xlwt.xls"), "made.xls")
    assert lines(document, "Q1 'Net' ") == {
        5: "City | Visits | Since | Rate",
        6: "Zürich | 12553 | 2021-01-02 | 0.25",
        8: "both cells",
        10: "#DIV/0! | TRUE | 255:10:10",
    }
    assert lines(document, "deep") == {1: "#N/A"}
    assert {place.sheet: place.hidden for place in document.places} == {
        "Q1 'Net' ": False, "kept back": True, "deep": True, "nothing": False,
    }  # fmt: skip


def test_it_bids_for_workbooks_by_name_and_more_when_they_begin_like_one() -> None:
    reader = SpreadsheetReader()
    assert reader.bid(PurePosixPath("a.XLSX"), b"PK\x03\x04") == 90
    assert reader.bid(PurePosixPath("a.xls"), b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1") == 90
    assert reader.bid(PurePosixPath("a.xlsm"), b"") == 80
    assert reader.bid(PurePosixPath("a.zip"), b"PK\x03\x04") == 0


def test_an_encrypted_workbook_says_what_to_do() -> None:
    with pytest.raises(PasswordRequired) as caught:
        read(compound_file("EncryptedPackage", "EncryptionInfo"))
    assert "without a password" in caught.value.suggestion


def test_an_encrypted_old_workbook_says_the_same() -> None:
    content = case("made-with-xlwt.xls")
    interface_header, file_password = b"\xe1\x00\x02\x00\xb0\x04", b"\x2f\x00\x02\x00\x01\x00"
    assert content.count(interface_header) == 1
    with pytest.raises(PasswordRequired):
        read(content.replace(interface_header, file_password), "old.xls")


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"<html><table>", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" * 200])
def test_what_is_no_workbook_is_damaged(content: bytes) -> None:
    with pytest.raises(FileDamaged):
        read(content, "old.xls")


def test_without_the_library_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    with pytest.raises(MissingExtra) as caught:
        read(case("errors.xlsx"))
    assert caught.value.suggestion == "pip install 'glassdex[documents]'"
