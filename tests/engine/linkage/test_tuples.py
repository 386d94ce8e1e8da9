"""The tree of released tuples."""

import numpy as np

from worker.engine.linkage.costs import LINEAR, Apart
from worker.engine.linkage.tuples import Layout, Tuples


def test_a_tree_without_categories_has_one_leaf():
    numbers = Apart(np.zeros(3), np.ones(3), np.zeros(3), np.array([1.0, np.inf, 0.5]), LINEAR, 1.0)
    tree = Layout((numbers,)).tree(
        Tuples(np.array([[0], [1], [2]], np.int32), np.ones(3, np.int64)), np.zeros(3)
    )
    assert (tree.roots, tree.deep) == (1, 0)
    assert tree.order.tolist() == [2, 0, 1]
    assert tree.known.tolist() == [2]
