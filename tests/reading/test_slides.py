"""PPTX as its audience sees it."""

from __future__ import annotations

import builtins
import zipfile
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lxml import etree
from pptx.chart import data as chart_data
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from glassdex.errors import FileDamaged, LimitExceeded, MissingExtra, PasswordRequired
from glassdex.reading.protocol import Limits
from glassdex.reading.slides import SlidesReader
from glassdex.testing import ReaderConformance
from tests.reading.office import blank_deck, block_with, part_of, read_slides, rewritten, saved, texts_of

_chart_data: Any = chart_data
CASES = Path(__file__).parents[1] / "data" / "cases"
TITLE_ONLY, BLANK = 5, 6
OLE = bytes.fromhex("d0cf11e0a1b11ae1")
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360606060000000050001a5f645"
    "400000000049454e44ae426082"
)


def slide_of(deck: Any, title: str | None = None) -> Any:
    slide = deck.slides.add_slide(deck.slide_layouts[BLANK if title is None else TITLE_ONLY])
    if title is not None:
        slide.shapes.title.text = title
    return slide


def write(slide: Any, text: str, left: float = 1, top: float = 1, height: float = 0.5) -> Any:
    box = slide.shapes.add_textbox(Inches(left), Inches(top), Inches(2), Inches(height))
    box.text_frame.text = text
    return box


def groups(depth: int) -> bytes:
    deck = blank_deck()
    shapes = slide_of(deck).shapes
    for _ in range(depth):
        shapes = shapes.add_group_shape().shapes
    shapes.add_textbox(0, 0, 9, 9).text_frame.text = "the innermost"
    return saved(deck)


class TestSlidesReader(ReaderConformance):
    text_format = False

    def reader(self) -> SlidesReader:
        return SlidesReader()

    def samples(self) -> Mapping[str, bytes]:
        deck = blank_deck()
        slide_of(deck, "One")
        slide_of(deck)
        write(slide_of(deck), "third")
        real = {path.name: path.read_bytes() for path in CASES.glob("*.pptx")}
        return {**real, "made.pptx": saved(deck)}


def test_shapes_are_read_from_the_top_and_side_by_side_from_the_left() -> None:
    deck = blank_deck()
    slide = slide_of(deck, "Order")
    write(slide, "right", left=5, top=2)
    write(slide, "bottom", top=6)
    write(slide, "left, a hair lower", left=1, top=2.1)
    write(slide, "top", left=3, top=1.2)
    assert texts_of(read_slides(saved(deck))) == ["Order", "top", "left, a hair lower", "right", "bottom"]


def test_slides_come_in_the_order_of_the_show_and_number_from_one() -> None:
    deck = blank_deck()
    for name in ("was first", "was second", "was third"):
        slide_of(deck, name)
    order = deck.slides._sldIdLst
    order.insert(0, order[2])
    document = read_slides(saved(deck))
    assert [row.text for row in document.rows] == ["was third", "was first", "was second"]
    assert [place.slide for place in document.places] == [1, 2, 3]
    assert document.title == "was third"


def test_a_blank_slide_is_an_empty_place_and_a_hidden_one_says_so() -> None:
    deck = blank_deck()
    slide_of(deck, "shown")
    slide_of(deck)
    slide_of(deck, "hidden").element.set("show", "0")
    document = read_slides(saved(deck))
    _, blank, hidden = document.places
    assert (blank.slide, blank.start) == (2, blank.end)
    assert [place.hidden for place in document.places] == [False, False, True]
    assert document.text[hidden.start : hidden.end] == "hidden"
    assert len(document.rows) == 2


def test_no_heading_of_one_slide_stands_over_the_next() -> None:
    deck = blank_deck()
    write(slide_of(deck, "Titled"), "under the title", top=3)
    write(slide_of(deck), "under none")
    document = read_slides(saved(deck))
    assert block_with(document, "under the title").headings == ("Titled",)
    assert block_with(document, "under none").headings == ()


def test_a_tables_first_row_is_the_context_of_the_rest() -> None:
    deck = blank_deck()
    table = slide_of(deck).shapes.add_table(3, 2, 0, 0, Inches(4), Inches(2)).table
    for row, cells in enumerate((("Region", "Sales"), ("North", "12"), ("South\nand islands", ""))):
        for column, text in enumerate(cells):
            table.cell(row, column).text = text
    document = read_slides(saved(deck))
    assert document.text == "Region | Sales\nNorth | 12\nSouth / and islands |"
    assert document.rows[0].blocks[0].context == "Region | Sales"


def test_a_charts_numbers_can_be_found() -> None:
    deck = blank_deck()
    numbers: Any = _chart_data.CategoryChartData()
    numbers.categories = ["Q1", "Q2"]
    numbers.add_series("Apples", (4.5, 5))
    numbers.add_series("Pears", (None, 7))
    chart = slide_of(deck).shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, 0, 0, Inches(4), Inches(3), numbers).chart
    chart.has_title = True
    chart.chart_title.text_frame.text = "Fruit sold"
    document = read_slides(saved(deck))
    assert document.text == "Fruit sold\n| Apples | Pears\nQ1 | 4.5 |\nQ2 | 5 | 7"
    assert document.rows[0].blocks[0].context == "Fruit sold: | Apples | Pears"


def test_a_chart_of_points_and_one_of_nested_categories_are_read() -> None:
    deck = blank_deck()
    points: Any = _chart_data.XyChartData()
    points.add_series("Cloud").add_data_point(1.5, 2.5)
    slide_of(deck).shapes.add_chart(XL_CHART_TYPE.XY_SCATTER, 0, 0, Inches(4), Inches(3), points)
    nested: Any = _chart_data.CategoryChartData()
    for year, quarters in (("2024", ("Q1", "Q2")), ("2025", ("Q1",))):
        category = nested.add_category(year)
        for quarter in quarters:
            category.add_sub_category(quarter)
    nested.add_series("Sold", (1, 2, 3))
    slide_of(deck).shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, 0, 0, Inches(4), Inches(3), nested)
    first, second = (row.text for row in read_slides(saved(deck)).rows)
    assert "1.5 | 2.5" in first
    assert [line.split(" | ")[0] for line in second.split("\n")[1:]] == ["2024 Q1", "2024 Q2", "2025 Q1"]


def test_notes_are_marked_and_come_last() -> None:
    deck = blank_deck()
    slide = slide_of(deck, "Title")
    slide.notes_slide.notes_text_frame.text = "say hello\nthen begin"
    write(slide, "body", top=5)
    assert texts_of(read_slides(saved(deck))) == ["Title", "body", "Notes: say hello\nthen begin"]


@pytest.mark.parametrize(
    ("alternative", "read"),
    [
        ("A heron on one leg", ["Picture: A heron on one leg"]),
        ("A heron\n\nDescription automatically generated with medium confidence", ["Picture: A heron"]),
        ("IMG_2041.jpeg", []),
        ("Picture 3", []),
        ("", []),
    ],
)
def test_alternative_texts_are_read_if_they_are_words(alternative: str, read: list[str]) -> None:
    deck = blank_deck()
    picture = slide_of(deck).shapes.add_picture(BytesIO(PNG), 0, 0)
    picture._element.nvPicPr.cNvPr.set("descr", alternative)
    assert texts_of(read_slides(saved(deck))) == read


def test_a_footer_is_said_once_and_a_slide_number_never() -> None:
    deck = blank_deck()
    for name in ("A", "B"):
        slide = slide_of(deck, name)
        for kind, text in (("ftr", "Confidential"), ("sldNum", "17"), ("dt", "1 May")):
            box = write(slide, text, top=7)
            placeholder = etree.SubElement(box._element.nvSpPr.find("{*}nvPr"), box._element.tag[:-2] + "ph")
            placeholder.set("type", kind)
    assert texts_of(read_slides(saved(deck))) == ["A", "Confidential", "B"]


def test_shapes_that_older_programs_cannot_show_are_read_once() -> None:
    deck = blank_deck()
    slide = slide_of(deck)
    box = write(slide, "new kind")._element
    old = write(slide, "old kind")._element
    tree = box.getparent()
    space = "http://schemas.openxmlformats.org/markup-compatibility/2006"
    alternative = etree.SubElement(tree, f"{{{space}}}AlternateContent")
    etree.SubElement(alternative, f"{{{space}}}Choice", Requires="p14").append(box)
    etree.SubElement(alternative, f"{{{space}}}Fallback").append(old)
    assert texts_of(read_slides(saved(deck))) == ["new kind"]


def test_smart_art_is_read() -> None:
    deck = blank_deck()
    slide = slide_of(deck)
    drawing = "http://schemas.openxmlformats.org/drawingml/2006"
    model = (
        f'<dgm:dataModel xmlns:dgm="{drawing}/diagram" xmlns:a="{drawing}/main"><dgm:ptLst>'
        '<dgm:pt modelId="0" type="doc"/>'
        '<dgm:pt modelId="1"><dgm:t><a:p><a:r><a:t>Plan</a:t></a:r></a:p></dgm:t></dgm:pt>'
        '<dgm:pt modelId="2"><dgm:t><a:p><a:r><a:t>Do</a:t></a:r></a:p></dgm:t></dgm:pt>'
        '<dgm:pt modelId="3" type="pres"><dgm:t><a:p><a:r><a:t>no</a:t></a:r></a:p></dgm:t></dgm:pt>'
        "</dgm:ptLst></dgm:dataModel>"
    )
    from pptx.opc.package import Part
    from pptx.opc.packuri import PackURI

    content_type = "application/vnd.openxmlformats-officedocument.drawingml.diagramData+xml"
    part = Part(PackURI("/ppt/diagrams/data1.xml"), content_type, deck.part.package, model.encode())
    identifier = slide.part.relate_to(
        part, "http://schemas.openxmlformats.org/officeDocument/2006/relationships/diagramData"
    )
    frame = slide.shapes.add_table(1, 1, 0, 0, 9, 9)._element
    data = frame.find(f".//{{{drawing}/main}}graphicData")
    data.clear()
    ids = etree.SubElement(data, f"{{{drawing}/diagram}}relIds")
    ids.set("{http://schemas.openxmlformats.org/officeDocument/2006/relationships}dm", identifier)
    assert read_slides(saved(deck)).text == "Plan\nDo"


def test_a_nameless_show_is_called_by_its_file() -> None:
    deck = blank_deck()
    write(slide_of(deck), "words")
    document = read_slides(saved(deck), "quarter.pptx")
    assert (document.title, document.title_source) == ("quarter", "file_name")


def test_what_the_file_says_of_itself_is_metadata() -> None:
    deck = blank_deck()
    write(slide_of(deck), "words")
    deck.core_properties.title, deck.core_properties.author = "Fruit", "Ada"
    deck.core_properties.keywords = "apples; pears"
    document = read_slides(saved(deck))
    assert (document.title, document.title_source) == ("Fruit", "front_matter")
    assert document.metadata["author"] == "Ada"
    assert document.tags == ("apples", "pears")


def test_a_template_a_show_and_a_file_with_macros_are_read() -> None:
    deck = blank_deck()
    slide_of(deck, "Title")
    content = saved(deck)
    for name in ("ms-powerpoint.presentation.macroEnabled", "openxmlformats-officedocument.presentationml.slideshow"):
        types = part_of(content, "[Content_Types].xml").replace(
            b"openxmlformats-officedocument.presentationml.presentation", name.encode()
        )
        assert read_slides(rewritten(content, **{"[Content_Types]": types})).text == "Title"


def test_groups_as_deep_as_the_limit_are_read_and_deeper_ones_are_refused() -> None:
    assert read_slides(groups(90)).text == "the innermost"
    with pytest.raises(LimitExceeded, match=r"nesting = 100"):
        read_slides(groups(200))
    with pytest.raises(LimitExceeded, match="nesting"):
        read_slides(groups(300))


def test_more_slides_than_the_limit_are_refused() -> None:
    deck = blank_deck()
    for _ in range(4):
        slide_of(deck, "again")
    with pytest.raises(LimitExceeded, match=r"4 slides.*pages = 3"):
        read_slides(saved(deck), limits=Limits(pages=3))


def test_a_bomb_is_measured_while_it_unpacks() -> None:
    deck = blank_deck()
    slide_of(deck, "small")
    content = saved(deck)
    bomb = rewritten(content, ppt__slides__slide1=b"<p>" + b" " * 50_000_000 + b"</p>")
    assert len(bomb) < 200_000
    with pytest.raises(LimitExceeded, match=r"unpacked_bytes = 10,000,000"):
        read_slides(bomb, limits=Limits(unpacked_bytes=10_000_000))


def test_a_bomb_of_many_parts_is_measured_as_a_whole() -> None:
    deck = blank_deck()
    slide_of(deck, "small")
    many = {f"custom__part{n}": b"<p>" + b" " * 3_000_000 + b"</p>" for n in range(5)}
    with pytest.raises(LimitExceeded, match="unpacked_bytes"):
        read_slides(rewritten(saved(deck), **many), limits=Limits(unpacked_bytes=10_000_000))


def test_a_header_that_lies_about_the_size_gains_nothing() -> None:
    deck = blank_deck()
    slide_of(deck, "small")
    content = bytearray(rewritten(saved(deck), bomb=b"<p>" + b" " * 20_000_000 + b"</p>"))
    honest = (20_000_007).to_bytes(4, "little")
    assert content.count(honest) == 2
    lied = bytes(content).replace(honest, (10).to_bytes(4, "little"))
    with pytest.raises((LimitExceeded, FileDamaged)):
        read_slides(lied, limits=Limits(unpacked_bytes=10_000_000))


def test_pictures_are_not_unpacked_at_all() -> None:
    deck = blank_deck()
    write(slide_of(deck), "words")
    slide_of(deck).shapes.add_picture(BytesIO(PNG), 0, 0)
    content = rewritten(saved(deck))
    buffer = BytesIO(content)
    with zipfile.ZipFile(buffer, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("ppt/media/huge.bin", b"\x89PNG" + b"\0" * 30_000_000)
    assert read_slides(buffer.getvalue(), limits=Limits(unpacked_bytes=10_000_000)).text == "words"


ENTITIES = '<!DOCTYPE p [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'


@pytest.mark.parametrize(
    "prolog",
    [
        ENTITIES.encode(),
        b'<?xml version="1.0"?>\n<!-- > -->' + ENTITIES.encode(),
        b"\xef\xbb\xbf" + ENTITIES.encode(),
        ('<?xml version="1.0" encoding="utf-16"?>' + ENTITIES).encode("utf-16"),
        ENTITIES.encode("utf-16-be"),
        b'<?xml version="1.0" encoding="utf-7"?>',
    ],
)
def test_entities_are_refused_before_they_are_parsed(prolog: bytes) -> None:
    deck = blank_deck()
    slide_of(deck, "small")
    with pytest.raises(FileDamaged, match=r"slide1\.xml declares"):
        read_slides(rewritten(saved(deck), ppt__slides__slide1=prolog + b"<p>&b;</p>"))


def test_a_password_is_asked_for_where_there_is_one() -> None:
    with pytest.raises(PasswordRequired, match="encrypted"):
        read_slides(OLE + b"\0" * 600 + "EncryptedPackage".encode("utf-16-le"))
    with pytest.raises(FileDamaged, match="older Office format"):
        read_slides(OLE + b"\0" * 600)


@pytest.mark.parametrize("part", ["ppt__slides__slide1", "ppt__presentation", "[Content_Types]"])
def test_a_container_without_a_part_is_damaged(part: str) -> None:
    deck = blank_deck()
    slide_of(deck, "small")
    with pytest.raises(FileDamaged, match="PPTX"):
        read_slides(rewritten(saved(deck), **{part: None}))


def test_a_missing_library_names_the_line_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    load = builtins.__import__

    def without(name: str, *rest: Any, **named: Any) -> Any:
        if name.startswith("pptx"):
            raise ImportError(name)
        return load(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtra, match="python-pptx") as caught:
        read_slides(b"PK")
    assert caught.value.suggestion == "pip install 'glassdex[documents]'"


def test_bids_go_by_the_name_and_rise_with_the_content() -> None:
    reader = SlidesReader()
    assert reader.bid(PurePosixPath("a.PPTX"), b"PK\3\4") == 90
    assert reader.bid(PurePosixPath("a.pptx"), OLE) == 80
    assert reader.bid(PurePosixPath("a.zip"), b"PK\3\4") == 0


WORDS = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Cn")), max_size=40)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(WORDS, WORDS, WORDS), max_size=4))
def test_places_and_rows_agree_on_any_texts(contents: list[tuple[str, str, str]]) -> None:
    deck = blank_deck()
    for title, body, notes in contents:
        slide = slide_of(deck, title)
        write(slide, body, top=3)
        if notes:
            slide.notes_slide.notes_text_frame.text = notes
    document = read_slides(saved(deck))
    assert [place.slide for place in document.places] == list(range(1, len(contents) + 1))
    written = [place for place in document.places if place.start < place.end]
    assert [document.text[place.start : place.end] for place in written] == [row.text for row in document.rows]
    for place, (title, body, _) in zip(document.places, contents, strict=True):
        there = document.text[place.start : place.end]
        assert " ".join(title.split()) in there
        assert " ".join(body.split()) in " ".join(there.split())
