from __future__ import annotations

import pytest

from glassdex.model import Link

from .notes import read


def targets(text: str) -> list[tuple[str, str, str | None, int]]:
    return [(link.route, link.target, link.label, link.line) for link in read(text).links]


def test_wikilinks_carry_label_and_line() -> None:
    assert targets("# About [[X]]\n\ntwo\nand [[Y#Part|the part]]\n") == [
        ("wikilink", "X", None, 1),
        ("wikilink", "Y#Part", "the part", 4),
    ]
    assert targets("| a |\n|---|\n| [[T\\|t]] |\n") == [("wikilink", "T", "t", 3)]


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("[t](path.md#frag)", "path.md#frag"),
        ("[t](a%20b/%C3%BC.md)", "a b/ü.md"),
        ("[t](<a b.md>)", "a b.md"),
        ('[t](a.md "title")', "a.md"),
        ("[t](../up.md)", "../up.md"),
        ("[t](wiki_(x).md)", "wiki_(x).md"),
        ("[a `]` b](a.md)", "a.md"),
        ("[![img](i.png)](a.md)", "a.md"),
        ("[t][Ref]\n\n[ref]: a.md", "a.md"),
        ("[ref]\n\n[ref]: <a b.md> 'x'", "a b.md"),
    ],
)
def test_relative_links_are_links(text: str, target: str) -> None:
    assert [link[:2] for link in targets(text)] == [("link", target)]


@pytest.mark.parametrize(
    "text",
    [
        "[t](https://x.org/a.md)",
        "[t](mailto:a@b.org)",
        "[t](//x.org/a.md)",
        "[t](#here)",
        "[[#Here]]",
        "![t](a.png)",
        "![[a.png]]",
        "`[[X]] [t](a.md)`",
        "``[[X]] ` [t](a.md)``",
        "```\n[[X]] [t](a.md)\n```",
        "    [[X]] [t](a.md)",
        "<div>\n[[X]]\n</div>",
        "<a href='[[X]]'>",
        "\\[[X]]",
        "\\[t](a.md)",
        "[[]] [[ ]] [[|x]]",
        "[t]()",
        "[t][r]\n\n[r]: https://x.org",
    ],
)
def test_none_from_code_images_and_other_addresses(text: str) -> None:
    assert targets(text) == []


def test_an_unclosed_tick_hides_nothing() -> None:
    assert [link[1] for link in targets("it's ` here [[X]]")] == ["X"]
    assert [link[1] for link in targets("an escaped \\` [[X]] `")] == ["X"]


def test_links_come_in_the_order_of_the_file() -> None:
    document = read("---\nsupersedes: '[[F]]'\n---\n[a](a.md) [[B]] [c](c.md)\n\n- uses [[D]]\n> [[E]]\n")
    assert [link.target for link in document.links] == ["F", "a.md", "B", "c.md", "D", "E"]
    assert document.links[0] == Link("front_matter", "supersedes", "F", 2)


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("a #tag, (#other) #tag #TAG", ("tag", "other")),
        ("#start and #a/b_c-d #trail-", ("start", "a/b_c-d", "trail")),
        ("#über #标签 #हिन्दी", ("über", "标签", "हिन्दी")),
        ("# heading\n## Part #intag ##", ("intag",)),
        ("#1 #123 ## #_x C# a#b", ()),
        ("`#code` ```#x``` <b color=' #fff'> [#label](x.md) http://x/#y", ()),
        ("```\n#include <x>\n```\n", ()),
        ("- [fact] x #on_the_row\n", ()),
        ("- an item #tag\n> quote #deep\n", ("tag", "deep")),
    ],
)
def test_tags_in_prose_are_the_notes(text: str, tags: tuple[str, ...]) -> None:
    document = read(text)
    assert document.rows[0].tags == tags
    assert document.tags == ()
