"""Diversity: the head in the order of maximal marginal relevance, every number of it open, and nothing else changed."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from glassdex.envelopes.run import trace_text
from glassdex.envelopes.trace import make_trace
from glassdex.errors import InvalidRequest
from glassdex.evaluation.compare import compare
from glassdex.evaluation.judgments import JudgedQuery, Judgment, Judgments
from glassdex.evaluation.standings import standings
from glassdex.project import Project
from glassdex.search.diversify import HEAD, mmr
from glassdex.search.engine import Execution
from glassdex.search.ledger import Candidate, Diversified
from tests.search.test_ledger import check_flow
from tests.search.vaults import HashedWords, fusions, indexed, modes, paths, queries, texts, vaults

QUERY = "harbour tide winter"
trade_offs = st.sampled_from((0.0, 0.3, 0.5, 0.7, 1.0))


def naive(scores: list[float], similar: list[list[float]], trade_off: float) -> list[int]:
    """Carbonell and Goldstein's definition, written down: argmax over what is left of the whole expression."""
    lowest, highest = min(scores), max(scores)
    order: list[int] = []
    while len(order) < len(scores):
        values = {}
        for place in range(len(scores)):
            if place not in order:
                relevance = round((scores[place] - lowest) / (highest - lowest), 6) if highest > lowest else 1.0
                penalty = max((similar[place][other] for other in order), default=0.0)
                values[place] = round(trade_off * relevance - (1 - trade_off) * penalty, 6)
        order.append(min(values, key=lambda place: (-values[place], place)))
    return order


@st.composite
def heads(draw: st.DrawFn) -> tuple[list[float], list[list[float]]]:
    """Scores, best first, and a symmetric matrix of similarities, many of them alike."""
    shares = st.one_of(st.floats(0, 1).map(lambda value: round(value, 6)), st.sampled_from((0.0, 0.5, 1.0)))
    scores = sorted(draw(st.lists(shares, min_size=1, max_size=9)), reverse=True)
    size = len(scores)
    upper = {(a, b): draw(shares) for a in range(size) for b in range(a)}
    return scores, [[1.0 if a == b else upper[max(a, b), min(a, b)] for b in range(size)] for a in range(size)]


@settings(max_examples=300)
@given(heads(), st.one_of(trade_offs, st.floats(0, 1)))
def test_the_order_is_that_of_the_naive_loop(head, trade_off):
    scores, similar = head
    taken = mmr(scores, similar, trade_off)
    assert [one.place for one in taken] == naive(scores, similar, trade_off)
    values = [one.value for one in taken]
    assert values == sorted(values, reverse=True), "a later passage is never worth more than an earlier one"
    for position, one in enumerate(taken):
        above = [similar[one.place][other.place] for other in taken[:position]]
        assert one.similarity == max(above, default=0.0)
        assert (one.nearest is None) == (one.similarity == 0)
        assert one.nearest is None or similar[one.place][one.nearest] == one.similarity
        assert sum(one.parts.values()) == pytest.approx(one.value, abs=2e-6)


def test_an_empty_head_has_no_order():
    assert mmr([], [], 0.5) == []


def ordered(execution: Execution) -> list[Candidate]:
    """All candidates in the order of the results."""
    return sorted(execution.ledger.candidates.values(), key=lambda candidate: candidate.order)


def diversified_of(candidate: Candidate) -> Diversified:
    assert candidate.diversified is not None
    return candidate.diversified


def test_nothing_is_diversified_unless_asked(crowd: Project):
    execution = crowd.search(QUERY)
    assert all(stage.name != "diversify" for stage in execution.ledger.stages)
    assert all(candidate.diversified is None for candidate in execution.ledger.candidates.values())
    trace = make_trace(execution)
    assert (trace.engine.diversity, trace.request.diversify) == (None, None)


@settings(max_examples=40)
@given(vaults, queries, modes, fusions, st.integers(1, 3), trade_offs)
def test_pages_are_slices_of_one_diversified_order(notes, query, mode, fusion, limit, trade_off):
    with indexed(notes) as project:
        ask = {"mode": mode, "fusion": fusion, "diversify": trade_off}
        whole = project.search(query, limit=3 * limit, **ask)
        pages = [project.search(query, limit=limit, page=number, **ask) for number in (1, 2, 3)]
        assert [result for page in pages for result in page.results] == list(whole.results)
        for execution in (whole, *pages):
            check_flow(execution)


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(query=queries, mode=modes, fusion=fusions, trade_off=trade_offs, limit=st.integers(1, 60))
def test_every_number_can_be_recomputed_from_texts_and_scores(
    crowd: Project, query: str, mode, fusion: str, trade_off: float, limit: int
):
    plain = crowd.search(query, mode=mode, fusion=fusion, limit=limit)
    execution = crowd.search(query, mode=mode, fusion=fusion, limit=limit, diversify=trade_off)
    check_flow(execution)
    before, after = ordered(plain), ordered(execution)
    assert {c.name: c.score for c in after} == {c.name: c.score for c in before}, "scores stay what they were"
    assert [c.name for c in after[HEAD:]] == [c.name for c in before[HEAD:]], "the tail keeps its order"
    head = before[:HEAD]
    if not head:
        return
    similar = _cosines(crowd, head)
    expected = naive([candidate.score for candidate in head], similar, trade_off)
    found = after[: len(head)]
    assert [candidate.name for candidate in found] == [head[place].name for place in expected]
    for rank, (candidate, place) in enumerate(zip(found, expected, strict=True), start=1):
        record = diversified_of(candidate)
        assert (record.rank, record.rank_before) == (rank, place + 1)
        assert not record.vector_pending
        above = {head[other].name: similar[place][other] for other in expected[: rank - 1]}
        assert record.similarity == pytest.approx(max(above.values(), default=0.0), abs=1e-6)
        assert record.nearest is None or above[record.nearest] == pytest.approx(record.similarity, abs=1e-6)


def _cosines(project: Project, head: list[Candidate]) -> list[list[float]]:
    """Similarities from the texts: embedded anew, compared one by one."""
    with project.store.read() as snapshot:
        chunks = snapshot.chunks([candidate.record.chunk_id for candidate in head])
    made = [chunks[candidate.record.chunk_id] for candidate in head]
    embedded = HashedWords().embed_documents(
        ["\n".join(part for part in (c.breadcrumb, c.context, c.text) if part) for c in made]
    )
    return [
        [
            1.0 if a.text == b.text else round(max(0.0, float(one.astype(float) @ other.astype(float))), 6)
            for b, other in zip(made, embedded, strict=True)
        ]
        for a, one in zip(made, embedded, strict=True)
    ]


def test_with_all_weight_on_relevance_the_results_are_those_of_before(crowd: Project):
    assert crowd.search(QUERY, limit=1000, diversify=1.0).results == crowd.search(QUERY, limit=1000).results


def test_a_copy_goes_below_what_says_something_else():
    copied = "the harbour freezes in winter\n"
    notes = {"a.md": copied, "b.md": copied, "c.md": "the winter tide leaves the harbour late\n"}
    with indexed(notes) as project:
        assert paths(project.search("harbour freezes winter")) == ["a.md", "b.md", "c.md"]
        execution = project.search("harbour freezes winter", diversify=0.2)
        assert paths(execution) == ["a.md", "c.md", "b.md"]
        last = diversified_of(ordered(execution)[-1])
        assert last.similarity == 1.0
        assert last.nearest is not None
        assert last.nearest.startswith("a.md#")


def test_the_same_text_is_similar_even_before_it_has_a_vector():
    copied = "the harbour freezes in winter\n"
    notes = {"a.md": copied, "b.md": copied, "c.md": "the winter tide leaves the harbour late\n"}
    with indexed(notes, embed=False) as project:
        execution = project.search("harbour freezes winter", mode="lexical", diversify=0.3)
        assert paths(execution) == ["a.md", "c.md", "b.md"]
        records = [diversified_of(candidate) for candidate in ordered(execution)]
        assert [record.vector_pending for record in records] == [True] * 3
        assert [record.similarity for record in records] == [0.0, 0.0, 1.0]
        assert any("have no vector" in note for note in execution.ledger.notes)
        part = make_trace(execution).candidates[0].diversify
        assert part is not None
        assert part.vector_pending is True


def test_a_threshold_on_the_score_means_what_it_meant(crowd: Project):
    plain = crowd.search(QUERY, limit=1000, matches=100)
    floor = sorted(match.score for result in plain.results for match in result.matches)[-40]
    kept = crowd.search(QUERY, limit=1000, matches=100, min_score=floor)
    anew = crowd.search(QUERY, limit=1000, matches=100, min_score=floor, diversify=0.3)
    assert sorted(texts(anew)) == sorted(texts(kept))
    assert texts(anew) != texts(kept)


def test_the_head_does_not_depend_on_limit_or_page(crowd: Project):
    found = [crowd.search(QUERY, limit=limit, page=page, diversify=0.5) for limit, page in ((1, 1), (10, 3), (500, 1))]
    orders = [[candidate.name for candidate in ordered(execution)] for execution in found]
    assert orders[0] == orders[1] == orders[2]
    assert [sum(c.diversified is not None for c in e.ledger.candidates.values()) for e in found] == [HEAD] * 3


def test_the_trace_and_the_standings_know_the_stage(crowd: Project):
    execution = crowd.search(QUERY, diversify=0.4)
    trace = make_trace(execution)
    assert [stage.name for stage in trace.stages][-4:] == ["diversify", "threshold", "collapse", "page"]
    assert trace.engine.diversity is not None
    assert trace.engine.diversity.params == {"lambda": 0.4, "head": HEAD}
    found = standings(trace.to_json())
    placed = {unit: found.at("diversify", unit).rank for unit in found.units}
    assert [result.path for result in execution.results] == sorted(
        (unit for unit, rank in placed.items() if rank is not None and rank <= 10), key=lambda unit: placed[unit] or 0
    )


def test_a_comparison_says_that_diversity_moved_a_document(crowd: Project):
    path = paths(crowd.search(QUERY))[2]
    judged = Judgments("j", "yaml", (JudgedQuery("q", QUERY, (Judgment(path, 1, "line 1"),), "line 1"),))
    plain = crowd.evaluate(judged, trace_of=trace_text)
    anew = crowd.evaluate(judged, options={"diversify": 0.2}, trace_of=trace_text)
    found = compare(plain, anew)
    assert found.queries[0].moves
    assert {move.stage for move in found.queries[0].moves} == {"diversify"}


def test_watching_tells_the_place_and_changes_nobodys(crowd: Project):
    plain = crowd.search(QUERY, diversify=0.4, limit=1000)
    watched_path = paths(plain)[3]
    execution = crowd.search(QUERY, diversify=0.4, limit=1000, watch=(watched_path,))
    assert execution.results == plain.results
    chunks = [chunk for chunk in execution.ledger.watched[0].chunks if chunk.diversified]
    assert chunks
    ladder = crowd.why_not(QUERY, watched_path, diversify=0.4)
    rung = next(rung for rung in ladder.rungs if rung.name == "diversified")
    assert rung.passed
    assert "similarity" in rung.detail


@pytest.mark.parametrize("trade_off", [-0.1, 1.01, float("nan"), float("inf")])
def test_a_trade_off_outside_its_domain_is_refused(crowd: Project, trade_off: float):
    with pytest.raises(InvalidRequest, match="between 0 and 1"):
        crowd.search(QUERY, diversify=trade_off)


def test_a_listing_by_place_has_no_order_to_change(crowd: Project):
    path = crowd.search(QUERY).results[0].path
    assert crowd.search("", in_document=path, diversify=0.5).results == crowd.search("", in_document=path).results
