"""A request outside its domain is refused by name, before anything is searched."""

from __future__ import annotations

from typing import Any

import pytest

from glassdex.errors import InputError, InvalidRequest
from glassdex.model import ROW_KINDS
from glassdex.search.request import SearchRequest
from tests.search.vaults import indexed


@pytest.fixture(scope="module")
def tiny():
    with indexed({"a.md": "harbour\n"}) as project:
        yield project


@pytest.mark.parametrize(
    ("query", "options", "code", "named"),
    [
        ("", {}, "invalid_request", "the query is empty"),
        (" \n\u3000", {}, "invalid_request", "the query is empty"),
        ("x", {"mode": "fuzzy"}, "invalid_request", "'fuzzy'"),
        ("x", {"fusion": "sum/1"}, "invalid_request", "'sum/1'"),
        ("x", {"limit": 0}, "invalid_request", "limit is 0"),
        ("x", {"limit": 1001}, "invalid_request", "limit is 1001"),
        ("x", {"page": 0}, "invalid_request", "page is 0"),
        ("x", {"page": -3}, "invalid_request", "page is -3"),
        ("x", {"kinds": ("entity", "poem")}, "invalid_request", "'poem'"),
        ("x", {"min_similarity": 1.01}, "invalid_request", "1.01"),
        ("x", {"min_similarity": float("nan")}, "invalid_request", "nan"),
        ("x", {"min_score": float("nan")}, "invalid_request", "nan"),
        ("x", {"min_score": float("inf")}, "invalid_request", "inf"),
        ("x", {"since": "yesterday"}, "invalid_request", "'yesterday'"),
        ("x", {"until": "2026-02-30"}, "invalid_request", "not a date: '2026-02-30'"),
        ("x", {"since": "2026-13"}, "invalid_request", "not a date: '2026-13'"),
        ("x", {"until": "0000"}, "invalid_request", "not a date: '0000'"),
        ("x", {"since": "2026-02-01", "until": "2026-01-31"}, "invalid_range", "2026-02-01"),
        ("x", {"since": "2026-02-01T10:00+02:00", "until": "2026-02-01T07:59Z"}, "invalid_range", "2026-02-01T07:59Z"),
        ("x", {"paths": ("*.md", "!")}, "invalid_request", "'!'"),
        ("x", {"paths": ("notes\\",)}, "invalid_request", r"'notes\\'"),
    ],
)
def test_a_request_outside_its_domain_is_refused_by_name(tiny: Any, query: str, options: Any, code: str, named: str):
    with pytest.raises(InputError) as refused:
        tiny.search(query, **options)
    assert refused.value.code == code
    assert named in refused.value.message


@pytest.mark.parametrize(
    "options",
    [{"limit": 1000}, {"page": 10**12}, {"min_similarity": -1}, {"min_similarity": 1}, {"min_score": -5.0},
     {"since": "2026-01-31", "until": "2026-01-31"}, {"since": "0001-01-01", "until": "9999-12-31"}],
)  # fmt: skip
def test_the_ends_of_every_domain_are_inside(tiny: Any, options: Any):
    assert tiny.search("harbour", **options).verdict.status in ("ok", "nothing_relevant", "scope_empty")


def test_the_error_of_an_unknown_kind_lists_the_kinds(tiny: Any):
    with pytest.raises(InputError) as refused:
        tiny.search("x", kinds=("poem",))
    assert refused.value.candidates == ROW_KINDS


@pytest.mark.parametrize("options", [{"paths": "a.md"}, {"tags": "owl"}, {"kinds": "entity"}])
def test_a_string_in_the_place_of_several_is_refused(options: Any):
    with pytest.raises(InvalidRequest, match="must be a tuple of strings"):
        SearchRequest("owl", **options).validate()


def test_a_path_pattern_that_would_be_matched_for_ever_is_refused():
    with pytest.raises(InvalidRequest, match="not a path pattern"):
        SearchRequest("owl", paths=("*n" * 9 + "*x",)).validate()
