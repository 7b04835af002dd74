"""Measures against values worked out by hand, and against whatever second provider ir-measures finds."""

from __future__ import annotations

import math
import random
import sys

import ir_measures
import pytest
from ir_measures.providers import registry

from glassdex.errors import InvalidRequest, MissingExtra
from glassdex.evaluation.metrics import DEFAULT_MEASURES, depth_for, measure_names, measured

JUDGED = {"q1": {"a": 2, "b": 1, "c": 0, "d": 1}, "q2": {"x": 1}, "q3": {"y": 1}}
RANKED = {"q1": ["z", "b", "a", "c"], "q2": ["x"], "q3": []}
"""q1: grades 0 1 2 0 at ranks 1 to 4, one relevant document missed; q2: perfect; q3: nothing returned."""


def discounted(*grades: int) -> float:
    return sum(grade / math.log2(rank + 1) for rank, grade in enumerate(grades, start=1))


@pytest.mark.parametrize(
    ("measure", "q1"),
    [
        ("nDCG@10", discounted(0, 1, 2, 0) / discounted(2, 1, 1)),
        ("nDCG@2", discounted(0, 1) / discounted(2, 1)),
        ("R@10", 2 / 3),
        ("R@2", 1 / 3),
        ("RR@10", 1 / 2),
        ("RR", 1 / 2),
        ("P@5", 2 / 5),
        ("P(rel=2)@5", 1 / 5),
        ("Success@1", 0),
        ("Success@5", 1),
        ("AP", (1 / 2 + 2 / 3) / 3),
    ],
)
def test_values_are_those_worked_out_by_hand(measure: str, q1: float):
    found = measured([measure], JUDGED, RANKED)
    q2 = 1 / 5 if measure.startswith("P@") else 0 if "rel=2" in measure else 1
    assert found.per_query["q1"][measure] == pytest.approx(q1, abs=1e-6)
    assert found.per_query["q2"][measure] == pytest.approx(q2, abs=1e-6)
    assert found.per_query["q3"][measure] == 0, "a query without results counts, with 0"
    assert found.overall[measure] == pytest.approx((q1 + q2) / 3, abs=1e-6)


def test_a_second_provider_finds_the_same():
    chance = random.Random(3)
    units = [f"d{number}" for number in range(30)]
    judged = {f"q{n}": {unit: chance.randint(0, 1) for unit in chance.sample(units, 12)} | {"d0": 1} for n in range(20)}
    ranked = {query: chance.sample(units, 20) for query in judged}
    others = [provider for name, provider in registry.items() if name != "pytrec_eval" and provider.is_available()]
    checked = set()
    for name in (*DEFAULT_MEASURES, "AP", "RBP(p=0.8)"):
        measure = ir_measures.parse_measure(name)
        for provider in others:
            if provider.NAME == "gdeval" or not provider.supports(measure):  # gdeval needs a perl script's permission
                continue
            run = {query: {unit: float(-rank) for rank, unit in enumerate(found)} for query, found in ranked.items()}
            theirs = {m.query_id: m.value for m in provider.iter_calc([measure], judged, run)}
            ours = measured([name], judged, ranked).per_query
            assert {query: values[name] for query, values in ours.items()} == pytest.approx(theirs, abs=1e-6)
            checked.add(name)
    assert "RR@10" in checked, "MS MARCO's own script always comes with ir-measures"


def test_names_are_those_of_the_library_and_each_is_there_once():
    assert measure_names(()) == DEFAULT_MEASURES
    assert measure_names(["NDCG@5", "nDCG@5", "MRR"]) == ("nDCG@5", "RR")


def test_the_depth_is_what_the_measures_look_at():
    assert depth_for(["nDCG@10", "P@5"]) == 10
    assert depth_for(["nDCG@10", "R@200"]) == 200
    assert depth_for(["nDCG@10", "AP"]) == 100


@pytest.mark.parametrize("name", ["Foo@3", "nDCG@", "", "nDCG@10; import os", "__import__('os')", "(" * 500])
def test_what_is_no_measure_is_refused(name: str):
    with pytest.raises(InvalidRequest, match="is no measure"):
        measure_names([name])


def test_a_measure_that_nothing_here_computes_says_so():
    with pytest.raises(MissingExtra, match="alpha_nDCG@5"):
        measured(["alpha_nDCG@5"], JUDGED, RANKED)


def test_without_the_extra_the_line_that_installs_it_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "ir_measures", None)
    with pytest.raises(MissingExtra) as caught:
        measure_names(())
    assert caught.value.suggestion == "pip install 'glassdex[eval]'"
