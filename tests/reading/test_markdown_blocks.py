from __future__ import annotations

from pathlib import PurePosixPath

import pytest

from glassdex.errors import ReadError
from glassdex.reading.layout import Layout
from glassdex.reading.markdown import MarkdownReader
from glassdex.reading.structure import parse_structure
from glassdex.reading.text import LineIndex

from .notes import lines_of, read, shown


def test_a_comment_in_a_fence_is_no_heading() -> None:
    document = read("# A\n\n```sh\n# comment\n```\n\n~~~\n# unclosed\n\n# to the end\n")
    assert shown(document) == [
        ("heading", "# A"),
        ("fence", "```sh\n# comment\n```"),
        ("fence", "~~~\n# unclosed\n\n# to the end"),
    ]


def test_headings_form_a_chain() -> None:
    document = read("intro\n\n# One\n## Two ##\nThree\n---\ntext\n\n# Four\n### Five\n#\nend\n")
    assert [(block.kind, block.headings) for block in document.rows[0].blocks] == [
        ("paragraph", ()),
        ("heading", ("One",)),
        ("heading", ("One", "Two")),
        ("heading", ("One", "Three")),
        ("paragraph", ("One", "Three")),
        ("heading", ("Four",)),
        ("heading", ("Four", "Five")),
        ("heading", ()),
        ("paragraph", ()),
    ]


@pytest.mark.parametrize(
    ("heading", "title"),
    [
        ("# The `code` *and* **more**", "The code and more"),
        ("# See [the page](x.md) ![an image](i.png)", "See the page an image"),
        ("# [[Note|alias]] and [[Other]]", "alias and Other"),
        ("# a &amp; b \\* c <b>d</b>", "a & b * c d"),
        ("Two\nlines\n===", "Two lines"),
        ("# snake_case_name", "snake_case_name"),
    ],
)
def test_a_heading_is_shown_as_plain_text(heading: str, title: str) -> None:
    document = read(f"{heading}\n")
    assert (document.title, document.title_source) == (title, "heading")


def test_without_a_heading_the_file_name_is_the_title() -> None:
    document = read("## Only a part\n", "notes/My note.md")
    assert (document.title, document.title_source) == ("My note", "file_name")


def test_headings_in_quotes_and_items_are_not_the_notes() -> None:
    document = read("> # Quoted\n\n- # Listed\n\ntext\n", "n.md")
    assert document.title == "n"
    assert {block.headings for block in document.rows[0].blocks} == {()}


def test_each_block_has_its_kind() -> None:
    document = read(
        "para\n\n- one\n  - two\n\n  three\n- four\n\n> quote\nlazy\n\n"
        "| a |\n|---|\n| b |\n\n<div>\nx\n</div>\n\n    code\n\n***\n\n[label]: /x\n"
    )
    assert shown(document) == [
        ("paragraph", "para"),
        ("list_item", "- one"),
        ("list_item", "  - two"),
        ("list_item", "  three"),
        ("list_item", "- four"),
        ("quote", "> quote\nlazy"),
        ("table", "| a |\n|---|\n| b |"),
        ("html", "<div>\nx\n</div>"),
        ("fence", "    code"),
        ("paragraph", "***"),
        ("paragraph", "[label]: /x"),
    ]


@pytest.mark.parametrize("words", ["word", "word " * 300])
def test_the_parts_of_an_item_are_blocks_however_long_it_is(words: str) -> None:
    document = read(f"- {words}\n\n  ```\n  # x\n  ```\n  - {words}\n    - inner\n  - last\n\n  > quoted\n- next\n")
    assert [(block.kind, block.depth) for block in document.rows[0].blocks] == [
        ("list_item", 0),
        ("fence", 1),
        ("list_item", 1),
        ("list_item", 2),
        ("list_item", 1),
        ("quote", 1),
        ("list_item", 0),
    ]


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        ("-\n  - one\n  - two\n", [("list_item", "-\n  - one"), ("list_item", "  - two")]),
        ("-\n  1. one\n", [("list_item", "-\n  1. one")]),
        ("1.\n   - one\n", [("list_item", "1.\n   - one")]),
        ("-\n  - [fact] x #y\n- next\n", [("row", "-\n  - [fact] x #y"), ("list_item", "- next")]),
        ("> -\n>   - [fact] q #z\n> - plain\n", [("row", "> -\n>   - [fact] q #z"), ("quote", "> - plain")]),
        (
            "- [a]: /x\n  - [fact] x #y\n",
            [("paragraph", "- [a]: /x"), ("row", "- [fact] x #y")],
        ),
    ],
)
def test_a_bullet_on_a_line_of_its_own_belongs_to_what_follows_it(text: str, blocks: list[tuple[str, str]]) -> None:
    assert shown(read(text)) == blocks


def test_laying_a_note_out_twice_gives_the_same_blocks() -> None:
    text = "-\n  - one\n\n  > quoted\n"
    structure, lines = parse_structure(text, 1), LineIndex(text)
    assert Layout(text, lines, structure, 1).blocks == Layout(text, lines, structure, 1).blocks


def test_link_definitions_are_covered() -> None:
    assert shown(read("# A\n[a]: /x\n\n[b]: /y\n# B\n[c]: /z")) == [
        ("heading", "# A"),
        ("paragraph", "[a]: /x"),
        ("paragraph", "[b]: /y"),
        ("heading", "# B"),
        ("paragraph", "[c]: /z"),
    ]


def test_a_byte_order_mark_hides_neither_front_matter_nor_heading() -> None:
    reader = MarkdownReader()
    for text, title in (("---\r\ntitle: T\r\n---\r\n", "T"), ("# H\r\n", "H")):
        document = reader.read(PurePosixPath("n.md"), b"\xef\xbb\xbf" + text.encode())
        assert (document.text, document.title) == (text, title)


def test_a_note_in_another_encoding_is_that_files_error() -> None:
    with pytest.raises(ReadError, match="byte offset 4"):
        MarkdownReader().read(PurePosixPath("n.md"), "# Caf\xe9\n".encode("latin-1")[1:])


def test_an_empty_file_is_a_note_without_blocks() -> None:
    for text in ("", "\n", " \t\r\n"):
        document = read(text, "empty.md")
        assert (document.title, len(document.rows), document.rows[0].blocks) == ("empty", 1, ())
        assert lines_of(document, document.rows[0]) == (1, 1)


@pytest.mark.parametrize(
    "text",
    [
        "> " * 10_000 + "a",
        ">" * 10_000,
        "- " * 10_000 + "a",
        "".join("  " * depth + "- x\n" for depth in range(300)),
        "a" * 1_000_000,
        "[" * 300_000,
        "- [c] " + "(" * 100_000 + ")" * 100_000,
        "".join("`" * length + " " for length in range(1, 900)),
        "# " + "![" * 490,
        "# " + "[" * 100_000,
        "| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 3_000,
        "- [c] x\n" * 3_000,
        "\0" * 100_000,
    ],
    ids=lambda text: f"{text[:12]!r}",
)
def test_hostile_text_is_read(text: str) -> None:
    document = read(text)
    assert document.text == text
    covered = sum(block.end - block.start for block in document.rows[0].blocks)
    assert covered >= len("".join(text.split()))
