"""Feedback and neighbourhood: every number computed a second time, and when they switch themselves on."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from glassdex.envelopes.trace import make_trace
from glassdex.errors import InvalidRequest
from glassdex.model import compose_embedded_text
from glassdex.project import Project
from glassdex.search import feedback, neighborhood
from glassdex.search.engine import Execution
from glassdex.search.ledger import Candidate
from glassdex.search.request import SearchOptions
from tests.search.reference import Reference
from tests.search.vaults import indexed, paths, root_of, write_notes

ROUNDING = 5e-6
TOPIC = ("tide", "harbour", "mooring", "anchor", "rope", "chain", "buoy", "pier")
OTHER = ("flour", "yeast", "oven", "crust", "salt", "water", "dough", "rye")
QUERY = "how does one keep a ship from drifting away at night near the harbour"


@pytest.fixture(scope="module")
def topics() -> Iterator[Project]:
    """140 notes, half about mooring and half about bread; a few say what the query says, none says all of it."""
    chance = random.Random(5)
    notes = {}
    for number in range(140):
        about = TOPIC if number % 2 else OTHER
        words = [*chance.choices(about, k=9), f"word{number % 17}"]
        if number % 20 == 1:
            words.append("drifting")
        notes[f"{number:03}.md"] = f"# Note {number}\n\n{' '.join(words)}\n"
    notes["only.md"] = "# Only\n\na zeppelin and a quokka\n"
    with indexed(notes) as project:
        yield project


@pytest.fixture(scope="module")
def reference(topics: Project) -> Reference:
    return Reference(topics)


def fused_order(execution: Execution) -> list[Candidate]:
    return sorted(execution.ledger.candidates.values(), key=lambda c: c.fused_order)


def test_it_runs_where_the_best_passages_lack_most_of_the_query(topics: Project):
    found = topics.search(QUERY).ledger.feedback
    assert found is not None and found.ran
    assert found.coverage < feedback.MAX_COVERAGE
    assert found.highest_coverage < feedback.MAX_BEST_COVERAGE
    assert {term.term for term in found.terms} & {"moor", "anchor", "rope", "chain"}
    assert sum(term.share for term in found.terms) == pytest.approx(1, abs=1e-4)


def test_it_stays_off_where_one_passage_has_the_words(topics: Project):
    found = topics.search("quokka zeppelin").ledger.feedback
    assert found is not None and not found.ran
    assert found.reason == "a passage has 1.00 of the query's weight, not less than 0.9"


def test_it_stays_off_where_the_best_passages_have_them(topics: Project):
    found = topics.search("tide harbour mooring").ledger.feedback
    assert found is not None and not found.ran
    assert "not less than 0.5" in found.reason


def test_it_stays_off_among_few_candidates():
    with indexed({f"{n}.md": f"# N{n}\n\ntide and harbour {n}\n" for n in range(20)}) as project:
        found = project.search("a ship that drifts from the harbour").ledger.feedback
        assert found is not None and found.reason == "20 candidates, fewer than 50"


@pytest.mark.parametrize("options", [{"mode": "lexical"}, {"mode": "dense"}, {"fusion": "rrf/1"}, {"feedback": "off"}])
def test_it_is_no_stage_where_it_does_not_apply(topics: Project, options: SearchOptions):
    ledger = topics.search(QUERY, **options).ledger
    assert ledger.feedback is None
    assert not ledger.rescored_by
    assert {"feedback", "neighborhood"}.isdisjoint(stage.name for stage in ledger.stages)


def test_on_runs_whatever_the_words(topics: Project):
    assert topics.search("drifting", feedback="on").ledger.rescored_by == ("feedback", "neighborhood")


@pytest.mark.parametrize("options", [{"mode": "lexical"}, {"mode": "dense"}, {"fusion": "rrf/1"}])
def test_on_where_it_does_not_apply_is_said(topics: Project, options: SearchOptions):
    note = "no feedback: it works over convex/1 of both legs alone"
    on: SearchOptions = {**options, "feedback": "on"}
    assert topics.search(QUERY, **on).ledger.notes == [note]
    assert topics.search(QUERY, **options).ledger.notes == []
    assert topics.search(QUERY, feedback="on").ledger.notes == []


def test_an_unknown_choice_is_refused(topics: Project):
    with pytest.raises(InvalidRequest, match="unknown feedback 'perhaps'"):
        topics.search(QUERY, feedback="perhaps")  # type: ignore[arg-type]


def test_where_it_does_not_run_the_answer_is_that_without_it(topics: Project):
    for query in ("quokka zeppelin", "tide harbour mooring"):
        there, without = topics.search(query), topics.search(query, feedback="off")
        assert there.results == without.results
        assert there.verdict == without.verdict


def test_it_brings_in_nobody_and_leaves_the_verdict_alone(topics: Project):
    there, without = topics.search(QUERY), topics.search(QUERY, feedback="off")
    assert there.ledger.candidates.keys() == without.ledger.candidates.keys()
    assert paths(there) != paths(without)
    assert there.verdict == without.verdict


def test_the_words_are_those_that_add_most_to_the_best_passages(topics: Project, reference: Reference):
    execution = topics.search(QUERY)
    best = fused_order(execution)[: feedback.PASSAGES]
    found = execution.ledger.feedback
    assert found is not None
    means = {}
    for term in {term for c in best for term in reference.passages[c.record.chunk_id].counts}:
        texts = [reference.passages[c.record.chunk_id].record for c in best]
        embedded = [compose_embedded_text(t.breadcrumb, t.context, t.text) for t in texts]
        having = sum(term in topics.analyzer.terms(text)[0] for text in embedded)
        if having >= feedback.SHARED_BY and not topics.analyzer.is_stopword(term):
            means[term] = sum(reference.bm25([term], c.record.chunk_id) for c in best) / len(best)
    chosen = sorted(means, key=lambda term: (-round(means[term], 9), term))[: feedback.TERMS]
    whole = sum(means[term] for term in chosen)
    assert {t.term: t.share for t in found.terms} == pytest.approx({t: means[t] / whole for t in chosen}, abs=ROUNDING)


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(words=st.lists(st.sampled_from((*TOPIC, *OTHER, "drifting", "ship", "night")), min_size=1, max_size=6))
def test_every_score_can_be_recomputed(topics: Project, reference: Reference, words: list[str]):
    execution = topics.search(" ".join(words), feedback="on")
    ledger = execution.ledger
    found = ledger.feedback
    assert found is not None and found.ran
    named = [term.term for term in ledger.query.scored_terms for _ in range(term.count)]
    weight = feedback.WEIGHT if found.terms else 0
    said = {}
    for chunk_id in ledger.candidates:
        own = reference.bm25(named, chunk_id) / len(named)
        added = sum(term.share * reference.bm25([term.term], chunk_id) for term in found.terms)
        said[chunk_id] = (1 - weight) * own + weight * added
    highest = max(said.values())
    for chunk_id, candidate in ledger.candidates.items():
        near = candidate.legs["dense"].normalized or 0.0
        words_share = said[chunk_id] / highest if highest else 0.0
        assert candidate.rescored["feedback"].score == pytest.approx(0.5 * words_share + 0.5 * near, abs=ROUNDING)
    check_neighborhood(execution, topics)


def check_neighborhood(execution: Execution, project: Project) -> None:
    """A loop over every pair of the head."""
    ranking = sorted(execution.ledger.candidates.values(), key=lambda c: c.rescored["feedback"].rank)
    head = ranking[: neighborhood.HEAD]
    with project.store.read() as snapshot:
        chunks = snapshot.chunks(c.record.chunk_id for c in head)
    texts = [chunks[c.record.chunk_id] for c in head]
    vectors = project.embedder.embed_documents([compose_embedded_text(t.breadcrumb, t.context, t.text) for t in texts])
    for place, candidate in enumerate(head):
        near = sorted(
            (
                (round(math.fsum(float(x) * float(y) for x, y in zip(vectors[place], vectors[i], strict=True)), 6), i)
                for i in range(len(head))
                if i != place
            ),
            reverse=True,
        )
        border = near[neighborhood.NEIGHBORS - 1][0]
        lending = [(cosine, i) for cosine, i in near if cosine >= border and cosine > 0]
        weight = sum(cosine for cosine, _ in lending)
        own = candidate.rescored["feedback"].score
        lent = sum(cosine * head[i].rescored["feedback"].score for cosine, i in lending) / weight if weight else own
        expected = (1 - neighborhood.WEIGHT) * own + neighborhood.WEIGHT * lent
        assert candidate.rescored["neighborhood"].score == pytest.approx(expected, abs=ROUNDING)
    lowest = min(c.rescored["neighborhood"].score for c in head)
    for candidate in ranking[neighborhood.HEAD :]:
        placed = candidate.rescored["neighborhood"]
        assert placed.score == pytest.approx((1 - neighborhood.WEIGHT) * candidate.rescored["feedback"].score, abs=1e-6)
        assert placed.rank > neighborhood.HEAD and placed.score <= lowest


def test_pages_are_slices_of_one_ranking(topics: Project):
    long = topics.search(QUERY, limit=30)
    pages = [topics.search(QUERY, limit=10, page=number) for number in (1, 2, 3)]
    assert paths(long) == [path for page in pages for path in paths(page)]


def test_where_meaning_was_not_searched_nothing_is_learned():
    with indexed({f"{n}.md": f"# N{n}\n\n{TOPIC[n % 8]} drifting {n}\n" for n in range(60)}, embed=False) as project:
        assert project.search(QUERY).ledger.feedback is None


def test_a_passage_without_a_vector_has_no_neighbours_and_keeps_its_score():
    with indexed({f"{n}.md": f"# N{n}\n\n{TOPIC[n % 8]} {n}\n" for n in range(60)}) as project:
        write_notes(root_of(project), {f"late{n}.md": f"drifting harbour tide {n}\n" for n in range(3)})
        project.index(embed=False)
        candidates = project.search("drifting harbour tide", feedback="on").ledger.candidates.values()
        pending = [candidate for candidate in candidates if candidate.vector_pending]
        assert len(pending) == 3
        for candidate in pending:
            before, after = candidate.rescored["feedback"], candidate.rescored["neighborhood"]
            assert before.rank <= neighborhood.HEAD
            assert after.score == before.score


def test_the_trace_has_terms_condition_formulas_and_ranks(topics: Project):
    execution = topics.search(QUERY, watch=("003.md",))
    trace = make_trace(execution)
    assert trace.query.feedback is not None and trace.query.feedback.ran
    assert trace.query.feedback.terms
    assert trace.engine.rescoring is not None
    assert list(trace.engine.rescoring) == ["feedback", "neighborhood"]
    for candidate in trace.candidates:
        assert candidate.rescored is not None and list(candidate.rescored) == ["feedback", "neighborhood"]
        assert set(candidate.rescored["feedback"].parts) == {"lexical", "dense"}
    assert trace.watched is not None
    assert trace.watched[0].chunks[0].rescored is not None


def test_why_not_follows_it(topics: Project):
    far = topics.search(QUERY, limit=60).results[-1].path
    ladder = topics.why_not(QUERY, far)
    rungs = {rung.name: rung for rung in ladder.rungs}
    assert "→" in rungs["feedback"].detail
    assert "the last of this page has" in rungs["neighborhood"].detail
    assert "the last of this page has" not in rungs["fused"].detail


def test_reranking_goes_on_from_there(topics: Project):
    execution = topics.search(QUERY, rerank="late-interaction", rerank_weight=0.0)
    assert execution.ledger.reranking is not None and not execution.ledger.reranking.fallback
    before = sorted(execution.ledger.candidates.values(), key=lambda c: c.rescored["neighborhood"].rank)
    reranked = [c.reranked for c in before if c.reranked]
    assert [own.rank_before for own in reranked] == list(range(1, len(reranked) + 1))
    assert [own.rank for own in reranked] == [own.rank_before for own in reranked]
