"""Where in its file does a stretch of a document's text stand, and how far do its places reach?"""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from glassdex.locators import Extent, LocatorMap, Sheet, described, extent_of
from glassdex.model import Locator, Place
from tests.locating import located_places, reference_locator


def pages(*bounds: tuple[int, int], labels: dict[int, str] | None = None) -> list[Place]:
    known = labels or {}
    return [Place(*bound, page=page, page_label=known.get(page)) for page, bound in enumerate(bounds, start=1)]


def page_range(places: list[Place], start: int, end: int) -> tuple[int | None, int | None]:
    found = LocatorMap("x" * places[-1].end, places).locate(start, end)
    return found.page_start, found.page_end


THREE = pages((0, 10), (12, 20), (22, 30))


@pytest.mark.parametrize(
    ("span", "expected"),
    [
        ((0, 1), (1, 1)), ((0, 10), (1, 1)), ((9, 10), (1, 1)), ((9, 13), (1, 2)), ((0, 30), (1, 3)),
        ((19, 23), (2, 3)), ((29, 30), (3, 3)),
        # A separator belongs to no page: text that only begins or ends in one does not reach the page beyond it.
        ((10, 13), (2, 2)), ((11, 13), (2, 2)), ((9, 11), (1, 1)), ((9, 12), (1, 1)), ((10, 22), (2, 2)),
        # A separator alone stands where the text before it stands.
        ((10, 11), (1, 1)), ((10, 12), (1, 1)), ((20, 22), (2, 2)), ((30, 31), (3, 3)), ((40, 50), (3, 3)),
    ],
)  # fmt: skip
def test_text_stands_on_the_pages_that_it_touches(span: tuple[int, int], expected: tuple[int, int]) -> None:
    assert page_range(THREE, *span) == expected


def test_text_before_the_first_place_stands_there() -> None:
    places = pages((3, 9), (9, 12))
    assert page_range(places, 0, 2) == (1, 1)
    assert page_range(places, 0, 10) == (1, 2)


def test_a_document_of_one_page_has_all_its_text_there() -> None:
    for start in range(12):
        for end in range(start + 1, 13):
            assert page_range(pages((0, 12)), start, end) == (1, 1)


@pytest.mark.parametrize("count", [9, 10, 100])
def test_pages_count_and_do_not_sort_as_words(count: int) -> None:
    places = pages(*((11 * page, 11 * page + 10) for page in range(count)))
    assert page_range(places, 0, 11 * count) == (1, count)
    for page in range(count):
        assert page_range(places, 11 * page, 11 * page + 10) == (page + 1, page + 1)
    assert page_range(places, 11 * (count - 2) + 5, 11 * count - 1) == (count - 1, count)
    assert extent_of("", places).pages == count


def test_blank_pages_are_counted_and_hold_no_text() -> None:
    places = pages((0, 0), (0, 5), (5, 5), (7, 7), (7, 12), (12, 12), labels={1: "cover", 2: "i", 5: "iv"})
    assert page_range(places, 0, 5) == (2, 2)
    assert page_range(places, 7, 12) == (5, 5)
    assert page_range(places, 0, 12) == (2, 5)
    # From the separator on: the label is that of the first page with text, too.
    assert LocatorMap("x" * 12, places).locate(5, 12) == Locator(page_start=5, page_end=5, page_label="iv")
    assert extent_of("x" * 12, places) == Extent(pages=6, page_labels=("cover", "i", None, None, "iv", None))


def test_a_document_of_blank_pages_alone_still_has_a_place() -> None:
    assert page_range(pages((0, 0), (0, 0)), 0, 1) == (2, 2)
    assert extent_of("", pages((0, 0), (0, 0))).pages == 2


def test_a_blank_hidden_slide_hides_no_text_of_the_next() -> None:
    places = [Place(0, 4, slide=1), Place(4, 4, slide=2, hidden=True), Place(6, 9, slide=3)]
    assert LocatorMap("x" * 9, places).locate(4, 9) == Locator(slide=3)
    assert LocatorMap("x" * 9, places).locate(0, 4) == Locator(slide=1)


def test_rows_of_a_sheet_are_a_range_from_the_first_to_the_last() -> None:
    places = [
        Place(0, 3, sheet="Plan", row=1), Place(4, 7, sheet="Plan", row=2), Place(8, 11, sheet="Plan", row=9),
        Place(12, 15, sheet="Old", row=1, hidden=True),
    ]  # fmt: skip
    located = LocatorMap("x" * 15, places)
    assert located.locate(0, 11) == Locator(sheet="Plan", row_start=1, row_end=9)
    assert located.locate(5, 9) == Locator(sheet="Plan", row_start=2, row_end=9)
    assert located.locate(4, 7) == Locator(sheet="Plan", row_start=2, row_end=2)
    assert located.locate(12, 15) == Locator(sheet="Old", row_start=1, row_end=1, hidden=True)


def test_records_keep_the_lines_that_their_places_name() -> None:
    places = [
        Place(0, 5, record=1, line_start=2, line_end=4),
        Place(6, 9, record=2, line_start=5, line_end=5),
    ]
    assert LocatorMap("one\nx\nyyy", places).locate(6, 9) == Locator(5, 5, record=2)
    assert LocatorMap("one\nx\nyyy", places).locate(0, 5) == Locator(2, 4, record=1)
    assert extent_of("one\nx\nyyy", places) == Extent(lines=5, records=2)


def test_without_places_the_lines_of_the_text_are_the_files() -> None:
    text = "one\r\ntwo\rthree\n\u2028\x0bfour\n"
    located = LocatorMap(text, ())
    for word, line in (("one", 1), ("two", 2), ("three", 3), ("four", 4)):
        start = text.index(word)
        assert located.locate(start, start + len(word)) == Locator(line, line)
    assert located.locate(0, len(text)) == Locator(1, 4)
    assert located.locate(0, 4) == located.locate(0, 5) == Locator(1, 1)


@pytest.mark.parametrize(
    ("text", "lines"),
    [("", 1), ("one", 1), ("one\n", 1), ("one\r\n", 1), ("one\ntwo", 2), ("one\rtwo\r", 2)],
)
def test_a_final_newline_opens_no_further_line(text: str, lines: int) -> None:
    assert extent_of(text, ()) == Extent(lines=lines)
    assert extent_of(text, ()).available == ("lines",)


def test_an_extent_names_sheets_in_their_order_with_the_hidden_and_the_empty_ones() -> None:
    places = [
        Place(0, 3, sheet="Zeros", row=1), Place(4, 7, sheet="Zeros", row=12), Place(8, 8, sheet="Empty"),
        Place(8, 9, sheet="Old", row=3, hidden=True), Place(10, 11, sheet="Old", row=4, hidden=True),
    ]  # fmt: skip
    extent = extent_of("x" * 11, places)
    assert extent.sheets == (Sheet("Zeros", last_row=12), Sheet("Empty"), Sheet("Old", hidden=True, last_row=4))
    assert (extent.rows, extent.available) == (12, ("sheet", "rows"))


def test_an_extent_has_labels_only_where_the_file_names_a_page() -> None:
    assert extent_of("", THREE) == Extent(pages=3)
    assert extent_of("", THREE).available == ("pages",)
    named = extent_of("", pages((0, 10), (12, 20), labels={2: "ii"}))
    assert named == Extent(pages=2, page_labels=(None, "ii"))
    assert named.available == ("pages", "page_label")


def test_an_extent_counts_slides_and_records() -> None:
    assert extent_of("", [Place(0, 2, slide=1), Place(2, 2, slide=7)]) == Extent(slides=7)
    assert extent_of("", [Place(0, 2, record=1), Place(3, 4, record=2)]).available == ("records",)


@pytest.mark.parametrize(
    ("locator", "words"),
    [
        (Locator(3, 3), ["line 3"]),
        (Locator(3, 5), ["lines 3–5"]),
        (Locator(page_start=30, page_end=30), ["page 30"]),
        (Locator(page_start=30, page_end=30, page_label="30"), ["page 30"]),
        (Locator(page_start=4, page_end=5, page_label="iv"), ["pages 4–5 (iv)"]),
        (Locator(sheet="Plan", row_start=2, row_end=9), ["sheet Plan", "rows 2–9"]),
        (Locator(sheet="Old", row_start=2, row_end=2, hidden=True), ["sheet Old", "row 2", "hidden"]),
        (Locator(slide=4), ["slide 4"]),
        (Locator(7, 9, record=3), ["record 3"]),
        (Locator(), []),
    ],
)
def test_a_place_is_described_for_people(locator: Locator, words: list[str]) -> None:
    assert described(locator) == words


@given(located_places(), st.data())
def test_the_locator_of_any_span_is_that_of_its_characters(places: list[Place], data: st.DataObject) -> None:
    length = places[-1].end + 3
    start = data.draw(st.integers(0, length - 1))
    end = data.draw(st.integers(start + 1, length))
    assert LocatorMap("x" * length, places).locate(start, end) == reference_locator(places, start, end)


@given(st.text("ab\r\n\x0b\x85\u2028", min_size=1, max_size=30), st.data())
@example("\r\n", None)
def test_the_lines_of_any_span_are_those_of_its_characters(text: str, data: st.DataObject | None) -> None:
    start = data.draw(st.integers(0, len(text) - 1)) if data else 0
    end = data.draw(st.integers(start + 1, len(text))) if data else len(text)
    line, lines = 1, []
    for offset, character in enumerate(text):
        lines.append(line)
        if character == "\n" or (character == "\r" and text[offset + 1 : offset + 2] != "\n"):
            line += 1
    assert LocatorMap(text, ()).locate(start, end) == Locator(lines[start], lines[end - 1])
    assert extent_of(text, ()) == Extent(lines=lines[-1])
