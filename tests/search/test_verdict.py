"""What the verdict says, what it rests on, and that it never changes a result."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassdex.embedding.minilm import MiniLmEmbedder
from glassdex.embedding.protocol import EmbeddingIdentity
from glassdex.envelopes.search import search_answer
from glassdex.errors import EmbeddingError
from glassdex.project import Project
from glassdex.search.floors import (
    CONFIDENCE_FLOOR,
    COVERAGE_FLOOR,
    DEFAULT_SIMILARITY,
    SHIPPED_MODEL,
    RankingConfiguration,
    default_floors,
)
from glassdex.search.request import Mode
from glassdex.search.verdict import BIAS, WEIGHTS, Signals, decide
from tests.search.vaults import DeafToQueries, HashedWords, StopsHalfway, indexed, root_of

SHIPPED = default_floors(RankingConfiguration(SHIPPED_MODEL, "analyser", "convex/1"))
STRANGE = default_floors(RankingConfiguration("another@1", "analyser", "convex/1"))


class Renamed(HashedWords):
    """The same vectors under another identity, as after a change of the model."""

    @property
    def identity(self):
        return EmbeddingIdentity("renamed", "", "mean", self.dimensions, "", "", 0)


def test_the_defaults_are_those_of_the_model_that_ships():
    assert MiniLmEmbedder().identity.key == SHIPPED_MODEL
    assert (SHIPPED.similarity, SHIPPED.coverage, SHIPPED.confidence, SHIPPED.source) == (
        DEFAULT_SIMILARITY,
        COVERAGE_FLOOR,
        CONFIDENCE_FLOOR,
        "default",
    )
    assert (STRANGE.similarity, STRANGE.confidence) == (None, None)


def test_a_question_that_the_notes_answer_is_ok_with_its_evidence(example: Project):
    verdict = example.search("why is the embedding model swappable").verdict
    evidence = verdict.evidence
    assert (verdict.status, verdict.reason) == ("ok", "")
    assert evidence.similarity is not None
    assert evidence.similarity > DEFAULT_SIMILARITY
    assert evidence.coverage == 1.0
    assert evidence.confidence is not None
    assert evidence.confidence >= CONFIDENCE_FLOOR
    assert evidence.floors.source == "default"
    assert len(evidence.floors.configuration) == 12
    assert evidence.freshness == {"fresh": 10}
    assert evidence.vector_index == "exact"
    assert (evidence.vectors.ready > 0, evidence.vectors.pending, evidence.vectors.other_identity) == (True, 0, 0)


@pytest.mark.parametrize("query", ["what is the capital of burkina faso", "who won the world cup 1998", "*", "zzyzx"])
def test_a_question_about_something_else_is_nothing_relevant_and_still_lists_what_came_nearest(
    example: Project, query: str
):
    execution = example.search(query)
    evidence = execution.verdict.evidence
    assert execution.results
    assert execution.verdict.status == "nothing_relevant"
    assert evidence.similarity is not None
    assert evidence.coverage is not None
    assert evidence.similarity < DEFAULT_SIMILARITY
    assert evidence.coverage < COVERAGE_FLOOR


def test_a_question_in_the_band_of_high_error_is_weak_and_says_the_number(example: Project):
    verdict = example.search("meeting notes march").verdict
    assert verdict.status == "weak"
    assert verdict.evidence.confidence is not None
    assert f"confidence {verdict.evidence.confidence:.2f} < {CONFIDENCE_FLOOR:.2f}" in verdict.reason


def test_the_verdict_is_about_the_ranking_not_about_the_page(example: Project):
    first, third = (example.search("buoy battery", limit=3, page=page).verdict for page in (1, 3))
    assert (first.status, first.similarity, first.coverage) == (third.status, third.similarity, third.coverage)
    assert first.evidence.signals == third.evidence.signals


def test_a_page_past_the_end_is_no_failure_of_the_search(example: Project):
    verdict = example.search("buoy battery", page=1000).verdict
    assert verdict.status == "ok"
    assert "past the last" in verdict.reason
    assert verdict.evidence.freshness == {}


def test_scope_empty_index_empty_and_nothing_matched_are_three_facts(example: Project):
    scoped = example.search("buoy", paths=("nowhere/",)).verdict
    assert (scoped.status, scoped.similarity) == ("scope_empty", None)
    assert "path nowhere/ lets through 0 of" in scoped.reason
    assert scoped.evidence.vectors.ready > 0
    assert example.search("zzyzx", mode="lexical").verdict.status == "nothing_relevant"
    with indexed({}) as project:
        verdict = project.search("buoy").verdict
        assert verdict.status == "index_empty"
        assert (verdict.evidence.vectors.ready, verdict.evidence.vectors.pending) == (0, 0)


def test_after_a_change_of_the_model_without_embedding_again_it_is_not_ready():
    with indexed({"a.md": "harbour\n", "b.md": "tide\n"}) as project:
        project.embedder = Renamed()
        for mode in ("hybrid", "dense"):
            verdict = project.search("harbour", mode=mode).verdict
            assert verdict.status == "not_ready"
            assert "another model's" in verdict.reason
            vectors = verdict.evidence.vectors
            assert (vectors.ready, vectors.pending, vectors.other_identity) == (0, 2, 2)
        assert verdict.evidence.freshness == {}
        project.index()
        assert project.search("harbour").verdict.status == "ok"


def test_zero_ready_and_behind_are_different_facts():
    notes = {f"{number:03}.md": f"harbour {number}\n" for number in range(150)}
    with indexed(notes, embed=False) as project:
        assert project.search("harbour").verdict.status == "not_ready"
        project.embedder = StopsHalfway(1)
        with pytest.raises(EmbeddingError):
            project.index()
        project.embedder = HashedWords()
        verdict = project.search("harbour").verdict
        assert verdict.status == "ok"
        assert (verdict.evidence.vectors.ready, verdict.evidence.vectors.pending) == (128, 22)
        assert sum(verdict.evidence.freshness.values()) == 10


@pytest.fixture
def half_new():
    """A vault with vectors for the old note and none for the new one."""
    with indexed({"old/a.md": "harbour\n"}) as project:
        (root_of(project) / "new").mkdir()
        (root_of(project) / "new" / "b.md").write_text("tide\n", encoding="utf-8")
        project.index(embed=False)
        yield project


@pytest.mark.parametrize("mode", ["hybrid", "dense"])
@pytest.mark.parametrize("query", ["zeppelin", "tide"])
def test_a_scope_without_a_single_vector_is_not_ready_and_not_nothing_relevant(
    half_new: Project, mode: Mode, query: str
):
    verdict = half_new.search(query, mode=mode, paths=("new/",)).verdict
    assert verdict.status == "not_ready"
    assert verdict.reason.startswith("no chunk in scope has a vector yet")
    assert (verdict.evidence.vectors.ready, verdict.evidence.vectors.pending) == (1, 1)


def test_a_scope_whose_vectors_are_all_there_does_not_wait_for_others(half_new: Project):
    assert half_new.search("zeppelin", paths=("old/",)).verdict.status != "not_ready"
    assert half_new.search("harbour", paths=("old/",)).verdict.status == "ok"
    assert half_new.search("zeppelin", mode="lexical", paths=("new/",)).verdict.status == "nothing_relevant"
    assert half_new.search("zeppelin", paths=("nowhere/",)).verdict.status == "scope_empty"


def test_a_model_that_fails_on_a_query_without_known_words_is_not_nothing_relevant():
    with indexed({"a.md": "harbour\n"}, embedder=DeafToQueries()) as project:
        verdict = project.search("zeppelin").verdict
        assert verdict.status == "not_ready"
        assert "meaning could not be searched" in verdict.reason


def test_returned_documents_are_counted_by_freshness():
    with indexed({"a.md": "harbour one\n", "b.md": "harbour two\n", "c.md": "harbour three\n"}) as project:
        root = root_of(project)
        (root / "a.md").write_text("harbour changed since\n", encoding="utf-8")
        (root / "b.md").unlink()
        assert project.search("harbour").verdict.evidence.freshness == {
            "fresh": 1,
            "rows_behind_file": 1,
            "unknown": 1,
        }


def test_a_model_without_floors_is_judged_by_words_and_says_what_to_do():
    with indexed({"a.md": "harbour\n", "b.md": "tide\n"}) as project:
        assert project.search("harbour").verdict.status == "ok"
        verdict = project.search("zzyzx").verdict
        assert verdict.status == "weak"
        assert "glassdex calibrate" in verdict.reason
        assert verdict.evidence.floors.similarity is None
        assert verdict.evidence.confidence is None


def test_without_the_query_s_vector_words_alone_decide():
    with indexed({"a.md": "harbour\n", "b.md": "tide\n"}, embedder=DeafToQueries()) as project:
        execution = project.search("harbour zzyzx quux")
        assert execution.verdict.status == "weak"
        assert execution.verdict.evidence.similarity is None


def test_below_a_threshold_nothing_is_relevant_and_the_count_is_said(example: Project):
    verdict = example.search("buoy battery", min_similarity=0.99, mode="dense").verdict
    assert verdict.status == "nothing_relevant"
    assert "all below the threshold" in verdict.reason


@given(st.floats(-1, 1), st.floats(0, 1), st.none() | st.floats(0, 1), st.sampled_from([SHIPPED, STRANGE]))
def test_more_of_anything_is_never_a_worse_verdict(similarity, coverage, confidence, floors):
    order = ["nothing_relevant", "weak", "ok"]
    status, reason = decide(similarity, coverage, confidence, floors)
    assert (reason == "") == (status == "ok")
    better = decide(
        min(1, similarity + 0.2),
        min(1, coverage + 0.2),
        None if confidence is None else min(1, confidence + 0.2),
        floors,
    )
    assert order.index(better[0]) >= order.index(status)


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_the_confidence_is_the_published_formula(closeness: float, agreement: float, coverage: float):
    logit = BIAS + WEIGHTS["closeness"] * closeness + WEIGHTS["agreement"] * agreement + WEIGHTS["coverage"] * coverage
    assert Signals(closeness, agreement, coverage).confidence == pytest.approx(1 / (1 + math.exp(-logit)), abs=1e-6)


def test_the_signals_can_be_recomputed_from_the_trace(example: Project):
    execution = example.search("salt water calibration")
    trace: dict[str, Any] = json.loads(search_answer(execution, "vault", explain=True).to_json())["trace"]
    candidates = trace["candidates"]
    cosines = sorted((c["legs"]["dense"]["score"] for c in candidates if "dense" in c["legs"]), reverse=True)
    ranked = {}
    for leg in ("lexical", "dense"):
        inside = [c for c in candidates if "rank" in c["legs"].get(leg, {})]
        inside.sort(key=lambda c: c["legs"][leg]["rank"])
        ranked[leg] = list(dict.fromkeys(c["document"] for c in inside))
    depth = min(30, len(ranked["lexical"]), len(ranked["dense"]))
    shares = [len(set(ranked["lexical"][:k]) & set(ranked["dense"][:k])) / k for k in range(1, depth + 1)]
    weights = [0.9**k for k in range(depth)]
    agreement = sum(w * s for w, s in zip(weights, shares, strict=True)) / sum(weights)
    signals = trace["verdict"]["evidence"]["signals"]
    assert signals["closeness"] == pytest.approx(sum(cosines[:3]) / 3, abs=1e-3)
    assert signals["agreement"] == pytest.approx(agreement, abs=1e-3)


def test_an_empty_scope_names_the_filter_that_emptied_it(example: Project):
    reason = example.search("buoy", paths=("runbooks/",), tags=("opz", "ops"), kinds=("entity",)).verdict.reason
    chunks = example.search("buoy", paths=("runbooks/",)).ledger.scope_total
    assert reason.endswith(f": tag opz or ops lets through 0 of {chunks} chunks")
    reason = example.search("buoy", since="1999", until="1999").verdict.reason
    assert ": date since 1999, until 1999 lets through 0 of " in reason
