"""Means and beliefs against sums over all pairs."""

import math
import random

import numpy as np
import pytest

from tests.engine.linkage.costs_oracle import BECAME, SOURCE, WAS, random_costs, random_tuples, whole
from worker.engine.linkage import likelihoods
from worker.engine.linkage.costs import SQUARE, Apart, Listed
from worker.engine.linkage.likelihoods import highest_belief, mean_likelihoods
from worker.engine.linkage.tuples import Tuples


@pytest.mark.parametrize("grid", [0, likelihoods.MOST_CELLS])
@pytest.mark.parametrize("seed", range(40))
def test_means_and_beliefs_are_sums_over_all_pairs(seed, grid, monkeypatch):
    monkeypatch.setattr(likelihoods, "MOST_CELLS", grid)
    draw = random.Random(seed)
    costs = random_costs(draw)
    if seed % 2:
        costs = tuple(one for one in costs if isinstance(one, Listed)) or (Listed(np.ones((WAS, BECAME))),)
    originals, released = (random_tuples(draw, len(costs), size) for size in (WAS, BECAME))
    mean = mean_likelihoods(costs, originals, released, SOURCE)
    pairs = [[math.exp(-whole(costs, x, y)) for x in originals.codes] for y in released.codes]
    rows = originals.counts.sum()
    expected = [float(np.dot(one, originals.counts)) / rows for one in pairs]
    assert mean.tolist() == pytest.approx(expected, rel=1e-9)
    highest = 0.0
    for x in originals.codes:
        likely = [
            math.exp(-whole(costs, x, y)) / m if m else 0.0
            for y, m in zip(released.codes, expected, strict=True)
        ]
        total = float(np.dot(likely, released.counts))
        highest = max(highest, max(likely) / total) if total else highest
    found = highest_belief(costs, originals.codes, released, mean)
    assert (found or 0.0) == pytest.approx(highest, rel=1e-9)


def test_a_sample_of_originals_is_near_the_mean_of_all(monkeypatch):
    draw = np.random.default_rng(1)
    codes = np.arange(4000, dtype=np.int32)[:, None]
    tuples = Tuples(codes, np.ones(4000, np.int64))
    numbers = draw.standard_normal(4000)
    cost = Apart(numbers, np.full(4000, 2.0), np.zeros(4000), numbers, SQUARE, np.inf)
    exact = mean_likelihoods([cost], tuples, tuples, SOURCE)
    monkeypatch.setattr(likelihoods, "MOST_PAIRS", 4000 * 1000)
    some = mean_likelihoods([cost], tuples, tuples, SOURCE)
    dense = exact > 0.1
    assert np.abs(some[dense] / exact[dense] - 1).max() < 0.25
