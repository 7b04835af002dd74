"""HTML as a browser shows it, on the lines of its source."""

from __future__ import annotations

import builtins
import html
import re
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from glassdex.errors import LimitExceeded, MissingExtra, UnsupportedEncoding
from glassdex.locators import LocatorMap
from glassdex.model import Document
from glassdex.reading.html import HtmlReader
from glassdex.reading.protocol import Limits, ReadingOptions
from glassdex.testing import ReaderConformance
from tests.reading.office import block_with, blocks_of, texts_of

CASES = Path(__file__).parents[1] / "data" / "cases"


def read(page: str | bytes, name: str = "page.html", limits: Limits = Limits()) -> Document:
    content = page.encode() if isinstance(page, str) else page
    return HtmlReader().read(PurePosixPath(name), content, ReadingOptions(limits=limits))


def lines_of(document: Document, words: str) -> tuple[int | None, int | None]:
    start = document.text.index(words)
    locator = LocatorMap(document.text, document.places).locate(start, start + len(words))
    return locator.line_start, locator.line_end


class TestHtmlReader(ReaderConformance):
    text_format = False

    def reader(self) -> HtmlReader:
        return HtmlReader()

    def samples(self) -> Mapping[str, bytes]:
        real = {path.name: path.read_bytes() for path in CASES.glob("*.html")}
        made = "<h1>Top</h1><p>one<p>two<nav>menu <a href=/x>x</a></nav><pre>a\n b</pre><ul><li>i</ul>"
        return {**real, "made.htm": made.encode()}


def test_every_passage_stands_on_the_lines_of_its_source() -> None:
    page = (
        "<!doctype html>\n<title>T</title>\n<h1\n  id='x'\n>Head</h1>\n<p>first\nsecond <b>third\n</b>fourth</p>\n"
        "<!-- a\ncomment -->tail\n<script>\n1 < 2\n\n</script> after\n<pre>\none\n\ntwo\n</pre>\n<p>end"
    )
    document = read(page)
    source = page.split("\n")
    for words in ("Head", "first", "second", "third", "fourth", "tail", "after", "one", "two", "end"):
        line = next(number for number, text in enumerate(source, 1) if words in text)
        assert lines_of(document, words) == (line, line), words
    assert lines_of(document, "first second third") == (6, 7)


@pytest.mark.parametrize("newline", ["\r\n", "\r"])
def test_windows_and_old_mac_newlines_change_no_line(newline: str) -> None:
    page = "<p>a\nb</p>\n\n<pre>c\nd</pre>\n<p>e"
    assert read(page.replace("\n", newline)) == read(page)


@pytest.mark.parametrize("start", ["", "<html>", "<title>T</title>", "<head></head>", "<!doctype html>"])
def test_a_page_without_a_body_of_its_own_has_its_lines(start: str) -> None:
    assert lines_of(read(start + "\n\nwords\n&amp; more"), "words & more") == (3, 4)


def test_lines_beyond_what_the_parser_counts_are_counted() -> None:
    document = read("<p>filler</p>\n" * 70_000 + "<p>the\nend</p>")
    assert lines_of(document, "the end") == (70_001, 70_002)


def test_what_a_page_does_not_show_is_left_out() -> None:
    document = read(
        "<head><title>T</title><style>p{}</style></head><body>shown<script>no()</script><style>no</style>"
        "<template><p>no</template><noscript>no</noscript><!-- no --><p hidden>no <b>no</b></p>"
        "<div style='color:red; DISPLAY : none'>no</div><span aria-hidden=true>no</span><svg><text>no</text></svg>"
        "<p hidden=until-found>found</p><iframe>no</iframe> end"
    )
    assert texts_of(document) == ["shown", "found", "end"]


def test_headings_chain_and_end_those_of_their_level() -> None:
    document = read("<h1>A</h1><h3>C</h3><p>in c<h2>B <i>b</i></h2><p>in b<h1>D</h1><p>in d")
    assert block_with(document, "in c").headings == ("A", "C")
    assert block_with(document, "in b").headings == ("A", "B b")
    assert block_with(document, "in d").headings == ("D",)


def test_navigation_asides_and_footers_are_rows_of_their_own() -> None:
    document = read("<h1>A</h1><aside><h2>Advert</h2>buy</aside><p>text<nav>menu</nav>more<footer>imprint</footer>")
    assert [row.text for row in document.rows] == ["A", "Advert\n\nbuy", "text", "menu", "more", "imprint"]
    assert block_with(document, "text").headings == ("A",)


def test_words_are_not_torn_apart_and_blocks_not_run_together() -> None:
    document = read("<p>H<sub>2</sub>O<wbr> is<b> w</b>et<div>one<div>two</div>three</div><my-card>x</my-card>y")
    assert texts_of(document) == ["H2O is wet", "one", "two", "three", "x", "y"]


def test_breaks_stay_and_white_space_does_not() -> None:
    assert read("<p>  a \n\t b<br>\n c&nbsp;d  </p>").text == "a b\nc d"


def test_lists_are_items_as_deep_as_they_stand() -> None:
    document = read("<ul><li>a<ul><li>b</ul><li>c</ul><dl><dt>d<dd>e</dl>")
    assert [(text, block.kind, block.depth) for _, block, text in blocks_of(document)] == [
        ("a", "list_item", 0), ("b", "list_item", 1), ("c", "list_item", 0), ("d", "list_item", 0),
        ("e", "list_item", 0),
    ]  # fmt: skip
    assert document.text == "a\nb\nc\nd\ne"


def test_preformatted_text_keeps_its_form() -> None:
    document = read("<pre>\n  def <b>f</b>():\n\n    return 1\n\n</pre>")
    assert [(block.kind, text) for _, block, text in blocks_of(document)] == [
        ("fence", "  def f():\n\n    return 1")
    ]  # fmt: skip


def test_quotations_are_known() -> None:
    assert block_with(read("<blockquote><p>said</blockquote>"), "said").kind == "quote"


def test_spans_keep_cells_under_their_columns() -> None:
    document = read(
        "<table><tr><th>A<th>B<th>C<tr><td rowspan=2>1<td colspan=2>2<tr><td>3<td>4<tr><td>5<td rowspan=x>6</table>"
    )
    assert document.text == "A | B | C\n1 | 2 |\n| 3 | 4\n5 | 6"
    assert document.rows[0].blocks[0].context == "A | B | C"


def test_a_table_that_only_arranges_the_page_is_no_table() -> None:
    document = read(
        "<table><tr><td><h1>Letter</h1><p>Dear reader,</p><table><tr><th>k<th>v<tr><td>a<td>1</table></td></tr></table>"
        "<table role=presentation><tr><td>x<td>y</table>"
    )
    assert [(block.kind, text) for _, block, text in blocks_of(document)] == [
        ("heading", "Letter"), ("paragraph", "Dear reader,"), ("table", "k | v\na | 1"), ("paragraph", "x"),
        ("paragraph", "y"),
    ]  # fmt: skip


def test_a_table_without_rows_around_its_cells_is_read() -> None:
    assert read("<table><td>a<td>b</table>").text == "a | b"


def test_links_have_targets_labels_and_lines() -> None:
    document = read(
        "<p>see\n<a href=' https://example.org/a '>the <b>page</b></a>, <a href='#x'>no</a>, "
        "<a href='javascript:no()'>no</a> <a>no</a>\n<a href=b.html><img alt='a map of it'></a>"
    )
    assert [(link.target, link.label, link.line) for link in document.links] == [
        ("https://example.org/a", "the page", 2),
        ("b.html", "a map of it", 3),
    ]


def test_pictures_are_read_by_their_words() -> None:
    assert read("<p>x <img alt='two herons'> <img alt='IMG_1.png'> <img>").text == "x two herons"


def test_metadata_date_and_tags_are_the_pages_own() -> None:
    document = read(
        "<html lang=de><meta name=Description content='What it is'><meta name=author content=Ada>"
        "<meta property=article:published_time content='2024-05-01T10:00:00+02:00'>"
        "<meta name=keywords content='herons, rain,herons'><title> A \n page </title><p>x"
    )
    assert (document.title, document.title_source) == ("A page", "front_matter")
    assert document.metadata == {"description": "What it is", "author": "Ada", "language": "de"}
    assert document.date == "2024-05-01T08:00:00Z"
    assert document.tags == ("herons", "rain")


def test_a_page_without_a_title_is_called_by_its_heading_then_by_its_file() -> None:
    assert read("<h2>Named</h2>").title == "Named"
    assert read("<p>words", "plan.html").title == "plan"
    assert read("", "void.html").rows == ()


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("<p>für".encode(), "für"),
        ("<p>für".encode("utf-8-sig"), "für"),
        ("<p>für".encode("utf-16"), "für"),
        (b"<meta charset=iso-8859-1><p>f\xfcr \x93x\x94", "für “x”"),
        (b"<meta http-equiv=content-type content='text/html; charset=windows-1251'><p>\xe4\xe0", "да"),
        ("<meta charset=Shift_JIS><p>雨".encode("shift_jis"), "雨"),
        (b"<?xml version='1.0' encoding='iso-8859-15'?><html><p>\xa4</p></html>", "€"),
        ("<meta charset=utf-16><p>für".encode(), "für"),
    ],
)
def test_the_encoding_is_the_one_declared(content: bytes, text: str) -> None:
    assert read(content).text == text


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"<p>f\xfcr", "not UTF-8"),
        (b"<meta charset=rot13><p>x", "'rot13', which is unknown"),
        (b"<meta charset=shift_jis><p>\x81", "not cp932"),
        (b"<meta charset=iso-8859-77><p>x", "unknown"),
    ],
)
def test_another_encoding_than_declared_is_reported(content: bytes, message: str) -> None:
    with pytest.raises(UnsupportedEncoding, match=message):
        read(content)


def test_elements_that_xhtml_closes_in_their_own_tag_swallow_nothing() -> None:
    page = '<?xml version="1.0"?>\n<html><head><title>T</title><script src="x"/></head><body><a id="p"/>text<br/>\nend'
    document = read(page, "page.xhtml")
    assert document.text == "text\nend"
    assert lines_of(document, "end") == (3, 3)


def test_elements_nested_beyond_the_limit_are_refused() -> None:
    assert read("<div>" * 90 + "deep").text == "deep"
    with pytest.raises(LimitExceeded, match=r"nesting = 100"):
        read("<div>" * 200_000 + "deep")


def test_unclosed_marks_of_words_are_no_nesting() -> None:
    assert read("<font>" * 1_000 + "deep").text == "deep"
    with pytest.raises(LimitExceeded, match="nesting"):
        read("<font>" * 10_000 + "deep")


def test_a_picture_in_an_attribute_hides_nothing() -> None:
    page = "<p>before <img src='data:image/png;base64," + "A" * 12_000_000 + "'> after"
    assert read(page).text == "before after"


def test_huge_spans_make_no_huge_tables() -> None:
    document = read("<table><tr><th>a<th>b<tr><td colspan=999999999 rowspan=999999999>x<tr><td>y<td>z</table>")
    assert len(document.text) < 10_000


def test_more_text_than_the_limit_is_refused() -> None:
    with pytest.raises(LimitExceeded, match=r"characters = 1,000"):
        read("<p>" + "word " * 1_000, limits=Limits(characters=1_000))


def test_a_missing_library_names_the_line_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    load = builtins.__import__

    def without(name: str, *rest: Any, **named: Any) -> Any:
        if name.startswith("lxml"):
            raise ImportError(name)
        return load(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtra, match="lxml") as caught:
        read("<p>x")
    assert caught.value.suggestion == "pip install 'glassdex[documents]'"


def test_bids_go_by_the_name_else_by_how_the_file_begins() -> None:
    reader = HtmlReader()
    assert reader.bid(PurePosixPath("a.HTM"), b"") == 80
    assert reader.bid(PurePosixPath("saved"), b"<!-- x -->\n<!DOCTYPE html>") == 30
    assert reader.bid(PurePosixPath("saved.txt"), b"<!DOCTYPE html>") == 0


WORDS = st.text(st.sampled_from("ab é雨<&\"'>\n\t \xa0"), max_size=12)
TAGS = st.sampled_from(
    [
        "p",
        "div",
        "b",
        "i",
        "h1",
        "h2",
        "ul",
        "li",
        "table",
        "tr",
        "td",
        "th",
        "caption",
        "pre",
        "br",
        "a",
        "blockquote",
        "nav",
        "aside",
        "script",
        "style",
        "span",
    ]
)
MARKS = st.one_of(
    WORDS.map(html.escape),
    TAGS.map("<{}>".format),
    TAGS.map("</{}>".format),
    st.just("<!-- c\n -->"),
    st.just("<p\nclass=x>"),
    st.just("<td colspan=2 rowspan=2>"),
)


MARK = re.compile("<!--.*?-->|</?[a-z][^>]*>", re.DOTALL)


@settings(max_examples=300, deadline=None)
@given(st.lists(MARKS, max_size=25).map(lambda marks: "<body>" + "".join(marks)))
def test_places_cover_the_words_of_any_page_and_lead_to_lines_that_hold_them(page: str) -> None:
    document = read(page)
    lines = MARK.sub(lambda mark: "\n" * mark[0].count("\n"), page).split("\n")
    end = 0
    for place in document.places:
        assert end <= place.start < place.end <= len(document.text)
        end = place.end
        assert place.line_start == place.line_end
        assert place.line_start is not None
        there = html.unescape(lines[place.line_start - 1])
        said = document.text[place.start : place.end].split()
        assert all(word.rstrip(",") in there or word in "|/" for word in said), (place, said, there)
    covered = "".join(document.text[place.start : place.end] for place in document.places)
    assert "".join(covered.split()) == "".join(document.text.split())
