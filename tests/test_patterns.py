"""Patterns that anyone may ask match what .gitignore's would, and no search has too many wildcards."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from glassdex.errors import InvalidRequest
from glassdex.patterns import MAX_WILDCARDS_OF_ALL, compile_asked_patterns, compile_patterns
from glassdex.search.request import SearchRequest

pieces = st.sampled_from([*"ab*?/!.#(+$ ", "**", "[ab]", "[!a]", "[]a]", "[a-c]", "\\*", "\\["])
lines = st.lists(st.lists(pieces, max_size=9).map("".join), min_size=1, max_size=3)
paths = st.text("ab*/.[(]#\n", min_size=1, max_size=12)


@settings(max_examples=500)
@given(lines, paths)
@example(["*a*ab"], "aab")
@example(["a**b*"], "aab/b")
@example(["*[]a]*b"], "]]b")
@example(["*a?*b", "!*b*a"], "aabb")
def test_they_match_what_patterns_of_gitignore_match(patterns: list[str], path: str) -> None:
    assert compile_asked_patterns(patterns).match_file(path) == compile_patterns(patterns).match_file(path)


@pytest.mark.parametrize("pattern", ["*?*?*?*?#", "*a*a*a*a#"])
def test_every_wildcard_of_a_name_but_its_last_is_tried_once(pattern: str) -> None:
    (compiled,) = compile_asked_patterns([pattern]).patterns
    assert compiled.regex is not None
    assert compiled.regex.pattern.count("(?>") == 3


@pytest.mark.parametrize("pattern", ["*?*?*?*?#", "*a*a*a*#", "*[a]*[b]c"])
def test_too_many_wildcards_in_all_are_refused(pattern: str) -> None:
    SearchRequest("owl", paths=(pattern,)).validate()
    with pytest.raises(InvalidRequest, match=f"{MAX_WILDCARDS_OF_ALL} are the most"):
        SearchRequest("owl", paths=(pattern,) * 5).validate()


def test_ordinary_patterns_are_not_counted_or_few() -> None:
    SearchRequest("owl", paths=("*.md", "notes/", "a?.txt", "[ab]") * 25 + ("notes/**/2026*",) * 8).validate()
