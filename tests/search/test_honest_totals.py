"""`total_exact` and `exhaustive` are claims: they hold only where all that matches was ranked."""

from __future__ import annotations

import pytest

from glassdex.envelopes.search import search_answer
from glassdex.project import Project
from tests.search.vaults import indexed


def test_a_small_vault_is_ranked_whole():
    with indexed({"a.md": "harbour\n", "b.md": "tide\n"}) as project:
        execution = project.search("harbour")
    assert execution.ledger.unranked == []
    assert execution.page.total_exact
    assert search_answer(execution, "notes").scope.exhaustive


def test_words_too_common_to_bring_in_candidates_are_owned_up_to():
    notes = {f"{n}.md": f"common word number{n}\n" for n in range(1100)} | {"rare.md": "common rare\n"}
    with indexed(notes, embed=False) as project:
        execution = project.search("common rare", mode="lexical")
    assert [result.path for result in execution.results] == ["rare.md"]
    assert not execution.page.total_exact
    assert "some words brought in no candidates of their own" in execution.ledger.unranked


def test_chunks_that_wait_for_their_vector_are_owned_up_to():
    with indexed({"a.md": "harbour\n"}, embed=False) as project:
        execution = project.search("harbour")
    assert execution.ledger.unranked == ["meaning was not searched"]
    assert not execution.page.total_exact


def test_a_full_window_says_how_many_are_beyond_it(crowd: Project):
    execution = crowd.search("common", mode="lexical")
    stage = next(stage for stage in execution.ledger.stages if stage.name == "lexical")
    assert stage.measured["eligible"] == stage.measured["returned"] + stage.measured["beyond_window"]
    assert stage.measured["beyond_window"] > 1
    assert "the lexical window was full" in execution.ledger.unranked


@pytest.mark.parametrize("mode", ["hybrid", "dense"])
def test_the_whole_search_takes_longer_than_its_stages(crowd: Project, mode):
    ledger = crowd.search("common", mode=mode).ledger
    assert ledger.milliseconds >= sum(stage.milliseconds for stage in ledger.stages) > 0
