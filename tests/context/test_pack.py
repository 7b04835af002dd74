"""Packing: what is printed stays within the budget, and nothing that was considered is lost."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from glassdex.context.pack import BUDGETS, DEFAULTS, WEAK
from glassdex.context.packed import Context
from glassdex.embedding.tokens import token_counter
from glassdex.envelopes.context import context_answer
from glassdex.envelopes.trace import make_trace
from glassdex.errors import InvalidRequest
from glassdex.project import Project
from glassdex.search.engine import Execution
from glassdex.search.request import SearchOptions
from tests.search.vaults import fusions, indexed, modes, queries, vaults

TASK = "why is the embedding model swappable"
budgets = st.one_of(st.integers(50, 400), st.integers(400, 5000))
hostile = st.text(st.one_of(st.characters(), st.sampled_from("\u0301\u200b\x1b\u202e[]#█한漢\t \n")), max_size=300)


def check(context: Context) -> None:
    """What must hold of every context."""
    assert token_counter().count(context.text) == context.used <= context.budget
    assert sum(passage.tokens for passage in context.passages) == context.used
    assert [passage.number for passage in context.passages] == list(range(1, len(context.passages) + 1))
    assert (context.text == "") == (not context.passages)
    assert (context.state == "packed") == bool(context.passages)
    _check_nothing_is_lost(context)
    _check_order(context)


def _check_nothing_is_lost(context: Context) -> None:
    packed = [
        (passage.result.path, key)
        for passage in context.passages
        for key in passage.merged_from or (passage.chunk_key,)
    ]
    out = [(left_out.pointer.partition("#")[0], left_out.chunk_key) for left_out in context.left_out]
    if context.state != "nothing_relevant":
        returned = [match for result in context.execution.results for match in result.matches]
        assert len(packed) + len(out) >= len(returned)
        assert len(set(packed)) == len(packed)
        assert len(set(out)) == len(out)
        pointers = {left_out.pointer for left_out in context.left_out}
        for result in context.execution.results:
            for match in result.matches:
                assert ((result.path, match.chunk_key) in packed) != (match.pointer in pointers)


def _check_order(context: Context) -> None:
    groups: dict[object, list[int]] = {}
    places = []
    for passage in context.passages:
        name = (passage.result.path, passage.result.session and passage.result.session.session_id)
        groups.setdefault(name, []).append(passage.rank)
        places.append(name)
    assert places == [name for name, ranks in groups.items() for _ in ranks], "documents are kept together"
    best = [min(ranks) for ranks in groups.values()]
    assert best == sorted(best), "documents by their best passage"


@settings(max_examples=40)
@given(vaults, queries, modes, fusions, budgets)
def test_any_context_holds_its_budget_and_loses_nothing(notes, query, mode, fusion, budget):
    with indexed(notes) as project:
        check(project.context(query, budget=budget, mode=mode, fusion=fusion, anyway=True))


@settings(max_examples=30)
@given(st.lists(hostile, min_size=1, max_size=4), st.integers(50, 600))
def test_hostile_text_is_counted_as_it_is_printed(texts, budget):
    notes = [f"# Note\n\nharbour {text}\n".encode("utf-8", "replace") for text in texts]
    with indexed({f"{number}.md": note for number, note in enumerate(notes)}) as project:
        context = project.context("harbour", budget=budget, anyway=True)
        check(context)
        assert "\x1b" not in context.text
        assert "\u202e" not in context.text


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(queries, st.integers(50, 20_000))
def test_a_crowd_of_passages_is_packed_within_any_budget(crowd: Project, query: str, budget: int):
    check(crowd.context(query, budget=budget, anyway=True))


@pytest.mark.parametrize("budget", [100, 500, 2000, 100_000])
def test_the_examples_of_the_vault_hold_their_budgets(example: Project, budget: int):
    context = example.context(TASK, budget=budget)
    check(context)
    for passage in context.passages:
        path, _, place = passage.citation.partition(", ")
        header = " · ".join([place, *([" › ".join(passage.section)] if passage.section else [])])
        assert f"[{passage.number}] {header}\n{passage.pointer} · " in context.text
        assert passage.pointer.startswith(f"{path}#")
        assert passage.text in context.text
        opened = example.open_pointer(passage.pointer)
        assert (opened.state, opened.text) == ("exact", passage.text)


def test_a_budget_that_holds_the_best_passage_has_it(example: Project):
    needed = example.context(TASK, budget=50).needed
    assert needed is not None
    for budget in (needed, needed + 1, 400, 800, 1600):
        ranks = {passage.rank for passage in example.context(TASK, budget=budget).passages}
        assert 1 in ranks


def test_the_citations_and_pointers_are_those_of_the_search(example: Project):
    found = {
        (result.path, match.chunk_key): (match.citation, match.pointer, match.score)
        for result in example.search(TASK, **DEFAULTS).results
        for match in result.matches
    }
    singles = [passage for passage in example.context(TASK).passages if not passage.merged_from]
    assert singles
    for passage in singles:
        assert found[passage.result.path, passage.chunk_key] == (passage.citation, passage.pointer, passage.score)


def without_times(execution: Execution) -> str:
    trace = json.loads(make_trace(execution).to_json())
    del trace["ms"]
    for stage in trace["stages"]:
        del stage["ms"]
    return json.dumps(trace, sort_keys=True)


def test_the_trace_is_that_of_the_same_search(example: Project):
    ask: SearchOptions = {"limit": 7, "matches": 2, "diversify": None, "expand": 0}
    context = example.context(TASK, **ask)
    execution = example.search(TASK, **ask)
    assert without_times(context.execution) == without_times(execution)
    assert context.execution.results == execution.results
    told, silent = context_answer(context, "p", explain=True), context_answer(context, "p")
    assert told.passages == silent.passages
    assert told.left_out == silent.left_out
    assert silent.trace is None
    assert told.trace is not None
    assert told.executions is not None
    assert told.executions[0].trace == told.trace


def test_a_budget_that_holds_no_passage_says_what_would(example: Project):
    context = example.context(TASK, budget=50)
    assert (context.state, context.passages, context.text, context.used) == ("budget_too_small", (), "", 0)
    assert context.needed == context.left_out[0].tokens > 50
    assert context.left_out[0].rank == 1
    enough = example.context(TASK, budget=context.needed)
    assert [passage.rank for passage in enough.passages] == [1]
    assert enough.used == context.needed
    assert enough.needed is None


def test_a_best_passage_that_alone_does_not_fit_is_named_beside_those_that_do():
    notes = {"long.md": f"the harbour freezes {'and the ice is thick ' * 12}\n", "short.md": "harbour ice\n"}
    with indexed(notes) as project:
        context = project.context("harbour freezes thick", budget=70)
        assert [passage.result.path for passage in context.passages] == ["short.md"]
        assert context.left_out[0].rank == 1
        assert context.needed == context.left_out[0].tokens


def test_what_the_verdict_calls_irrelevant_is_withheld_unless_asked_for(example: Project):
    task = "elephants in the zoo of Vienna"
    context = example.context(task)
    assert context.execution.verdict.status == "nothing_relevant"
    assert (context.state, context.passages, context.left_out, context.text) == ("nothing_relevant", (), (), "")
    assert context.withheld > 0
    anyway = example.context(task, anyway=True)
    check(anyway)
    assert anyway.passages


def test_a_task_that_nothing_meets(example: Project):
    context = example.context("zzyzx", mode="lexical")
    assert (context.state, context.passages, context.left_out) == ("nothing_found", (), ())


def test_the_very_same_text_is_packed_once_and_its_copy_named():
    same = "the harbour freezes in winter and the boats stay\n"
    with indexed({"a.md": same, "b.md": same, "c.md": "the harbour thaws in spring\n"}) as project:
        context = project.context("harbour freezes winter")
        check(context)
        assert [passage.result.path for passage in context.passages] == ["a.md", "c.md"]
        assert [(one.pointer.partition("#")[0], one.same_text_as) for one in context.left_out] == [("b.md", 1)]


def test_what_is_weak_is_left_out_and_named_and_nothing_else_is(example: Project):
    context = example.context(TASK, budget=100_000)
    check(context)
    score = {match.pointer: match.score for result in context.execution.results for match in result.matches}
    least = WEAK * max(score.values())
    reasons = {one.pointer: one.reason for one in context.left_out}
    assert set(reasons.values()) == {"weak"}
    assert {pointer for pointer, reached in score.items() if reached < least} == set(reasons)
    envelope = context_answer(context, "p")
    assert [one.reason for one in envelope.left_out] == ["weak"] * len(reasons)
    narrow = example.context(TASK, budget=400)
    assert {one.reason for one in narrow.left_out} == {"weak", "no_room"}


@pytest.mark.parametrize("ask", [{"fusion": "rrf/1"}, {"mode": "lexical"}, {"mode": "dense"}])
def test_where_no_cut_off_was_measured_nothing_is_weak(example: Project, ask: SearchOptions):
    assert example.context(TASK, budget=100_000, **ask).left_out == ()


def test_the_same_fact_of_two_documents_is_two_facts():
    notes = {f"{name}.md": f"# {name}\n\n- [state] the harbour is frozen\n" for name in ("north", "south")}
    with indexed(notes) as project:
        context = project.context("harbour frozen")
        assert sorted(passage.result.path for passage in context.passages) == ["north.md", "south.md"]


def test_each_passage_says_which_leg_found_it_and_by_which_words(example: Project):
    context = example.context(TASK)
    candidates = {(c.record.path, c.record.key): c for c in context.execution.ledger.candidates.values()}
    for passage in context.passages:
        candidate = candidates[passage.result.path, passage.chunk_key]
        assert passage.reason.legs == {leg: s.rank for leg, s in candidate.legs.items() if s.rank is not None}
        assert passage.reason.legs
        assert len(passage.reason.words) == len(candidate.matched_terms)
    assert any(passage.reason.words for passage in context.passages)


def test_what_replaced_a_superseded_document_comes_with_it_and_says_by_which_link():
    notes = {
        "old.md": "# Old\n\nthe harbour freezes in winter\n\n- superseded_by [[New]]\n",
        "new.md": "# New\n\nthe ice is broken by a boat\n",
        **{f"{number}.md": f"# {number}\n\nthe harbour has a pier {number}\n" for number in range(9)},
    }
    with indexed(notes) as project:
        context = project.context("harbour freezes")
        check(context)
        by_link = {passage.result.path: passage for passage in context.passages if passage.reason.linked}
        assert "new.md" in by_link
        linked = by_link["new.md"].reason.linked
        assert linked is not None
        assert (linked.seed, linked.route) == ("old.md", "successor")
        assert "through superseded_by from old.md\n" in context.text
        alone = project.context("harbour freezes", expand=0)
        check(alone)
        assert all(passage.reason.linked is None for passage in alone.passages)


def test_without_words_the_passages_of_a_place_are_packed(example: Project):
    path = example.search(TASK).results[0].path
    context = example.context("", in_document=path, budget=400)
    check(context)
    assert context.state == "packed"
    assert {passage.result.path for passage in context.passages} == {path}
    assert "in the place that was asked for" in context.text


def test_filters_are_those_of_the_search(example: Project):
    context = example.context(TASK, paths=("runbooks/",), anyway=True)
    assert context.passages
    assert all(passage.result.path.startswith("runbooks/") for passage in context.passages)


def test_more_than_was_considered_is_said(crowd: Project):
    context = crowd.context("harbour tide", limit=2, matches=1, budget=5000)
    assert context.execution.page.has_more
    assert any("--limit" in note for note in context.notes)


@pytest.mark.parametrize("budget", [BUDGETS[0] - 1, BUDGETS[1] + 1, 0, -5])
def test_a_budget_outside_its_bounds_is_refused(example: Project, budget: int):
    with pytest.raises(InvalidRequest, match="budget is"):
        example.context(TASK, budget=budget)
