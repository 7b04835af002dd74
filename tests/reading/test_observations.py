from __future__ import annotations

import pytest

from .notes import lines_of, read, rows_of, shown


@pytest.mark.parametrize("bullet", ["-", "*", "+"])
def test_an_observation_has_category_tags_and_context(bullet: str) -> None:
    document = read(f"# Coffee\n\n{bullet} [method] Grind fine #espresso #日本/豆 (tried in May)\n")
    (row,) = rows_of(document, "observation")
    assert row.text == f"{bullet} [method] Grind fine #espresso #日本/豆 (tried in May)"
    assert (row.category, row.context, row.tags) == ("method", "tried in May", ("espresso", "日本/豆"))
    assert (*lines_of(document, row), row.start) == (3, 3, 10)
    assert row.blocks[0].kind == "list_item"
    assert row.blocks[0].headings == ("Coffee",)
    assert shown(document)[-1] == ("row", row.text)


@pytest.mark.parametrize(
    "item",
    [
        "[ ] open task",
        "[x] done",
        "[X] done",
        "[-] dropped",
        "[text](url)",
        "[text](url) and words",
        "[text][ref] words",
        "[[Wiki]] words",
        "[^1] a footnote",
        "[category]",
        "[category]no space",
        "[] nothing",
        "[a [b] c] nested",
        "\\[escaped] words",
        "words [category] behind",
        "`[code] words`",
    ],
)
def test_other_brackets_are_no_observations(item: str) -> None:
    document = read(f"- {item}\n")
    assert [row.kind for row in document.rows] == ["entity"]
    assert shown(document) == [("list_item", f"- {item}")]


def test_numbered_items_and_paragraphs_are_no_observations() -> None:
    assert len(read("1. [fact] one\n\n[fact] two\n").rows) == 1


def test_a_changelog_version_with_a_link_is_no_observation() -> None:
    document = read("- [1.2.0] - 2026-03-01\n- [2.0.0] - soon\n\n[1.2.0]: https://example.org\n")
    assert [row.category for row in rows_of(document, "observation")] == ["2.0.0"]


def test_a_fenced_observation_is_code() -> None:
    document = read("```\n- [fact] no\n```\n\n> ```\n> - [fact] no\n> ```\n\n    - [fact] no\n")
    assert len(document.rows) == 1


def test_a_nested_observation_is_its_own_row() -> None:
    document = read("- [a] outer\n  goes on\n  - [b] inner\n    - plain\n- plain\n  - [c] third\n")
    assert [(row.text, *lines_of(document, row)) for row in document.rows[1:]] == [
        ("- [a] outer\n  goes on", 1, 2),
        ("- [b] inner", 3, 3),
        ("- [c] third", 6, 6),
    ]
    assert [kind for kind, _ in shown(document)] == ["row", "row", "list_item", "list_item", "row"]


def test_an_observation_in_a_quote_counts() -> None:
    document = read("> said\n>\n> - [fact] quoted\n>\n> more\n")
    assert [row.text for row in rows_of(document, "observation")] == ["- [fact] quoted"]
    assert [kind for kind, _ in shown(document)] == ["quote", "row", "quote"]


def test_an_observation_below_its_bullet_is_an_ordinary_item() -> None:
    document = read("-\n  [fact] below\n")
    assert shown(document) == [("list_item", "-\n  [fact] below")]


def test_two_observations_that_begin_alike_are_both_rows() -> None:
    start = "- [fact] " + "the same words again " * 12
    document = read(f"{start}one\n{start}two\n{start}two\n")
    first, second, third = rows_of(document, "observation")
    assert first.text[:200] == second.text[:200]
    assert len({first.key, second.key, third.key}) == 3


@pytest.mark.parametrize(
    ("item", "context"),
    [
        ("[c] f(x)", None),
        ("[c] see [it](b.md)", None),
        ("[c] (only this)", None),
        ("[c] words (one (two) three)", "one (two) three"),
        ("[c] words (a) (b)", "b"),
        ("[c] words (a) #tag", "a"),
        ("[c] words (a) more", None),
        ("[c] words )", None),
        ("[c] words ()", None),
    ],
)
def test_the_context_is_the_closing_parenthesis(item: str, context: str | None) -> None:
    (row,) = rows_of(read(f"- {item}\n"), "observation")
    assert row.context == context


def test_tags_in_code_and_addresses_are_none() -> None:
    (row,) = rows_of(read("- [c] `#code` https://x.org/#part C#sharp #1 #ok\n"), "observation")
    assert row.tags == ("ok",)
