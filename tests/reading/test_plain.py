"""Plain text and source code: blocks and lines of the file itself."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassdex.errors import UnsupportedEncoding
from glassdex.model import Document
from glassdex.reading.code import CodeReader
from glassdex.reading.plain import TextReader
from glassdex.testing import ReaderConformance

PYTHON = '''"""What it does."""

import os


class Heron:
    """A bird."""

    def fly(self) -> None:
        up()

        away()

    @property
    def name(self) -> str:
        return "heron"
def after():
    pass
'''
C = "#include <stdio.h>\n\nint main(void)\n{\n\tint x = 1;\n\n\treturn x;\n}\n\nstatic int y;\n"
YAML = "first:\n  a: 1\n  b: 2\nsecond:\n  c: 3\n\n  d: 4\n"
LOG = "2026-01-01 one.\n2026-01-02 two.\n\n2026-01-03 three.\n"


class TestTextReader(ReaderConformance):
    def reader(self) -> TextReader:
        return TextReader()

    def samples(self) -> Mapping[str, bytes]:
        return {"a.txt": b"One.\nStill one.\n\n \t\nTwo.\n", "README": b"x", "b.log": LOG.encode(), "c.rst": b"\n\n"}


class TestCodeReader(ReaderConformance):
    def reader(self) -> CodeReader:
        return CodeReader()

    def samples(self) -> Mapping[str, bytes]:
        return {"a.py": PYTHON.encode(), "b.c": C.encode(), "c.yaml": YAML.encode(), "Makefile": b"all:\n\techo\n"}


def code(text: str, name: str = "a.py") -> Document:
    return CodeReader().read(PurePosixPath(name), text.encode())


def outline(document: Document) -> list[tuple[str, int, str]]:
    """First line, depth and context of each block."""
    found = []
    for row in document.rows:
        for block in row.blocks:
            found.append((row.text[block.start : block.end].split("\n")[0].strip(), block.depth, block.context))
    return found


def test_paragraphs_end_at_blank_lines() -> None:
    document = TextReader().read(PurePosixPath("a.txt"), b"One.\n  Still.\n\t\n\r\nTwo.")
    texts = [document.text[block.start : block.end] for row in document.rows for block in row.blocks]
    assert texts == ["One.\n  Still.", "Two."]
    assert {block.kind for row in document.rows for block in row.blocks} == {"paragraph"}
    assert (document.title, document.title_source) == ("a", "file_name")


def test_a_log_is_cut_between_its_lines() -> None:
    document = TextReader().read(PurePosixPath("a.log"), LOG.encode())
    assert [block.kind for row in document.rows for block in row.blocks] == ["fence", "fence"]


def test_blocks_of_code_know_what_encloses_them() -> None:
    assert outline(code(PYTHON)) == [
        ('"""What it does."""', 0, ""),
        ("import os", 0, ""),
        ("class Heron:", 0, "class Heron:"),
        ("def fly(self) -> None:", 1, "class Heron: def fly(self) -> None:"),
        ("away()", 2, "class Heron: def fly(self) -> None:"),
        ("@property", 1, "class Heron: def name(self) -> str:"),
        ("def after():", 0, "def after():"),
    ]


def test_a_bracket_at_the_margin_leaves_its_function_open() -> None:
    assert outline(code(C, "a.c")) == [
        ("#include <stdio.h>", 0, ""),
        ("int main(void)", 0, "int main(void)"),
        ("return x;", 1, "int main(void)"),
        ("static int y;", 0, ""),
    ]


def test_configuration_falls_into_its_sections() -> None:
    assert outline(code(YAML, "a.yaml")) == [("first:", 0, "first:"), ("second:", 0, "second:"), ("d: 4", 1, "second:")]


def test_code_is_called_by_the_name_of_its_file() -> None:
    assert code("x = 1", "src/main.py").title == "main.py"


@pytest.mark.parametrize(
    ("name", "head", "text", "code"),
    [
        ("a.txt", b"x", 20, 0),
        ("README", b"x", 20, 0),
        ("a.rst", b"x", 20, 0),
        ("a.PY", b"x", 0, 30),
        ("Makefile", b"x", 0, 30),
        ("Dockerfile.dev", b"x", 0, 30),
        ("run", b"#!/bin/sh\n", 0, 30),
        ("run", b"x", 0, 0),
        ("a.unknown", b"x", 0, 0),
        ("a.md", b"x", 0, 0),
        ("a.csv", b"x", 0, 0),
        ("a.json", b"x", 0, 0),
        ("a.ts", b"G\0\0\x10", 0, 0),
        ("a.log", b"\0", 0, 0),
        ("a.txt", b"\xff\xfex\0", 20, 0),
    ],
)
def test_bids_go_by_the_name_and_not_for_bytes(name: str, head: bytes, text: int, code: int) -> None:
    assert TextReader().bid(PurePosixPath(name), head) == text
    assert CodeReader().bid(PurePosixPath(name), head) == code


@pytest.mark.parametrize("reader", [TextReader(), CodeReader()])
def test_another_encoding_is_reported(reader: TextReader | CodeReader) -> None:
    with pytest.raises(UnsupportedEncoding, match="byte offset 1"):
        reader.read(PurePosixPath("a.txt"), b"f\xfcr")
    with pytest.raises(UnsupportedEncoding, match="UTF-16"):
        reader.read(PurePosixPath("a.txt"), "für".encode("utf-16"))


@pytest.mark.parametrize("reader", [TextReader(), CodeReader()])
def test_a_blank_file_has_no_rows(reader: TextReader | CodeReader) -> None:
    assert reader.read(PurePosixPath("a.txt"), b" \n\t\n").rows == ()


LINES = st.text(st.sampled_from("ab {}():\n\r\t \u2028\x0c雨"), max_size=80)


@given(LINES)
def test_blocks_hold_every_word_of_any_text_in_whole_lines(text: str) -> None:
    for reader in (TextReader(), CodeReader()):
        document = reader.read(PurePosixPath("a.txt"), text.encode())
        assert document.text == text
        held = "".join(text[block.start : block.end] for row in document.rows for block in row.blocks)
        assert "".join(held.split()) == "".join(text.split())
        for row in document.rows:
            for block in row.blocks:
                assert block.start == 0 or text[block.start - 1] in "\r\n"
