"""What every store must do with places: pages, sheets, rows, slides and records, to filter by and to make anew."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from glassdex.locators import Extent, LocatorMap, Sheet
from glassdex.model import Chunk, Document, Locator, Place
from glassdex.storage.protocol import Snapshot, Store
from glassdex.testing.notes import note, observation

_MADE_BY: Mapping[str, str] = {"reader": "pdf/1", "chunker": "chunks/1", "lexical_identity": "words/1"}
_ODD_SHEET = "Q1 'Net' 100 %"


class StorePlacesConformance:
    """The part of `StoreConformance` that is about places."""

    def open_store(self, folder: Path) -> Store:
        """See `StoreConformance`."""
        raise NotImplementedError

    def test_a_span_of_pages_finds_what_overlaps_it(self) -> None:
        pages = [(1, 1), (8, 9), (9, 10), (10, 12), (99, 100), (100, 101)]
        with self._with_places([Locator(page_start=first, page_end=last) for first, last in pages]) as (snapshot, ids):
            for first, last, expected in ((9, 10, [1, 2, 3]), (10, 10, [2, 3]), (100, 100, [4, 5]), (13, 98, [])):
                found = snapshot.chunk_ids_in_span(1, "page", first, last).tolist()
                assert found == [ids[position] for position in expected], f"pages {first} to {last}"

    def test_rows_slides_records_and_lines_are_numbers_too(self) -> None:
        places = [
            Locator(sheet="9", row_start=2, row_end=9),
            Locator(sheet="10", row_start=10, row_end=100),
            Locator(slide=3),
            Locator(record=20),
            Locator(line_start=5, line_end=7),
        ]
        with self._with_places(places) as (snapshot, ids):
            assert snapshot.chunk_ids_in_span(1, "row", 9, 9).tolist() == [ids[0]]
            assert snapshot.chunk_ids_in_span(1, "row", 99, 1000).tolist() == [ids[1]]
            assert snapshot.chunk_ids_in_span(1, "slide", 1, 3).tolist() == [ids[2]]
            assert snapshot.chunk_ids_in_span(1, "record", 20, 20).tolist() == [ids[3]]
            assert snapshot.chunk_ids_in_span(1, "line", 7, 9).tolist() == [ids[4]]
            assert snapshot.chunk_ids_on_sheet(1, "10").tolist() == [ids[1]]

    def test_a_sheet_is_its_exact_name(self) -> None:
        with self._with_places([Locator(sheet=_ODD_SHEET), Locator(sheet=_ODD_SHEET.lower())]) as (snapshot, ids):
            assert snapshot.chunk_ids_on_sheet(1, _ODD_SHEET).tolist() == [ids[0]]
            assert snapshot.chunk_ids_on_sheet(1, "Q1").tolist() == []

    def test_locators_and_contexts_come_back_as_they_were(self) -> None:
        place = Locator(3, 4, 5, 6, "iv", "S", 7, 8, 9, 10, hidden=True)
        with self._with_places([place, Locator()]) as (snapshot, ids):
            chunks = snapshot.chunks(ids)
            assert [chunks[chunk_id].locator for chunk_id in ids] == [place, Locator()]
            assert chunks[ids[0]].context == "name | amount"
            assert snapshot.hidden_chunk_ids().tolist() == [ids[0]]

    def test_passages_come_in_the_order_of_paths_and_places(self) -> None:
        with TemporaryDirectory() as folder:
            store = self.open_store(Path(folder))
            with store.write() as writer:
                root = writer.add_root("/notes", "")
                added = {}
                for path in ("b.md", "a.md"):
                    document, chunks = note(path, ["one", "two"])
                    seen = observation(root, path, path)
                    _, _, added[path] = writer.replace_document(seen, document, chunks, [1.0, 1.0], _MADE_BY, 0.0)
            with store.read() as snapshot:
                expected = [*added["a.md"], *added["b.md"]]
                assert snapshot.in_order(None, 10).tolist() == expected
                assert snapshot.in_order(None, 3).tolist() == expected[:3]
                some = snapshot.chunk_ids_of_documents([1])
                assert snapshot.in_order(some, 10).tolist() == some.tolist() == added["b.md"]
                assert snapshot.in_order(some[:0], 10).tolist() == []
            store.close()

    def test_a_document_says_how_far_its_places_reach(self) -> None:
        places = (
            Place(0, 3, page=1, page_label="i"),
            Place(3, 3, page=2, page_label="ii"),
            Place(4, 7, sheet=_ODD_SHEET, row=12, hidden=True),
            Place(7, 7, sheet="empty"),
        )
        with self._with_document(places) as store, store.read() as snapshot:
            assert snapshot.extents([1])[1].extent == Extent(
                pages=2,
                page_labels=("i", "ii"),
                sheets=(Sheet(_ODD_SHEET, hidden=True, last_row=12), Sheet("empty")),
                rows=12,
            )
            assert snapshot.extents([2]) == {}
            stored = snapshot.document("report.pdf")
            assert stored is not None and stored.extent == snapshot.extents()[1].extent

    def test_places_that_are_current_are_not_made_anew(self) -> None:
        with self._with_document((Place(0, 7, page=1),)) as store:
            with store.read() as snapshot:
                generation = snapshot.generation
                assert snapshot.unlocated() == snapshot.unlocated([1]) == 0
            with store.write() as writer:
                assert writer.relocate(10) == 0
            with store.read() as snapshot:
                assert snapshot.generation == generation, "nothing was changed"

    @contextmanager
    def _with_places(self, locators: list[Locator]) -> Iterator[tuple[Snapshot, list[int]]]:
        document, chunks = note("Report", [f"passage {number}" for number in range(len(locators))])
        located = [replace(c, locator=at, context="name | amount") for c, at in zip(chunks, locators, strict=True)]
        with TemporaryDirectory() as folder:
            store, ids = self._published(folder, document, located)
            with store.read() as snapshot:
                yield snapshot, ids
            store.close()

    @contextmanager
    def _with_document(self, places: tuple[Place, ...]) -> Iterator[Store]:
        document, chunks = note("Report", ["one two"])
        document = replace(document, places=places)
        located = LocatorMap(document.text, places)
        chunks = [replace(chunk, locator=located.locate(chunk.char_start, chunk.char_end)) for chunk in chunks]
        with TemporaryDirectory() as folder:
            store, _ = self._published(folder, document, chunks)
            yield store
            store.close()

    def _published(self, folder: str, document: Document, chunks: list[Chunk]) -> tuple[Store, list[int]]:
        store = self.open_store(Path(folder))
        with store.write() as writer:
            root = writer.add_root("/notes", "")
            seen = observation(root, "report.pdf")
            lengths = [1.0] * len(chunks)
            document_id, _, ids = writer.replace_document(seen, document, chunks, lengths, _MADE_BY, 0.0)
            assert document_id == 1
        return store, ids
