"""A threshold is off unless asked for; whoever it drops leaves with the number that failed."""

from __future__ import annotations

import pytest

from glassdex.project import Project
from tests.search.vaults import HashedWords, StopsHalfway, indexed


def test_min_similarity_keeps_whoever_reaches_it_exactly(crowd: Project):
    free = crowd.search("harbour tide", limit=1000)
    cosines = sorted(c.legs["dense"].score for c in free.ledger.candidates.values())
    border = cosines[len(cosines) // 2]
    execution = crowd.search("harbour tide", limit=1000, min_similarity=border)
    for candidate in execution.ledger.candidates.values():
        similarity = candidate.legs["dense"].score
        if similarity >= border:
            assert candidate.exit is None or candidate.exit.stage != "threshold"
        else:
            assert candidate.exit is not None
            assert (candidate.exit.stage, candidate.exit.reason) == ("threshold", "below_min_similarity")
            assert candidate.exit.detail == f"similarity {similarity:.6f} < {border:g}"
    stage = next(stage for stage in execution.ledger.stages if stage.name == "threshold")
    assert stage.dropped["below_min_similarity"] == sum(cosine < border for cosine in cosines) > 0


@pytest.mark.parametrize("mode", ["hybrid", "lexical", "dense"])
def test_min_score_is_on_the_scale_of_the_final_score(crowd: Project, mode):
    free = crowd.search("harbour tide", mode=mode, limit=1000)
    border = free.results[len(free.results) // 2].score
    execution = crowd.search("harbour tide", mode=mode, limit=1000, min_score=border)
    assert 0 < len(execution.results) < len(free.results)
    for candidate in execution.ledger.candidates.values():
        if candidate.score < border:
            assert candidate.exit is not None
            assert candidate.exit.reason == "below_min_score"
            assert candidate.exit.detail == f"score {candidate.score:.6f} < {border:g}"
        else:
            assert candidate.exit is None or candidate.exit.stage != "threshold"


def test_a_threshold_changes_no_score_and_no_order(crowd: Project):
    free = crowd.search("harbour tide", limit=1000)
    kept = crowd.search("harbour tide", limit=1000, min_score=0.5)
    scores = {c.record.chunk_id: c.fused for c in free.ledger.candidates.values()}
    assert {c.record.chunk_id: c.fused for c in kept.ledger.candidates.values()} == scores
    assert [r.path for r in kept.results] == [r.path for r in free.results][: len(kept.results)]


def test_min_similarity_drops_nothing_from_a_search_by_words(crowd: Project):
    free = crowd.search("harbour tide", mode="lexical", limit=50)
    assert crowd.search("harbour tide", mode="lexical", limit=50, min_similarity=1.0).results == free.results


def test_a_hit_without_a_vector_passes_min_similarity():
    notes = {f"{number:03}.md": f"harbour {number}\n" for number in range(150)}
    with indexed(notes, embed=False) as project:
        project.embedder = StopsHalfway(1)
        with pytest.raises(Exception, match="went away"):
            project.index()
        project.embedder = HashedWords()
        execution = project.search("harbour", limit=1000, min_similarity=1.0)
        passed = [c for c in execution.ledger.candidates.values() if c.exit is None]
        assert passed
        assert all(candidate.vector_pending for candidate in passed)


def test_everything_below_the_threshold_is_nothing_relevant(crowd: Project):
    execution = crowd.search("harbour", min_score=1_000.0)
    assert execution.results == ()
    assert execution.verdict.status == "nothing_relevant"
    assert execution.page.total == 0
