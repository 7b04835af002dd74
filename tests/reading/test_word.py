"""DOCX as its reader sees it."""

from __future__ import annotations

import builtins
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

import docx
import pytest
from docx.enum.style import WD_STYLE_TYPE
from docx.opc.packuri import PackURI
from docx.opc.part import Part
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from glassdex.chunking import chunk_document, frames_of
from glassdex.embedding.tokens import token_counter
from glassdex.errors import FileDamaged, LimitExceeded, MissingExtra, PasswordRequired
from glassdex.locators import LocatorMap, described, extent_of
from glassdex.model import Locator
from glassdex.pointers import Pointer, format_pointer, parse_pointer, verify
from glassdex.pointers.verify import passage_hash
from glassdex.reading.protocol import Limits
from glassdex.reading.word import WordReader
from glassdex.search.results import citation
from glassdex.testing import ReaderConformance
from tests.reading.office import (
    W,
    block_with,
    blocks_of,
    part_of,
    read_word,
    rewritten,
    saved,
    texts_of,
    with_body,
)

CASES = Path(__file__).parents[1] / "data" / "cases"
NUMBERED = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def paragraph(inner: str, properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr>{inner}</w:p>"


def run(text: str, properties: str = "") -> str:
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def table(*rows: str) -> str:
    return f"<w:tbl>{''.join(rows)}</w:tbl>"


def row(*cells: str, properties: str = "") -> str:
    return f"<w:tr>{properties}{''.join(cells)}</w:tr>"


def cell(text: str, properties: str = "", more: str = "") -> str:
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{more}{paragraph(run(text))}</w:tc>"


def nested_tables(depth: int) -> str:
    inner = cell("innermost") + cell("beside")
    for _ in range(depth):
        inner = cell("outer", more=table(row(inner))) + cell("beside")
    return table(row(inner))


class TestWordReader(ReaderConformance):
    text_format = False

    def reader(self) -> WordReader:
        return WordReader()

    def samples(self) -> Mapping[str, bytes]:
        document = docx.Document()
        document.add_heading("Top", 1)
        document.add_paragraph("words")
        document.add_paragraph("item", style="List Bullet")
        real = {path.name: path.read_bytes() for path in CASES.glob("*.docx")}
        return {**real, "made.docx": saved(document), "empty.docx": saved(docx.Document())}


def test_headings_are_known_by_style_by_ancestry_and_by_outline_level() -> None:
    document = docx.Document()
    styles = document.styles
    custom = styles.add_style("Kapitel", WD_STYLE_TYPE.PARAGRAPH)
    custom.base_style = styles["Heading 2"]
    localised = styles.add_style("Überschrift 3", WD_STYLE_TYPE.PARAGRAPH)
    localised.element.set(f"{W}styleId", "berschrift3")
    document.add_heading("One", 1)
    document.add_paragraph("Two", style="Kapitel")
    document.add_paragraph("Three").paragraph_format.element.get_or_add_pPr()
    document.paragraphs[-1].style = localised
    outlined = document.add_paragraph("Four")._p.get_or_add_pPr()
    level = outlined.makeelement(f"{W}outlineLvl", {f"{W}val": "3"})
    outlined.append(level)
    document.add_paragraph("text")
    assert block_with(read_word(saved(document)), "text").headings == ("One", "Two", "Three", "Four")


def test_a_style_may_take_its_level_back() -> None:
    document = docx.Document()
    document.add_heading("One", 1)
    plain = document.add_heading("no heading", 2)._p.get_or_add_pPr()
    plain.append(plain.makeelement(f"{W}outlineLvl", {f"{W}val": "9"}))
    assert block_with(read_word(saved(document)), "no heading").kind == "paragraph"


def test_the_first_title_names_the_document_and_stands_in_no_chain() -> None:
    document = docx.Document()
    document.add_heading("The Name", 0)
    document.add_paragraph("opening")
    document.add_heading("Part", 0)
    document.add_paragraph("inside")
    read = read_word(saved(document))
    assert (read.title, read.title_source) == ("The Name", "heading")
    assert block_with(read, "opening").headings == ()
    assert block_with(read, "inside").headings == ("Part",)


def test_without_a_title_the_properties_then_a_heading_then_the_file_name_it() -> None:
    document = docx.Document()
    assert read_word(saved(document), "plan.docx").title == "plan"
    document.add_heading("Heading", 1)
    assert read_word(saved(document)).title == "Heading"
    document.core_properties.title = "Stated"
    assert read_word(saved(document)).title == "Stated"


def test_list_items_know_how_deep_they_stand() -> None:
    document = docx.Document()
    for style in ("List Bullet", "List Bullet 2", "List Number"):
        document.add_paragraph(style, style=style)
    read = read_word(
        with_body(
            paragraph(run("first"), '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>'),
            paragraph(run("below"), '<w:numPr><w:ilvl w:val="1"/><w:numId w:val="1"/></w:numPr>'),
            paragraph(run("none"), '<w:numPr><w:numId w:val="0"/></w:numPr>'),
        )
    )
    assert [(block.kind, block.depth) for _, block, _ in blocks_of(read)] == [
        ("list_item", 0), ("list_item", 1), ("paragraph", 0),
    ]  # fmt: skip
    assert read.text == "first\nbelow\n\nnone"
    assert {block.kind for _, block, _ in blocks_of(read_word(saved(document)))} == {"list_item"}


def test_tables_stand_where_they_stand_with_merged_cells_once() -> None:
    document = docx.Document()
    document.add_paragraph("before")
    grid = document.add_table(3, 3)
    for number, one in enumerate(cell for line in grid.rows for cell in line.cells):
        one.text = str(number)
    grid.cell(0, 0).merge(grid.cell(0, 1))
    grid.cell(1, 2).merge(grid.cell(2, 2))
    document.add_paragraph("after")
    assert texts_of(read_word(saved(document))) == ["before", "0 / 1 |  | 2\n3 | 4 | 5 / 8\n6 | 7 |", "after"]


def test_a_header_row_is_the_context_of_its_table() -> None:
    marked = row(cell("Name"), cell("Sum"), properties="<w:trPr><w:tblHeader/></w:trPr>")
    read = read_word(with_body(table(marked, row(cell("Ada"), cell("7")))))
    assert block_with(read, "Ada").context == "Name | Sum"
    unmarked = read_word(with_body(table(row(cell("Eve"), cell("5")), row(cell("Ada"), cell("7")))))
    assert block_with(unmarked, "Ada").context == ""


def test_a_table_in_a_cell_is_read_into_it() -> None:
    inner = table(row(cell("in1"), cell("in2")), row(cell("in3"), cell("in4")))
    read = read_word(with_body(table(row(cell("left"), cell("right", more=inner)))))
    assert read.text == "left | in1, in2 / in3, in4 / right"


def test_a_table_that_only_frames_text_is_no_table() -> None:
    framed = with_body(table(row(cell("a callout", more=paragraph(run("its heading"), '<w:outlineLvl w:val="0"/>')))))
    read = read_word(framed)
    assert [block.kind for _, block, _ in blocks_of(read)] == ["heading", "paragraph"]
    assert block_with(read, "a callout").headings == ("its heading",)


def test_tracked_deletions_are_left_out_and_insertions_read() -> None:
    changed = paragraph(
        run("kept ")
        + f"<w:ins>{run('new ')}</w:ins><w:del><w:r><w:delText>old </w:delText></w:r></w:del>"
        + f"<w:moveFrom>{run('gone ')}</w:moveFrom><w:moveTo>{run('moved')}</w:moveTo>"
    )
    deleted = row(cell("x"), cell("y"), properties="<w:trPr><w:del/></w:trPr>")
    read = read_word(with_body(changed, table(row(cell("a"), cell("b")), deleted)))
    assert texts_of(read) == ["kept new moved", "a | b"]


def test_hidden_text_is_left_out_whoever_hides_it() -> None:
    document = docx.Document()
    document.add_paragraph("shown").add_run(" hidden").font.hidden = True
    style = document.styles.add_style("Secret", WD_STYLE_TYPE.CHARACTER)
    style.font.hidden = True
    document.paragraphs[0].add_run(" by style", style="Secret")
    document.paragraphs[0].add_run(" again", style="Secret").font.hidden = False
    whole = document.styles.add_style("Ghost", WD_STYLE_TYPE.PARAGRAPH)
    whole.font.hidden = True
    document.add_paragraph("never", style="Ghost")
    assert read_word(saved(document)).text == "shown again"


def test_footnotes_stand_behind_the_paragraph_that_refers_to_them() -> None:
    body = paragraph(run("A claim") + '<w:r><w:footnoteReference w:id="7"/></w:r>' + run(" stands."))
    content = with_body(body, paragraph(run("Next.")))
    space = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    notes = (
        f'<w:footnotes {space}><w:footnote w:id="-1" w:type="separator">{paragraph(run("---"))}</w:footnote>'
        f'<w:footnote w:id="7">{paragraph(run("Its source."))}</w:footnote></w:footnotes>'
    )
    relation = f'<Relationship Id="rId99" Type="{NUMBERED}/footnotes" Target="footnotes.xml"/></Relationships>'
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.footnotes+xml"
    override = f'<Override PartName="/word/footnotes.xml" ContentType="{kind}"/></Types>'
    types = part_of(content, "[Content_Types].xml").replace(b"</Types>", override.encode())
    relations = part_of(content, "word/_rels/document.xml.rels").replace(b"</Relationships>", relation.encode())
    made = rewritten(content, **{"[Content_Types]": types, "word__footnotes": notes.encode()})
    made = with_part(made, "word/_rels/document.xml.rels", relations)
    assert texts_of(read_word(made)) == ["A claim[1] stands.", "[1] Its source.", "Next."]


def with_part(content: bytes, name: str, part: bytes) -> bytes:
    import zipfile
    from io import BytesIO

    buffer = BytesIO()
    with zipfile.ZipFile(BytesIO(content)) as source, zipfile.ZipFile(buffer, "w") as target:
        for info in source.infolist():
            target.writestr(info.filename, part if info.filename == name else source.read(info))
    return buffer.getvalue()


def test_text_boxes_are_read_once_behind_their_paragraph() -> None:
    box = f"<w:txbxContent>{paragraph(run('in the box'))}</w:txbxContent>"
    drawn = (
        '<w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing>'
        f'<wp:inline><wp:docPr id="1" name="b" descr="A chart of rain"/>{box}</wp:inline></w:drawing></mc:Choice>'
        f"<mc:Fallback><w:pict><v:shape><v:textbox>{box}</v:textbox></v:shape></w:pict></mc:Fallback>"
        "</mc:AlternateContent></w:r>"
    )
    read = read_word(with_body(paragraph(run("around") + drawn)))
    assert texts_of(read) == ["around", "in the box", "Picture: A chart of rain"]


def test_a_chart_is_read_behind_its_paragraph() -> None:
    space = "http://schemas.openxmlformats.org/drawingml/2006"
    chart = (
        f'<c:chartSpace xmlns:c="{space}/chart" xmlns:a="{space}/main"><c:chart>'
        "<c:title><c:tx><c:rich><a:p><a:r><a:t>Rain</a:t></a:r></a:p></c:rich></c:tx></c:title>"
        "<c:plotArea><c:surface3DChart><c:ser><c:tx><c:v>mm</c:v></c:tx>"
        '<c:cat><c:pt idx="0"><c:v>May</c:v></c:pt></c:cat><c:val><c:pt idx="0"><c:v>40</c:v></c:pt></c:val>'
        "</c:ser></c:surface3DChart></c:plotArea></c:chart></c:chartSpace>"
    )
    document = docx.Document()
    kind = "application/vnd.openxmlformats-officedocument.drawingml.chart+xml"
    part = Part(PackURI("/word/charts/chart1.xml"), kind, chart.encode(), document.part.package)
    identifier = document.part.relate_to(part, f"{NUMBERED}/chart")
    drawn = document.add_paragraph("around").add_run()._r
    for shown in (identifier, "rId999"):
        drawn.append(drawn.makeelement(f"{{{space}}}chart", {f"{{{NUMBERED}}}id": shown}))
        drawn[-1].tag = f"{{{space}/chart}}chart"
    assert texts_of(read_word(saved(document))) == ["around", "Rain\n| mm\nMay | 40"]


def test_a_file_embedded_in_the_text_is_reported() -> None:
    read = read_word(with_body("<w:altChunk/>", paragraph(run("x"))))
    assert [warning.code for warning in read.warnings] == ["embedded_file"]


def test_rows_that_begin_further_right_keep_their_columns() -> None:
    shifted = row(cell("c"), properties='<w:trPr><w:gridBefore w:val="1"/></w:trPr>')
    assert read_word(with_body(table(row(cell("a"), cell("b")), shifted))).text == "a | b\n| c"


def test_what_content_controls_hold_is_read() -> None:
    control = f"<w:sdt><w:sdtPr/><w:sdtContent>{paragraph(run('a block'))}</w:sdtContent></w:sdt>"
    inline = f"<w:sdt><w:sdtContent>{run('a word')}</w:sdtContent></w:sdt>"
    assert texts_of(read_word(with_body(control, paragraph(inline)))) == ["a block", "a word"]


def test_links_have_their_targets_and_labels() -> None:
    document = docx.Document()
    identifier = document.part.relate_to("https://example.org/a", f"{NUMBERED}/hyperlink", is_external=True)
    line = document.add_paragraph("see ")
    link = line._p.makeelement(f"{W}hyperlink", {f"{{{NUMBERED}}}id": identifier})
    line._p.append(link)
    link.append(line.add_run("the page")._r)
    for kind, text in (("begin", ""), ("", ' HYPERLINK "https://example.org/b" '), ("separate", "")):
        mark = line.add_run()._r
        mark.append(
            mark.makeelement(f"{W}fldChar", {f"{W}fldCharType": kind}) if kind else mark.makeelement(f"{W}instrText")
        )
        if not kind:
            mark[-1].text = text
    line.add_run(" and a field")
    end = line.add_run()._r
    end.append(end.makeelement(f"{W}fldChar", {f"{W}fldCharType": "end"}))
    read = read_word(saved(document))
    assert read.text == "see the page and a field"
    assert [(link.target, link.label) for link in read.links] == [
        ("https://example.org/a", "the page"),
        ("https://example.org/b", "and a field"),
    ]


def test_headers_and_footers_are_read_once_in_a_row_of_their_own_without_page_numbers() -> None:
    document = docx.Document()
    document.add_heading("Section", 1)
    document.add_paragraph("body")
    for section in (document.sections[0], document.add_section()):
        section.header.is_linked_to_previous = False
        section.header.paragraphs[0].text = "ACME"
    footer = document.sections[0].footer.paragraphs[0]
    footer.text = "Page "
    field = footer._p.makeelement(f"{W}fldSimple", {f"{W}instr": " PAGE "})
    footer._p.append(field)
    field.append(footer.add_run("17")._r)
    read = read_word(saved(document))
    assert [one.text for one in read.rows] == ["Section\n\nbody", "Header: ACME\n\nFooter: Page"]


def test_a_table_of_contents_is_left_out() -> None:
    document = docx.Document()
    document.styles.add_style("toc 1", WD_STYLE_TYPE.PARAGRAPH)
    document.add_paragraph("Chapter\t3", style="toc 1")
    document.add_paragraph("text")
    assert read_word(saved(document)).text == "text"


def test_breaks_tabs_and_formulas_are_read() -> None:
    inner = run("one") + "<w:r><w:br/></w:r>" + run("two") + "<w:r><w:tab/></w:r>" + run("three")
    formula = "<m:oMath><m:r><m:t>x+1</m:t></m:r></m:oMath>"
    assert read_word(with_body(paragraph(inner + formula))).text == "one\ntwo threex+1"


def test_the_stricter_dialect_is_read() -> None:
    document = docx.Document()
    document.add_heading("Strict", 1)
    content = saved(document)
    for name in ("word/document.xml", "word/styles.xml", "_rels/.rels", "word/_rels/document.xml.rels"):
        part = part_of(content, name)
        for family in (b"wordprocessingml", b"officeDocument"):
            part = part.replace(
                b"http://schemas.openxmlformats.org/" + family + b"/2006/",
                b"http://purl.oclc.org/ooxml/" + family + b"/",
            )
        content = with_part(content, name, part)
    assert block_with(read_word(content), "Strict").kind == "heading"


def test_a_file_with_macros_and_a_template_are_read() -> None:
    document = docx.Document()
    document.add_paragraph("words")
    content = saved(document)
    for kind in (b"ms-word.document.macroEnabled", b"openxmlformats-officedocument.wordprocessingml.template"):
        types = part_of(content, "[Content_Types].xml").replace(
            b"openxmlformats-officedocument.wordprocessingml.document", kind
        )
        assert read_word(rewritten(content, **{"[Content_Types]": types})).text == "words"


def test_no_pages_and_no_lines_are_made_up() -> None:
    document = docx.Document()
    document.add_paragraph("The only words.")
    read = read_word(saved(document), "notes/plan.docx")
    assert LocatorMap(read.text, read.places).locate(4, 8) == Locator()
    assert extent_of(read.text, read.places).available == ()
    assert described(Locator()) == []
    assert citation("notes/plan.docx", Locator()) == "notes/plan.docx"


def test_pointers_into_it_go_by_characters_alone() -> None:
    document = docx.Document()
    document.add_paragraph("The only words.")
    read = read_word(saved(document))
    pointer = Pointer("plan.docx", Locator(), 4, 8, passage_hash("only"))
    written = format_pointer(pointer)
    assert written == f"plan.docx#c=4-8@{passage_hash('only')}"
    assert parse_pointer(written) == pointer
    assert verify(pointer, read.text, read.places).state == "exact"
    document.paragraphs[0].insert_paragraph_before("More.")
    changed = read_word(saved(document))
    moved = verify(pointer, changed.text, changed.places)
    assert (moved.state, [(place.char_start, place.char_end) for place in moved.places]) == ("moved", [(11, 15)])


def test_chunks_of_it_have_no_numbers() -> None:
    read = read_word((CASES / "bug65738.docx").read_bytes())
    frames = sorted(frames_of(read))
    text, *rest = ([start for start, _ in spans] for spans in token_counter().spans_batch([read.text, *frames]))
    chunks = chunk_document(read, text, dict(zip(frames, rest, strict=True)))
    assert chunks
    assert {chunk.locator for chunk in chunks} == {Locator()}
    assert all(read.text[chunk.char_start : chunk.char_end] == chunk.text for chunk in chunks)


def test_tables_nested_beyond_the_limit_are_refused() -> None:
    assert "innermost" in read_word(with_body(nested_tables(20))).text
    with pytest.raises(LimitExceeded, match=r"nesting = 10"):
        read_word(with_body(nested_tables(20)), limits=Limits(nesting=10))


def test_elements_nested_beyond_the_parsers_limit_are_refused() -> None:
    document = docx.Document()
    content = saved(document)
    deep = b"<w:sdt><w:sdtContent>" * 200 + b"</w:sdtContent></w:sdt>" * 200
    part = part_of(content, "word/document.xml").replace(b"<w:body>", b"<w:body>" + deep)
    with pytest.raises(LimitExceeded, match="nesting"):
        read_word(rewritten(content, word__document=part))


def test_controls_nested_beyond_the_limit_are_refused() -> None:
    deep = "<w:sdt><w:sdtContent>" * 60 + paragraph(run("x")) + "</w:sdtContent></w:sdt>" * 60
    with pytest.raises(LimitExceeded, match="nesting"):
        read_word(with_body(deep))


def test_more_text_than_the_limit_is_refused() -> None:
    document = docx.Document()
    for _ in range(20):
        document.add_paragraph("x" * 100)
    with pytest.raises(LimitExceeded, match=r"characters = 1,000"):
        read_word(saved(document), limits=Limits(characters=1_000))


def test_a_bomb_is_measured_while_it_unpacks() -> None:
    bomb = rewritten(saved(docx.Document()), word__document=b"<w>" + b" " * 50_000_000 + b"</w>")
    assert len(bomb) < 200_000
    with pytest.raises(LimitExceeded, match=r"unpacked_bytes = 10,000,000"):
        read_word(bomb, limits=Limits(unpacked_bytes=10_000_000))


def test_entities_are_refused() -> None:
    content = saved(docx.Document())
    part = part_of(content, "word/document.xml")
    split = part.index(b"?>") + 2
    bomb = part[:split] + b'<!DOCTYPE x [<!ENTITY a "aaaa">]>' + part[split:]
    with pytest.raises(FileDamaged, match=r"word/document\.xml declares a document type"):
        read_word(rewritten(content, word__document=bomb))


def test_a_password_is_asked_for_where_there_is_one() -> None:
    ole = bytes.fromhex("d0cf11e0a1b11ae1")
    with pytest.raises(PasswordRequired):
        read_word(ole + b"\0" * 600 + "EncryptedPackage".encode("utf-16-le"))
    with pytest.raises(FileDamaged, match="older Office format"):
        read_word(ole + b"\0" * 600)


@pytest.mark.parametrize("content", [b"", b"PK\3\4 no zip", b"plain text"])
def test_what_is_no_container_is_damaged(content: bytes) -> None:
    with pytest.raises(FileDamaged, match="DOCX"):
        read_word(content)


def test_numbers_that_are_none_change_nothing() -> None:
    odd = cell("a", '<w:gridSpan w:val="99999999999999999999"/>') + cell("b", '<w:gridSpan w:val="x"/>')
    assert read_word(with_body(table(row(odd)))).text.startswith("a |")


def test_a_missing_library_names_the_line_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    load = builtins.__import__

    def without(name: str, *rest: Any, **named: Any) -> Any:
        if name.startswith("docx"):
            raise ImportError(name)
        return load(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtra, match="python-docx") as caught:
        read_word(b"PK")
    assert caught.value.suggestion == "pip install 'glassdex[documents]'"


def test_bids_go_by_the_name_and_rise_with_the_content() -> None:
    reader = WordReader()
    assert reader.bid(PurePosixPath("a.DOCX"), b"PK\3\4") == 90
    assert reader.bid(PurePosixPath("a.docx"), b"") == 80
    assert reader.bid(PurePosixPath("a.doc"), b"PK\3\4") == 0


WORDS = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Cn")), max_size=40)
PARTS = st.one_of(
    st.tuples(st.just("heading"), st.integers(1, 9), WORDS),
    st.tuples(st.just("paragraph"), st.just(0), WORDS),
    st.tuples(st.just("table"), st.integers(2, 4), WORDS),
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(PARTS, max_size=8))
def test_every_word_is_read_in_order_whatever_stands_there(parts: list[tuple[str, int, str]]) -> None:
    document = docx.Document()
    for kind, number, text in parts:
        if kind == "heading":
            document.add_heading(text, number)
        elif kind == "paragraph":
            document.add_paragraph(text)
        else:
            document.add_table(1, number).cell(0, 1).text = text
    read = read_word(saved(document))
    assert [(place.start, place.end) for place in read.places] == [(0, len(read.text))]
    said = [word for text in texts_of(read) for word in text.replace("|", " ").split()]
    assert said == [word for _, _, text in parts for word in text.replace("|", " ").split()]
    for one in read.rows:
        assert read.text[one.start : one.start + len(one.text)] == one.text
