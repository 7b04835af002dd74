"""Misses: everybody who was considered and is not there, once, with the number that failed."""

from __future__ import annotations

import re

from hypothesis import given, settings

from glassdex.project import Project
from tests.search.vaults import indexed, queries, search_options, vaults


@settings(max_examples=60)
@given(vaults, queries, search_options())
def test_results_and_misses_together_are_the_candidates(notes, query, options):
    with indexed(notes) as project:
        execution = project.search(query, **options)
        found = execution.misses(None)
        missed = [(miss.path, miss.chunk_key) for group in found.groups for miss in group.listed]
        shown = [(result.path, match.chunk_key) for result in execution.results for match in result.matches]
        everybody = [(c.record.path, c.record.key) for c in execution.ledger.candidates.values()]
        assert sorted(missed + shown) == sorted(everybody)
        dropped = {
            (stage.name, reason): count
            for stage in execution.trace.stages
            if stage.name != "scope"
            for reason, count in stage.dropped.items()
        }
        assert {(group.stage, group.reason): group.total for group in found.groups} == dropped
        for group in found.groups:
            ranks = [miss.fused_rank or 0 for miss in group.listed]
            assert ranks == sorted(ranks)
            assert all(re.search(r"\d", miss.detail) for miss in group.listed), "the number that failed"


def test_a_group_lists_the_best_and_counts_all(crowd: Project):
    execution = crowd.search("quagga tide", limit=1)
    (page,) = (group for group in execution.misses(3).groups if group.stage == "page")
    assert len(page.listed) == 3
    assert page.total == len(next(g for g in execution.misses(None).groups if g.stage == "page").listed) > 3
    assert "rank 2, page 1 ends at 1" in {miss.detail for miss in page.listed}


def test_the_bounds_say_how_many_were_never_looked_at(crowd: Project):
    execution = crowd.search("quagga tide")
    unseen = execution.ledger.scope_total - len(execution.ledger.candidates)
    assert f"its window of 200 are listed; {unseen:,} more in scope were never candidates" in execution.misses().bounds
    with indexed({"a.md": "harbour\n"}) as project:
        assert project.search("harbour").misses().bounds == "all 1 chunks in scope were considered"


def test_a_threshold_shows_the_similarity_that_failed():
    with indexed({"a.md": "harbour\n", "b.md": "tide\n"}) as project:
        (group,) = project.search("harbour", min_similarity=0.9).misses().groups
        assert (group.stage, group.reason, group.total) == ("threshold", "below_min_similarity", 1)
        assert re.fullmatch(r"similarity -?0\.\d{6} < 0\.9", group.listed[0].detail)
