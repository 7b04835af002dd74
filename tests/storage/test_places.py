"""What a document's places and their extent look like in the store, and that they come back as they were."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from hypothesis import example, given
from hypothesis import strategies as st

from glassdex.locators import Extent, LocatorMap, Sheet, extent_of
from glassdex.model import Locator, Place
from glassdex.storage.sqlite import SqliteStore
from glassdex.storage.sqlite.places import (
    locator_of,
    locator_values,
    pack_extent,
    pack_places,
    unpack_extent,
    unpack_places,
)
from glassdex.testing.notes import Passage, note, observation
from tests.locating import located_places, numbers

labels = st.none() | st.text(max_size=5)
sheets = st.builds(Sheet, st.text(max_size=20), st.booleans(), st.integers(0, 1_048_576))
extents = st.builds(
    Extent,
    lines=numbers,
    pages=numbers,
    page_labels=st.none() | st.lists(labels, min_size=1, max_size=9).map(tuple),
    sheets=st.lists(sheets, max_size=4).map(tuple),
    rows=numbers,
    slides=numbers,
    records=numbers,
)


@given(located_places())
@example([])
@example([Place(0, 0)])
@example([Place(0, 5, page=1, page_label=""), Place(5, 5, page=2)])
@example([Place(0, 5, sheet="\ud800 'odd' \U0001f6df", row=1), Place(5, 9, sheet="x", row=2, hidden=True)])
def test_places_come_back_as_they_were(places: list[Place]) -> None:
    assert unpack_places(pack_places(places)) == tuple(places)


@given(extents)
@example(Extent())
@example(Extent(pages=2, page_labels=(None, None)))
@example(Extent(sheets=(Sheet("Old", hidden=True), Sheet('"\\ 日記 \U0001f6df', last_row=7)), rows=7))
def test_an_extent_comes_back_as_it_was(extent: Extent) -> None:
    assert unpack_extent(pack_extent(extent)) == extent


@given(located_places())
def test_the_extent_of_any_places_comes_back_as_it_was(places: list[Place]) -> None:
    extent = extent_of("", places)
    assert unpack_extent(pack_extent(extent)) == extent


@given(located_places(), st.integers(0, 60))
def test_a_locator_goes_through_its_columns_and_back(places: list[Place], start: int) -> None:
    locator = LocatorMap("", places).locate(start, start + 4)
    assert locator_of(locator_values(locator)) == locator


def test_a_document_whose_places_are_its_lines_stores_none() -> None:
    assert pack_places(()) is None
    assert unpack_places(None) == ()


def test_a_long_list_of_rows_packs_small() -> None:
    places = [Place(60 * row, 60 * row + 59, sheet="Measurements", row=row + 1) for row in range(10_000)]
    packed = pack_places(places)
    assert packed is not None
    assert len(packed) < 100_000
    assert unpack_places(packed) == tuple(places)


def test_where_rows_and_chunks_stand_is_in_the_store(tmp_path: Path) -> None:
    document, chunks = note("plan", [Passage("one", "table"), Passage("two", "table"), Passage("three", "record")])
    places = (
        Place(0, 3, sheet="Q1 #,=", row=1),
        Place(4, 7, sheet="Old \ud800", row=12, hidden=True),
        Place(8, 13, page=4, page_label="iv"),
    )
    located = LocatorMap(document.text, places)
    document = replace(document, places=places)
    chunks = [
        replace(chunk, locator=located.locate(chunk.char_start, chunk.char_end), context="Name | Sum")
        for chunk in chunks
    ]
    store = SqliteStore(tmp_path / "notes.db")
    made_by = {"reader": "r/1", "chunker": "c/1", "lexical_identity": "l/1"}
    with store.write() as writer:
        look = observation(writer.add_root("/notes", ""), "plan.xlsx")
        document_id, _, _ = writer.replace_document(look, document, chunks, [1.0] * 3, made_by, 0)
    expected = [
        Locator(sheet="Q1 #,=", row_start=1, row_end=1),
        # SQLite's text has no lone surrogates.
        Locator(sheet="Old ?", row_start=12, row_end=12, hidden=True),
        Locator(page_start=4, page_end=4, page_label="iv"),
    ]
    with store.read() as snapshot:
        assert [row.locator for row in snapshot.document_rows(document_id)] == expected
        records = snapshot.document_chunks(document_id)
        assert [(record.locator, record.context) for record in records] == [(place, "Name | Sum") for place in expected]
        stored = snapshot.document("plan.xlsx")
        packed = snapshot.connection.execute("SELECT places FROM document").get
    assert stored is not None
    assert stored.extent == Extent(
        pages=4,
        page_labels=(None, None, None, "iv"),
        sheets=(Sheet("Q1 #,=", last_row=1), Sheet("Old ?", hidden=True, last_row=12)),
        rows=12,
    )
    assert isinstance(packed, bytes)
    assert unpack_places(packed) == places
    store.close()
