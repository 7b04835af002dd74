"""The same question on the same index has one answer, explained or not, page by page."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from glassdex.envelopes.search import search_answer
from glassdex.project import Project
from glassdex.search.engine import Execution
from tests.search.vaults import fusions, indexed, modes, queries, vaults


def answer(execution: Execution, *, explain: bool) -> str:
    return search_answer(execution, "vault", explain=explain).to_json()


def without_times(node: Any) -> Any:
    if isinstance(node, dict):
        return {key: without_times(value) for key, value in node.items() if key != "ms"}
    return [without_times(item) for item in node] if isinstance(node, list) else node


@pytest.mark.parametrize("mode", ["hybrid", "lexical", "dense"])
@pytest.mark.parametrize("query", ["when was the firmware released", "營收", 'calibration -copper "salt water"'])
def test_an_explanation_changes_no_byte_of_the_answer(example: Project, query: str, mode: Any):
    plain = answer(example.search(query, mode=mode), explain=False)
    explained = json.loads(answer(example.search(query, mode=mode), explain=True))
    assert explained.pop("trace") == explained.pop("executions")[0]["trace"]
    assert json.dumps(explained, ensure_ascii=False) == plain


@pytest.mark.parametrize("fusion", ["convex/1", "rrf/1", "bonus/1"])
def test_two_searches_on_one_index_differ_in_times_only(example: Project, fusion: str):
    first, second = (json.loads(answer(example.search("buoy battery", fusion=fusion), explain=True)) for _ in range(2))
    assert first["results"]
    assert json.dumps(without_times(first)) == json.dumps(without_times(second))


def test_a_second_index_of_the_same_files_gives_the_same_results():
    notes = {f"{name}.md": f"# {name}\n\nharbour {name}\n\n- [fact] tide #{name}\n" for name in "abcdefgh"}
    answers = []
    for order in (list(notes), list(reversed(notes))):
        with indexed({name: notes[name] for name in order}) as project:
            answers.append(json.loads(answer(project.search("harbour tide"), explain=False))["results"])
    assert answers[0] == answers[1]


@settings(max_examples=40)
@given(vaults, queries, modes, fusions, st.integers(1, 5))
def test_three_pages_are_one_page_three_times_as_long(notes, query, mode, fusion, limit):
    with indexed(notes) as project:
        pages = [project.search(query, mode=mode, fusion=fusion, limit=limit, page=number) for number in (1, 2, 3)]
        whole = project.search(query, mode=mode, fusion=fusion, limit=3 * limit)
        assert [result for page in pages for result in page.results] == list(whole.results)
        assert {page.page.total for page in pages} == {whole.page.total}
        for page in pages:
            assert page.page.has_more == (page.page.number * limit < whole.page.total)


@settings(max_examples=40)
@given(vaults, queries, modes, fusions, st.integers(1, 3), st.integers(1, 4))
def test_what_a_page_leaves_out_says_at_which_rank_it_stands(notes, query, mode, fusion, limit, number):
    with indexed(notes) as project:
        ranks = {r.path: r.rank for r in project.search(query, mode=mode, fusion=fusion, limit=100).results}
        execution = project.search(query, mode=mode, fusion=fusion, limit=limit, page=number)
        left = [c for c in execution.ledger.candidates.values() if c.exit and c.exit.stage == "page"]
        for candidate in left:
            assert candidate.exit is not None
            rank = ranks[candidate.record.path]
            assert candidate.exit.reason == ("earlier_page" if rank <= (number - 1) * limit else "beyond_page")
            assert candidate.exit.detail.startswith(f"rank {rank}, ")


def test_a_trace_cut_short_keeps_what_was_returned_and_counts_the_rest(example: Project):
    execution = example.search("buoy", limit=3)
    trace = search_answer(execution, "vault", explain=True, max_candidates=2).trace
    assert trace is not None
    shown = {match.chunk_key for result in execution.results for match in result.matches}
    assert shown <= {candidate.chunk_key for candidate in trace.candidates}
    assert trace.truncated == len(execution.ledger.candidates) - len(trace.candidates) > 0
