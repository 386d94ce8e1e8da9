"""Trees whose leaves are bags of donors."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worker.engine.synthesis.trees import grown


def grow(bins, response, smallest=20, ordered=None):
    bins = np.asarray(bins, np.uint8)
    ordered = np.ones(len(bins), bool) if ordered is None else np.asarray(ordered)
    return grown(bins, ordered, np.asarray(response, float)[:, None], smallest)


def test_a_step_is_found_and_every_row_is_a_donor_once():
    x = np.arange(400) % 40
    y = (x >= 17).astype(float)
    tree = grow([x], y)
    leaves = tree.leaves(np.array([[0, 16, 17, 39]], np.uint8))
    assert leaves[0] == leaves[1] != leaves[2] == leaves[3]
    assert sorted(tree.donors.tolist()) == list(range(400))
    for leaf in set(leaves.tolist()):
        assert np.ptp(y[tree.donors[tree.begins[leaf] : tree.ends[leaf]]]) == 0


def test_unordered_bins_are_grouped_by_their_response():
    x = np.arange(600) % 6
    y = np.isin(x, [0, 3, 5]).astype(float)
    tree = grow([x], y, ordered=[False])
    leaves = tree.leaves(np.arange(6, dtype=np.uint8)[None, :])
    assert len(set(leaves.tolist())) == 2
    assert leaves[0] == leaves[3] == leaves[5]


def test_interactions_are_found():
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 2, 4000), rng.integers(0, 2, 4000)
    y = (a ^ b) + 0.1 * a + 0.001 * rng.standard_normal(4000)
    tree = grow([a, b], y, smallest=50)
    leaves = tree.leaves(np.array([[0, 0, 1, 1], [0, 1, 0, 1]], np.uint8))
    means = [y[tree.donors[tree.begins[leaf] : tree.ends[leaf]]].mean().round(2) for leaf in leaves]
    assert means == [0, 1, 1.1, 0.1]


def test_no_leaf_is_smaller_than_asked():
    rng = np.random.default_rng(1)
    tree = grow(rng.integers(0, 60, (3, 5000)), rng.standard_normal(5000), smallest=37)
    sizes = (tree.ends - tree.begins)[tree.feature < 0]
    assert sizes.min() >= 37
    assert sizes.sum() == 5000


def test_nothing_to_split_is_one_leaf():
    assert len(grow(np.zeros((1, 100)), np.zeros(100)).feature) == 1
    assert len(grow(np.zeros((0, 100)), np.arange(100)).feature) == 1
    assert len(grow(np.zeros((0, 0)), []).feature) == 1


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 3), st.integers(1, 12), st.integers(5, 60))
def test_the_first_split_is_the_best_of_all(seed, features, outputs, smallest):
    rng = np.random.default_rng(seed)
    bins, ordered = rng.integers(0, 6, (features, 150)).astype(np.uint8), rng.random(features) < 0.5
    response = rng.standard_normal((150, outputs)) + bins[0][:, None]
    tree = grown(bins, ordered, response, smallest)
    centred = response - response.mean(axis=0)
    leading = int(np.argmax((centred**2).sum(axis=0)))
    best = max(gains(bins[at], ordered[at], centred, leading, smallest) for at in range(features))
    if tree.feature[0] < 0:
        assert best <= 0
    else:
        to_left = tree.left[0, bins[tree.feature[0]]]
        assert gain(centred, to_left) == pytest.approx(best)
        assert smallest <= to_left.sum() <= 150 - smallest


def gains(bins, ordered, centred, leading, smallest):
    """What the best split of one feature gains."""
    means = [centred[bins == one, leading].mean() if (bins == one).any() else 0.0 for one in range(6)]
    order = range(6) if ordered else np.argsort(means, kind="stable")
    sides = (np.isin(bins, list(order)[: cut + 1]) for cut in range(6))
    return max((gain(centred, one) for one in sides if smallest <= one.sum() <= 150 - smallest), default=0.0)


def gain(centred, to_left):
    """By how much the squared deviation falls."""
    return sum((centred[side].sum(axis=0) ** 2).sum() / side.sum() for side in (to_left, ~to_left))
