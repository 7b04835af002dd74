"""PDFs made for one behaviour each; real ones are in test_pdf_cases.py."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import PurePosixPath
from threading import Thread

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pypdf import PdfWriter
from pypdf.constants import PageLabelStyle
from pypdf.generic import ArrayObject, DictionaryObject, NameObject, NumberObject, PdfObject, StreamObject
from reportlab.pdfgen.canvas import Canvas

from glassdex.errors import FileDamaged, LimitExceeded, MissingExtra, NoTextLayer, PasswordRequired
from glassdex.reading.pdf import PdfReader, page_boxes
from glassdex.reading.protocol import Limits, Reader, ReadingOptions
from glassdex.testing import ReaderConformance

from .pdfs import (
    all_of,
    blank,
    case,
    headings,
    image,
    lines,
    made,
    page_text,
    paragraphs,
    place_of,
    read,
    rewritten,
    wrapped,
)

PROSE = (
    "The tide comes in twice a day and leaves the harbour with less water than the charts promise. "
    "Whoever waits for it learns patience, and whoever does not learns to swim in cold water. "
    "Old pilots kept a notebook of the marks that they passed, and of the depths that they found there."
)
OTHER = (
    "A lighthouse needs a keeper who sleeps by day and reads by night, and who never trusts the weather. "
    "The lamp was filled with oil from the village, which came in barrels over the causeway at low water. "
    "When the causeway was flooded the keeper lived on what the sea gave, and it never gave very much."
)


def two_columns(first: str, second: str) -> tuple[list[str], list[str]]:
    return wrapped(first, 210), wrapped(second, 210)


def dictionary(found: PdfObject) -> DictionaryObject:
    resolved = found.get_object()
    assert isinstance(resolved, DictionaryObject)
    return resolved


def reference_to(found: PdfObject) -> PdfObject:
    assert found.indirect_reference is not None
    return found.indirect_reference


def kids_of(tree: DictionaryObject) -> ArrayObject:
    kids = tree["/Kids"]
    assert isinstance(kids, ArrayObject)
    return kids


class TestPdfReaderConforms(ReaderConformance):
    text_format = False

    def reader(self) -> Reader:
        return PdfReader()

    def samples(self) -> Mapping[str, bytes]:
        return {
            "prose.pdf": made(lines(*wrapped(PROSE)), blank, lines(*wrapped(OTHER)), title="Of tides and lamps"),
            "labels.pdf": case("labels-issue14847.pdf"),
            "columns.pdf": case("multicolumn.pdf"),
            "table.pdf": case("senate-expenditures.pdf"),
        }


def test_labels_are_roman_then_decimal_and_pages_count_on() -> None:
    content = made(*(lines(f"Text of sheet {number}") for number in range(1, 13)))

    def label(writer: PdfWriter) -> None:
        writer.set_page_label(0, 3, style=PageLabelStyle.LOWERCASE_ROMAN)
        writer.set_page_label(4, 11, style=PageLabelStyle.DECIMAL)

    document = read(rewritten(content, label))
    assert [place.page for place in document.places] == list(range(1, 13))
    assert [place.page_label for place in document.places] == [*("i", "ii", "iii", "iv"), *map(str, range(1, 9))]
    assert place_of(document, 7).page_label == "3"
    assert page_text(document, 7) == "Text of sheet 7"


def test_pages_of_a_scan_and_blank_ones_keep_their_numbers() -> None:
    document = read(made(image, lines(*wrapped(PROSE)), blank))
    assert [(place.page, place.start == place.end) for place in document.places] == [(1, True), (2, False), (3, True)]
    (warning,) = document.warnings
    assert warning.code == "no_text_layer"
    assert warning.message.startswith("page 1 ")
    assert "ocrmypdf" in warning.message


@pytest.mark.parametrize("pages", [(blank,), (image, blank), (image,)])
def test_a_file_without_any_text_is_an_error(pages: tuple[Callable[[Canvas], None], ...]) -> None:
    with pytest.raises(NoTextLayer):
        read(made(*pages))


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_lines_of_a_rotated_page_are_a_paragraph(rotation: int) -> None:
    assert paragraphs(read(made(lines(*wrapped(PROSE)), rotation=rotation))) == [PROSE]


@pytest.mark.parametrize("rotation", [90, 180, 270])
def test_text_turned_to_match_a_rotated_page_is_read_downwards(rotation: int) -> None:
    def paint(canvas: Canvas) -> None:
        canvas.translate(300, 400)
        canvas.rotate(rotation)
        lines(*wrapped(PROSE), top=100, left=-250)(canvas)
        lines(*wrapped(OTHER), top=0, left=-250)(canvas)

    assert paragraphs(read(made(paint, rotation=rotation))) == [PROSE, OTHER]


def test_two_columns_drawn_one_after_the_other_are_read_so() -> None:
    left, right = two_columns(PROSE, OTHER)
    document = read(made(all_of(lines(*left), lines(*right, left=320))))
    assert paragraphs(document) == [PROSE, OTHER]


@pytest.mark.parametrize("shift", [0.0, 5.0])
def test_two_columns_drawn_line_by_line_are_read_left_then_right(shift: float) -> None:
    left, right = two_columns(PROSE, OTHER)
    pairs = [
        lines(text, top=700 - 14 * at - (shift if side else 0), left=320 if side else 72)
        for at, pair in enumerate(zip(left, right, strict=False))
        for side, text in enumerate(pair)
    ]
    heading = lines("Of tides and lamps and of those who wait for them, from one end of the page to the other", top=740)
    document = read(made(all_of(heading, *pairs)))
    kept = min(len(left), len(right))
    assert paragraphs(document)[1:] == [" ".join(left[:kept]), " ".join(right[:kept])]


def test_the_right_column_drawn_first_is_read_second() -> None:
    left, right = two_columns(PROSE, OTHER)
    assert paragraphs(read(made(all_of(lines(*right, left=320), lines(*left))))) == [PROSE, OTHER]


def test_a_page_drawn_from_the_bottom_is_read_from_the_top() -> None:
    texts = wrapped(PROSE)
    painters = [lines(text, top=700 - 14 * at) for at, text in enumerate(texts)]
    assert paragraphs(read(made(all_of(*reversed(painters))))) == [PROSE]


def test_a_page_of_a_thousand_scattered_words_is_read() -> None:
    words = [lines(f"w{at}", top=20 + at * 7919 % 780, left=20 + at * 104_729 % 500) for at in range(1_000)]
    found = read(made(all_of(*words))).text
    assert sum(f"w{at}" in found for at in range(1_000)) == 1_000


def test_a_table_is_read_row_by_row() -> None:
    rows = [("Harbour", "Depth", "Tide"), ("Wick", "4.1", "springs"), ("Oban", "9.7", "neaps"), ("Leith", "6.0", "all")]
    cells = [
        lines(cell, top=700 - 14 * at, left=72 + 150 * column)
        for at, row in enumerate(rows)
        for column, cell in enumerate(row)
    ]
    document = read(made(all_of(*cells)))
    assert document.text.splitlines() == [" ".join(row) for row in rows]


def test_a_footer_drawn_before_the_body_is_read_after_it() -> None:
    document = read(made(all_of(lines("Harbour office, second floor", top=40), lines(*wrapped(PROSE)))))
    assert paragraphs(document) == [PROSE, "Harbour office, second floor"]


def test_a_stamp_at_the_margin_is_a_paragraph_of_its_own() -> None:
    def stamp(canvas: Canvas) -> None:
        canvas.saveState()
        canvas.translate(30, 300)
        canvas.rotate(90)
        canvas.drawString(0, 0, "Received 3 May 1902")
        canvas.restoreState()

    document = read(made(all_of(stamp, lines(*wrapped(PROSE)))))
    assert sorted(paragraphs(document)) == sorted([PROSE, "Received 3 May 1902"])


def test_gaps_and_indents_part_paragraphs() -> None:
    first, second, third = wrapped(PROSE), wrapped(OTHER), wrapped(PROSE.replace("tide", "ebb"))
    below = 760 - 14 * len(first) - 10
    indented = below - 14 * len(second)
    page = all_of(
        lines(*first),
        lines(*second, top=below),
        lines(third[0], top=indented, left=90),
        lines(*third[1:], top=indented - 14),
    )
    assert paragraphs(read(made(page))) == [PROSE, OTHER, " ".join(third)]


def test_items_of_a_list_do_not_run_into_each_other() -> None:
    document = read(made(lines(*wrapped(PROSE), "1. Bring the lamp.", "2. Fill the lamp.", "3. Light it.")))
    assert paragraphs(document) == [PROSE, "1. Bring the lamp.", "2. Fill the lamp.", "3. Light it."]


@pytest.mark.parametrize(
    ("before", "after", "joined"),
    [
        ("A keeper needs pa-", "tience at night", "A keeper needs patience at night"),
        ("The bridge of Anglo-", "Saxon builders", "The bridge of Anglo-Saxon builders"),
        ("It lasted from 1900-", "1902 without end", "It lasted from 1900-1902 without end"),
        ("It ended there -", "or so they say", "It ended there - or so they say"),
    ],
)
def test_a_hyphen_at_the_end_of_a_line(before: str, after: str, joined: str) -> None:
    assert joined in read(made(lines(before, after))).text


def test_a_paragraph_over_a_page_border_is_one_and_spans_both() -> None:
    texts = wrapped(f"{PROSE} {OTHER}")
    document = read(made(lines(*texts[:4], top=120), lines(*texts[4:])))
    assert paragraphs(document) == [f"{PROSE} {OTHER}"]
    assert page_text(document, 1) == " ".join(texts[:4])
    assert page_text(document, 2) == " ".join(texts[4:])


def test_a_word_broken_by_a_page_border_is_whole() -> None:
    document = read(
        made(lines(*wrapped(PROSE)[:3], "and the keeper waited with great pa-"), lines("tience for the tide."))
    )
    assert "with great patience for the tide." in document.text
    assert page_text(document, 1).endswith("great pa")
    assert page_text(document, 2) == "tience for the tide."


def test_a_paragraph_that_ends_with_its_page_is_not_joined() -> None:
    assert paragraphs(read(made(lines(*wrapped(PROSE)), lines(*wrapped(OTHER))))) == [PROSE, OTHER]


def test_headers_footers_and_page_numbers_are_said_once() -> None:
    bodies = [f"Body {word} begins. {PROSE} It was body {word}." for word in ("one", "two", "three", "four", "five")]
    pages = [
        all_of(
            lines("The Pilot's Companion", top=810),
            lines(*wrapped(body)),
            lines(f"Chapter 4 · sheet {number} of 5", top=50),
            lines(str(number + 6), top=30, left=300),
        )
        for number, body in enumerate(bodies, start=1)
    ]
    document = read(made(*pages))
    assert sorted(paragraphs(document)) == sorted([*bodies, "The Pilot's Companion", "Chapter 4 · sheet 1 of 5"])
    assert "Companion" in page_text(document, 1)
    (warning,) = document.warnings
    assert warning.code == "running_lines"
    assert '"The Pilot\'s Companion" on 4 pages after page 1' in warning.message
    assert "'Chapter 4 · sheet 1 of 5' on 4 pages after page 1" in warning.message
    assert "the page number alone on 5 pages" in warning.message


def test_a_running_header_does_not_part_a_paragraph() -> None:
    texts = wrapped(" ".join([PROSE, OTHER] * 4))
    thirds = [texts[:8], texts[8:16], texts[16:]]
    pages = [
        all_of(lines("The Pilot's Companion", top=810), lines(*part), lines("Harbour office", top=40))
        for part in thirds
    ]
    assert paragraphs(read(made(*pages))) == ["The Pilot's Companion", "Harbour office", " ".join(texts)]


def test_a_line_that_two_pages_share_is_no_header() -> None:
    document = read(made(*(all_of(lines("A word", top=810), lines(*wrapped(PROSE))) for _ in range(2))))
    assert paragraphs(document).count("A word") == 2
    assert not document.warnings


def test_a_number_at_the_foot_of_a_table_is_no_page_number() -> None:
    document = read(made(lines(*wrapped(PROSE), "17"), lines(*wrapped(OTHER), "4")))
    assert [page_text(document, page).split()[-1] for page in (1, 2)] == ["17", "4"]


def test_headings_by_size_and_weight_stand_over_what_follows() -> None:
    page = all_of(
        lines("Of tides", top=800, size=20),
        lines("The ebb", top=770, font="Helvetica-Bold"),
        lines(*wrapped(PROSE), top=750),
        lines("The flood", top=640, font="Helvetica-Bold"),
        lines(*wrapped(OTHER), top=620),
    )
    document = read(made(page))
    assert headings(document) == [("Of tides",), ("Of tides", "The ebb"), ("Of tides", "The flood")]
    assert [block.headings for block in document.rows[0].blocks if block.kind == "paragraph"] == [
        ("Of tides", "The ebb"),
        ("Of tides", "The flood"),
    ]


def test_headings_by_the_outline_are_found_in_the_text() -> None:
    page = all_of(
        lines("1 Of tides", top=800),
        lines("1.1 The ebb", top=770),
        lines(*wrapped(PROSE), top=750),
        lines("1.2 The flood, and what it does to those", "who wait for it", top=640),
        lines(*wrapped(OTHER), top=600),
    )

    flood = "1.2 The flood, and what it does to those who wait for it"

    def mark(writer: PdfWriter) -> None:
        tides = writer.add_outline_item(title="Of tides", page_number=0)
        writer.add_outline_item(title="The ebb", page_number=0, parent=tides)
        writer.add_outline_item(title=flood, page_number=0, parent=tides)

    document = read(rewritten(made(page), mark))
    assert headings(document) == [("1 Of tides",), ("1 Of tides", "1.1 The ebb"), ("1 Of tides", flood)]


def test_plain_prose_has_no_headings() -> None:
    assert headings(read(made(lines(*wrapped(PROSE)), lines(*wrapped(OTHER))))) == []


def test_a_stated_title_author_subject_and_date_are_taken() -> None:
    content = made(lines("Text"), title="Of tides and lamps", author="A. Keeper", subject="Harbours")
    document = read(
        rewritten(content, lambda writer: writer.add_metadata({"/CreationDate": "D:20240229233000-05'30'"}))
    )
    assert (document.title, document.title_source) == ("Of tides and lamps", "metadata")
    assert (document.metadata["author"], document.metadata["subject"]) == ("A. Keeper", "Harbours")
    assert document.metadata["created"] == document.date == "2024-03-01T05:00:00Z"


@pytest.mark.parametrize(
    "title",
    ["untitled", "Microsoft Word - report.doc", "report_final.indd", "REPORT", "12", "", r"C:\tmp\x", "Slide 1"],
)
def test_a_title_that_a_program_left_is_not_taken(title: str) -> None:
    document = read(made(lines("Text"), title=title), "in/report.pdf")
    assert (document.title, document.title_source) == ("report", "file_name")


@pytest.mark.parametrize(
    ("stated", "iso"),
    [
        ("D:2024", "2024-01-01"),
        ("D:20240229", "2024-02-29"),
        ("D:20240229120000", "2024-02-29"),
        ("D:20240229120000Z", "2024-02-29T12:00:00Z"),
        ("D:20240229120000+01'00", "2024-02-29T11:00:00Z"),
        ("D:20240231", None),
        ("yesterday", None),
    ],
)
def test_dates_are_iso(stated: str, iso: str | None) -> None:
    content = rewritten(made(lines("Text")), lambda writer: writer.add_metadata({"/CreationDate": stated}))
    assert read(content).date == iso


def test_a_password_opens_what_was_encrypted_with_it() -> None:
    content = rewritten(
        made(lines(*wrapped(PROSE))), lambda writer: writer.encrypt("häfen", "owner", algorithm="AES-256")
    )
    assert read(content, options=ReadingOptions(passwords=("no", "häfen"))).text == PROSE
    assert read(content, options=ReadingOptions(passwords=("owner",))).text == PROSE
    for passwords in ((), ("no",)):
        with pytest.raises(PasswordRequired):
            read(content, options=ReadingOptions(passwords=passwords))


@pytest.mark.parametrize("content", [b"", b"%PDF-1.7", b"%PDF-1.7\n%%EOF\n", b"plain text", b"\0" * 4_096])
def test_what_is_no_whole_pdf_is_damaged(content: bytes) -> None:
    with pytest.raises(FileDamaged):
        read(content)


def test_a_cut_file_is_damaged_or_read_as_far_as_it_goes() -> None:
    content = made(*(lines(*wrapped(PROSE)) for _ in range(4)))
    for share in range(1, 10):
        try:
            document = read(content[: len(content) * share // 10])
        except FileDamaged as error:
            assert error.suggestion
        else:
            assert document.text


def test_too_many_pages_or_characters_name_the_limit() -> None:
    content = made(*(lines(*wrapped(PROSE)) for _ in range(4)))
    with pytest.raises(LimitExceeded, match=r"4 pages, the limit `pages` is 3"):
        read(content, options=ReadingOptions(limits=Limits(pages=3)))
    with pytest.raises(LimitExceeded, match=r"limit `characters`, 500"):
        read(content, options=ReadingOptions(limits=Limits(characters=500)))


def test_a_page_tree_that_holds_itself_is_read_in_bounds() -> None:
    def knot(writer: PdfWriter) -> None:
        tree = dictionary(writer.root_object["/Pages"])
        tree[NameObject("/Kids")] = ArrayObject([*kids_of(tree), *[reference_to(tree)] * 10])
        tree[NameObject("/Count")] = NumberObject(1_000_000)

    with pytest.raises((LimitExceeded, FileDamaged)):
        read(rewritten(made(lines("Text")), knot))


def test_a_page_that_is_used_a_hundred_thousand_times_is_a_bomb() -> None:
    def repeat(writer: PdfWriter) -> None:
        tree = dictionary(writer.root_object["/Pages"])
        leaf = kids_of(tree)[0]
        tree[NameObject("/Kids")] = ArrayObject([leaf] * 100_000)
        tree[NameObject("/Count")] = NumberObject(100_000)

    with pytest.raises(LimitExceeded, match=r"100,000 pages, the limit `pages` is 20,000"):
        read(rewritten(made(lines("Text")), repeat))


def test_an_outline_that_points_back_at_itself_ends() -> None:
    def knot(writer: PdfWriter) -> None:
        item = dictionary(writer.add_outline_item(title="Text", page_number=0))
        item[NameObject("/Next")] = reference_to(item)
        item[NameObject("/First")] = reference_to(item)

    assert headings(read(rewritten(made(lines("Text")), knot))) == [("Text",)]


def test_without_pypdfium2_the_install_line_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pypdfium2.raw", None)
    with pytest.raises(MissingExtra) as caught:
        read(made(lines("Text")))
    assert caught.value.suggestion == "pip install 'glassdex[documents]'"


def test_files_read_in_several_threads_at_once_are_read_right() -> None:
    contents = {word: made(*(lines(word, *wrapped(PROSE)) for _ in range(5))) for word in ("Ebb", "Flood", "Slack")}
    expected = {word: read(content) for word, content in contents.items()}
    found: list[bool] = []

    def read_often(word: str) -> None:
        found.extend(read(contents[word]) == expected[word] for _ in range(10))

    threads = [Thread(target=read_often, args=(word,)) for word in contents]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True] * 30


def test_the_readers_name_version_and_isolation_are_as_registered() -> None:
    reader = PdfReader()
    assert (reader.name, reader.version, reader.format, reader.isolated) == ("pdf", 1, "pdf", True)
    assert reader.bid(PurePosixPath("report.pdf"), b"") == 80
    assert reader.bid(PurePosixPath("report.txt"), b"") == 0


TEXTS = st.text(st.characters(codec="cp1252", exclude_categories=["Cc"]), max_size=90)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(st.tuples(st.lists(TEXTS, max_size=9), st.integers(0, 500), st.integers(60, 300)), min_size=1, max_size=6)
)
def test_places_tile_the_pages_in_order(pages: list[tuple[list[str], int, int]]) -> None:
    content = made(*(lines(*texts, top=800 - shift, left=left) for texts, shift, left in pages))
    try:
        document = read(content)
    except NoTextLayer:
        assert not "".join(text for texts, *_ in pages for text in texts).strip()
        return
    assert [place.page for place in document.places] == list(range(1, len(pages) + 1))
    (row,) = document.rows
    reached = 0
    for place in document.places:
        assert place.start >= reached
        assert not document.text[reached : place.start].strip()
        reached = place.end
    assert reached == len(document.text) == len(row.text)
    for before, after in zip(row.blocks, row.blocks[1:], strict=False):
        assert document.text[before.end : after.start] == "\n\n"
    assert (row.blocks[0].start, row.blocks[-1].end) == (0, len(row.text))


def test_characters_beyond_the_basic_plane_keep_what_follows_in_place() -> None:
    """A font whose codes stand for a mathematical letter (two UTF-16 units), a lone surrogate and a control."""
    plain = made(lines("One x, one y, one z: and then the harbour"))
    content = rewritten(plain, lambda writer: map_codes(writer, {"x": "D835DC00", "y": "D835", "z": "0007"}))
    text = read(content).text
    assert text == "One \U0001d400, one \ufffd, one  : and then the harbour"
    (expected,) = page_boxes(plain, 30, 41).values()
    assert page_boxes(content, 30, 41) == {1: expected}


def map_codes(writer: PdfWriter, codes: Mapping[str, str]) -> None:
    """Give the first page's font a map to Unicode that has other characters for some letters (UTF-16 in hex)."""
    ranges = [(code, codes.get(chr(code), f"{code:04X}")) for code in range(32, 127)]
    table = "\n".join(f"<{code:02X}> <{target}>" for code, target in ranges)
    stream = StreamObject()
    stream.set_data(
        b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /M def /CMapType 2 def\n"
        b"1 begincodespacerange <00> <FF> endcodespacerange\n"
        + f"{len(ranges)} beginbfchar\n{table}\nendbfchar\n".encode()
        + b"endcmap end end\n"
    )
    reference = writer._add_object(stream)
    fonts = dictionary(dictionary(dictionary(writer.pages[0])["/Resources"])["/Font"])
    for name in fonts:
        dictionary(fonts[name])[NameObject("/ToUnicode")] = reference
