from __future__ import annotations

import pytest

from glassdex.model import Document

from .notes import lines_of, read, shown


def codes(document: Document) -> list[str]:
    return [warning.code for warning in document.warnings]


def test_front_matter_gives_title_tags_date_and_metadata() -> None:
    document = read('---\ntitle: "A: B"\ntags: [x, "#y", X]\naliases: other\ndate: 2026-03-01\nn: 1\n---\n# H\n')
    assert (document.title, document.title_source) == ("A: B", "front_matter")
    assert (document.tags, document.date) == (("x", "y"), "2026-03-01")
    assert document.metadata == {
        "title": "A: B",
        "tags": ["x", "#y", "X"],
        "aliases": ["other"],
        "date": "2026-03-01",
        "n": 1,
    }
    assert shown(document) == [("heading", "# H")]
    assert lines_of(document, document.rows[0]) == (1, 8)
    assert document.warnings == ()


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("closing", ["---", "..."])
def test_front_matter_closes_with_dashes_or_dots(newline: str, closing: str) -> None:
    document = read(newline.join(["---", "title: T", closing, "words", ""]))
    assert document.title == "T"
    assert shown(document) == [("paragraph", "words")]


def test_a_note_of_only_front_matter_has_no_blocks() -> None:
    document = read("---\ntitle: T\n---")
    assert document.title == "T"
    assert [row.blocks for row in document.rows] == [()]


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("---\na: b\n# H\n", "front_matter_unclosed", 1),
        ("---\n---\n# H\n", "front_matter_empty", 1),
        ("---\n# a comment\n---\n# H\n", "front_matter_empty", 1),
        ("---\ntitle: a: b\n---\n# H\n", "front_matter_invalid", 2),
        ("---\na: 1\n\tb: 2\n---\n# H\n", "front_matter_invalid", 3),
        ("---\nx: !!int ''\n---\n# H\n", "front_matter_invalid", 1),
        ("---\nx: " + "[" * 100 + "]" * 100 + "\n---\n# H\n", "front_matter_invalid", 2),
        ("---\na: &b [x]\nc: *b\n---\n# H\n", "front_matter_alias", 3),
        ("---\na: 1\na: 2\n---\n# H\n", "front_matter_duplicate_key", 3),
        ("---\nupdated: yesterday\ncreated: 2026-01-01\n---\n# H\n", "front_matter_date", 2),
        ("---\n- a\n- b\n---\n# H\n", "front_matter_not_a_mapping", 1),
        ("---\n" + "a: b\n" * 20_000 + "---\n# H\n", "front_matter_unclosed", 1),
    ],
)
def test_odd_front_matter_is_a_warning(text: str, code: str, line: int) -> None:
    document = read(text)
    assert codes(document) == [code]
    assert document.warnings[0].line == line
    assert document.title == "H"


def test_prose_between_two_rules_stays_searchable() -> None:
    for text in ("---\n\n# Title\n\nprose\n\n---\nmore\n", "---\n\nOne: two: three\n\n---\nmore\n"):
        document = read(text)
        assert "".join(source for _, source in shown(document)).count("-") == 6
        assert len(document.warnings) == 1


def test_broken_front_matter_is_no_heading_of_the_note() -> None:
    assert shown(read("---\ntitle: a: b\n---\nwords\n")) == [("paragraph", "words")]


def test_values_without_a_json_form_become_text() -> None:
    document = read("---\na: 2026-01-02 03:04:05\nb: .inf\nc: 2026-02-30\n1: x\nyes: no\nd: !!set {q}\n---\n")
    assert document.metadata == {
        "a": "2026-01-02T03:04:05",
        "b": "inf",
        "c": "2026-02-30",
        "1": "x",
        "yes": False,
        "d": ["q"],
    }
    assert document.warnings == ()


@pytest.mark.parametrize(("written", "title"), [("1.10", "1.10"), ("2026-01-01", "2026-01-01"), ("no", "no")])
def test_a_title_is_what_was_written(written: str, title: str) -> None:
    assert read(f"---\ntitle: {written}\n---\n").title == title


@pytest.mark.parametrize(
    ("written", "tags"),
    [
        ("'a, b c, #d'", ("a", "b c", "d")),
        ("a b  c", ("a", "b", "c")),
        ("[2024, 1.10, no]", ("2024", "1.10", "no")),
        ("\n  - a\n  - A\n  - ''\n", ("a",)),
        ("", ()),
        ("~", ()),
        ("{a: b}", ()),
    ],
)
def test_tags_come_as_a_list_or_a_line(written: str, tags: tuple[str, ...]) -> None:
    assert read(f"---\ntags: {written}\n---\n").tags == tags


@pytest.mark.parametrize(
    ("lines", "date"),
    [
        ("date: 2026-01-02", "2026-01-02"),
        ("date: '2026-01-02'", "2026-01-02"),
        ("date: 2026-01-02 10:00", "2026-01-02T10:00:00Z"),
        ("date: 2026-01-02T10:00:00", "2026-01-02T10:00:00Z"),
        ("date: 2026-01-02T10:00:00.5Z", "2026-01-02T10:00:00.500000Z"),
        ("date: 2026-01-02 01:00:00 +02:00", "2026-01-01T23:00:00Z"),
        ("date: '2026-01-02 01:00 +02:00'", "2026-01-01T23:00:00Z"),
        ("created: 2026-01-01\nupdated: 2026-03-03\ndate: 2026-02-02", "2026-03-03"),
        ("Modified: 2026-01-02", "2026-01-02"),
        ("updated:\ncreated: 2026-01-01", "2026-01-01"),
        ("title: x", None),
        ("date: '0001-01-01T00:00:00+14:00'", None),
    ],
)
def test_the_date_is_the_latest_that_the_author_keeps(lines: str, date: str | None) -> None:
    assert read(f"---\n{lines}\n---\n").date == date


@pytest.mark.parametrize(
    ("lines", "links"),
    [
        ("related: '[[A|a]]'", [("related", "A", 2)]),
        ("related: A", [("related", "A", 2)]),
        ("related: [[A]]", [("related", "A", 2)]),
        ("related: [[A], [B]]", [("related", "A", 2), ("related", "B", 2)]),
        (
            "related:\n  - [[A]]\n  - '[[B]]'\n  - C",
            [("related", "A", 3), ("related", "B", 4), ("related", "C", 5)],
        ),
        ("related:\n  - kind: extends\n    target: [[A]]", [("extends", "A", 4)]),
        (
            "related:\n  - {type: Refines, to: '[[A]]'}\n  - note: B",
            [("Refines", "A", 3), ("related", "B", 4)],
        ),
        (
            "related:\n  supersedes: [[A]]\n  extends: [B, C]",
            [("supersedes", "A", 3), ("extends", "B", 4), ("extends", "C", 4)],
        ),
        ("supersedes: [[ADR 1: Use X]]", [("supersedes", "ADR 1: Use X", 2)]),
        ("superseded_by:\n- '[[A]]'", [("superseded_by", "A", 3)]),
        ("Superseded-By: A\nreplaces: B", [("Superseded-By", "A", 2), ("replaces", "B", 3)]),
        (
            "replaced by: [[A]]\nobsoletes: [B, C]",
            [("replaced by", "A", 2), ("obsoletes", "B", 3), ("obsoletes", "C", 3)],
        ),
        ("related: [[Last, First]]", [("related", "Last, First", 2)]),
        ("related:\nsupersedes: ''", []),
        ("title: é\u2028\nrelated: [[A]]", [("related", "A", 3)]),
    ],
)
def test_links_of_front_matter_keep_kind_and_line(lines: str, links: list[tuple[str, str, int]]) -> None:
    found = read(f"---\n{lines}\n---\n").links
    assert [(link.kind, link.target, link.line) for link in found] == links
    assert {link.route for link in found} <= {"front_matter"}
