"""Small regression and classification trees on binned features, whose leaves are bags of rows.

Features are columns of small integers. A split sends a set of bins to the left: the lowest ones by the
mean response of their rows (numbers keep their own order). Rows fall to leaves, and a leaf's rows are
the donors of whatever falls there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from worker.engine.column import Floats, Mask

Bins = np.ndarray[Any, np.dtype[np.uint8]]
Rows = np.ndarray[Any, np.dtype[np.int64]]
MOST_BINS = 64
DEEPEST = 24
LEAST_GAIN = 1e-9


@dataclass(frozen=True)
class Tree:
    """Inner nodes have a feature, the bins that go left, and two children; leaves have donors."""

    feature: Rows
    left: Mask
    children: Rows
    donors: Rows
    begins: Rows
    ends: Rows

    def leaves(self, bins: Bins) -> Rows:
        """The leaf of each row (features × rows)."""
        at = np.zeros(bins.shape[1], np.int64)
        rows = np.arange(bins.shape[1])
        for _ in range(DEEPEST + 1):
            rows = rows[self.feature[at[rows]] >= 0]
            if not len(rows):
                break
            here = at[rows]
            goes_left = self.left[here, bins[self.feature[here], rows]]
            at[rows] = self.children[here, np.where(goes_left, 0, 1)]
        return at

    def drawn(self, leaves: Rows, draws: Floats) -> Floats:
        """A place among the donors of each leaf, with the fraction to the next one."""
        sizes = self.ends[leaves] - self.begins[leaves]
        return np.asarray(self.begins[leaves] + draws * sizes, np.float64)


@dataclass
class _Growing:
    feature: list[int]
    left: list[Mask]
    children: list[tuple[int, int]]
    rows: dict[int, Rows]

    def add(self) -> int:
        self.feature.append(-1)
        self.left.append(np.zeros(MOST_BINS, bool))
        self.children.append((-1, -1))
        return len(self.feature) - 1


def grown(bins: Bins, ordered: Mask, response: Floats, smallest: int) -> Tree:
    """Fit to responses (rows × outputs); `ordered` marks features whose bins are in order."""
    tree = _Growing([], [], [], {})
    waiting = [(tree.add(), np.arange(len(response)), 0)]
    while waiting:
        node, rows, depth = waiting.pop()
        found = None
        if len(rows) >= 2 * smallest and depth < DEEPEST:
            found = _best_split(bins[:, rows], ordered, response[rows], smallest)
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


def _best_split(bins: Bins, ordered: Mask, response: Floats, smallest: int) -> tuple[int, Mask] | None:
    """The split that most reduces the squared deviation of the responses, summed over outputs."""
    centred: Floats = response - response.mean(axis=0)
    least = LEAST_GAIN * max(float((centred**2).sum()), 1e-30)
    best: tuple[int, Mask] | None = None
    for feature in range(len(bins)):
        for gain, goes_left in _splits(bins[feature], bool(ordered[feature]), centred, smallest):
            if gain > least:
                least, best = gain, (feature, goes_left)
    return best


def _splits(bins: Bins, ordered: bool, centred: Floats, smallest: int) -> Iterator[tuple[float, Mask]]:
    """The best split of one feature, if there is any with enough rows on both sides."""
    counts = np.bincount(bins, minlength=MOST_BINS)
    sums = np.stack([np.bincount(bins, weights=one, minlength=MOST_BINS) for one in centred.T], axis=1)
    order = np.arange(MOST_BINS)
    if not ordered:
        leading = int(np.argmax((centred**2).sum(axis=0)))
        order = np.argsort(sums[:, leading] / np.maximum(counts, 1), kind="stable")
    rows = np.cumsum(counts[order])
    running = np.cumsum(sums[order], axis=0)
    others = rows[-1] - rows
    allowed = (rows >= smallest) & (others >= smallest)
    if not allowed.any():
        return
    squares = (running**2).sum(axis=1)  # the total is 0, so both sides have the same sum
    gains = np.where(allowed, squares / np.maximum(rows, 1) + squares / np.maximum(others, 1), -1.0)
    at = int(np.argmax(gains))
    goes_left = np.zeros(MOST_BINS, bool)
    goes_left[order[: at + 1]] = True
    yield float(gains[at]), goes_left
