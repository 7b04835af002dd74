"""What people type, and what they find by it."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from glassdex.envelopes.search import search_answer
from glassdex.project import Project
from glassdex.search.request import Mode
from tests.search.vaults import HashedWords, indexed, paths, root_of, texts

NOTES = {
    "revenue.md": "# 季報\n\n第三季營收下降 13.8%，主要原因是硬體交貨延後。\n",
    "ticket.md": "# Ticket\n\nIT-644 is about cacheability of responses.\n",
    "code.md": "# Code\n\nCall load_tide_table before HarbourPilot starts; see docs/pilot.md for the rest.\n",
    "release.md": "# Release\n\nShipped in v0.23.1 last week.\n",
    "coffee.md": "# Pour-over\n\nCoffee, water and patience 🎉\n",
    "tests.md": "# Suites\n\nThe tier1-test suite covers unicode.\n",
    "stop.md": "# Speech\n\nTo be or not to be, that is the question.\n",
    "tagged.md": "---\ntags: [boat/deck]\n---\n\n# Varnish\n\nThree coats.\n\n- [fact] teak greys #wood\n",
}


@pytest.fixture(scope="module")
def small():
    with indexed(NOTES) as project:
        yield project


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("營收", "revenue.md"),
        ("營收下", "revenue.md"),
        ("營", "revenue.md"),
        ("硬體交貨", "revenue.md"),
        ("IT-644 cacheability", "ticket.md"),
        ("it-644", "ticket.md"),
        ("644", "ticket.md"),
        ("load_tide_table", "code.md"),
        ("tide", "code.md"),
        ("HarbourPilot", "code.md"),
        ("harbour", "code.md"),
        ("pilot", "code.md"),
        ("docs/pilot.md", "code.md"),
        ("v0.23.1", "release.md"),
        ("coffee OR", "coffee.md"),
        ('"coffee', "coffee.md"),
        ("🎉", "coffee.md"),
        ("tier1-test AND unicode", "tests.md"),
        ("to be or not to be", "stop.md"),
        ("the", "stop.md"),
        ("AND", "coffee.md"),
        ("COFFEES", "coffee.md"),
        ("ｃｏｆｆｅｅ", "coffee.md"),
        ("-coffee", "coffee.md"),
        ("varnish", "tagged.md"),
        ("deck", "tagged.md"),
    ],
)
def test_a_query_finds_its_note_by_words_alone(small: Project, query: str, found: str):
    execution = small.search(query, mode="lexical")
    assert paths(execution)[0] == found
    assert execution.verdict.status == "ok"
    assert execution.results[0].score > 0


@pytest.mark.parametrize("query", ["*", '"', "-", "?!… ()", "\0", "\ud800", "title:", "zzyzx", "'"])
def test_a_query_without_a_known_word_finds_nothing_by_words_and_is_no_error(small: Project, query: str):
    execution = small.search(query, mode="lexical")
    assert execution.results == ()
    assert execution.verdict.status == "nothing_relevant"


SYNTAX = [
    *(
        '"',
        "-",
        '-"',
        "title:",
        "tag:",
        "body:x",
        "AND",
        "OR",
        "NOT",
        "NEAR(",
        ")",
        "*",
        "^",
        "{a}:",
        "'",
        "''",
        ";",
        "--",
    ),
    *("coffee", "營收", "🎉", "\0", "\ud800", " ", "\n", "a" * 300, "\u0301", "\u202e", "%", "x:y"),
]
FRAGMENTS = st.one_of(st.sampled_from(SYNTAX), st.text(st.characters(), max_size=12))


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    query=st.lists(FRAGMENTS, min_size=1, max_size=6).map("".join), mode=st.sampled_from(["hybrid", "lexical", "dense"])
)
@example(query="x" * 10_000, mode="hybrid")
@example(query="coffee " * 1_500, mode="hybrid")
@example(query=" ".join(f"word{n}" for n in range(400)), mode="lexical")
def test_no_text_whatever_is_an_error(small: Project, query: str, mode: Mode):
    if not query.strip():
        query += "."
    execution = small.search(query, mode=mode)
    search_answer(execution, "vault", explain=True).to_json()
    assert execution.verdict.status in ("ok", "weak", "nothing_relevant", "scope_empty")


@pytest.mark.parametrize("query", ["\ud800", "a\0b", "🎉", "*", "word " * 2_000, "營收", "?!"])
def test_the_shipped_model_takes_any_text_too(example: Project, query: str):
    execution = example.search(query)
    assert execution.results
    assert execution.verdict.status in ("ok", "weak", "nothing_relevant")
    assert execution.ledger.notes == []


def test_words_of_title_and_body_meet_in_a_long_note():
    paragraphs = [
        f"Paragraph {n} " + "plain words that fill the page with nothing in particular. " * 8 for n in range(24)
    ]
    paragraphs[-1] += " A quagga was seen."
    notes = {
        "long.md": "# Zebra\n\n" + "\n\n".join(paragraphs) + "\n",
        "one.md": "# Zebra crossing\n\nstripes\n",
        "two.md": "# Extinct\n\nthe quagga\n",
    }
    with indexed(notes) as project:
        execution = project.search("zebra quagga", mode="lexical")
        assert len([c for c in execution.ledger.candidates.values() if c.record.path == "long.md"]) > 10
        best = next(result for result in execution.results if result.path == "long.md")
        assert best.matches[0].coverage == 1.0
        assert "quagga" in best.matches[0].text


def test_a_word_in_nearly_every_chunk_of_a_small_vault_still_scores():
    with indexed({f"{n}.md": f"harbour {n}\n" for n in range(9)} | {"other.md": "tide\n"}) as project:
        execution = project.search("harbour", mode="lexical")
        assert execution.page.total == 9
        assert all(candidate.score > 0 for candidate in execution.ledger.candidates.values())


@pytest.mark.parametrize("mode", ["hybrid", "lexical", "dense"])
def test_a_quoted_phrase_must_occur_as_it_is_written(mode: Mode):
    notes = {"yes.md": "the winter harbour lies empty\n", "no.md": "winter comes; the harbour lies empty\n"}
    with indexed(notes) as project:
        assert paths(project.search('"winter harbour"', mode=mode)) == ["yes.md"]
        assert project.search('"harbour winter"', mode=mode).results == ()


def test_a_phrase_does_not_run_from_the_title_into_the_body():
    with indexed({"a.md": "---\ntitle: winter\n---\n\nharbour\n"}) as project:
        assert paths(project.search("winter harbour")) == ["a.md"]
        assert project.search('"winter harbour"').results == ()


@pytest.mark.parametrize("mode", ["hybrid", "lexical", "dense"])
def test_an_excluded_word_is_excluded_from_every_leg(mode: Mode):
    notes = {"keep.md": "tide table\n", "drop.md": "tide table spring\n", "part.md": "tide table spring_2\n"}
    with indexed(notes) as project:
        execution = project.search("tide table -spring", mode=mode)
        assert paths(execution) == ["keep.md"]
        assert {c.record.path for c in execution.ledger.candidates.values()} == {"keep.md"}
        assert [(f.name, f.entered, f.left) for f in execution.ledger.scope_filters] == [("excluded words", 3, 1)]
        assert paths(project.search('table -"tide table spring"', mode=mode, limit=9)).count("drop.md") == 0


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("title:zebra", ["title.md"]),
        ("body:zebra", ["body.md", "head.md"]),  # a heading is a line of its passage
        ("tag:zebra", ["tags.md"]),
        ("tags:zebra", ["tags.md"]),
        ("heading:zebra", ["head.md"]),
        ('title:"zebra song"', ["title.md"]),
        ("-title:zebra zebra", ["body.md", "head.md", "tags.md"]),
    ],
)
def test_a_field_clause_looks_in_its_field_only(query: str, found: list[str]):
    notes = {
        "title.md": "---\ntitle: Zebra song\n---\n\nstripes\n",
        "head.md": "# Animals\n\n## Zebra\n\nstripes\n",
        "body.md": "# Animals\n\nA zebra.\n",
        "tags.md": "---\ntags: [zebra]\n---\n\n# Animals\n\nstripes\n",
    }
    with indexed(notes) as project:
        assert sorted(paths(project.search(query, mode="lexical"))) == found


def test_an_unknown_word_is_named_with_near_spellings(small: Project):
    execution = small.search("cofee cacheability", mode="lexical")
    answer = search_answer(execution, "vault")
    assert answer.unknown_words is not None
    assert [(word.word, word.near) for word in answer.unknown_words] == [("cofee", ("coffee", "code"))]


def test_a_word_beyond_the_limit_is_named_rather_than_dropped_in_silence(small: Project):
    execution = small.search(" ".join(f"word{n:03}" for n in range(130)) + " coffee", mode="lexical")
    beyond = [term.term for term in execution.ledger.terms if term.status == "beyond_limit"]
    assert beyond == ["word128", "word129", "coffe"]


def test_two_observations_with_the_same_first_200_characters_are_both_found():
    opening = "the pump was checked and the log was signed " * 6
    notes = {"log.md": f"# Log\n\n- [fact] {opening} in spring\n- [fact] {opening} in autumn\n"}
    with indexed(notes) as project:
        found = texts(project.search("pump spring autumn", mode="lexical"))
        assert any("in spring" in text for text in found)
        assert any("in autumn" in text for text in found)


def test_the_same_text_as_another_kind_of_row_is_another_chunk():
    line = "- [fact] see [[Tide]] today"
    notes = {
        "a.md": f"# A\n\n{line}\n\n## Twice\n\n{line}\n",
        "b.md": "# B\n\n- see [[Tide]] (today)\n\nsee [[Tide]] (today)\n",
    }
    with indexed(notes) as project:
        execution = project.search("tide", mode="lexical", limit=50)
        candidates = list(execution.ledger.candidates.values())
        keys = [(c.record.path, c.record.key) for c in candidates]
        assert len(set(keys)) == len(keys)
        assert sorted(c.record.kind for c in candidates if c.record.path == "b.md") == ["entity", "relation"]
        assert sorted(c.record.kind for c in candidates if c.record.path == "a.md") == ["observation", "observation"]


def test_highlights_mark_the_words_that_matched(small: Project):
    match = small.search("harbour 營收下", mode="lexical", limit=9).results[0].matches[0]
    marked = {
        match.text[start:end]
        for result in small.search("harbour 營收下", mode="lexical").results
        for match in result.matches
        for start, end in match.highlights
    }
    assert match.highlights
    assert marked == {"Harbour", "營收下"}


def test_meaning_is_searched_even_where_no_word_is_known(small: Project):
    execution = small.search("zzyzx", mode="hybrid")
    assert execution.results
    assert all("lexical" not in c.legs for c in execution.ledger.candidates.values())
    assert HashedWords().identity.key == execution.engine.embedding_identity


def test_a_word_that_left_with_its_note_is_not_suggested():
    with indexed({"a.md": "zebra\n", "b.md": "zebru\n", "c.md": "coffee\n"}) as project:
        (root_of(project) / "a.md").unlink()
        project.index()
        assert project.search("zebrx", mode="lexical").ledger.suggestions == {"zebrx": ("zebru",)}
        (root_of(project) / "b.md").unlink()
        project.index()
        assert project.search("zebrx", mode="lexical").ledger.suggestions == {}
