"""Trees whose leaves are bags of donors."""

import numpy as np

from worker.engine.algorithms.trees import grown


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
