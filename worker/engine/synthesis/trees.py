"""Small regression and classification trees on binned features, whose leaves are bags of rows.

Features are columns of small integers. A split sends a set of bins to the left: the lowest ones by the
mean response of their rows (numbers keep their own order). Rows fall to leaves, and a leaf's rows are
the donors of whatever falls there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from worker.engine.arrays import Longs
from worker.engine.tables.column import Floats, Mask

Bins = np.ndarray[Any, np.dtype[np.uint8]]
MOST_BINS = 64
DEEPEST = 24
LEAST_GAIN = 1e-9


@dataclass(frozen=True)
class Tree:
    """Inner nodes have a feature, the bins that go left, and two children; leaves have donors."""

    feature: Longs
    left: Mask
    children: Longs
    donors: Longs
    begins: Longs
    ends: Longs

    def leaves(self, bins: Bins) -> Longs:
        """The leaf of each row (features × rows)."""
        from worker.engine.synthesis.tree_loops import fall

        found: Longs = np.empty(bins.shape[1], np.int64)
        fall(bins, self.feature, self.left, self.children, found)
        return found

    def drawn(self, leaves: Longs, draws: Floats) -> Floats:
        """A place among the donors of each leaf, with the fraction to the next one."""
        sizes = self.ends[leaves] - self.begins[leaves]
        return np.asarray(self.begins[leaves] + draws * sizes, np.float64)


@dataclass
class _Growing:
    feature: list[int]
    left: list[Mask]
    children: list[tuple[int, int]]
    rows: dict[int, Longs]

    def add(self) -> int:
        self.feature.append(-1)
        self.left.append(np.zeros(MOST_BINS, bool))
        self.children.append((-1, -1))
        return len(self.feature) - 1


def grown(bins: Bins, ordered: Mask, response: Floats, smallest: int) -> Tree:
    """Fit to responses (rows × outputs); `ordered` marks features whose bins are in order."""
    tree = _Growing([], [], [], {})
    beside = np.ascontiguousarray(bins.T)  # what a row shows of all features stands together
    waiting = [(tree.add(), np.arange(len(response)), 0)]
    while waiting:
        node, rows, depth = waiting.pop()
        found = None
        if len(rows) >= 2 * smallest and depth < DEEPEST:
            found = _best_split(beside, rows, ordered, response[rows], smallest)
        if found is None:
            tree.rows[node] = rows
            continue
        feature, goes_left = found
        to_left = goes_left[bins[feature, rows]]
        tree.feature[node], tree.left[node] = feature, goes_left
        tree.children[node] = (tree.add(), tree.add())
        waiting.append((tree.children[node][0], rows[to_left], depth + 1))
        waiting.append((tree.children[node][1], rows[~to_left], depth + 1))
    return _finished(tree)


def _finished(tree: _Growing) -> Tree:
    count = len(tree.feature)
    sizes = np.array([len(tree.rows.get(node, ())) for node in range(count)], dtype=np.int64)
    ends = np.cumsum(sizes)
    donors = [tree.rows[node] for node in range(count) if node in tree.rows]
    return Tree(
        np.array(tree.feature, dtype=np.int64),
        np.array(tree.left, dtype=bool).reshape(count, MOST_BINS),
        np.array(tree.children, dtype=np.int64),
        np.concatenate(donors),
        ends - sizes,
        ends,
    )


def _best_split(
    bins: Bins, rows: Longs, ordered: Mask, response: Floats, smallest: int
) -> tuple[int, Mask] | None:
    """The split that most reduces the squared deviation of the responses, summed over outputs.

    `bins` has a line for each row of the data, `response` one for each of the rows.
    """
    from worker.engine.synthesis.tree_loops import best_split

    centred: Floats = response - response.mean(axis=0)
    squared, goes_left = centred**2, np.zeros(MOST_BINS, bool)
    leading = int(np.argmax(squared.sum(axis=0)))
    gain, feature = best_split(bins, rows, centred, ordered, leading, smallest, goes_left)
    return (feature, goes_left) if gain > LEAST_GAIN * max(float(squared.sum()), 1e-30) else None
