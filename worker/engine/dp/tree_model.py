"""A model of a table from noisy marginals: each column alone, and pairs along a tree.

The tree is grown edge by edge; each edge is selected by the exponential mechanism among the pairs that
depend on each other most. Rows are then drawn from the noisy marginals alone, which costs nothing more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.random import Generator

from worker.engine.dp.accuracy import Noise
from worker.engine.dp.answering import Drawer
from worker.engine.dp.counting import CellRows
from worker.engine.dp.deriving import Part
from worker.engine.frequency import Counts
from worker.engine.privacy import Spend

Floats = np.ndarray[Any, np.dtype[np.float64]]
Edge = tuple[int, int]


@dataclass(frozen=True)
class Prices:
    """A third of ε for the columns alone, a third to choose the edges, a third for the pairs."""

    columns: int
    rows: int
    epsilon_micro: int

    @property
    def edges(self) -> int:
        """A tree has one edge fewer than columns."""
        return self.columns - 1

    @property
    def third(self) -> int:
        """In millionths; everything when there is nothing to choose."""
        return self.epsilon_micro // 3 if self.edges else self.epsilon_micro

    @property
    def alone(self) -> Noise:
        """A person changes each of the columns' counts by at most the rows kept."""
        return self._noise(self.columns * self.rows)

    @property
    def pairs(self) -> Noise:
        """The same for each pair on the tree."""
        return self._noise(self.edges * self.rows)

    @property
    def edge(self) -> Part:
        """One selection. A row moves a pair's count, and so its score, by one."""
        why = "a row changes one count of a pair by one, and the score is a sum of distances of such counts"
        return Part("choice", self.rows, self.third // max(self.edges, 1), why)

    def _noise(self, change: int) -> Noise:
        epsilon = Spend(self.third).epsilon
        return Noise("laplace", float(change / epsilon), change, epsilon, Decimal(0))


@dataclass(frozen=True)
class Tree:
    """Noisy marginals: one per column, and one per edge (parent, child) in the order of growth."""

    alone: tuple[Floats, ...]
    edges: tuple[Edge, ...]
    pairs: tuple[Floats, ...]

    @property
    def rows(self) -> int:
        """How many rows there seem to be: every column's counts add up to as many."""
        return max(0, round(float(np.mean([one.sum() for one in self.alone]))))


def grown(counted: CellRows, sizes: Sequence[int], prices: Prices, draw: Drawer) -> Tree:
    """Measure the columns, choose the edges, measure the pairs."""
    exact = [counted.marginal(sizes, (column,)) for column in range(len(sizes))]
    alone = _drawn(exact, prices.alone, draw)
    edges = _chosen(counted, sizes, alone, prices, draw)
    pairs = _drawn([counted.marginal(sizes, edge) for edge in edges], prices.pairs, draw) if edges else []
    shaped = [pair.reshape(sizes[a], sizes[b]) for pair, (a, b) in zip(pairs, edges, strict=True)]
    return Tree(tuple(map(_positive, alone)), tuple(edges), tuple(map(_positive, shaped)))


def _drawn(exact: Sequence[Counts], noise: Noise, draw: Drawer) -> list[Counts]:
    """All marginals as one vector: its sensitivity is theirs together."""
    drawn = draw.noisy(np.concatenate(exact), noise)
    return np.split(drawn, np.cumsum([len(one) for one in exact])[:-1])


def _chosen(
    counted: CellRows, sizes: Sequence[int], alone: Sequence[Counts], prices: Prices, draw: Drawer
) -> list[Edge]:
    """Grow the tree from the first column by the pair that is farthest from independent."""
    scores = {
        (a, b): _dependence(counted.marginal(sizes, (a, b)), alone[a], alone[b])
        for a in range(len(sizes))
        for b in range(a + 1, len(sizes))
    }
    reached, edges = {0}, []
    while len(reached) < len(sizes):
        open_ones = [(a, b) for a in sorted(reached) for b in range(len(sizes)) if b not in reached]
        best = draw.best([scores[min(edge), max(edge)] for edge in open_ones], prices.edge)
        edges.append(open_ones[best])
        reached.add(open_ones[best][1])
    return edges


def _dependence(pair: Counts, one: Counts, other: Counts) -> int:
    """How far a pair's counts are from those of independent columns, whose counts are noisy and fixed."""
    first, second = _positive(one), _positive(other)
    total = max(float(first.sum() + second.sum()) / 2, 1.0)
    expected = np.rint(np.outer(first, second) / total).astype(np.int64).ravel()
    return int(np.abs(pair - expected).sum())


def _positive(counts: Counts | Floats) -> Floats:
    return np.maximum(np.asarray(counts, np.float64), 0.0)


def drawn_rows(tree: Tree, rows: int, generator: Generator) -> list[np.ndarray[Any, np.dtype[np.int64]]]:
    """Cells of each column for so many invented rows."""
    found: dict[int, Any] = {0: _draws(tree.alone[0], rows, generator)}
    for (parent, child), pair in zip(tree.edges, tree.pairs, strict=True):
        chosen = np.zeros(rows, np.int64)
        for value in range(len(pair)):
            at = np.flatnonzero(found[parent] == value)
            weights = pair[value] if pair[value].sum() > 0 else tree.alone[child]
            chosen[at] = _draws(weights, len(at), generator)
        found[child] = chosen
    return [found[column] for column in range(len(tree.alone))]


def _draws(weights: Floats, rows: int, generator: Generator) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Cells in proportion to weights; evenly when nothing is left of them."""
    total = weights.sum()
    shares = weights / total if total > 0 else np.full(len(weights), 1 / len(weights))
    return generator.choice(len(weights), size=rows, p=shares)
