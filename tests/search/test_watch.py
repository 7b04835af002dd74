"""Watching changes nothing, and its numbers are the ledger's."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings

from glassdex.envelopes.search import search_answer
from glassdex.errors import DocumentAmbiguous
from glassdex.project import Project
from glassdex.search.engine import Execution
from glassdex.search.ledger import WINDOW
from glassdex.search.request import SearchOptions
from glassdex.search.watch import Watched
from tests.search.vaults import DeafToQueries, HashedWords, indexed, queries, search_options, vaults

NOTES = {
    "a.md": "# Harbour\n\nthe winter harbour lies empty #boat\n\n- [fact] tide at noon\n",
    "b.md": "# Tide\n\nthe tide is coming in\n",
}


def answer(project: Project, query: str, options: SearchOptions) -> tuple[str, object]:
    """The answer as JSON and the whole ledger but for times, what was watched, and the request that says so."""
    execution = project.search(query, **options)
    envelope = json.loads(search_answer(execution, "vault", explain=True).to_json())
    for trace in (envelope["trace"], envelope["executions"][0]["trace"]):
        trace.pop("watched", None)
        trace["request"].pop("watch", None)
        trace.pop("ms")
        for stage in trace["stages"]:
            stage.pop("ms")
    plain = search_answer(execution, "vault").to_json()
    return plain, envelope


@settings(max_examples=60)
@given(vaults, queries, search_options())
def test_a_search_is_the_same_with_and_without_watching(notes: dict[str, str], query: str, options: SearchOptions):
    with indexed(notes) as project:
        watching: SearchOptions = {**options, "watch": (*notes, "nobody.md")}
        assert answer(project, query, options) == answer(project, query, watching)


@settings(max_examples=60)
@given(vaults, queries, search_options())
def test_a_watched_chunk_has_the_numbers_of_the_ledger(notes: dict[str, str], query: str, options: SearchOptions):
    with indexed(notes) as project:
        watching: SearchOptions = {**options, "watch": tuple(notes)}
        execution = project.search(query, **watching)
        check_numbers(execution)


def check_numbers(execution: Execution) -> None:
    candidates = execution.ledger.candidates
    seen = set()
    for watched in execution.ledger.watched:
        for chunk in watched.chunks:
            seen.add(chunk.record.chunk_id)
            candidate = candidates.get(chunk.record.chunk_id)
            assert chunk.candidate == (candidate is not None)
            if candidate is None:
                assert chunk.lexical_rank is None or chunk.lexical_rank > execution.engine.window
                assert chunk.dense_rank is None or chunk.dense_rank > execution.engine.window
                continue
            assert chunk.in_scope
            legs, fused = candidate.legs, candidate.fused
            assert fused is not None
            assert chunk.lexical_score == (legs["lexical"].score if "lexical" in legs else None)
            assert chunk.similarity == (legs["dense"].score if "dense" in legs else None)
            if "lexical" in legs and legs["lexical"].in_window:
                assert chunk.lexical_rank == legs["lexical"].rank
            if "dense" in legs and legs["dense"].in_window:
                assert chunk.dense_rank == legs["dense"].rank
            assert (chunk.fused_rank, chunk.fused_score) == (fused.rank, fused.score)
            assert (chunk.final, chunk.exit) == (candidate.final, candidate.exit)
            assert chunk.matched_terms == candidate.matched_terms
            assert chunk.vector_pending == candidate.vector_pending or execution.request.mode == "lexical"
    assert seen >= set(candidates)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(query=queries, options=search_options())
def test_numbers_hold_beyond_the_windows(crowd: Project, query: str, options: SearchOptions):
    with crowd.store.read() as snapshot:
        everything = tuple(snapshot.document_paths().values())
    watching: SearchOptions = {**options, "watch": everything}
    check_numbers(crowd.search(query, **watching))


def the_watched(execution: Execution) -> Watched:
    (found,) = execution.ledger.watched
    return found


def test_a_chunk_outside_the_scope_names_the_filters_that_keep_it_out_and_still_has_its_numbers():
    with indexed(NOTES) as project:
        free = the_watched(project.search("winter harbour", watch=("a.md",)))
        kept_out = the_watched(project.search("winter harbour", watch=("a.md",), paths=("b.md",), tags=("nosuch",)))
        assert kept_out.filters == (("path", 0), ("tag", 0))
        assert {chunk.outside for chunk in kept_out.chunks} == {("path", "tag")}
        assert not any(chunk.candidate or chunk.lexical_rank or chunk.dense_rank for chunk in kept_out.chunks)
        numbers = {chunk.record.key: (chunk.lexical_score, chunk.similarity) for chunk in free.chunks}
        assert {c.record.key: (c.lexical_score, c.similarity) for c in kept_out.chunks} == numbers
        assert free.chunks[0].similarity is not None


def test_clauses_that_are_written_alike_are_one_filter():
    with indexed(NOTES) as project:
        found = the_watched(project.search("title:tide body:tide", watch=("a.md",)))
        assert found.filters == (("required 'tide'", 0),)


def test_a_name_stands_for_its_document_and_one_that_means_none_is_passed_over():
    with indexed({**NOTES, "x/a.md": "another\n"}) as project:
        execution = project.search("tide", watch=("Tide", "b", "b.md", "nobody.md"))
        assert execution.request.watch == ("b.md",)
        with pytest.raises(DocumentAmbiguous):
            project.search("tide", watch=("a",))


def test_watching_over_an_empty_scope_does_not_ask_a_model_that_is_out_of_reach():
    with indexed(NOTES, embedder=DeafToQueries()) as project:
        for watch in ((), ("a.md",)):
            execution = project.search("tide", mode="dense", tags=("nosuch",), watch=watch)
            assert (execution.verdict.status, execution.ledger.notes) == ("scope_empty", [])


def test_a_document_of_another_models_vectors_is_pending():
    with indexed(NOTES) as project:
        project.embedder = HashedWords(dimensions=12)
        for mode in ("hybrid", "lexical"):
            found = the_watched(project.search("tide", watch=("a.md",), mode=mode))
            assert found.pending == len(found.chunks)


def test_ranks_go_on_beyond_the_window_with_ties_broken_as_the_leg_breaks_them():
    notes = {f"{number:03}.md": "harbour\n" for number in range(WINDOW + 30)}
    with indexed(notes) as project:
        execution = project.search("harbour", mode="lexical", watch=("199.md", "200.md", "229.md"))
        ranks = [(w.chunks[0].lexical_rank, w.chunks[0].candidate, w.document_rank) for w in execution.ledger.watched]
        # Equal but for the title, which the file's name is: the last two were never candidates.
        assert ranks == [(200, True, 200), (201, False, None), (230, False, None)]
        fused = [watched.chunks[0].fused_rank for watched in execution.ledger.watched]
        assert fused == [200, 201, 201], "what the two would have got among the candidates"
