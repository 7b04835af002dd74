"""The paired randomisation test: exact where it can be, close to the truth where it draws, the same every time."""

from __future__ import annotations

import itertools
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassdex.evaluation.significance import SAMPLES, compared, randomisation_p


def naive(differences: list[float]) -> float:
    observed = abs(sum(differences))
    signs = itertools.product((1, -1), repeat=len(differences))
    sums = [abs(sum(s * d for s, d in zip(pattern, differences, strict=True))) for pattern in signs]
    return sum(total >= observed - 1e-9 for total in sums) / len(sums)


@given(st.lists(st.floats(-1, 1).map(lambda value: round(value, 3)), max_size=9))
def test_few_differences_are_counted_out(differences: list[float]):
    assert randomisation_p(differences) == pytest.approx(naive(differences), abs=1e-9)


def test_many_are_drawn_and_come_close():
    chance = random.Random(7)
    differences = [round(chance.gauss(0.15, 0.5), 3) for _ in range(16)]
    assert randomisation_p(differences) == pytest.approx(naive(differences), abs=0.02)


def test_it_is_the_same_every_time_and_in_any_order():
    differences = [0.1, -0.05, 0.2, 0.3, -0.1, 0.15, 0.02] * 5
    first = randomisation_p(differences)
    assert randomisation_p(list(reversed(differences))) == first
    assert 1 / (SAMPLES + 1) <= first < 0.01


def test_no_difference_is_no_evidence():
    assert randomisation_p([]) == randomisation_p([0.0] * 50) == 1


def test_eight_queries_of_one_sign_are_two_chances_in_256():
    assert randomisation_p([0.1] * 8) == pytest.approx(2 / 256)


def test_wins_and_means_are_over_the_queries_that_both_have():
    a = {"q1": {"RR": 0.5}, "q2": {"RR": 1.0}, "q3": {"RR": 0.2}, "only": {"RR": 1.0}}
    b = {"q1": {"RR": 1.0}, "q2": {"RR": 1.0}, "q3": {"RR": 0.1}}
    found = compared("RR", a, b)
    assert found is not None
    assert (found.queries, found.wins, found.ties, found.losses) == (3, 1, 1, 1)
    assert (found.a, found.b, found.difference) == pytest.approx((0.566667, 0.7, 0.133333), abs=1e-6)
    assert compared("AP", a, b) is None
