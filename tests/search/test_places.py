"""A search inside one document, its pages, a sheet: exact over what is left, or an error that says what there is."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest
from pypdf.constants import PageLabelStyle

from glassdex import Project
from glassdex.errors import (
    DocumentAmbiguous,
    DocumentNotFound,
    DocumentRequired,
    FilterNotApplicable,
    GlassdexError,
    InvalidRange,
    InvalidRequest,
    LocatorsBehind,
    PageOutOfRange,
    SheetNotFound,
)
from glassdex.search.engine import Execution
from glassdex.search.request import Mode
from tests.documents import jsonl, pdf, slides, word, workbook

MODES: tuple[Mode, ...] = ("hybrid", "lexical", "dense")
_ODD_SHEET = "Q1 'Net' "
_CAFE = "caf\u00e9 figures.xlsx"


_WORDS = ("harbour", "salinity", "tide", "anchor", "winch", "cable", "battery", "logger", "probe", "buoy", "sensor")


def _report_pages() -> list[str]:
    """A hundred pages that fill a chunk each, and three, 29 to 31, that one paragraph runs over."""

    def line(page: int, row: int) -> str:
        return " ".join(_WORDS[(page * 5 + row * 3 + word * (1 + page % 7)) % len(_WORDS)] for word in range(11))

    pages = ["\n".join(line(page, row) for row in range(11)) + "." for page in range(1, 101)]
    pages[28] = (
        "The pump failed because, as the divers found when at last the weather let them\ngo down to it, on the third"
    )
    pages[29] = "day of the search and with little air left,\nits seal had been cut by barnacles, which must have"
    pages[30] = (
        "come in with the ballast water of some ship and\ngrew in the warm bay behind the power station all summer."
    )
    return pages


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    root = tmp_path_factory.mktemp("library")
    files = {
        "report.pdf": pdf(_report_pages()),
        "thesis.pdf": pdf(
            [f"Chapter {n}: the harbour in winter, part {n}." for n in range(12)],
            labels={0: (PageLabelStyle.LOWERCASE_ROMAN, 1), 4: (PageLabelStyle.DECIMAL, 1)},
        ),
        "a/annual.md": b"# Annual\n\nharbour one\n",
        "b/annual.md": b"# Annual\n\nharbour two\n",
        "c/annual.md": b"# Annual\n\nharbour three\n",
        unicodedata.normalize("NFD", _CAFE): workbook(
            {
                "Summary": [["Harbour", "Boats"], *([f"Pier {n}", n] for n in range(1, 200))],
                _ODD_SHEET: [["Harbour", "Net"], ["Pier Nine", 12]],
                "Secret": [["Harbour", "Debt"], ["Pier Ten", 99]],
            },
            hidden=["Secret"],
        ),
        "deck.pptx": slides(["The harbour opens.", "The harbour grows.", "The harbour is sold."], hidden=[3]),
        "paper.docx": word(["The harbour is old.", "It was dug by hand."]),
        "events.jsonl": jsonl([{"event": "harbour opened", "year": 1850 + n} for n in range(12)]),
    }
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    with Project.in_memory(root) as opened:
        report = opened.index()
        assert not report.failures, report.failures
        yield opened


def _pages(execution: Execution) -> list[tuple[int, int]]:
    locators = [match.locator for result in execution.results for match in result.matches]
    return [(locator.page_start or 0, locator.page_end or 0) for locator in locators]


def test_why_according_to_some_pages_of_a_report(project: Project) -> None:
    execution = project.search("why did the pump fail", in_document="report.pdf", page_from=30, page_to=90)
    best = execution.results[0].matches[0]
    assert "barnacles" in best.text
    assert (best.locator.page_start, best.locator.page_end) == (29, 31)
    assert best.citation == "report.pdf, pages 29–31"
    assert best.pointer.startswith("report.pdf#page=29-31,c=")


def test_every_candidate_of_every_leg_is_inside_the_scope(project: Project) -> None:
    for mode in MODES:
        execution = project.search("harbour salinity", mode=mode, in_document="report.pdf", page_from=30, page_to=40)
        assert execution.ledger.candidates
        for candidate in execution.ledger.candidates.values():
            locator = candidate.record.locator
            assert candidate.record.path == "report.pdf"
            assert locator.page_start is not None and locator.page_end is not None
            assert locator.page_start <= 40 and locator.page_end >= 30


@pytest.mark.parametrize(("first", "found"), [(29, True), (30, True), (31, True), (32, False)])
def test_a_passage_over_three_pages_is_in_a_range_that_it_touches(project: Project, first: int, found: bool) -> None:
    execution = project.search("pump barnacles", mode="lexical", in_document="report.pdf", page_from=first, page_to=90)
    assert any("barnacles" in match.text for result in execution.results for match in result.matches) is found


@pytest.mark.parametrize("page_to", [None, 50])
def test_one_page_is_its_number_alone_or_twice(project: Project, page_to: int | None) -> None:
    execution = project.search("salinity", in_document="report.pdf", page_from=50, page_to=page_to)
    assert execution.results
    assert all(first <= 50 <= last for first, last in _pages(execution))


def test_pages_9_10_and_100_are_numbers_and_no_words(project: Project) -> None:
    for page in (9, 10, 100):
        execution = project.search("salinity", in_document="report.pdf", page_from=page)
        assert execution.results
        assert all(first <= page <= last for first, last in _pages(execution))


def test_pages_by_their_own_names(project: Project) -> None:
    execution = project.search("harbour winter", in_document="thesis.pdf", page_label_from="iii", page_label_to="2")
    assert execution.results
    assert all(last >= 3 and first <= 6 for first, last in _pages(execution))
    with pytest.raises(PageOutOfRange) as caught:
        project.search("harbour", in_document="thesis.pdf", page_label_from="xx")
    assert "iv" in caught.value.candidates


def test_a_sheet_by_its_exact_name_or_without_its_blanks_and_case(project: Project) -> None:
    for name in (_ODD_SHEET, "q1 'net'"):
        execution = project.search("harbour", in_document=_CAFE, sheet=name)
        assert {match.locator.sheet for result in execution.results for match in result.matches} == {_ODD_SHEET}
    with pytest.raises(SheetNotFound) as caught:
        project.search("harbour", in_document=_CAFE, sheet="Q1")
    assert caught.value.candidates == ("Summary", _ODD_SHEET, "Secret")


def test_rows_of_a_sheet(project: Project) -> None:
    execution = project.search("pier", in_document=_CAFE, sheet="Summary", row_from=150, row_to=152)
    matches = [match for result in execution.results for match in result.matches]
    assert matches
    for match in matches:
        assert match.locator.row_start is not None and match.locator.row_end is not None
        assert match.locator.row_start <= 152 and match.locator.row_end >= 150
    assert any("Pier 150" in match.text for match in matches)


@pytest.mark.parametrize(
    ("word", "document"), [("debt", _CAFE), ("sold", "deck.pptx")], ids=["hidden sheet", "hidden slide"]
)
def test_what_is_hidden_is_found_only_when_asked_for(project: Project, word: str, document: str) -> None:
    def seen(**options: object) -> bool:
        execution = project.search(word, mode="lexical", in_document=document, **options)  # type: ignore[arg-type]
        return any(match.locator.hidden for result in execution.results for match in result.matches)

    assert not seen()
    assert seen(hidden=True)
    assert seen(sheet="Secret") if document == _CAFE else seen(slide_from=3)


def test_a_composed_name_is_the_same_in_either_form(project: Project) -> None:
    for form in ("NFC", "NFD"):
        execution = project.search("harbour", in_document=unicodedata.normalize(form, _CAFE.upper()))
        assert execution.results[0].path == unicodedata.normalize("NFC", _CAFE)


def test_a_document_is_named_by_path_end_of_path_file_name_or_title_never_by_a_part(project: Project) -> None:
    for name in ("a/annual.md", "report.pdf", "report"):
        assert project.search("harbour", in_document=name).results
    with pytest.raises(DocumentAmbiguous) as ambiguous:
        project.search("harbour", in_document="annual.md")
    assert ambiguous.value.candidates == ("a/annual.md", "b/annual.md", "c/annual.md")
    with pytest.raises(DocumentNotFound) as missing:
        project.search("harbour", in_document="repor")
    assert "report.pdf" in missing.value.candidates


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"in_document": "paper.docx", "page_from": 3}, FilterNotApplicable),
        ({"in_document": "report.pdf", "sheet": "Summary"}, FilterNotApplicable),
        ({"in_document": "report.pdf", "page_from": 101}, PageOutOfRange),
        ({"in_document": "report.pdf", "page_from": 90, "page_to": 30}, InvalidRange),
        ({"in_document": "report.pdf", "page_to": 30}, InvalidRange),
        ({"in_document": "report.pdf", "page_from": 0}, InvalidRange),
        ({"in_document": "thesis.pdf", "page_label_from": "2", "page_label_to": "ii"}, InvalidRange),
        ({"in_document": "deck.pptx", "slide_from": 4}, InvalidRange),
        ({"in_document": _CAFE, "sheet": "Summary", "row_from": 5_000}, InvalidRange),
        ({"in_document": "paper.docx", "line_from": 1}, FilterNotApplicable),
        ({"page_from": 3}, DocumentRequired),
    ],
)
def test_what_cannot_be_answered_says_what_there_is(
    project: Project, options: dict[str, object], error: type[GlassdexError]
) -> None:
    with pytest.raises(error) as caught:
        project.search("harbour", **options)  # type: ignore[arg-type]
    assert caught.value.suggestion
    if error is DocumentRequired:
        assert caught.value.candidates == ("report.pdf", "thesis.pdf")
    if error is FilterNotApplicable and options["in_document"] == "report.pdf":
        assert caught.value.candidates == ("pages",)


def test_a_place_without_a_document_means_the_only_one_that_has_it(project: Project) -> None:
    execution = project.search("harbour", slide_from=2)
    assert [(result.path, result.matches[0].locator.slide) for result in execution.results] == [("deck.pptx", 2)]
    narrowed = project.search("harbour", paths=("thesis.pdf",), page_from=3)
    assert {result.path for result in narrowed.results} == {"thesis.pdf"}
    execution = project.search("harbour", record_from=7)
    assert execution.results[0].matches[0].locator.record == 7


def test_without_words_a_scope_is_listed_in_its_order(project: Project) -> None:
    execution = project.search("", in_document=_CAFE, sheet="Summary", limit=100)
    rows = [result.matches[0].locator.row_start for result in execution.results]
    assert execution.request.mode == "positional"
    assert execution.verdict.status == "ok"
    assert rows == sorted(row for row in rows if row is not None)
    text = "\n".join(result.matches[0].text for result in execution.results)
    assert all(f"Pier {number}" in text for number in range(1, 200))
    assert execution.ledger.stages[1].name == "position"


def test_pages_of_a_positional_answer_are_slices_of_one_list(project: Project) -> None:
    whole = project.search("", in_document="report.pdf", limit=9)
    slices = [project.search("", in_document="report.pdf", limit=3, page=page) for page in (1, 2, 3)]
    assert [r.matches[0].pointer for s in slices for r in s.results] == [r.matches[0].pointer for r in whole.results]
    assert whole.page.total > 9 and whole.page.total_exact


def test_filters_that_leave_nothing_are_an_empty_scope_whatever_place_is_asked_for(project: Project) -> None:
    for options in ({"tags": ("nosuch",)}, {"paths": ("nosuch/",)}):
        execution = project.search("harbour", page_from=3, **options)  # type: ignore[arg-type]
        assert (execution.verdict.status, execution.results) == ("scope_empty", ())


def test_the_words_of_a_query_do_not_decide_which_document_is_meant(project: Project) -> None:
    execution = project.search('"no such words" harbour', slide_from=2)
    assert execution.verdict.status == "nothing_relevant"
    assert execution.ledger.scope_filters[0].name == "slide"


def test_a_label_is_first_what_is_written_then_in_another_case_then_a_range(tmp_path: Path) -> None:
    labels = {0: (PageLabelStyle.LOWERCASE_ROMAN, 1), 4: (PageLabelStyle.UPPERCASE_ROMAN, 1)}
    (tmp_path / "thesis.pdf").write_bytes(pdf([f"The harbour, page {n}." for n in range(1, 9)], labels=labels))
    with Project.in_memory(tmp_path) as project:
        project.index()

        def pages(label: str) -> list[str]:
            ledger = project.search("", in_document="thesis.pdf", page_label_from=label).ledger
            return [step.name for step in ledger.scope_filters if step.left]

        assert pages("II") == pages("ii") == pages("ii-III") == ["in", "page_label"]
        with pytest.raises(PageOutOfRange):
            project.search("", in_document="thesis.pdf", page_label_from="A-1")


def test_no_words_and_no_scope_is_no_question(project: Project) -> None:
    with pytest.raises(InvalidRequest):
        project.search(" ")


def test_places_of_an_older_version_are_never_filtered_by(tmp_path: Path) -> None:
    (tmp_path / "deck.pptx").write_bytes(slides(["harbour"]))
    with Project.in_memory(tmp_path) as project:
        project.index()
        with project.store.write() as writer:
            writer.connection.execute("UPDATE chunk SET locator_version = NULL, slide = NULL")
            writer.connection.execute("UPDATE document SET extent = '{}'")
        for options in ({}, {"in_document": "deck.pptx"}):
            with pytest.raises(LocatorsBehind):
                project.search("harbour", slide_from=1, **options)  # type: ignore[arg-type]
        assert project.upgrade_places() == 1
        assert project.search("harbour", slide_from=1).results


@pytest.mark.parametrize(
    "document", ["report.pdf", "thesis.pdf", "a/annual.md", _CAFE, "deck.pptx", "paper.docx", "events.jsonl"]
)
def test_every_passage_of_every_format_opens_exactly_where_its_pointer_says(project: Project, document: str) -> None:
    listed = project.search("", in_document=document, limit=1_000, hidden=True)
    assert listed.results
    for result in listed.results[:: max(1, len(listed.results) // 12)]:
        match = result.matches[0]
        passage = project.open_pointer(match.pointer)
        assert (passage.state, passage.text, passage.resolved) == ("exact", match.text, match.pointer)
