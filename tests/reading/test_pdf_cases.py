"""Facts about real files, from tests/data/cases/expected-pdf.json: see tests/data/README.md."""

from __future__ import annotations

import json
import unicodedata
from functools import cache
from pathlib import PurePosixPath
from typing import Any

import pytest

from glassdex.errors import NoTextLayer, PasswordRequired
from glassdex.model import Document
from glassdex.reading.pdf import PdfReader
from glassdex.reading.protocol import ReadingOptions

from .pdfs import CASES, case, page_text, pages_with, place_of, read

FACTS: list[dict[str, Any]] = json.loads((CASES / "expected-pdf.json").read_text(encoding="utf-8"))
RUNNING = "东北电气发展股份有限公司 2018 年第一季度报告全文"


@cache
def document_of(name: str) -> Document:
    return read(case(name), name, ReadingOptions(passwords=("openpassword",)))


def facts(key: str) -> list[Any]:
    found = [fact for fact in FACTS if key in fact and not fact.get("image_only")]
    return [pytest.param(fact, id=f"{fact['file']}-{number}") for number, fact in enumerate(found)]


@pytest.mark.parametrize("fact", facts("pages"))
def test_every_page_has_a_place(fact: dict[str, Any]) -> None:
    assert [place.page for place in document_of(fact["file"]).places] == list(range(1, fact["pages"] + 1))


@pytest.mark.parametrize("fact", facts("page_labels"))
def test_labels_are_the_files_own(fact: dict[str, Any]) -> None:
    assert [place.page_label for place in document_of(fact["file"]).places] == fact["page_labels"]


@pytest.mark.parametrize("fact", facts("page_labels_present"))
def test_a_file_without_labels_has_none(fact: dict[str, Any]) -> None:
    assert {place.page_label for place in document_of(fact["file"]).places} == {None}


@pytest.mark.parametrize("fact", [fact for fact in facts("contains") if "page" in fact.values[0]])
def test_text_stands_on_its_page(fact: dict[str, Any]) -> None:
    document = document_of(fact["file"])
    assert pages_with(document, fact["contains"])[:1] == [fact["page"]]
    if "page_label" in fact:
        assert place_of(document, fact["page"]).page_label == fact["page_label"]


@pytest.mark.parametrize("fact", facts("only_on_pages"))
def test_text_stands_on_no_other_page(fact: dict[str, Any]) -> None:
    assert pages_with(document_of(fact["file"]), fact["contains"]) == fact["only_on_pages"]


@pytest.mark.parametrize("fact", facts("text_empty"))
def test_a_blank_page_has_an_empty_place(fact: dict[str, Any]) -> None:
    place = place_of(document_of(fact["file"]), fact["page"])
    assert (place.start, place.page_label) == (place.end, fact["page_label"])


@pytest.mark.parametrize("fact", facts("wrapped"))
def test_chinese_words_broken_over_lines_are_whole(fact: dict[str, Any]) -> None:
    assert pages_with(document_of(fact["file"]), fact["wrapped"]) == [fact["page"]]


def test_a_running_header_is_said_once_and_reported() -> None:
    (fact,) = (fact for fact in FACTS if "on_every_page" in fact)
    document = document_of(fact["file"])
    assert fact["contains"] == RUNNING
    assert pages_with(document, RUNNING) == [1]
    (warning,) = document.warnings
    assert warning.code == "running_lines"
    assert f"'{RUNNING}' on 21 pages after page 1" in warning.message
    assert "the page number alone on 22 pages" in warning.message


@pytest.mark.parametrize("fact", facts("crosses_columns"))
def test_a_sentence_runs_from_the_left_column_into_the_right(fact: dict[str, Any]) -> None:
    assert fact["crosses_columns"] in page_text(document_of(fact["file"]), fact["page"])


@pytest.mark.parametrize("fact", facts("dehyphenated"))
def test_a_word_broken_by_a_hyphen_is_whole(fact: dict[str, Any]) -> None:
    document = document_of(fact["file"])
    assert fact["dehyphenated"] in page_text(document, fact["page"])


@pytest.mark.parametrize("fact", facts("ligature"))
def test_a_ligature_can_be_found(fact: dict[str, Any]) -> None:
    assert fact["ligature"] in unicodedata.normalize("NFKC", page_text(document_of(fact["file"]), fact["page"]))


@pytest.mark.parametrize("fact", facts("row_by_eye"))
def test_a_row_of_a_table_on_a_rotated_page_is_one_line(fact: dict[str, Any]) -> None:
    assert " ".join(fact["row_by_eye"].values()) in document_of(fact["file"]).text.splitlines()


@pytest.mark.parametrize("name", sorted({fact["file"] for fact in FACTS} - {"ocr_test.pdf"}))
def test_no_control_character_is_in_any_text(name: str) -> None:
    text = document_of(name).text
    assert {c for c in text if unicodedata.category(c) in ("Cc", "Cs", "Cn")} <= {"\n"}


@pytest.mark.parametrize("passwords", [(), ("wrong",), ("wrong", "")])
def test_a_password_that_is_missing_or_wrong_is_asked_for(passwords: tuple[str, ...]) -> None:
    with pytest.raises(PasswordRequired) as caught:
        read(case("libreoffice-writer-password.pdf"), options=ReadingOptions(passwords=passwords))
    assert "--password" in caught.value.suggestion
    assert "wrong" not in caught.value.message


def test_of_several_passwords_the_right_one_opens_the_file() -> None:
    options = ReadingOptions(passwords=("wrong", "openpassword"))
    assert read(case("libreoffice-writer-password.pdf"), options=options) == read(
        case("libreoffice-writer-password.pdf"), options=ReadingOptions(passwords=("openpassword",))
    )


def test_an_empty_user_password_is_not_asked_for() -> None:
    assert "pdf encryption test" in read(case("r6-empty-password.pdf")).text


def test_a_scan_says_that_it_has_no_text_and_what_to_do() -> None:
    with pytest.raises(NoTextLayer) as caught:
        read(case("ocr_test.pdf"))
    assert "images only" in caught.value.message
    assert "ocrmypdf" in caught.value.suggestion


@pytest.mark.parametrize("name", sorted({fact["file"] for fact in FACTS}))
def test_a_pdf_is_known_by_its_first_bytes_whatever_its_name(name: str) -> None:
    assert PdfReader().bid(PurePosixPath("scan"), case(name)) == 95
    assert PdfReader().bid(PurePosixPath("x.bin"), b"\n" * 1_020 + case(name)) == 0
