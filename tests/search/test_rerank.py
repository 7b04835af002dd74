"""Reranking: the head is read once more, the tail stays below it, and a failure changes nothing but what is said."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from glassdex.envelopes.trace import make_trace
from glassdex.errors import InvalidRequest, RerankError
from glassdex.project import Project
from glassdex.search.engine import Execution
from glassdex.search.ledger import Candidate, Fused, Reranked
from glassdex.search.request import SearchOptions
from glassdex.search.rerank import HEAD, WATCHED_CHUNKS, blend
from tests.search.test_ledger import check_flow
from tests.search.vaults import fusions, indexed, modes, paths, queries, root_of, vaults

QUERY = "harbour tide winter"


class CountsLetters:
    """A score that has nothing to do with the query: how many passages' letters are an `e`, per letter."""

    name = "letters"
    identity = "letters/1"
    scale = "share of letters, 0..1"

    def __init__(self) -> None:
        self.asked: list[tuple[str, tuple[str, ...]]] = []

    def rerank(self, query: str, passages: Sequence[str]) -> list[float]:
        self.asked.append((query, tuple(passages)))
        return [sum(letter in "aeiou" for letter in passage) / (1 + len(passage)) for passage in passages]


class Fails(CountsLetters):
    """Gives whatever `answer` gives."""

    def __init__(self, answer: Callable[[Sequence[str]], list[float]]) -> None:
        super().__init__()
        self.answer = answer

    def rerank(self, query: str, passages: Sequence[str]) -> list[float]:
        return self.answer(passages)


@pytest.fixture
def letters(crowd: Project) -> Iterator[CountsLetters]:
    """The crowd may be asked to rerank by letters."""
    crowd.rerankers["letters"] = made = CountsLetters()
    yield made
    crowd.rerankers.clear()


def ordered(execution: Execution) -> list[Candidate]:
    """All candidates in the order of retrieval."""
    return sorted(execution.ledger.candidates.values(), key=lambda candidate: candidate.fused_order)


def fused_of(candidate: Candidate) -> Fused:
    assert candidate.fused is not None
    return candidate.fused


def reranked_of(candidate: Candidate) -> Reranked:
    assert candidate.reranked is not None
    return candidate.reranked


def test_nobody_reranks_unless_asked(crowd: Project, letters: CountsLetters):
    execution = crowd.search(QUERY)
    assert letters.asked == []
    assert execution.ledger.reranking is None
    assert all(stage.name != "rerank" for stage in execution.ledger.stages)
    assert execution.verdict.evidence.rerank is None
    assert make_trace(execution).engine.reranker is None


def test_a_search_that_reranks_nothing_loads_no_reranker(tmp_path: Path):
    (tmp_path / "a.md").write_text("the harbour freezes\n")
    script = (
        "import sys, glassdex\n"
        "with glassdex.Project.in_memory(sys.argv[1]) as project:\n"
        "    project.index()\n"
        "    assert project.search('harbour').results\n"
        "loaded = [m for m in sys.modules if m.startswith('glassdex.reranking')]\n"
        "print(sorted(loaded), 'http.client' in sys.modules, 'glassdex.embedding.token_vectors' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script, str(tmp_path)], capture_output=True, text=True, check=True)
    cheap = ["glassdex.reranking", "glassdex.reranking.protocol", "glassdex.reranking.registry"]
    assert done.stdout.strip() == f"{cheap} False False"


@settings(max_examples=40)
@given(vaults, queries, modes, fusions, st.integers(1, 3), st.sampled_from((0.0, 0.3, 1.0)))
def test_pages_are_slices_of_one_reranked_order(notes, query, mode, fusion, limit, weight):
    with indexed(notes) as project:
        project.rerankers["letters"] = CountsLetters()
        ask = {"mode": mode, "fusion": fusion, "rerank": "letters", "rerank_weight": weight}
        whole = project.search(query, limit=3 * limit, **ask)
        pages = [project.search(query, limit=limit, page=number, **ask) for number in (1, 2, 3)]
        assert [result for page in pages for result in page.results] == list(whole.results)
        for execution in (whole, *pages):
            check_flow(execution)


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(query=queries, mode=modes, fusion=fusions, weight=st.floats(0, 1), limit=st.integers(1, 60))
def test_every_number_of_a_reranking_can_be_recomputed(
    crowd: Project, letters: CountsLetters, query, mode, fusion, weight, limit
):
    ranking_options = SearchOptions(mode=mode, fusion=fusion, limit=limit, feedback="off")
    execution = crowd.search(query, **{**ranking_options, "rerank": "letters", "rerank_weight": weight})
    check_flow(execution)
    everyone = ordered(execution)
    head, tail = everyone[:HEAD], everyone[HEAD:]
    assert all(candidate.reranked is None for candidate in tail)
    if not head:
        return
    fused = [fused_of(candidate).score for candidate in head]
    read = [reranked_of(candidate).score for candidate in head]
    for candidate in head:
        spread = (reranked_of(candidate).score - min(read)) / (max(read) - min(read)) if max(read) > min(read) else 0
        mapped = min(fused) + (max(fused) - min(fused)) * spread
        expected = (1 - weight) * fused_of(candidate).score + weight * mapped
        assert reranked_of(candidate).blended == pytest.approx(expected, abs=2e-6)
        assert reranked_of(candidate).rank_before == fused_of(candidate).rank
    ranking = sorted(everyone, key=lambda candidate: candidate.order)
    assert [reranked_of(candidate).rank for candidate in ranking[: len(head)]] == list(range(1, len(head) + 1))
    assert ranking[len(head) :] == tail, "the tail keeps its order, below the head"
    assert [c.score for c in ranking] == sorted((c.score for c in ranking), reverse=True)


def test_the_head_does_not_depend_on_limit_or_page(crowd: Project, letters: CountsLetters):
    for limit, page in ((1, 1), (10, 3), (1000, 1)):
        crowd.search(QUERY, limit=limit, page=page, rerank="letters")
    assert len(set(letters.asked)) == 1
    assert len(letters.asked[0][1]) == HEAD


def test_weight_zero_is_the_order_of_retrieval_and_weight_one_the_rerankers(crowd: Project, letters: CountsLetters):
    plain = crowd.search(QUERY, limit=1000)
    assert paths(crowd.search(QUERY, limit=1000, rerank="letters", rerank_weight=0.0)) == paths(plain)
    alone = crowd.search(QUERY, limit=1000, rerank="letters", rerank_weight=1.0)
    head = sorted(ordered(alone)[:HEAD], key=lambda candidate: candidate.order)
    scores = [reranked_of(candidate).score for candidate in head]
    assert scores == sorted(scores, reverse=True)
    assert paths(alone) != paths(plain)


def test_it_reads_what_was_embedded_and_the_query_without_its_operators():
    note = "# Winter\n\nThe harbour freezes.\n\n## Boats\n\nBoats stay ashore in the harbour.\n"
    with indexed({"a.md": note}) as project:
        project.rerankers["letters"] = made = CountsLetters()
        project.search('harbour "boats stay" -zebra', rerank="letters")
    ((query, passages),) = made.asked
    assert "zebra" not in query and '"' not in query
    assert passages == ("Winter › Boats\n## Boats\n\nBoats stay ashore in the harbour.",)


FAILURES = {
    "raises": (
        lambda passages: (_ for _ in ()).throw(RerankError("the service is away", "start it")),
        "service is away",
    ),
    "breaks": (lambda passages: [1 / 0], "ZeroDivisionError: division by zero"),
    "too few": (lambda passages: [0.5], "gave 1 scores for 50 passages"),
    "none": (lambda passages: [], "gave 0 scores for 50 passages"),
    "nan": (lambda passages: [float("nan")] * len(passages), "gave a score that is not finite"),
    "infinite": (lambda passages: [*[0.5] * (len(passages) - 1), float("inf")], "gave a score that is not finite"),
    "no numbers": (lambda passages: ["high"] * len(passages), "ValueError: could not convert string to float"),
}


@pytest.mark.parametrize("kind", FAILURES)
def test_a_failure_leaves_the_order_of_retrieval_and_says_so(crowd: Project, letters: CountsLetters, kind: str):
    answer, reason = FAILURES[kind]
    crowd.rerankers["letters"] = Fails(answer)
    plain, failed = crowd.search(QUERY), crowd.search(QUERY, rerank="letters")
    assert failed.results == plain.results
    assert [candidate.fused for candidate in ordered(failed)] == [candidate.fused for candidate in ordered(plain)]
    check_flow(failed)
    assert failed.verdict.status == plain.verdict.status
    assert failed.verdict.reason.endswith("not reranked: the order is that of retrieval")
    assert failed.verdict.evidence.rerank == "fallback"
    assert len(failed.ledger.notes) == 1
    assert failed.ledger.notes[0].startswith("not reranked: ") and reason in failed.ledger.notes[0]
    trace = make_trace(failed)
    assert trace.engine.reranker is not None and trace.engine.reranker.fallback is not None
    assert reason in trace.engine.reranker.fallback.reason
    assert all(candidate.rerank is None for candidate in trace.candidates)


def test_a_model_that_is_not_there_is_a_failure_and_a_name_that_is_not_there_is_a_wrong_request(crowd: Project):
    execution = crowd.search(QUERY, rerank="cross-encoder:/no/such/folder")
    assert "/no/such/folder is no cross-encoder's folder" in execution.ledger.notes[0]
    assert execution.results
    for asked in ("nonsense", "http:unheard-of"):
        with pytest.raises(InvalidRequest, match="reranker"):
            crowd.search(QUERY, rerank=asked)
    with pytest.raises(InvalidRequest, match="it must name a reranker"):
        crowd.search(QUERY, rerank="")
    for weight in (-0.1, 1.1, float("nan")):
        with pytest.raises(InvalidRequest, match="rerank-weight"):
            crowd.search(QUERY, rerank="letters", rerank_weight=weight)
    crowd.rerankers.clear()


def test_the_verdict_is_that_of_retrieval(crowd: Project, letters: CountsLetters):
    plain, reranked = crowd.search(QUERY).verdict, crowd.search(QUERY, rerank="letters", rerank_weight=1.0).verdict
    assert (reranked.status, reranked.reason) == (plain.status, plain.reason)
    assert (reranked.similarity, reranked.coverage) == (plain.similarity, plain.coverage)
    assert reranked.evidence.signals == plain.evidence.signals
    assert reranked.evidence.rerank == "done"


def test_the_floors_are_held_against_the_order_that_they_were_measured_in(example: Project):
    example.rerankers["letters"] = CountsLetters()
    query = "why is the embedding model swappable"
    plain = example.search(query).verdict
    reranked = example.search(query, rerank="letters", rerank_weight=1.0).verdict
    assert plain.evidence.signals is not None
    assert reranked.evidence.signals == plain.evidence.signals
    assert reranked.status == plain.status


def test_who_was_read_and_fell_to_the_bottom_stays_above_who_was_not_read():
    notes = {f"n{number:02}.md": "harbour aeiou\n" for number in range(HEAD + 10)}
    with indexed({**notes, "zz.md": "harbour tide bcdfg hjklm npqrs\n"}) as project:
        project.rerankers["letters"] = CountsLetters()
        execution = project.search("harbour tide", mode="lexical", limit=100, rerank="letters", rerank_weight=1.0)
    assert ordered(execution)[0].record.path == "zz.md"
    last = ordered(execution)[-1]
    assert execution.results[HEAD - 1].path == "zz.md"
    assert last.score == execution.ledger.candidates[ordered(execution)[0].record.chunk_id].score, "a tie, in score"


def test_the_trace_has_ranks_scores_blend_and_configuration(crowd: Project, letters: CountsLetters):
    execution = crowd.search(QUERY, rerank="letters", rerank_weight=0.5, feedback="off")
    trace = make_trace(execution)
    reranker = trace.engine.reranker
    assert reranker is not None and reranker.fallback is None
    assert (reranker.config.name, reranker.config.identity) == ("letters", "letters/1")
    assert (reranker.config.scale, reranker.config.blend) == ("share of letters, 0..1", "blend/1")
    assert reranker.config.params == {"w": 0.5, "head": HEAD}
    assert (trace.request.rerank, trace.request.rerank_weight) == ("letters", 0.5)
    parts = [candidate.rerank for candidate in trace.candidates]
    assert [part.rank_before for part in parts[:HEAD] if part] == list(range(1, HEAD + 1))
    assert parts[HEAD:] == [None] * (len(parts) - HEAD)
    stage = next(stage for stage in trace.stages if stage.name == "rerank")
    assert stage.measured == {"reranked": HEAD}
    assert [s.name for s in trace.stages].index("rerank") == [s.name for s in trace.stages].index("fuse") + 1


def test_ties_are_marked_by_the_score_that_ranks(crowd: Project, letters: CountsLetters):
    execution = crowd.search(QUERY, rerank="letters", rerank_weight=1.0)
    by_score: dict[float, int] = {}
    for candidate in execution.ledger.candidates.values():
        by_score[candidate.score] = by_score.get(candidate.score, 0) + 1
    for candidate in execution.ledger.candidates.values():
        assert len(candidate.tied_with) == min(by_score[candidate.score] - 1, 10)


def test_min_score_is_held_against_the_blended_score(crowd: Project, letters: CountsLetters):
    free = crowd.search(QUERY, limit=1000, rerank="letters", rerank_weight=1.0)
    border = free.results[3].score
    kept = crowd.search(QUERY, limit=1000, rerank="letters", rerank_weight=1.0, min_score=border)
    assert 0 < len(kept.results) < len(free.results)
    assert all(match.score >= border for result in kept.results for match in result.matches)
    best = {candidate.record.path: candidate for candidate in reversed(ordered(kept))}
    dropped = next(  # its fused score would pass: what it lacks is the blended one
        path for path, candidate in best.items() if candidate.score < border <= fused_of(candidate).score
    )
    assert dropped not in paths(kept)
    (proposal,) = kept.why_not(dropped).proposals
    assert proposal.verified and proposal.changes is not None
    assert "--min-score" in proposal.change


def test_passages_that_are_listed_by_place_are_not_reranked(crowd: Project, letters: CountsLetters):
    execution = crowd.search("", in_document="0/note-000.md", rerank="letters")
    assert execution.results and letters.asked == []
    assert execution.ledger.reranking is None


def test_nothing_found_is_nothing_to_rerank(crowd: Project, letters: CountsLetters):
    execution = crowd.search("harbour", paths=("nowhere/",), rerank="letters")
    assert execution.verdict.status == "scope_empty"
    assert letters.asked == []
    assert execution.verdict.evidence.rerank == "done"


def test_a_watched_document_is_scored_apart_and_moves_nobody(crowd: Project, letters: CountsLetters):
    plain = crowd.search(QUERY, rerank="letters")
    last = ordered(plain)[-1].record.path
    watching = crowd.search(QUERY, rerank="letters", watch=(last, plain.results[0].path))
    assert watching.results == plain.results
    assert [c.reranked for c in ordered(watching)] == [c.reranked for c in ordered(plain)]
    assert letters.asked[0] == letters.asked[1], "the candidates' own call is the same"
    apart = letters.asked[2:]
    assert all(len(passages) <= WATCHED_CHUNKS for _, passages in apart)
    outside, inside = watching.ledger.watched
    scored = [chunk for chunk in outside.chunks if chunk.rerank_score is not None]
    assert scored and all(chunk.reranked is None for chunk in scored)
    assert any(chunk.reranked for chunk in inside.chunks)
    part = make_trace(watching).watched
    assert part is not None
    assert any(chunk.rerank_score is not None and chunk.rerank is None for chunk in part[0].chunks)


def test_the_ladder_says_what_the_reranker_did(crowd: Project, letters: CountsLetters):
    execution = crowd.search(QUERY, limit=1000, rerank="letters")
    behind = ordered(execution)[-1].record.path
    tops = {candidate.record.path for candidate in ordered(execution)[:HEAD]}
    rungs = {rung.name: rung for rung in execution.why_not(paths(execution)[0]).rungs}
    assert rungs["reranked"].passed is True
    assert " → " in rungs["reranked"].detail
    assert behind not in tops, "the crowd no longer has a document behind the head alone"
    rungs = {rung.name: rung for rung in execution.why_not(behind).rungs}
    assert rungs["reranked"].passed is False
    assert f"only the first {HEAD} were reranked; its score would be " in rungs["reranked"].detail
    crowd.rerankers["letters"] = Fails(lambda passages: [])
    rungs = {rung.name: rung for rung in crowd.search(QUERY, rerank="letters").why_not(behind).rungs}
    assert rungs["reranked"].passed is None
    assert "it failed, the order is that of retrieval" in rungs["reranked"].detail


def test_a_watched_document_without_a_score_is_said(crowd: Project, letters: CountsLetters):
    behind = ordered(crowd.search(QUERY))[-1].record.path

    def answer(passages: Sequence[str]) -> list[float]:
        if len(passages) == HEAD:
            return [0.5] * HEAD
        raise RerankError("the service went away")

    crowd.rerankers["letters"] = Fails(answer)
    execution = crowd.search(QUERY, rerank="letters", watch=(behind,))
    assert execution.ledger.notes == [f"{behind} was watched without the reranker's score: the service went away"]
    assert execution.verdict.evidence.rerank == "done"


def test_a_stale_hit_stays_marked_through_it():
    notes = {f"{name}.md": f"the harbour at {name} freezes in winter\n" for name in ("a", "bee", "sea", "dee")}
    with indexed(notes) as project:
        project.rerankers["letters"] = CountsLetters()
        (root_of(project) / "sea.md").write_text("something else entirely, and longer than before\n")
        plain = project.search("harbour winter")
        reranked = project.search("harbour winter", rerank="letters", rerank_weight=1.0)
    states = {result.path: result.freshness.state for result in reranked.results}
    assert states == {result.path: result.freshness.state for result in plain.results}
    assert states["sea.md"] == "rows_behind_file"
    assert paths(reranked) != paths(plain)


def test_an_opened_reranker_is_kept_for_the_next_search(example: Project):
    first = example.search("embedding model", rerank="late-interaction")
    kept = example.rerankers["late-interaction"]
    second = example.search("embedding model", rerank="late-interaction")
    assert example.rerankers["late-interaction"] is kept
    assert first.results == second.results
    assert first.ledger.reranking == second.ledger.reranking
    assert first.verdict.evidence.rerank == "done"


def test_blending_nothing_is_nothing():
    assert blend([], [], 0.3) == []
    assert blend([0.4], [7.0], 0.3) == [0.4]
    assert blend([0.8, 0.4], [2.0, 2.0], 0.5) == [0.6, 0.4]
