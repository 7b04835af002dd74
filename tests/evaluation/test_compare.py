"""Two searches side by side: which stage moved a document. Read from the traces, checked against the results."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from glassdex.envelopes.run import trace_text
from glassdex.errors import RunInvalid
from glassdex.evaluation.compare import Comparison, compare
from glassdex.evaluation.judgments import JudgedQuery, Judgments
from glassdex.evaluation.runs import Run
from glassdex.evaluation.standings import standings
from glassdex.model import Json
from glassdex.project import Project
from glassdex.rewriting import FurtherWords, Rewrite
from tests.search.vaults import indexed, queries, root_of, vaults

NOTES = {
    "tide.md": "# Tide\n\nThe tide table of the harbour.\n",
    "harbour.md": "# Harbour\n\nharbour harbour harbour quay\n",
    "winter.md": "# Winter\n\nThe harbour in winter is quiet and the quay is icy.\n",
    "lantern.md": "# Lantern\n\nA lantern on the quay.\n",
    "sailing.md": "# Sailing\n\nSailing past the harbour mouth, tide permitting.\n",
    "bread.md": "# Bread\n\nThe loaf rests.\n",
}
QUERIES = ("harbour quay", "winter tide", "lantern")


def asked(project: Project, options: Mapping[str, Json], texts: Sequence[str] = QUERIES, depth: int = 100) -> Run:
    judgments = Judgments("t", "plain", tuple(JudgedQuery(text, text, (), text) for text in texts))
    return project.evaluate(judgments, options=options, depth=depth, trace_of=trace_text)


def compared(project: Project, a: Mapping[str, Json], b: Mapping[str, Json], **more: Any) -> Comparison:
    return compare(asked(project, a, **more), asked(project, b, **more))


def stages(comparison: Comparison) -> set[str]:
    return {move.stage for query in comparison.queries for move in query.moves}


@pytest.fixture(scope="module")
def project():
    with indexed(NOTES) as opened:
        yield opened


def test_the_same_search_twice_moves_nothing(project: Project):
    found = compared(project, {}, {})
    assert stages(found) == set()
    assert [query.unmoved for query in found.queries] == [len(NOTES)] * 3
    assert (found.stages, found.warnings) == ((), ())


def test_another_formula_moves_at_the_fusion(project: Project):
    found = compared(project, {"fusion": "convex/1"}, {"fusion": "rrf/1"})
    assert stages(found) == {"fuse"}
    assert found.stages[0].moves == sum(len(query.moves) for query in found.queries)


def test_words_alone_against_both_moves_at_the_leg_that_was_missing(project: Project):
    found = compared(project, {"mode": "lexical"}, {"mode": "hybrid"})
    assert stages(found) == {"dense"}
    entered = [move for query in found.queries for move in query.moves if move.rank_a is None]
    assert entered
    assert all(move.detail.startswith("did not run → ") for move in entered)


def test_words_against_meaning_names_the_first_leg_that_differs(project: Project):
    found = compared(project, {"mode": "lexical"}, {"mode": "dense"})
    assert stages(found) <= {"lexical", "dense"}


def test_a_threshold_is_what_dropped_a_document_whatever_moved_before(project: Project):
    found = compared(project, {"mode": "lexical"}, {"mode": "hybrid", "min_similarity": 0.45})
    dropped = [move for query in found.queries for move in query.moves if move.rank_b is None]
    assert dropped
    assert {move.stage for move in dropped} == {"threshold"}
    assert all("dropped (below_min_similarity: similarity " in move.detail for move in dropped)


def test_a_filter_moves_at_the_scope(project: Project):
    found = compared(project, {}, {"paths": ["harbour.md", "winter.md"]})
    gone = [move for query in found.queries for move in query.moves if move.rank_b is None]
    assert gone
    assert {move.stage for move in gone} == {"scope"}
    assert gone[0].detail == "everything → path 2; never a candidate in B"


def test_a_change_of_a_note_moves_at_the_leg_whose_signal_changed(project: Project):
    with indexed(NOTES) as own:
        before = asked(own, {"mode": "lexical"})
        (root_of(own) / "winter.md").write_text(
            "# Winter\n\nharbour quay harbour quay harbour quay\n", encoding="utf-8"
        )
        own.index()
        after = asked(own, {"mode": "lexical"})
    found = compare(before, after)
    assert stages(found) == {"lexical"}
    assert any(warning.startswith("not the same content of the index (revision)") for warning in found.warnings)
    moves = {move.document: move for move in found.queries[0].moves}
    assert not moves["winter.md"].pushed


def test_a_document_beside_which_another_rose_was_pushed():
    notes = {
        f"{name}.md": f"{name} {'quay ' * count}{'stone ' * (9 - count)}\n"
        for name, count in zip("abc", (5, 3, 1), strict=True)
    }
    with indexed(notes) as own:
        before = asked(own, {"mode": "dense"}, ["quay"])
        ranks = [ranked.document for ranked in before.queries[0].ranked]
        last = ranks[-1]
        (root_of(own) / last).write_text("quay\n", encoding="utf-8")
        own.index()
        after = asked(own, {"mode": "dense"}, ["quay"])
    moves = {move.document: move for move in compare(before, after).queries[0].moves}
    assert not moves[last].pushed
    assert moves[ranks[0]].pushed, "its cosine is the same in both"
    assert moves[ranks[0]].stage == "dense"


def test_without_traces_the_ranks_are_compared_and_the_stage_is_unknown(project: Project):
    judgments = Judgments("t", "plain", tuple(JudgedQuery(text, text, (), text) for text in QUERIES))
    a, b = (project.evaluate(judgments, options={"fusion": fusion}) for fusion in ("convex/1", "rrf/1"))
    assert stages(compare(a, b)) == {"unknown"}


def test_a_rank_beyond_what_was_returned_is_known_from_the_trace(project: Project):
    found = compared(project, {"fusion": "convex/1"}, {"fusion": "rrf/1"}, depth=1)
    moved = [move for query in found.queries for move in query.moves]
    assert any(move.rank_a and move.rank_a > 1 for move in moved)
    assert all(move.stage == "fuse" for move in moved)


def test_standings_are_the_ranks_of_the_results(project: Project):
    run = asked(project, {})
    for query in run.queries:
        assert query.trace is not None
        found = standings(query.trace)
        for ranked in query.ranked:
            assert found.final(ranked.unit).rank == ranked.rank
            assert found.returned(ranked.unit)
        assert found.stages == ("lexical", "dense", "fuse", "feedback", "threshold", "collapse", "page")


def made_trace(*candidates: Mapping[str, Any], stages: Sequence[str] = ("fuse",)) -> str:
    """A trace of these candidates; the fusion is always the same."""
    names = ["scope", "lexical", "dense", "complete", *stages, "threshold", "collapse", "page"]
    fusion = {"name": "convex", "version": 1, "params": {}}
    return json.dumps(
        {
            "stages": [{"name": name} for name in names],
            "candidates": candidates,
            "scope": {"filters": []},
            "engine": {"fusion": fusion},
        }
    )


def candidate(
    name: str, rank: int, *, legs: tuple[int, int] | None = None, parts: tuple[float, float] = (0.5, 0.5), **more: Any
) -> dict[str, Any]:
    ranks = legs or (rank, rank)
    return {
        "document": name,
        "pointer": f"{name}#c=0-1@0",
        "legs": {leg: {"rank": own, "score": 1 / own} for leg, own in zip(("lexical", "dense"), ranks, strict=True)},
        "fused": {"rank": rank, "score": sum(parts), "parts": dict(zip(("lexical", "dense"), parts, strict=True))},
        **more,
    }


@pytest.fixture(scope="module")
def traced():
    """Makes a run of one query with a given trace."""
    with indexed({"a.md": "a"}) as own:
        base = asked(own, {}, ["a"])
    return lambda text: replace(base, queries=(replace(base.queries[0], trace=text, ranked=()),))


def causes(comparison: Comparison) -> dict[str, tuple[str, bool]]:
    return {move.document: (move.stage, move.pushed) for move in comparison.queries[0].moves}


def test_a_stage_that_reranks_is_read_from_the_trace(traced: Callable[[str], Run]):
    plain = made_trace(candidate("a", 1), candidate("b", 2), candidate("c", 3))
    reranked = made_trace(
        candidate("a", 1, rerank={"rank": 2, "score": 0.1, "blended": 0.4}),
        candidate("b", 2, rerank={"rank": 1, "score": 0.9, "blended": 0.5}),
        candidate("c", 3),
        stages=("fuse", "rerank"),
    )
    assert [standings(plain).final(unit).rank for unit in "abc"] == [1, 2, 3]
    assert [standings(reranked).final(unit).rank for unit in "abc"] == [2, 1, 3]
    found = causes(compare(traced(plain), traced(reranked)))
    assert found == {"a": ("rerank", False), "b": ("rerank", False)}


def test_one_formula_and_the_same_ranks_before_it_leave_a_leg_s_score_as_the_cause(traced: Callable[[str], Run]):
    before = made_trace(
        candidate("a", 1, legs=(1, 2), parts=(0.5, 0.4)), candidate("b", 2, legs=(2, 1), parts=(0.3, 0.5))
    )
    after = made_trace(
        candidate("a", 2, legs=(1, 2), parts=(0.5, 0.2)), candidate("b", 1, legs=(2, 1), parts=(0.3, 0.5))
    )
    found = compare(traced(before), traced(after))
    assert causes(found) == {"a": ("dense", False), "b": ("fuse", True)}
    assert found.queries[0].moves[0].detail == "after the fusion 1 → 2"


@pytest.mark.parametrize("text", ["{}", "[]", "null", '{"candidates": [1], "stages": []}', "{"])
def test_a_damaged_trace_is_refused(text: str):
    with pytest.raises(RunInvalid, match="is damaged"):
        standings(text)


CONFIGURATIONS: tuple[dict[str, Json], ...] = (
    {},
    {"fusion": "rrf/1"},
    {"fusion": "bonus/1"},
    {"mode": "lexical"},
    {"mode": "dense"},
    {"min_similarity": 0.3},
    {"min_score": 0.5},
    {"paths": ["a.md", "notes/"]},
    {"kinds": ["entity"]},
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(vaults, queries, st.sampled_from(CONFIGURATIONS), st.sampled_from(CONFIGURATIONS))
def test_every_move_has_one_cause_and_turning_the_runs_round_changes_none(
    notes: Mapping[str, str], query: str, one: Mapping[str, Json], other: Mapping[str, Json]
):
    with indexed(notes) as project:
        a, b = asked(project, one, [query]), asked(project, other, [query])
    if not a.queries or not b.queries:
        return
    there, back = compare(a, b), compare(b, a)
    known = {"scope", "lexical", "dense", "fuse", "threshold", "collapse", "page"}
    for move, turned in zip(there.queries[0].moves, back.queries[0].moves, strict=True):
        assert move.stage in known
        assert (move.unit, move.stage, move.pushed) == (turned.unit, turned.stage, turned.pushed)
        assert (move.rank_a, move.rank_b) == (turned.rank_b, turned.rank_a)
        if one == other:
            raise AssertionError("the same search moved a document")
    ranks = [{r.unit: r.rank for r in run.queries[0].ranked} for run in (a, b)]
    moved = {unit for unit in {**ranks[0], **ranks[1]} if ranks[0].get(unit) != ranks[1].get(unit)}
    assert moved == {move.unit for move in there.queries[0].moves}


def test_reordered_and_reworded_queries_are_paired_by_id(project: Project):
    a, b = asked(project, {}, ["harbour", "tide"]), asked(project, {}, ["tide", "loaf"])
    found = compare(a, b)
    assert [query.query for query in found.queries] == ["tide"]
    assert (found.only_a, found.only_b) == (("harbour",), ("loaf",))


def test_in_memory_runs_need_no_file(project: Project, tmp_path: Path):
    assert not list(tmp_path.iterdir())
    run = project.evaluate(Judgments("t", "plain", (JudgedQuery("q", "harbour", (), "1"),)))
    assert run.overall == {}
    assert run.queries[0].ranked


class Adds:
    """A rewriter that adds the same to every query."""

    name, kind = "adds", "both"

    def __init__(self, *words: str, texts: tuple[str, ...] = ()) -> None:
        self.made = Rewrite(tuple(FurtherWords(word, 1.0) for word in words), texts)
        self.identity = f"adds {self.made}"

    def rewrite(self, query: str) -> Rewrite:
        return self.made


@pytest.mark.parametrize(
    ("mode", "adds"), [("lexical", Adds("bread", "loaf")), ("dense", Adds(texts=("The loaf rests.",) * 3))]
)
def test_a_rewritten_query_moves_at_the_rewriter_and_not_at_the_leg(project: Project, mode: str, adds: Adds):
    project.rewriters["adds"] = adds
    found = compared(project, {"mode": mode}, {"mode": mode, "rewrite": "adds"})
    assert stages(found) == {"rewrite"}
    assert any(move.document == "bread.md" and move.is_gain for query in found.queries for move in query.moves)
    assert stages(compared(project, {"rewrite": "adds"}, {"rewrite": "adds"})) == set()


def test_beside_a_rewriter_what_else_differs_is_named_as_ever(project: Project):
    project.rewriters["adds"] = Adds("bread")
    both = {"rewrite": "adds"}
    assert stages(compared(project, both, {**both, "fusion": "rrf/1"})) == {"fuse"}
    for a, b in (({"mode": "lexical"}, {"mode": "dense", **both}), ({"mode": "dense"}, {"mode": "lexical", **both})):
        assert "rewrite" not in stages(compared(project, a, b)), "a leg that ran in one alone is the cause itself"
        assert "rewrite" not in stages(compared(project, b, a))


def test_what_front_matter_weighs_moves_at_that_stage():
    notes = {name: f"---\nweight: {number / 10}\n---\n{text}" for number, (name, text) in enumerate(NOTES.items())}
    with indexed(notes) as own:
        found = compared(own, {}, {"weights": True})
        assert stages(found) == {"weight"}
        assert stages(compared(own, {"weights": True}, {"weights": True})) == set()


def test_a_document_that_a_link_moved_was_moved_by_the_graph():
    crowd = {f"x/{number:03}.md": f"quay quay {number}\n" for number in range(220)}
    notes = crowd | {
        "old.md": "quay quay quay quay\n\n- superseded_by [[new]]\n- part_of [[far]]\n",
        "new.md": "one quay among other words, with more of them, and yet some more words, so that it is last\n",
        "far.md": "nothing of the kind\n",
    }
    with indexed(notes) as own:
        plain, expanded = (asked(own, {"mode": "lexical", "expand": n}, ["quay"], depth=300) for n in (0, 3))
        found = compare(plain, expanded, top=300)
    assert stages(found) == {"graph"}
    moves = {move.document: move for move in found.queries[0].moves}
    assert moves["new.md"].rank_b == 1 and not moves["new.md"].pushed
    assert moves["far.md"].rank_a is None and moves["far.md"].rank_b is not None
    assert moves["old.md"].pushed
