"""A search's options as they stand in judgments and behind `--with`, `--a` and `--b`."""

from __future__ import annotations

import pytest

from glassdex.errors import InputError
from glassdex.evaluation.options import option_text, options_from_json, options_from_text, search_options
from glassdex.model import Json
from glassdex.search.request import SearchRequest


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("", {}),
        ("fusion=rrf/1", {"fusion": "rrf/1"}),
        (" mode = lexical , min-similarity=0.3", {"mode": "lexical", "min_similarity": 0.3}),
        ("path=a/,path=b/,tag=ops", {"paths": ["a/", "b/"], "tags": ["ops"]}),
        ("in=a.pdf,pages=3-5", {"in_document": "a.pdf", "page_from": 3, "page_to": 5}),
        ("lines=7", {"line_from": 7, "line_to": None}),
        ("hidden=yes,matches=5", {"hidden": True, "matches": 5}),
        ("min_score=-1", {"min_score": -1}),
        ("rerank=late-interaction,rerank_weight=0.5", {"rerank": "late-interaction", "rerank_weight": 0.5}),
    ],
)
def test_options_as_text(text: str, options: dict[str, Json]):
    found = options_from_text(text)
    assert found == options
    SearchRequest("any", **search_options(found)).validate()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("fusion", "is no option"),
        ("colour=red", "unknown option 'colour'"),
        ("fusion=rrf/1,fusion=convex/1", "given twice"),
        ("limit=5", "not for a measurement"),
        ("page=2", "not for a measurement"),
        ("watch=a.md", "not for a measurement"),
        ("mode=loud", "unknown mode"),
        ("matches=many", "not of its type"),
        ("matches=0", "must be between"),
        ("hidden=perhaps", "not of its type"),
        ("min_similarity=7", "a cosine lies between"),
        ("pages=9-3", "reversed"),
        ("pages=nine", "is no range"),
        ("query=x", "unknown option"),
    ],
)
def test_text_that_is_no_option_says_why(text: str, said: str):
    with pytest.raises(InputError, match=said):
        options_from_text(text)


@pytest.mark.parametrize("value", [[], "text", 3, {"pages": True}, {"pages": [1, 2]}, {"paths": [1]}, {"tz": "Moon"}])
def test_json_that_is_no_option_is_refused(value: Json):
    with pytest.raises(InputError):
        options_from_json(value)


def test_an_option_under_both_of_its_names_is_given_twice():
    with pytest.raises(InputError, match="given twice"):
        options_from_json({"in": "a.md", "in_document": "b.md"})


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("diversify=off", {"diversify": None}),
        ("weights=off,hidden=On", {"weights": False, "hidden": True}),
        ("weights=False", {"weights": False}),
        ("diversify=0", {"diversify": 0}),
    ],
)
def test_off_is_none_or_false(text: str, options: dict[str, Json]):
    assert options_from_text(text) == options
    SearchRequest("any", **search_options(options_from_text(text))).validate()


def test_off_in_a_file_of_judgments_is_what_yaml_makes_of_it():
    assert options_from_json({"diversify": False}) == options_from_json({"diversify": "off"}) == {"diversify": None}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("weights=1", "true or false"),
        ("matches=many", "a whole number"),
        ("min_score=high", "a number"),
        ("diversify=on", "a number"),
    ],
)
def test_a_value_of_another_type_is_told_which_type_is_expected(text: str, wanted: str):
    with pytest.raises(InputError, match=f"not of its type: {wanted}"):
        options_from_text(text)


def test_options_are_printed_as_they_are_written():
    given = "weights=off,diversify=off,hidden=on,paths=a/,paths=b/,fusion=rrf/1"
    assert ",".join(option_text(name, value) for name, value in options_from_text(given).items()) == given
