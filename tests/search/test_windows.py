"""A leg brings in 200 candidates, whatever the page; beyond that an answer says that it does not know."""

from __future__ import annotations

import pytest

from glassdex.project import Project
from glassdex.search.request import Mode
from tests.search.vaults import indexed


@pytest.mark.parametrize(("mode", "leg"), [("lexical", "lexical"), ("dense", "dense")])
@pytest.mark.parametrize("limit", [1, 10, 1000])
def test_the_window_holds_200_whatever_the_limit(crowd: Project, mode: Mode, leg: str, limit: int):
    execution = crowd.search("harbour tide", mode=mode, limit=limit)
    stage = next(stage for stage in execution.ledger.stages if stage.name == leg)
    assert stage.measured["returned"] == stage.added == 200
    assert len(execution.ledger.candidates) == 200
    assert not execution.page.total_exact


def test_two_legs_bring_in_200_each(crowd: Project):
    execution = crowd.search("harbour tide")
    for leg in ("lexical", "dense"):
        members = [c for c in execution.ledger.candidates.values() if leg in c.legs and c.legs[leg].in_window]
        assert len(members) == 200
    outside = [(leg, c) for c in execution.ledger.candidates.values() for leg, s in c.legs.items() if not s.in_window]
    assert outside
    assert all(candidate.legs[leg].rank is None for leg, candidate in outside)


def test_the_window_is_cut_at_the_score_and_among_equals_by_path_and_key(crowd: Project):
    execution = crowd.search("common", mode="lexical", limit=1000)
    shown = sorted(execution.ledger.candidates.values(), key=lambda c: c.legs["lexical"].rank or 0)
    border = shown[-1].legs["lexical"].score
    everywhere = [
        candidate
        for folder in range(7)
        for candidate in crowd.search(
            "common", mode="lexical", limit=1000, paths=(f"{folder}/",)
        ).ledger.candidates.values()
        if candidate.legs["lexical"].score >= border
    ]
    expected = sorted(everywhere, key=lambda c: (-c.legs["lexical"].score, c.record.path, c.record.key))[:200]
    assert len(everywhere) > 200, "nothing ties with the border"
    assert [c.record.key for c in shown] == [c.record.key for c in expected]


def test_a_page_beyond_the_window_says_so(crowd: Project):
    first = crowd.search("harbour tide", limit=10)
    assert not first.page.window_exhausted
    beyond = crowd.search("harbour tide", limit=10, page=first.page.total // 10 + 2)
    assert beyond.results == ()
    assert beyond.page.window_exhausted
    assert not beyond.page.total_exact


def test_a_page_beyond_everything_there_is_exhausts_no_window(crowd: Project):
    beyond = crowd.search("harbour tide", paths=("3/note-003.md",), page=9)
    assert beyond.results == ()
    assert beyond.page.total == 1
    assert beyond.page.total_exact
    assert not beyond.page.window_exhausted


def test_a_word_in_most_chunks_of_a_large_project_brings_nobody_in_but_scores(crowd: Project):
    execution = crowd.search("common CamelCase", mode="lexical", limit=1000)
    terms = {term.term: term.status for term in execution.ledger.terms}
    assert terms["common"] == "too_common"
    assert all("camelcas" in c.matched_terms or "camel" in c.matched_terms or "case" in c.matched_terms
               for c in execution.ledger.candidates.values())  # fmt: skip
    assert any("common" in c.matched_terms for c in execution.ledger.candidates.values())


def test_a_word_in_most_chunks_is_answered_when_it_is_all_there_is(crowd: Project):
    execution = crowd.search("common", mode="lexical")
    assert execution.results
    assert all(result.score > 0 for result in execution.results)


def test_a_first_page_without_results_exhausts_no_window(crowd: Project):
    assert not crowd.search("harbour tide", min_score=2.0).page.window_exhausted, "all fell below the threshold"
    with indexed({"a.md": "harbour\n"}, embed=False) as project:
        assert not project.search("zeppelin").page.window_exhausted, "there are no vectors"
        assert not project.search("harbour", page=2).page.window_exhausted
