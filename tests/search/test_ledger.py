"""Every number of every candidate can be computed again by somebody else."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from glassdex.project import Project
from glassdex.search.engine import Execution
from glassdex.search.ledger import WINDOW, Candidate
from glassdex.search.request import Mode
from tests.search.reference import Reference
from tests.search.vaults import fusions, indexed, modes, queries, vaults

ROUNDING = 2e-6
LEGS = {"hybrid": ("lexical", "dense"), "lexical": ("lexical",), "dense": ("dense",)}


@settings(max_examples=60)
@given(vaults, st.lists(st.tuples(queries, modes, fusions, st.integers(1, 4)), min_size=1, max_size=3))
def test_every_number_of_a_search_can_be_recomputed_from_the_files(notes, searches):
    with indexed(notes) as project:
        reference = Reference(project)
        for query, mode, fusion, limit in searches:
            execution = project.search(query, mode=mode, fusion=fusion, limit=limit)
            check_flow(execution)
            check_signals(execution, reference)
            check_ranking(execution)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(query=queries, mode=modes, fusion=fusions, limit=st.integers(1, 60))
def test_numbers_hold_where_far_more_matches_than_a_window_shows(
    crowd: Project, crowd_reference: Reference, query: str, mode: Mode, fusion: str, limit: int
):
    execution = crowd.search(query, mode=mode, fusion=fusion, limit=limit)
    check_flow(execution)
    check_signals(execution, crowd_reference)
    check_ranking(execution)


def test_a_word_hit_outside_the_dense_window_still_has_its_exact_cosine(crowd: Project, crowd_reference: Reference):
    candidates = crowd.search("IT-644 café", limit=200).ledger.candidates.values()
    completed = {leg: [c for c in candidates if leg in c.legs and not c.legs[leg].in_window] for leg in LEGS["hybrid"]}
    assert completed["dense"], "the crowd no longer brings in word hits that the dense window lacks"
    cosines = crowd_reference.cosines("IT-644 café")
    for candidate in completed["dense"]:
        assert candidate.legs["dense"].rank is None
        assert candidate.legs["dense"].score == pytest.approx(cosines[candidate.record.chunk_id], abs=ROUNDING)


def test_a_dense_hit_outside_the_lexical_window_still_has_its_bm25(crowd: Project, crowd_reference: Reference):
    # "common" is in nearly every chunk: it brings nobody in as long as another word does, but it scores.
    execution = crowd.search("common quagga tide", limit=200)
    completed = [
        c for c in execution.ledger.candidates.values() if "lexical" in c.legs and not c.legs["lexical"].in_window
    ]
    assert completed, "the crowd no longer brings in dense hits that the lexical window lacks"
    terms = [term.term for term in execution.ledger.query.scored_terms]
    for candidate in completed:
        expected = crowd_reference.bm25(terms, candidate.record.chunk_id)
        assert candidate.legs["lexical"].score == pytest.approx(expected, abs=ROUNDING)


def check_flow(execution: Execution) -> None:
    """Nobody comes from nowhere, nobody is lost, and everybody ends in exactly one way."""
    stages = execution.ledger.stages
    for stage in stages:
        assert stage.entered + stage.added == stage.left + sum(stage.dropped.values()), stage
    if stages[0].name == "rewrite":  # before there is anything to count
        assert (stages[0].entered, stages[0].left) == (0, 0)
        stages = stages[1:]
    for before, after in pairwise(stages[1:]):
        assert after.entered == before.left, (before, after)
    assert stages[0].name == "scope"
    assert stages[0].left == execution.ledger.scope_total
    assert stages[0].entered == execution.readiness.ready + execution.readiness.pending
    candidates = execution.ledger.candidates.values()
    assert all((c.final is None) != (c.exit is None) for c in candidates)
    exits = Counter((c.exit.stage, c.exit.reason) for c in candidates if c.exit)
    recorded = {(s.name, reason): n for s in stages[1:] for reason, n in s.dropped.items()}
    assert exits == recorded
    assert sum(stage.added for stage in stages) == len(candidates)
    assert stages[-1].left == sum(c.final is not None for c in candidates)


def check_signals(execution: Execution, reference: Reference) -> None:
    """Raw scores, window membership, normalised scores, matched terms and coverage."""
    ledger = execution.ledger
    mode = ledger.request.mode
    terms = [term.term for term in ledger.query.scored_terms]
    named = [term.term for term in ledger.query.scored_terms for _ in range(term.count)]
    cosines = reference.cosines(ledger.query.meaning)
    for statistics in ledger.terms:
        assert statistics.document_frequency == reference.frequency(statistics.term)
        if statistics.idf is not None:
            assert statistics.idf == pytest.approx(reference.idf(statistics.term))
    for chunk_id, candidate in ledger.candidates.items():
        held = {term for term in terms if term in reference.passages[chunk_id].counts}
        assert set(candidate.matched_terms) == held
        assert candidate.coverage == pytest.approx(reference.coverage(terms, chunk_id), abs=ROUNDING)
        expected = {}
        if mode != "lexical":
            expected["dense"] = cosines[chunk_id]
        if mode != "dense" and held:
            expected["lexical"] = reference.bm25(named, chunk_id)
        assert {leg: signal.score for leg, signal in candidate.legs.items()} == pytest.approx(expected, abs=ROUNDING)
        assert not candidate.vector_pending
    for leg in LEGS[mode]:
        check_leg(leg, list(ledger.candidates.values()))


def check_leg(leg: str, candidates: list[Candidate]) -> None:
    """Ranks are those of the scores; the normalised score is the share of the best."""
    signals = [(c, c.legs[leg]) for c in candidates if leg in c.legs]
    best = max((signal.score for _, signal in signals), default=0.0)
    for _, signal in signals:
        assert signal.normalized == pytest.approx(max(0.0, signal.score) / best if best > 0 else 0.0, abs=ROUNDING)
    window = sorted(
        ((c, signal) for c, signal in signals if signal.in_window),
        key=lambda pair: (-pair[1].score, pair[0].record.path, pair[0].record.key),
    )
    assert [signal.rank for _, signal in window] == list(range(1, len(window) + 1))
    assert len(window) <= WINDOW


def check_ranking(execution: Execution) -> None:
    """The fused score is the formula's, the order is the score's, the documents' order is that of their best."""
    ledger = execution.ledger
    candidates = list(ledger.candidates.values())
    for candidate in candidates:
        assert candidate.fused is not None
        assert candidate.fused.score == pytest.approx(
            fused(candidate, ledger.request.mode, ledger.request.fusion), abs=ROUNDING
        )
        assert sum(candidate.fused.parts.values()) == pytest.approx(candidate.fused.score, abs=ROUNDING)
    by_fusion = sorted(candidates, key=lambda c: (-(c.fused.score if c.fused else 0), c.record.path, c.record.key))
    assert [c.fused and c.fused.rank for c in by_fusion] == list(range(1, len(by_fusion) + 1))
    ranking = sorted(candidates, key=lambda c: (-c.score, c.record.path, c.record.key))
    for stage in ledger.rescored_by:
        placed = sorted((c.rescored[stage] for c in candidates), key=lambda own: own.rank)
        assert [own.rank for own in placed] == list(range(1, len(placed) + 1))
        assert [own.score for own in placed] == sorted((own.score for own in placed), reverse=True)
        assert all(sum(own.parts.values()) == pytest.approx(own.score, abs=ROUNDING) for own in placed)
    for candidate in candidates:
        alike = [
            f"{c.record.path}#{c.record.key}" for c in ranking if c.score == candidate.score and c is not candidate
        ]
        assert list(candidate.tied_with) == alike[:10]
    documents: dict[str, list[Candidate]] = {}
    for candidate in ranking:
        documents.setdefault(candidate.record.path, []).append(candidate)
    limit = ledger.request.limit
    assert [result.path for result in execution.results] == list(documents)[:limit]
    for rank, (result, matches) in enumerate(zip(execution.results, documents.values(), strict=False), start=1):
        assert result.rank == rank
        assert [match.chunk_key for match in result.matches] == [c.record.key for c in matches[:3]]
        assert result.score == round(matches[0].score, 3)


def fused(candidate: Candidate, mode: str, fusion: str) -> float:
    """The three formulas, and the single leg's own scale."""
    legs = candidate.legs
    if mode != "hybrid":
        return legs[mode].score
    shares = [(legs[leg].normalized or 0.0) if leg in legs else 0.0 for leg in LEGS["hybrid"]]
    if fusion == "convex/1":
        return 0.5 * shares[0] + 0.5 * shares[1]
    if fusion == "bonus/1":
        return max(shares) + 0.3 * min(shares)
    return sum(1 / (60 + signal.rank) for signal in legs.values() if signal.rank is not None)
