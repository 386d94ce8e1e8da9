"""Likelihoods of released values under each mechanism."""

import math

import numpy as np
import pytest

from tests.engine.linkage.costs_oracle import cost_of
from worker.engine.contracts.channels import AddedNoise, RankWindow, Transitions
from worker.engine.contracts.traces import Trace
from worker.engine.linkage.mechanisms import likelihood
from worker.engine.linkage.quasi_identifiers import Key
from worker.engine.tables.frequency import Domain
from worker.engine.tables.kinds import Kind


def domain(*texts, kind=Kind.CATEGORICAL):
    return Domain("x", kind, tuple(texts), np.array([not text for text in texts]))


def key_of(was, became, channel, **more):
    ones = (np.ones(len(one), np.int64) for one in (was, became))
    return Key(was, became, *ones, channel=channel, **more)


def test_a_matrix_is_looked_up_by_category_and_others_stay():
    channel = Transitions(("a", "b"), np.array([[0.9, 0.1], [0.3, 0.7]]))
    cost = likelihood(key_of(domain("", "a", "b", "c"), domain("*", "", "b", "c"), channel))
    assert np.exp(-cost.costs).tolist() == pytest.approx(
        np.array([[1, 1, 0, 0], [1, 0, 0.1, 0], [1, 0, 0.7, 0], [1, 0, 0, 1]]), rel=1e-12
    )


@pytest.mark.parametrize(
    ("shape", "density"),
    [
        ("gaussian", lambda away: math.exp(-away * away / 8) / 2 / math.sqrt(2 * math.pi)),
        ("laplace", lambda away: math.exp(-abs(away) * math.sqrt(2) / 2) / 2 / math.sqrt(2)),
        ("uniform", lambda away: (abs(away) <= 2 * math.sqrt(3)) / 4 / math.sqrt(3)),
    ],
)
def test_noise_of_each_shape_has_its_density(shape, density):
    numbers = [domain(*map(str, range(-6, 7)), kind=Kind.DECIMAL) for _ in range(2)]
    cost = likelihood(key_of(*numbers, AddedNoise(2.0, shape)))
    places = numbers[0].numbers
    found = [[math.exp(-cost_of(cost, x, y)) for y in range(13)] for x in range(13)]
    assert found == [pytest.approx([density(y - x) for y in places], rel=1e-9) for x in places]


def test_ranks_bound_what_a_value_can_become():
    numbers = domain(*map(str, range(10)), kind=Kind.INTEGER)
    cost = likelihood(key_of(numbers, numbers, RankWindow(0.2)))
    possible = [[math.isfinite(cost_of(cost, x, y)) for y in range(10)] for x in range(10)]
    assert possible == [[abs(x - y) <= 2 for y in range(10)] for x in range(10)]


def test_what_was_kept_or_made_coarser_says_what_it_holds():
    town = domain("a", "b")
    kept = likelihood(key_of(town, domain("*", "a", "c"), None, trace=Trace.KEPT))
    assert [[cost_of(kept, x, y) for y in range(3)] for x in range(2)] == [
        [0, 0, math.inf],
        [0, math.inf, math.inf],
    ]
