"""Where a passage stands on the paper, and the picture of the page with it marked."""

from __future__ import annotations

import io
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

from glassdex.errors import (
    FileChangedWhileReading,
    LimitExceeded,
    MissingExtra,
    NoTextLayer,
    PageOutOfRange,
    PasswordRequired,
)
from glassdex.model import text_hash
from glassdex.reading.pdf import page_boxes, render_page
from glassdex.reading.pdf.drawing import draw_passage
from glassdex.reading.pdf.lines import Box
from glassdex.reading.protocol import Limits, ReadingOptions
from tests.documents import pdf

from .pdfs import CASES, HEIGHT, WIDTH, case, lines, made, read, wrapped

SENTENCE = "Whoever waits for the tide at night learns a great deal of patience"
WORDS = SENTENCE.split()
NO_OPTIONS = ReadingOptions()
OPEN = ReadingOptions(passwords=("openpassword",))


def boxes_of(content: bytes, text: str, options: ReadingOptions = NO_OPTIONS) -> dict[int, list[Box]]:
    start = read(content, options=options).text.index(text)
    return page_boxes(content, start, start + len(text), options)


def width_of(text: str) -> float:
    return float(stringWidth(text, "Helvetica", 11))


def picture(png: bytes) -> Image.Image:
    return Image.open(io.BytesIO(png)).convert("RGB")


def pixels_of(image: Image.Image) -> list[tuple[int, ...]]:
    raw = image.tobytes()
    return [tuple(raw[at : at + 3]) for at in range(0, len(raw), 3)]


def is_yellow(pixel: object) -> bool:
    assert isinstance(pixel, tuple)
    red, green, blue = pixel
    return bool(red > 200 and green > 180 and blue < 190)


@settings(max_examples=20, deadline=None)
@given(
    st.sampled_from(range(len(WORDS))), st.integers(80, 780), st.integers(20, 180), st.sampled_from([0, 90, 180, 270])
)
def test_a_words_box_lies_where_it_was_drawn(at: int, top: int, left: int, rotation: int) -> None:
    content = made(lines(SENTENCE, top=top, left=left), rotation=rotation)
    start = len(" ".join([*WORDS[:at], ""]))
    [(box,)] = page_boxes(content, start, start + len(WORDS[at])).values()
    begins = left + width_of(SENTENCE[:start])
    expected = (begins, top - 1, begins + width_of(WORDS[at]), top + 7.5)
    for found, wanted, most in zip(box, expected, (2.0, 3.0, 2.0, 3.0), strict=True):
        assert abs(found - wanted) <= most, (box, expected)


def test_a_passage_over_lines_and_pages_has_a_box_for_each_line() -> None:
    texts = wrapped(" ".join([SENTENCE] * 6))
    content = made(lines(*texts[:2], top=100), lines(*texts[2:]))
    document = read(content)
    boxes = page_boxes(content, 0, len(document.text))
    assert {page: len(found) for page, found in boxes.items()} == {1: 2, 2: len(texts) - 2}
    assert all(left < right and bottom < top for found in boxes.values() for left, bottom, right, top in found)


def test_a_passage_that_is_only_a_separator_has_no_box() -> None:
    content = made(lines(SENTENCE), lines(SENTENCE + "."))
    document = read(content)
    gap = document.places[0].end
    assert page_boxes(content, gap, document.places[1].start) == {}


def test_a_word_broken_by_a_hyphen_has_two_boxes() -> None:
    content = case("multicolumn.pdf")
    [(first, second)] = boxes_of(content, "adipiscing").values()
    assert first[1] > second[3]
    assert first[0] > second[2]


@pytest.mark.parametrize(
    ("name", "text", "page"),
    [
        ("senate-expenditures.pdf", "BAIN, J MATTHEW", 1),
        ("cjk-issue-67-example.pdf", "报告期末表决权恢复的优先股股东总数", 4),
        ("libreoffice-writer-password.pdf", "consetetur sadipscing", 1),
        ("labels-issue14847.pdf", "Here there is the text", 4),
    ],
)
def test_boxes_of_real_files_are_on_the_paper_and_are_marked(name: str, text: str, page: int) -> None:
    content = (CASES / name).read_bytes()
    boxes = boxes_of(content, text, OPEN)
    assert list(boxes) == [page]
    plain = picture(render_page(content, page, (), OPEN, 1.0))
    marked = picture(render_page(content, page, boxes[page], OPEN, 1.0))
    changed = [pair for pair in zip(pixels_of(plain), pixels_of(marked), strict=True) if pair[0] != pair[1]]
    area = sum((right - left + 2) * (top - bottom + 2) for left, bottom, right, top in boxes[page])
    assert 0.5 * area < len(changed) < 1.6 * area + 60


def test_a_wide_row_on_a_rotated_page_is_marked_along_the_row() -> None:
    content = case("senate-expenditures.pdf")
    boxes = boxes_of(content, "BAIN, J MATTHEW DISTRICT DIRECTOR 37,499.96")
    [(left, bottom, right, top)] = boxes[1]
    assert top - bottom > 400 and right - left < 10  # the row runs up the unrotated page
    marked = picture(render_page(content, 1, boxes[1], scale=1.0))
    yellow = [(x, y) for y in range(marked.height) for x in range(marked.width) if is_yellow(marked.getpixel((x, y)))]
    assert max(x for x, _ in yellow) - min(x for x, _ in yellow) > 400
    assert max(y for _, y in yellow) - min(y for _, y in yellow) < 15


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
@pytest.mark.parametrize("scale", [1.0, 2.5])
def test_the_mark_is_where_the_word_was_drawn(rotation: int, scale: float) -> None:
    content = made(lines(SENTENCE, top=500, left=100), rotation=rotation)
    boxes = boxes_of(content, "tide")
    plain, marked = (picture(render_page(content, 1, marks, scale=scale)) for marks in ((), boxes[1]))
    across = 100 + width_of("Whoever waits for the ")
    drawn = [(across + share * width_of("tide"), 500.0 + up) for share in (0.05, 0.5, 0.95) for up in (1, 4, 7)]
    beside = [(across - 20, 504.0), (across + 60, 504.0), (across + 10, 530.0), (across + 10, 470.0)]

    def is_changed(point: tuple[float, float]) -> bool:
        x, y = point
        # Where the page is turned by a quarter, reportlab has swapped its sides.
        seen = {0: (x, HEIGHT - y), 90: (y, x), 180: (WIDTH - x, y), 270: (WIDTH - y, HEIGHT - x)}[rotation]
        at = (int(seen[0] * scale), int(seen[1] * scale))
        return plain.getpixel(at) != marked.getpixel(at)

    assert all(map(is_changed, drawn))
    assert not any(map(is_changed, beside))
    assert sum(map(is_yellow, pixels_of(marked))) > 100 * scale


def test_a_page_without_boxes_is_rendered_as_it_is() -> None:
    shown = picture(render_page(made(lines(SENTENCE)), 1, scale=1.0))
    assert shown.size == (596, 842)
    assert not any(map(is_yellow, pixels_of(shown)))
    assert shown.getpixel((300, 700)) == (255, 255, 255)


def test_a_huge_page_is_rendered_smaller() -> None:
    def paint(canvas: Canvas) -> None:
        canvas.setPageSize((14_000, 200))
        canvas.drawString(72, 100, SENTENCE)

    assert picture(render_page(made(paint), 1, scale=5)).size == (4_000, 58)


@pytest.mark.parametrize("page", [0, 2, -1])
def test_a_page_that_there_is_not_is_named(page: int) -> None:
    with pytest.raises(PageOutOfRange, match=f"no page {page}"):
        render_page(made(lines(SENTENCE)), page)


def test_encrypted_and_scanned_files_answer_as_when_they_are_read() -> None:
    with pytest.raises(PasswordRequired):
        page_boxes(case("libreoffice-writer-password.pdf"), 0, 5)
    with pytest.raises(PasswordRequired):
        render_page(case("libreoffice-writer-password.pdf"), 1)
    with pytest.raises(NoTextLayer):
        page_boxes(case("ocr_test.pdf"), 0, 5)
    assert picture(render_page(case("ocr_test.pdf"), 1, scale=0.5)).width > 100


def test_without_pillow_the_install_line_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(MissingExtra) as caught:
        render_page(b"", 1)
    assert caught.value.suggestion == "pip install 'glassdex[documents]'"


def test_what_stands_there_now_is_never_drawn_for_the_passage_that_stood_there() -> None:
    content = pdf(["The harbour is deep."])
    with pytest.raises(FileChangedWhileReading):
        draw_passage(content, 0, 11, "0" * 12)
    assert list(draw_passage(content, 0, 11, text_hash("The harbour")[:12])) == [1]


def test_drawing_is_given_up_at_the_limit_of_time() -> None:
    content = pdf(["The harbour is deep."])
    options = ReadingOptions(limits=Limits(seconds=0.000_001))
    with pytest.raises(LimitExceeded):
        draw_passage(content, 0, 11, text_hash("The harbour")[:12], options)
