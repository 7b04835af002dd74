"""Weights from front matter: the order is that of score times weight, and what is no weight weighs nothing."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from glassdex.envelopes.trace import make_trace
from glassdex.project import Project
from glassdex.search.engine import Execution, SearchEngine
from glassdex.search.ledger import Candidate
from glassdex.search.request import SearchRequest
from glassdex.search.weight import WeightRules
from tests.search.test_ledger import check_flow
from tests.search.vaults import fusions, indexed, modes, paths, root_of

QUERY = "harbour tide"
RULES: WeightRules = {"confidence": {}, "status": {"draft": 0.7, "final": 1.2, "2": 0.1, "true": 0.5}}


def note(front_matter: str, body: str = "the harbour at low tide") -> str:
    return f"---\n{front_matter}\n---\n{body}\n"


@contextmanager
def engine(notes: Mapping[str, str], rules: WeightRules = RULES):
    with indexed(notes) as project:
        yield SearchEngine(project.store, project.analyzer, project.embedder, weight_rules=lambda: rules)


def ask(engine: SearchEngine, **options: object) -> Execution:
    return engine.search(SearchRequest(QUERY, **{"weights": True, "feedback": "off", **options}))  # type: ignore[arg-type]


def of(execution: Execution, path: str) -> Candidate:
    return next(c for c in execution.ledger.candidates.values() if c.record.path == path)


def fused(candidate: Candidate) -> float:
    assert candidate.fused is not None
    return candidate.fused.score


NOTES = {
    "draft.md": note("status: draft"),
    "final.md": note("Status: FINAL"),
    "sure.md": note("confidence: 0.9\nstatus: draft"),
    "plain.md": "the harbour at low tide\n",
}


def test_nothing_is_weighed_unless_asked():
    with engine(NOTES) as searching:
        execution = ask(searching, weights=False)
    assert all(stage.name != "weight" for stage in execution.ledger.stages)
    assert all(not candidate.rescored for candidate in execution.ledger.candidates.values())
    assert "weight" not in make_trace(execution).to_json()


def test_what_hugo_calls_a_weight_changes_no_search(tmp_path: Path):
    with indexed({"n1.md": note("weight: 0.1"), "n2.md": note("weight: 10")}) as project:
        assert [result.score for result in project.search(QUERY).results] == pytest.approx([1.0, 1.0])
        asked = project.search(QUERY, weights=True)
        assert paths(asked) == ["n2.md", "n1.md"], "but it is what counts where weights are asked for and none are set"
        assert asked.ledger.notes == ["no weight, so passed over: weight=10 in n2.md"]


def test_weights_multiply_the_score_and_say_where_they_stand():
    with engine(NOTES) as searching:
        execution = ask(searching)
    check_flow(execution)
    expected = {"final.md": 1.2, "plain.md": 1.0, "draft.md": 0.7, "sure.md": 0.63}
    assert paths(execution) == list(expected)
    for path, weight in expected.items():
        candidate = of(execution, path)
        own = candidate.rescored["weight"]
        assert own.score == pytest.approx(fused(candidate) * weight, abs=1e-6)
        assert set(own.parts) == {"fused", "weight"} and sum(own.parts.values()) == pytest.approx(own.score, abs=2e-6)
    weighted = of(execution, "sure.md").weighted
    assert weighted is not None and weighted.source == "front matter confidence=0.9, status=draft"
    assert of(execution, "plain.md").weighted is None
    trace = make_trace(execution)
    assert trace.engine.weights is not None and trace.engine.weights.keys == RULES
    assert trace.request.weights is True
    part = next(candidate for candidate in trace.candidates if candidate.document == "draft.md")
    assert part.weight is not None and part.rescored is not None
    assert (part.weight.weight, part.weight.source) == (0.7, "front matter status=draft")
    assert part.rescored["weight"].parts["weight"] == pytest.approx(-0.3 * fused(of(execution, "draft.md")), abs=1e-6)
    names = [stage.name for stage in trace.stages]
    assert names.index("weight") == names.index("fuse") + 1
    assert next(stage.measured for stage in trace.stages if stage.name == "weight") == {"weighted": 3}


def test_letters_beyond_ascii_have_cases_too():
    notes = {
        "a.md": note("Ärger: 0.5"),
        "b.md": note("ÄRGER: 0.7"),
        "c.md": note("Straße: 0.9"),
        "d.md": note("other: 0"),
    }
    with engine(notes, {"ärger": {}, "strasse": {}}) as searching:
        execution = ask(searching)
    assert paths(execution) == ["d.md", "c.md", "b.md", "a.md"]


HOSTILE = (
    "confidence: high", 'confidence: "0.5"', "confidence: .nan", "confidence: .inf", "confidence: -.inf",
    "confidence: -0.1", "confidence: 2.1", "confidence: 1e999", f"confidence: {'9' * 400}", "confidence: true",
    "confidence: [0.5]", "confidence: {a: 0.5}", "confidence: 2026-01-01", "status: [draft]", "status: {draft: 1}",
    f"confidence: {'x' * 5_000}",
)  # fmt: skip


@pytest.mark.parametrize("stated", HOSTILE)
def test_what_is_no_weight_weighs_nothing_and_is_said(stated: str):
    with engine({"a.md": note(stated), "b.md": "the harbour at low tide\n"}) as searching:
        execution, plain = ask(searching), ask(searching, weights=False)
    assert execution.results == plain.results
    assert of(execution, "a.md").weighted is None
    (said,) = execution.ledger.notes
    assert said.startswith("no weight, so passed over: ") and said.endswith(" in a.md") and len(said) < 150


@pytest.mark.parametrize(
    "stated",
    ["confidence:", "confidence: null", "status: unheard-of", "status: ''", "other: 7", "[a, b]", "confidence"],
)
def test_what_states_nothing_is_no_fault(stated: str):
    with engine({"a.md": note(stated), "b.md": "the harbour at low tide\n"}) as searching:
        execution, plain = ask(searching), ask(searching, weights=False)
    assert execution.results == plain.results
    assert execution.ledger.notes == []


@pytest.mark.parametrize(("stated", "weight"), [("status: 2", 0.1), ("status: yes", 0.5), ("status: ' Draft '", 0.7)])
def test_values_are_compared_as_they_are_written(stated: str, weight: float):
    with engine({"a.md": note(stated)}) as searching:
        weighted = of(ask(searching), "a.md").weighted
    assert weighted is not None and weighted.weight == weight


def test_a_fault_outside_the_scope_is_not_told():
    notes = {"open/a.md": note("status: draft"), "closed/b.md": note("confidence: secret")}
    with engine(notes) as searching:
        assert "secret" in ask(searching).ledger.notes[0]
        assert ask(searching, paths=("open/",)).ledger.notes == []


def test_only_front_matter_counts():
    page = '<html><head><meta name="status" content="draft"></head><body>the harbour at low tide</body></html>'
    with engine({"a.html": page, "b.md": "status: draft\n\nthe harbour at low tide\n"}) as searching:
        assert all(candidate.weighted is None for candidate in ask(searching).ledger.candidates.values())


def test_a_changed_note_weighs_otherwise_as_soon_as_it_is_indexed():
    with indexed(NOTES) as project:
        searching = SearchEngine(project.store, project.analyzer, project.embedder, weight_rules=lambda: RULES)
        assert paths(ask(searching))[0] == "final.md"
        (root_of(project) / "plain.md").write_text(note("confidence: 2"))
        project.index()
        assert paths(ask(searching))[0] == "plain.md"


def test_changed_rules_count_at_once():
    rules: WeightRules = RULES
    with indexed(NOTES) as project:
        searching = SearchEngine(project.store, project.analyzer, project.embedder, weight_rules=lambda: rules)
        assert paths(ask(searching))[0] == "final.md"
        rules = {"status": {"draft": 2.0}}
        assert paths(ask(searching))[:2] == ["draft.md", "sure.md"]


def test_a_threshold_is_held_against_the_weighted_score_and_a_reranker_goes_by_it():
    with engine(NOTES) as searching:
        assert paths(ask(searching, min_score=0.8)) == ["final.md", "plain.md"]
        reranked = ask(searching, rerank="late-interaction", rerank_weight=0.0)
        assert paths(reranked) == ["final.md", "plain.md", "draft.md", "sure.md"]


# YAML reads a number such as 1e-05 as text.
weights = st.one_of(
    st.none(),
    st.integers(0, 2_000).map(lambda thousandths: thousandths / 1_000),
    st.sampled_from(("draft", "final", "x")),
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    stated=st.lists(weights, min_size=2, max_size=8),
    mode=modes,
    fusion=fusions,
    limit=st.integers(1, 3),
)
def test_the_order_is_that_of_score_times_weight(stated, mode, fusion, limit):
    words = ("harbour", "tide tide", "harbour tide", "winter", "gauge harbour", "x")
    notes = {}
    for number, value in enumerate(stated):
        key = "status" if isinstance(value, str) else "confidence"
        body = words[number % len(words)]
        notes[f"n{number}.md"] = f"{body}\n" if value is None else note(f"{key}: {value!r}", body)
    with engine(notes) as searching:
        whole = ask(searching, mode=mode, fusion=fusion, limit=100)
        pages = [ask(searching, mode=mode, fusion=fusion, limit=limit, page=number) for number in (1, 2, 3)]
    check_flow(whole)
    weighed = {}
    for candidate in whole.ledger.candidates.values():
        value = stated[int(candidate.record.path[1:-3])]
        weight = {"draft": 0.7, "final": 1.2, "x": 1.0, None: 1.0}[value] if not isinstance(value, float) else value
        before = fused(candidate)
        weighed[candidate.record.path] = before + abs(before) * (weight - 1)
        assert candidate.score == pytest.approx(weighed[candidate.record.path], abs=2e-6)
        if candidate.rescored:
            assert sum(candidate.rescored["weight"].parts.values()) == pytest.approx(candidate.score, abs=2e-6)
    order = [weighed[path] for path in paths(whole)]
    assert all(before >= after - 2e-6 for before, after in pairwise(order))
    shown = [result for page in pages for result in page.results]
    assert shown == list(whole.results)[: len(shown)] and len(shown) == min(3 * limit, len(whole.results))


def test_listed_by_place_nothing_is_weighed():
    with engine(NOTES) as searching:
        execution = searching.search(SearchRequest("", in_document="draft.md", weights=True))
    assert execution.results and all(stage.name != "weight" for stage in execution.ledger.stages)


def test_a_watched_document_tells_its_weight(tmp_path: Path):
    with indexed({"a.md": note("weight: 0.1"), "b.md": "the harbour at low tide\n"}) as project:
        rungs = {rung.name: rung.detail for rung in project.search(QUERY, weights=True, limit=1).why_not("a.md").rungs}
    assert rungs["weight"].startswith("rank 1 → 2, score 0.1")


def test_a_project_takes_its_rules_from_the_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("GLASSDEX_HOME", str(tmp_path))
    (tmp_path / "config.toml").write_text("[weights]\nStatus = { Draft = 0.5 }\n")
    vault = tmp_path / "vault"
    vault.mkdir()
    for name, content in NOTES.items():
        (vault / name).write_text(content)
    with Project.in_memory(vault) as project:
        project.index()
        assert paths(project.search(QUERY, weights=True))[-2:] == ["draft.md", "sure.md"]


def test_keys_of_the_settings_are_compared_without_regard_to_case(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("GLASSDEX_HOME", str(tmp_path))
    (tmp_path / "config.toml").write_text('[weights]\n"ärger" = true\n"Straße" = true\n', encoding="utf-8")
    vault = tmp_path / "vault"
    vault.mkdir()
    for name, key in {"a.md": "Ärger: 0.5", "b.md": "STRASSE: 0.7"}.items():
        (vault / name).write_text(note(key), encoding="utf-8")
    (vault / "c.md").write_text("the harbour at low tide\n")
    with Project.in_memory(vault) as project:
        project.index()
        assert paths(project.search(QUERY, weights=True)) == ["c.md", "b.md", "a.md"]
