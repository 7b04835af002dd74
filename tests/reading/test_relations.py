from __future__ import annotations

import pytest

from glassdex.model import Link

from .notes import read, rows_of, shown


def test_a_relation_has_kind_target_and_context() -> None:
    document = read("# A\n\n- depends on [[Other note]] (since May)\n")
    (row,) = rows_of(document, "relation")
    assert row.text == "- depends on [[Other note]] (since May)"
    assert (row.category, row.target, row.context) == ("depends on", "Other note", "since May")
    assert document.links == (Link("relation", "depends on", "Other note", 3, None, "since May"),)
    assert shown(document)[-1][0] == "row"


def test_alias_and_heading_of_a_target_are_kept_apart() -> None:
    document = read("- uses [[Target#Part|the part]]\n")
    assert rows_of(document, "relation")[0].target == "Target#Part"
    assert document.links == (Link("relation", "uses", "Target#Part", 1, "the part"),)


def test_a_bare_wikilink_is_a_relation_only_under_relations() -> None:
    document = read("- [[A]]\n\n## Relations\n\n### More\n- [[B]]\n\n## Other\n- [[C]]\n")
    assert [(row.category, row.target) for row in rows_of(document, "relation")] == [("links_to", "B")]
    assert [(link.route, link.target) for link in document.links] == [
        ("wikilink", "A"),
        ("relation", "B"),
        ("wikilink", "C"),
    ]


@pytest.mark.parametrize(
    "item",
    [
        "We moved everything to [[Postgres]] last year",
        "Decided: use [[Postgres]]",
        "See also e.g. [[Postgres]]",
        "is it [[Postgres]]? and more",
        "what? [[Postgres]]",
        "`code [[Postgres]]`",
        "[ ] ask about [[Postgres]]",
        "→ [[Postgres]]",
        "long " * 13 + "[[Postgres]]",
        "[[Postgres]] is good",
    ],
)
def test_prose_with_a_wikilink_is_no_relation(item: str) -> None:
    document = read(f"- {item}\n")
    assert len(document.rows) == 1
    assert all(link.kind == "mention" for link in document.links)


def test_a_one_word_relation_may_have_a_remark_and_more_links() -> None:
    document = read("- **uses** [[A]] for the catalogue, not [[B]]\n")
    assert [(link.kind, link.target) for link in document.links] == [("uses", "A"), ("mention", "B")]


def test_observations_and_relations_count_separately() -> None:
    document = read("- [a] one\n- uses [[X]]\n- [b] two\n- uses [[Y]]\n")
    assert [(row.kind, row.ordinal) for row in document.rows[1:]] == [
        ("observation", 0),
        ("relation", 0),
        ("observation", 1),
        ("relation", 1),
    ]


def test_an_observation_with_a_wikilink_mentions_it() -> None:
    document = read("- [tech] uses [[X]]\n")
    assert [row.kind for row in document.rows] == ["entity", "observation"]
    assert document.links == (Link("wikilink", "mention", "X", 1),)
