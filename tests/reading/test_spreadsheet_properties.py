"""Whatever a sheet holds, each row's text is found at the place that names its row."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl import Workbook

from glassdex.model import Document

from .workbooks import lines, places_of, read, saved

_texts = st.text(alphabet=st.sampled_from("abcXYZ äß日0129.,-—\n"), min_size=1, max_size=12).filter(str.strip)
_values = st.one_of(
    _texts, st.integers(-(10**9), 10**9), st.integers(-(10**6), 10**6).map(lambda n: n / 64), st.booleans()
)
_cells = st.dictionaries(st.tuples(st.integers(1, 40), st.integers(1, 9)), _values, max_size=60)


def shown(value: Any) -> str:
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else repr(value)
    if isinstance(value, str):
        text = value.strip()
        return text if text.isprintable() else " ".join(text.split())
    return str(value)


def document_of(sheets: dict[str, dict[tuple[int, int], Any]]) -> Document:
    workbook = Workbook()
    workbook.remove(workbook.active)
    for name, cells in sheets.items():
        sheet = workbook.create_sheet(name)
        for (row, column), value in cells.items():
            sheet.cell(row, column).value = value
            sheet.cell(row, column).data_type = "s" if isinstance(value, str) else sheet.cell(row, column).data_type
    return read(saved(workbook))


@settings(max_examples=60)
@given(st.dictionaries(st.sampled_from(["A", "Q1 'Net' ", "b.c"]), _cells, min_size=1))
def test_places_name_the_true_rows(sheets: dict[str, dict[tuple[int, int], Any]]) -> None:
    document = document_of(sheets)
    for name, cells in sheets.items():
        found = lines(document, name)
        assert sorted(found) == sorted({row for row, _ in cells})
        for (row, _), value in cells.items():
            assert shown(value) in found[row], (row, value)


@settings(max_examples=60)
@given(st.dictionaries(st.sampled_from(["A", "B"]), _cells, min_size=1))
def test_every_line_belongs_to_one_table_of_its_sheet(sheets: dict[str, dict[tuple[int, int], Any]]) -> None:
    document = document_of(sheets)
    covered = "\n".join(row.text for row in document.rows)
    assert covered == document.text.removesuffix("\n")
    for row in document.rows:
        (block,) = row.blocks
        (sheet,) = block.headings
        inside = [p for p in places_of(document, sheet) if row.start <= p.start < row.start + len(row.text)]
        assert "\n".join(document.text[place.start : place.end] for place in inside) == row.text
