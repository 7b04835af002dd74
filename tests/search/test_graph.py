"""The graph: what a link joins with the best documents comes in or up, inside the scope, and says how."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from glassdex.envelopes.search import search_answer
from glassdex.errors import InvalidRequest
from glassdex.evaluation.standings import standings
from glassdex.project import Project
from glassdex.search.engine import Execution
from glassdex.search.graph import PASSAGES, SEEDS, SHARE, STEP, VIA
from glassdex.search.ledger import Candidate, Linked, Stage
from glassdex.search.link_graph import route_of
from tests.search.test_ledger import ROUNDING, check_flow
from tests.search.vaults import PLACES, WORDS, fusions, indexed, modes, paths, queries, root_of, write_notes

FILLER = {f"filler/{number:03}.md": f"tape drive number {number}\n" for number in range(240)}
"""More passages with a word of the query than a leg's window holds."""


def stage_of(execution: Execution) -> Stage:
    return next(stage for stage in execution.ledger.stages if stage.name == "graph")


def of(execution: Execution, path: str) -> list[Candidate]:
    return [candidate for candidate in execution.ledger.candidates.values() if candidate.record.path == path]


def best(execution: Execution, path: str) -> Candidate:
    return min(of(execution, path), key=lambda candidate: candidate.order)


def plain(answer: dict[str, Any]) -> str:
    """An answer as JSON without times."""
    for stage in answer["trace"]["stages"]:
        stage.pop("ms")
    answer["trace"].pop("ms")
    for execution in answer.pop("executions"):
        assert execution["project"] == "p"
    return json.dumps(answer)


# Successors


def test_a_superseded_note_that_matches_leads_to_what_replaced_it():
    notes = {
        "old.md": "# Backups\n\nnightly backup to tape\n\n- superseded_by [[new]]\n",
        "new.md": "# Snapshots\n\nevery hour the disks are copied\n",
        "other.md": "a backup of the tape, and backup again to tape nightly or weekly\n",
    }
    with indexed(notes) as project:
        assert paths(project.search("nightly backup tape"))[0] == "old.md"
        execution = project.search("nightly backup tape", expand=3)
        assert paths(execution)[:2] == ["new.md", "old.md"]
        assert execution.results[0].linked == Linked("old.md", "successor", "superseded_by", "out")
        assert execution.results[1].linked is None
        assert best(execution, "new.md").score == pytest.approx(best(execution, "old.md").score + STEP)
        check_flow(execution)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("", "- supersedes [[old]]"),
        ("", "- replaces [[Old note]]"),
        ("", "- Obsoletes [[old]] (since May)"),
        ("- superseded by [[new]]", ""),
        ("- is_replaced_by [[new]]", ""),
        ("- isReplacedBy [[new]]", ""),
    ],
)
def test_either_of_the_two_may_state_it(old: str, new: str):
    notes = {"old.md": f"# Old note\n\nnightly tape\n\n{old}\n", "new.md": f"# New note\n\nelsewhere\n\n{new}\n"}
    with indexed(notes) as project:
        execution = project.search("nightly tape", expand=1)
        assert paths(execution)[0] == "new.md"
        linked = execution.results[0].linked
        assert linked is not None
        assert (linked.route, linked.seed, linked.direction) == ("successor", "old.md", "out" if old else "in")


@pytest.mark.parametrize("line", ["supersedes: old", "replaces: '[[old]]'", "related:\n  supersedes: [[old]]"])
def test_front_matter_may_state_it(line: str):
    with indexed({"old.md": "nightly tape\n", "new.md": f"---\n{line}\n---\n\nelsewhere\n"}) as project:
        assert paths(project.search("nightly tape", expand=1)) == ["new.md", "old.md"]


def test_a_mention_in_the_text_supersedes_nothing():
    with indexed({"old.md": "nightly tape\n", "new.md": "elsewhere, it supersedes [[old]]\n"}) as project:
        execution = project.search("nightly tape", expand=1)
        assert paths(execution) == ["old.md", "new.md"]
        assert best(execution, "new.md").linked == Linked("old.md", "mention", "mention", "in")


def test_a_chain_of_successors_is_followed_to_its_end():
    notes = {
        "one.md": "nightly tape\n\n- superseded_by [[two]]\n",
        "two.md": "something\n",
        "three.md": "---\nsupersedes: two\n---\n\nelsewhere\n",
        "four.md": "the end\n\n- replaces [[three]]\n",
    }
    with indexed(notes) as project:
        execution = project.search("nightly tape", expand=1)
        assert paths(execution)[:2] == ["four.md", "one.md"]
        assert execution.results[0].linked == Linked("one.md", "successor", "replaces", "in", ("two.md", "three.md"))


def test_of_a_chain_of_3000_both_ends_are_told():
    notes = {f"n{number:04}.md": f"text\n\n- superseded_by [[n{number + 1:04}]]\n" for number in range(2999)}
    notes |= {"n0000.md": "nightly tape\n\n- superseded_by [[n0001]]\n", "n2999.md": "the end\n"}
    with indexed(notes, embed=False) as project:
        execution = project.search("nightly tape", mode="lexical", expand=1)
        assert paths(execution)[:2] == ["n2999.md", "n0000.md"]
        linked = execution.results[0].linked
        assert linked is not None
        assert linked.via == tuple(f"n{number:04}.md" for number in (*range(1, 11), *range(2989, 2999)))
        assert linked.via_left_out == 2998 - VIA
        answer = json.loads(search_answer(execution, "p").to_json())["results"][0]["through"]
        assert (len(answer["via"]), answer["via_left_out"]) == (VIA, 2978)
        packed = project.context("nightly tape", mode="lexical", expand=1)
        assert "via n0001.md, … 2,996 more …, n2998.md" in packed.text


@pytest.mark.parametrize("between", [1, 3, 9, 10, 11, 19, 20, 21, 22])
def test_what_stands_between_is_told_in_order_and_counted(between: int):
    names = [f"n{number:02}.md" for number in range(between + 2)]
    notes = {name: f"{name}\n\n- superseded_by [[{after}]]\n" for name, after in pairwise(names)} | {names[-1]: "end\n"}
    notes[names[0]] = f"nightly tape\n\n- superseded_by [[{names[1]}]]\n"
    with indexed(notes, embed=False) as project:
        linked = project.search("nightly tape", mode="lexical", expand=1).results[0].linked
        assert linked is not None
        told = names[1:-1]
        assert linked.via == tuple(told if between <= VIA else told[: VIA // 2] + told[-VIA // 2 :])
        assert linked.via_left_out == max(0, between - VIA)


def test_two_successors_go_above_the_one_that_both_replaced():
    notes = {
        "old.md": "nightly tape\n",
        "b.md": "here\n\n- supersedes [[old]]\n",
        "a.md": "there\n\n- replaces [[old]]\n",
    }
    with indexed(notes) as project:
        assert paths(project.search("nightly tape", expand=1)) == ["a.md", "b.md", "old.md"]


@pytest.mark.parametrize("length", [1, 2, 3, 5])
def test_a_circle_of_successors_has_no_end_and_moves_nobody(length: int):
    notes = {
        f"n{number}.md": f"nightly tape {'tape ' * number}\n\n- superseded_by [[n{(number + 1) % length}]]\n"
        for number in range(length)
    }
    with indexed(notes) as project:
        execution = project.search("nightly tape", expand=5)
        assert paths(execution) == paths(project.search("nightly tape"))
        assert all(result.linked is None for result in execution.results)


@pytest.mark.parametrize("last", ["a-final", "zz-final"])
def test_of_two_ways_to_the_same_end_no_note_on_the_way_is_lifted(last: str):
    notes = {
        "old.md": "nightly tape\n",
        "middle.md": "x\n\n- supersedes [[old]]\n",
        f"{last}.md": "y\n\n- supersedes [[old]]\n- supersedes [[middle]]\n",
    }
    with indexed(notes) as project:
        execution = project.search("nightly tape", expand=3)
        assert paths(execution)[:2] == [f"{last}.md", "old.md"]


def test_a_chain_that_ends_in_a_circle_moves_nobody():
    notes = {
        "one.md": "nightly tape\n\n- superseded_by [[two]]\n",
        "two.md": "x\n\n- superseded_by [[three]]\n",
        "three.md": "y\n\n- superseded_by [[two]]\n",
    }
    with indexed(notes) as project:
        execution = project.search("nightly tape", expand=1)
        assert paths(execution) == paths(project.search("nightly tape"))
        check_flow(execution)


def test_a_successor_that_stands_higher_already_stays_where_it_is():
    notes = {"old.md": "about tape\n", "new.md": "nightly tape nightly tape\n\n- supersedes [[old]]\n"}
    with indexed(notes) as project:
        before = project.search("nightly tape")
        execution = project.search("nightly tape", expand=3)
        assert [(r.path, r.score) for r in execution.results] == [(r.path, r.score) for r in before.results]
        assert all(not candidate.rescored for candidate in execution.ledger.candidates.values())
        assert best(execution, "new.md").linked == Linked("old.md", "successor", "supersedes", "in")


# What is added


@pytest.fixture(scope="module")
def crowded():
    """A project in which a linked note is far outside of every window."""
    far = "\n\n".join(f"## Part {number}\n\nzebra quagga {number}" for number in range(6))
    notes = FILLER | {
        "seed.md": "# Seed\n\nnightly tape drive restored from the vault\n\n- depends_on [[Far away]]\n",
        "far.md": f"---\ntitle: Far away\n---\n\n{far}\n\n- [fact] tape, once\n",
        "apart.md": "# Apart\n\nnothing of the kind\n",
    }
    with indexed(notes) as project:
        yield project


def test_a_linked_note_outside_the_windows_is_added_with_exact_signals(crowded: Project):
    query = "nightly tape drive restored"
    assert not of(crowded.search(query, mode="lexical"), "apart.md")
    execution = crowded.search(query, mode="lexical", expand=3)
    added = [candidate for candidate in execution.ledger.candidates.values() if candidate.fused is None]
    assert {candidate.record.path for candidate in added} <= {"far.md"}
    assert stage_of(execution).added == len(added) <= PASSAGES
    check_flow(execution)
    assert added
    alone = crowded.search(query, mode="lexical", paths=("far.md",))
    known = {c.record.key: c for c in alone.ledger.candidates.values()}
    for candidate in added:
        assert all(signal.rank is None for signal in candidate.legs.values())
        assert candidate.linked == Linked("seed.md", "related", "depends_on", "out")
        if candidate.record.key in known:
            same = known[candidate.record.key]
            assert candidate.legs["lexical"].score == same.legs["lexical"].score
            assert (candidate.matched_terms, candidate.coverage) == (same.matched_terms, same.coverage)
        else:
            assert candidate.legs == {} and candidate.matched_terms == ()


def test_a_neighbour_gets_a_share_of_its_seeds_score(crowded: Project):
    execution = crowded.search("nightly tape drive restored", mode="lexical", expand=3)
    seed, far = best(execution, "seed.md").score, best(execution, "far.md")
    own = far.rescored["graph"].parts
    assert own["graph"] == pytest.approx(SHARE * seed, abs=ROUNDING)
    assert far.score == pytest.approx(sum(own.values()), abs=ROUNDING)
    assert far.score < seed


def test_no_more_documents_are_added_than_asked_for():
    notes = FILLER | {f"far-{n}.md": f"zebra {n}\n" for n in range(9)}
    notes["hub.md"] = "nightly tape restored\n\n" + " ".join(f"[[far-{n}]]" for n in range(9)) + "\n"
    with indexed(notes) as project:
        for most in (1, 4, 100):
            execution = project.search("nightly tape", mode="lexical", expand=most)
            added = {c.record.path for c in execution.ledger.candidates.values() if c.fused is None}
            assert len(added) == min(most, 9)
            assert stage_of(execution).measured["documents_added"] == len(added)


def test_the_evidence_of_the_verdict_is_that_of_retrieval(crowded: Project):
    query = "nightly tape drive restored"
    for mode in ("hybrid", "lexical", "dense"):
        before, after = (crowded.search(query, mode=mode, expand=expand).verdict for expand in (0, 5))
        assert (before.status, before.evidence.similarity) == (after.status, after.evidence.similarity)
        assert (before.evidence.coverage, before.evidence.signals) == (after.evidence.coverage, after.evidence.signals)


def test_links_are_followed_in_both_directions_and_ambiguous_ones_are_not():
    notes = {
        "seed.md": "nightly tape\n\n[out](out.md) and [[twin]]\n",
        "out.md": "here\n",
        "in.md": "there [[seed]]\n",
        "x/twin.md": "a\n",
        "y/twin.md": "b\n",
    }
    with indexed(notes) as project:
        linked = {c.record.path: c.linked for c in project.search("nightly tape", expand=9).ledger.candidates.values()}
        assert linked["out.md"] == Linked("seed.md", "mention", "mention", "out")
        assert linked["in.md"] == Linked("seed.md", "mention", "mention", "in")
        assert linked["x/twin.md"] is None and linked["y/twin.md"] is None


def test_a_link_is_resolved_as_the_files_are_now():
    with indexed({"old.md": "nightly tape\n\n- superseded_by [[new]]\n", "z.md": "elsewhere\n"}) as project:
        assert paths(project.search("nightly tape", expand=1)) == ["old.md", "z.md"]
        write_notes(root_of(project), {"new.md": "something\n"})
        project.index()
        assert paths(project.search("nightly tape", expand=1))[0] == "new.md"
        (root_of(project) / "new.md").rename(root_of(project) / "other.md")
        project.index()
        assert paths(project.search("nightly tape", expand=1))[0] == "old.md"
        assert [link.state for link in project.links("old.md").outgoing] == ["unresolved"]


# Nothing outside of the scope


def test_neither_a_link_to_nor_one_through_what_is_out_of_scope_is_followed():
    notes = {
        "in/old.md": "nightly tape\n\n- superseded_by [[secret]]\n- part_of [[hidden plan]]\n",
        "out/secret.md": "x\n\n- superseded_by [[last]]\n",
        "out/hidden plan.md": "y\n",
        "in/last.md": "z\n",
    }
    with indexed(notes) as project:
        execution = project.search("nightly tape", expand=9, paths=("in/",))
        assert paths(execution) == ["in/old.md", "in/last.md"]
        assert stage_of(execution).measured["out_of_scope"] == 3  # two of the old note, and one to the last
        answer = search_answer(execution, "p", explain=True).to_json()
        assert "out/" not in answer
        assert paths(project.search("nightly tape", expand=9))[0] == "in/last.md"


_target = st.sampled_from((*PLACES, "a", "b", "c", "nowhere", "notes/c", "一"))
_link_line = st.one_of(
    _target.map(lambda target: f"see [[{target}]]"),
    st.tuples(st.sampled_from(("superseded_by", "supersedes", "replaces", "part_of")), _target).map(
        lambda pair: f"- {pair[0]} [[{pair[1]}]]"
    ),
)
_linked_note = st.tuples(
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=8).map(" ".join), st.lists(_link_line, max_size=4)
).map(lambda pair: "\n\n".join((pair[0], *pair[1])) + "\n")
linked_vaults = st.dictionaries(st.sampled_from(PLACES), _linked_note, min_size=2, max_size=len(PLACES))
scopes = st.sampled_from(({}, {"paths": ("notes/",)}, {"paths": ("*.md", "!b.md")}, {"kinds": ("relation",)}))


@settings(max_examples=40)
@given(linked_vaults, queries, modes, fusions, st.integers(0, 4), scopes)
def test_every_stage_adds_up_and_nothing_leaves_the_scope(notes, query, mode, fusion, expand, scope):
    with indexed(notes) as project:
        execution = project.search(query, mode=mode, fusion=fusion, expand=expand, limit=50, **scope)
        check_flow(execution)
        # Without words a search lists all that is in scope.
        listed = project.search("", limit=1000, **(scope or {"paths": ("*",)})).ledger.candidates
        there = {candidate.record.path for candidate in listed.values()}
        assert set(execution.ledger.candidates) <= set(listed)
        for candidate in execution.ledger.candidates.values():
            if candidate.linked is not None:
                assert {candidate.linked.seed, *candidate.linked.via} <= there
            for own in candidate.rescored.values():
                assert sum(own.parts.values()) == pytest.approx(own.score, abs=ROUNDING)
        ranked = [c for c in execution.ledger.candidates.values() if "graph" in c.rescored]
        ranked.sort(key=lambda c: c.rescored["graph"].rank)
        assert [c.rescored["graph"].rank for c in ranked] == list(range(1, len(ranked) + 1))
        assert ranked == sorted(ranked, key=lambda c: (-c.rescored["graph"].score, c.record.path, c.record.key))


@settings(max_examples=30)
@given(linked_vaults, queries, modes, fusions)
def test_expand_0_is_byte_for_byte_a_search_without_the_feature(notes, query, mode, fusion):
    with indexed(notes) as project:
        without = search_answer(project.search(query, mode=mode, fusion=fusion), "p", explain=True)
        zero = search_answer(project.search(query, mode=mode, fusion=fusion, expand=0), "p", explain=True)
        assert plain(json.loads(without.to_json())) == plain(json.loads(zero.to_json()))
        assert "graph" not in zero.to_json() and "through" not in zero.to_json().replace(query, "")


@settings(max_examples=30)
@given(linked_vaults, queries, modes, fusions, st.integers(1, 3), st.integers(1, 3))
def test_pages_are_slices_of_one_expanded_ranking(notes, query, mode, fusion, expand, limit):
    with indexed(notes) as project:
        ask = {"mode": mode, "fusion": fusion, "expand": expand}
        whole = project.search(query, limit=3 * limit, **ask)
        pages = [project.search(query, limit=limit, page=number, **ask) for number in (1, 2, 3)]
        assert [result for page in pages for result in page.results] == list(whole.results)


@settings(max_examples=30)
@given(linked_vaults, queries, modes, fusions)
def test_a_successor_stands_above_the_seed_that_it_replaced(notes, query, mode, fusion):
    with indexed(notes) as project:
        execution = project.search(query, mode=mode, fusion=fusion, expand=9, limit=50)
        rank = {result.path: result.rank for result in execution.results}
        for candidate in execution.ledger.candidates.values():
            if candidate.linked is not None and candidate.linked.route == "successor":
                assert rank[candidate.record.path] < rank[candidate.linked.seed]


# Where else it shows


def test_an_unlinked_project_ranks_as_without_expansion(crowd: Project):
    for query in ("harbour tide winter", "quagga"):
        before, after = crowd.search(query, limit=100), crowd.search(query, limit=100, expand=5)
        assert before.results == after.results
        assert stage_of(after).measured == {"seeds": SEEDS, "links_followed": 0, "out_of_scope": 0}


def test_without_words_no_link_is_followed():
    with indexed({"a.md": "one [[b]]\n", "b.md": "two\n"}) as project:
        execution = project.search("", in_document="a.md", expand=5)
        assert paths(execution) == ["a.md"]
        assert all(stage.name != "graph" for stage in execution.ledger.stages)


@pytest.mark.parametrize("expand", [-1, 101])
def test_a_number_out_of_its_domain_is_refused(crowd: Project, expand: int):
    with pytest.raises(InvalidRequest, match="between 0 and 100"):
        crowd.search("tide", expand=expand)


def test_a_reranker_reads_what_was_added_and_thresholds_apply(crowded: Project):
    query = "nightly tape drive restored"
    for options in ({"rerank": "late-interaction"}, {"min_score": 0.3}, {"min_similarity": 0.2}):
        execution = crowded.search(query, expand=3, **options)
        check_flow(execution)
        search_answer(execution, "p", explain=True)


def test_the_trace_tells_the_link_and_the_standings_know_the_stage(crowded: Project):
    execution = crowded.search("nightly tape drive restored", mode="lexical", expand=3, limit=300)
    trace = json.loads(search_answer(execution, "p", explain=True).to_json())["trace"]
    assert trace["request"]["expand"] == 3
    assert trace["engine"]["rescoring"]["graph"]["params"]["w"] == SHARE
    told = [candidate["graph"] for candidate in trace["candidates"] if candidate["document"] == "far.md"]
    assert told and all(
        (part["seed"], part["route"], part["kind"], part["direction"]) == ("seed.md", "related", "depends_on", "out")
        for part in told
    )
    assert all(sum(part["parts"].values()) == pytest.approx(part["score"], abs=ROUNDING) for part in told)
    found = standings(json.dumps(trace))
    assert found.at("fuse", "far.md").state == "outside"
    at_graph = found.at("graph", "far.md")
    assert at_graph.state == "ranked"
    assert at_graph.rank == next(result.rank for result in execution.results if result.path == "far.md")


def test_why_not_says_which_link_brought_it_in(crowded: Project):
    ask = "nightly tape drive restored"
    found = crowded.why_not(ask, "far.md", mode="lexical", expand=3, limit=1)
    rungs = {rung.name: rung for rung in found.rungs}
    assert rungs["candidate"].passed
    assert "a link brought it in" in rungs["candidate"].detail or "a leg brought it in" in rungs["candidate"].detail
    assert "depends_on (related) joins it with seed.md" in rungs["candidate"].detail
    assert rungs["graph"].passed
    apart = crowded.why_not(ask, "apart.md", mode="lexical", expand=3)
    assert "no link joins it with one of the best" in {r.name: r.detail for r in apart.rungs}["candidate"]
    for proposal in found.proposals:
        assert proposal.changes is None or "far.md" in paths(crowded.search(**_asked(proposal.changes)))


def _asked(request: Any) -> dict[str, Any]:
    return {name: getattr(request, name) for name in ("query", "mode", "limit", "page", "expand")}


@pytest.mark.parametrize(
    ("written", "kind", "direction", "route"),
    [
        ("relation", "superseded_by", "out", "successor"),
        ("relation", "superseded_by", "in", "related"),
        ("front_matter", "Superseded-By", "out", "successor"),
        ("relation", "has successor", "out", "successor"),
        ("relation", "supersedes", "in", "successor"),
        ("relation", "supersedes", "out", "related"),
        ("relation", "REPLACES", "in", "successor"),
        ("relation", "superseded", "in", "related"),
        ("relation", "ersetzt", "in", "related"),
        ("wikilink", "supersedes", "in", "mention"),
        ("link", "mention", "out", "mention"),
    ],
)
def test_the_route_of_a_kind(written, kind, direction, route):
    assert route_of(written, kind, direction) == route
