"""The query language: everything is an answerable query."""

from __future__ import annotations

import string

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from glassdex.analysis import analyzer
from glassdex.lexical.query import MAX_TERMS, Clause, LexicalQuery, parse_query


def parse(text: str) -> LexicalQuery:
    return parse_query(text, analyzer())


def terms_of(text: str) -> list[str]:
    return [term.term for term in parse(text).terms]


@given(st.one_of(st.text(), st.text(alphabet='ab -:"()*^ \t\nAND')))
@example("")
@example("\ud800")
@example('"' * 51)
@example("-" * 51)
@example('title:"')
def test_any_text_is_a_query(text: str):
    query = parse(text)
    assert query.raw == text
    looked_up = [term.term for term in query.terms]
    assert len(looked_up) == len(set(looked_up))
    assert all(term.term and term.surface in text for term in query.terms)
    assert all(clause.terms for clause in (*query.required, *query.excluded))


@given(st.text(alphabet=string.ascii_letters + " ", min_size=1))
def test_plain_words_require_and_exclude_nothing(text: str):
    query = parse(text)
    assert query.required == query.excluded == ()


def test_a_word_named_twice_counts_twice():
    assert {term.term: term.count for term in parse("tide tables for the tides").terms if not term.stopword} == {
        "tide": 2,
        "tabl": 1,
    }


def test_words_are_stemmed_and_keep_how_they_were_written():
    (term,) = parse("Tides").terms
    assert (term.term, term.surface, term.part, term.stopword) == ("tide", "Tides", False, False)


def test_a_word_asked_twice_is_looked_up_once():
    assert terms_of("tide tides TIDE") == ["tide"]


def test_a_phrase_is_required_and_its_words_count():
    query = parse('noon "tide gauge"')
    assert terms_of('noon "tide gauge"') == ["noon", "tide", "gaug"]
    assert query.required == (Clause(("tide", "gaug"), "tide gauge"),)


def test_a_dash_excludes_a_word_or_a_phrase_that_then_does_not_count():
    query = parse('tide -bread -"sour dough"')
    assert [term.term for term in query.terms] == ["tide"]
    assert query.excluded == (Clause(("bread",), "bread"), Clause(("sour", "dough"), "sour dough"))


@pytest.mark.parametrize("text", ["-tide", '-"tide gauge"', "-tide -bread", "--", "-title:tide"])
def test_a_query_of_nothing_but_exclusions_is_taken_as_words(text: str):
    assert parse(text).excluded == ()


def test_a_query_that_starts_with_a_dash_is_a_query():
    assert terms_of("-bread -salt") == ["bread", "salt"]


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("title:tide", "title"),
        ("TITLE:tide", "title"),
        ("heading:tide", "headings"),
        ("headings:tide", "headings"),
        ("body:tide", "body"),
        ("tag:tide", "tags"),
        ("tags:tide", "tags"),
    ],
)
def test_a_field_requires_the_word_there_and_counts_it(text: str, field: str):
    query = parse(text)
    assert query.required == (Clause(("tide",), "tide", field),)
    assert [term.term for term in query.terms] == ["tide"]


def test_a_field_takes_a_phrase_and_may_be_excluded():
    assert parse('title:"tide gauge"').required == (Clause(("tide", "gaug"), "tide gauge", "title"),)
    assert parse("salt -tag:bread").excluded == (Clause(("bread",), "bread", "tags"),)


def test_an_unknown_field_is_a_word():
    query = parse("colour:red")
    assert query.required == ()
    assert {"colour:red", "red"} <= {term.term for term in query.terms}


@pytest.mark.parametrize("text", ['"tide gauge', 'tide" gauge', 'tide gauge"', '"tide "gauge" noon'])
def test_an_unbalanced_quotation_mark_loses_no_word(text: str):
    assert {"tide", "gaug"} <= set(terms_of(text))


@pytest.mark.parametrize(
    "text", ["tide AND gauge", "tide OR gauge", "NEAR(tide gauge)", "tide* ^gauge", "{tide}: gauge"]
)
def test_operators_of_other_engines_are_words_or_nothing(text: str):
    query = parse(text)
    assert {"tide", "gaug"} <= {term.term for term in query.terms}
    assert query.required == query.excluded == ()


def test_a_hyphenated_word_excludes_nothing():
    query = parse("tier1-test AND IT-644")
    assert query.excluded == ()
    assert {"tier1-test", "it-644"} <= {term.term for term in query.terms}


@pytest.mark.parametrize("text", ["", "   ", '""', "-", "!?", '"..."', "title:", "- -"])
def test_nothing_to_look_for_is_a_query_without_terms(text: str):
    query = parse(text)
    assert query.required == query.excluded == ()
    assert [term.term for term in query.terms if term.term != "titl"] == []


def test_stop_words_carry_weight_only_where_there_is_nothing_else():
    assert [term.term for term in parse("the tide").scored_terms] == ["tide"]
    assert [term.term for term in parse("to be or not to be").scored_terms] == ["to", "be", "or", "not"]


def test_a_word_of_its_own_outweighs_the_same_word_as_a_part():
    (alone,) = (term for term in parse("snake_case snake").terms if term.term == "snake")
    assert not alone.part


def test_a_query_of_ten_thousand_characters_names_the_terms_beyond_the_limit():
    text = " ".join(f"w{i}x" for i in range(10_000))[:10_000]
    query = parse(text)
    within = [term for term in query.terms if not term.beyond_limit]
    assert len(query.terms) > 1_000
    assert len(within) == MAX_TERMS == len(query.scored_terms)
    assert [term.term for term in within] == terms_of(text)[:MAX_TERMS], "the first ones are looked up"


def test_stop_words_do_not_use_up_the_limit():
    words = " the ".join(f"w{i}x" for i in range(MAX_TERMS))
    assert not any(term.beyond_limit for term in parse("the " + words).terms)


def test_ten_thousand_characters_without_a_space_are_one_term_that_the_index_would_hold():
    (term,) = parse("x" * 10_000).terms
    assert analyzer().terms("x" * 10_000)[0] == [term.term]


def test_cjk_is_asked_for_in_pairs_and_a_single_character_as_itself():
    assert terms_of("營收下降") == ["營收", "收下", "下降"]
    assert terms_of("港") == ["港"]


@pytest.mark.parametrize(
    ("query", "meaning"),
    [
        ("where is the buoy?", "where is the buoy?"),
        ("buoy -kitchen", "buoy"),
        ('the "north sea" -"baltic sea" title:tide', "the north sea tide"),
        ("-kitchen", "kitchen"),
        ("git --force", "git --force"),
    ],
)
def test_what_a_query_excludes_is_not_part_of_its_meaning(query: str, meaning: str):
    assert parse(query).meaning == meaning


def test_a_query_of_exclusions_alone_says_so():
    assert parse("-kitchen").only_exclusions
    assert not parse("kitchen -bread").only_exclusions
    assert not parse("").only_exclusions
