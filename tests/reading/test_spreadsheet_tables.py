"""Which rows of a grid are a table, and which of them its header, told by example."""

from __future__ import annotations

import pytest

from glassdex.reading.tables import has_header, header_context, is_value, split_tables

TABLES: dict[str, tuple[str, list[tuple[str, str]]]] = {
    # name: (rows, a line each, cells parted by |; a blank line is a blank row), [(rows of the table, of its header)]
    "a header and its values": ("City|Visits\nBern|3\nUlm|4", [("1-3", "1")]),
    "a blank row between tables": ("City|Visits\nBern|3\n\nTown|Stays\nUlm|4", [("1-2", "1"), ("4-5", "4")]),
    "values without a header": ("Bern|3\nUlm|4", [("1-2", "")]),
    "two rows of header": ("|2023|2023\n|Sales|Profit\nBern|3|1", [("1-3", "1-2")]),
    "a title above the header": ("Visits by city\nCity|Visits\nBern|3", [("1-3", "1-2")]),
    "a title above a blank row": ("Visits by city\n\nCity|Visits\nBern|3", [("1-4", "1-3")]),
    "a header that a blank row parts from its values": ("City|Visits\n\nBern|3\nUlm|4", [("1-4", "1")]),
    "two such headers on one sheet": (
        "In CHF|June 2023\n|Sales\n\nBern|3\n\nIn CHF|June 2022\n|Sales\n\nBern|5",
        [("1-4", "1-2"), ("6-9", "6-7")],
    ),
    "years are labels above values": ("City|2022|2023\nBern|13|14", [("1-2", "1")]),
    "years that are values": ("Ann|1985\nBob|1990", [("1-2", "")]),
    "months are labels above values": ("City|2023-01-01|2023-02-01\nBern|13|14", [("1-2", "1")]),
    "words only": ("Name|Role\nAnn|Boss\nBob|Cook", [("1-3", "1")]),
    "words only, under a title": ("Staff\nName|Role\nAnn|Boss", [("1-3", "1-2")]),
    "a header inside a run": ("City|Visits\nBern|3\nTown|Stays\nUlm|4", [("1-2", "1"), ("3-4", "3")]),
    "a header said again": ("City|Mayor\nBern|Ann\nCity|Mayor\nUlm|Bob", [("1-2", "1"), ("3-4", "3")]),
    "a header inside a run with its title": (
        "City|Visits\nBern|3\nStays by town\nTown|Stays\nUlm|4",
        [("1-2", "1"), ("3-5", "3-4")],
    ),
    "a row of dashes is no header": ("City|Visits|Stays\nBern|3|4\nUlm|—|—\nBonn|1|2", [("1-4", "1")]),
    "a name among values is no header": ("City|Visits\nBern|3\nSouth\nUlm|4", [("1-4", "1")]),
    "notes below": ("City|Visits\nBern|3\n\n(a) Without children.", [("1-2", "1"), ("4-4", "")]),
    "prose": ("This workbook lists visits.\nAsk Ann.", [("1-2", "")]),
    "many rows of words before the first value": (
        "Name|Role\nAnn|Boss\nBob|Cook\nCem|Cook\nDan|Cook\nEva|3",
        [("1-6", "1")],
    ),
    "nothing": ("", []),
}


def grid(source: str) -> tuple[list[int], list[tuple[str, ...]], list[bool]]:
    split = [tuple(line.split("|")) for line in source.split("\n")]
    width = max(map(len, split))
    rows = {number: (*cells, *[""] * (width - len(cells))) for number, cells in enumerate(split, 1) if any(cells)}
    return list(rows), list(rows.values()), [any(map(is_value, cells)) for cells in rows.values()]


def span(numbers: list[int]) -> str:
    return "" if not numbers else str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]}-{numbers[-1]}"


@pytest.mark.parametrize("source, expected", TABLES.values(), ids=TABLES)
def test_tables_and_headers(source: str, expected: list[tuple[str, str]]) -> None:
    numbers, rows, valued = grid(source)
    found = split_tables(numbers, rows, valued)
    shown = [
        (
            f"{numbers[table.first]}-{numbers[table.last - 1]}",
            span(numbers[table.first : table.first + table.header_rows]),
        )
        for table in found
    ]
    assert shown == expected


def test_a_row_inside_a_merged_range_parts_nothing() -> None:
    numbers, rows, valued = grid("City|Visits\nBern|3\n\nUlm|4")
    (table,) = split_tables(numbers, rows, valued, reach=lambda row: max(row, 3))
    assert (table.first, table.last) == (0, 3)


def test_a_context_leaves_room_for_the_names_of_the_columns() -> None:
    context = header_context([("Title " * 40, ""), ("", "Sales"), ("Bern", "Profit")])
    assert context.endswith("Titl / Sales / Bern | Profit")
    assert len(context) < 130


@pytest.mark.parametrize(
    "text",
    ["3", "-3.5", "1,234.50", "12'000", "€ 5", "5 %", "(300)", "1e-5", "2021-01-02", "2021-01-02 03:04:05", "1.2.2023",
     "3/4/21", "12:30", "255:10:10", "TRUE", "false", "#DIV/0!", "#N/A", ".5"],
)  # fmt: skip
def test_values(text: str) -> None:
    assert is_value(text)


@pytest.mark.parametrize("text", ["", "—", "n/a", "Q1", "3 apples", "2023 total", "A1", "-", "#tag"])
def test_labels(text: str) -> None:
    assert not is_value(text)


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([("id", "name"), ("1", "Ann")], True),
        ([("1", "2"), ("3", "4")], False),
        ([("1", "Ann"), ("2", "Bob")], False),
        ([("city", "2022", "2023"), ("Bern", "1", "2")], True),
        ([("2022", "2023"), ("1", "2")], True),
        ([("name", "role"), ("Ann", "Boss")], True),
        ([("name", "role")], True),
        ([("7", "8")], False),
        ([], False),
    ],
)
def test_the_first_record_is_a_header_unless_it_looks_like_the_others(
    rows: list[tuple[str, ...]], expected: bool
) -> None:
    assert has_header(rows) is expected
