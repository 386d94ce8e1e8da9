"""The tree of released tuples."""

import numpy as np

from worker.engine.linkage.costs import LINEAR, Apart
from worker.engine.linkage.ranking_loops import NARROW, WIDE
from worker.engine.linkage.tuples import Layout, Tuples


def test_a_tree_without_categories_has_one_leaf():
    numbers = Apart(np.zeros(3), np.ones(3), np.zeros(3), np.array([1.0, np.inf, 0.5]), LINEAR, 1.0)
    tree = Layout((numbers,)).tree(
        Tuples(np.array([[0], [1], [2]], np.int32), np.ones(3, np.int64)), np.zeros(3)
    )
    assert (tree.roots, tree.deep) == (1, 0)
    assert tree.order.tolist() == [2, 0, 1]
    assert (tree.wide.lows[0, 0], tree.wide.highs[0, 0]) == (-np.inf, np.inf)  # one of them is `*`


def test_boxes_hold_their_tuples():
    draw = np.random.default_rng(1)
    costs = tuple(
        Apart(np.zeros(5000), np.ones(5000), np.zeros(5000), draw.random(5000), LINEAR, 1.0) for _ in range(3)
    )
    codes = draw.permuted(np.tile(np.arange(5000, dtype=np.int32), (3, 1)), axis=1).T
    tree = Layout(costs).tree(Tuples(codes, np.ones(5000, np.int64)), draw.random(5000))
    for boxes, size in ((tree.narrow, NARROW), (tree.wide, WIDE)):
        at = np.arange(5000) // size
        assert (boxes.lows[at] <= tree.places).all()
        assert (tree.places <= boxes.highs[at]).all()
        assert (boxes.best[at] <= tree.offsets).all()
    assert (tree.narrow.highs - tree.narrow.lows).prod(axis=1).mean() < 0.05  # neighbours are together
