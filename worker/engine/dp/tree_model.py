"""A model of a table from noisy marginals: each column alone, and pairs along a tree.

The tree is grown edge by edge; each edge is selected by the exponential mechanism among the pairs that
depend on each other most. What was measured is then made to agree: counts of a column are joined with those
that its pairs add up to, and pairs are fitted to the columns. Rows are drawn from the result. Nothing but
noisy counts goes into this, so it costs nothing more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.random import Generator

from worker.engine.arrays import Longs
from worker.engine.contracts.privacy import Spend
from worker.engine.dp.accuracy import Noise
from worker.engine.dp.answering import Drawer
from worker.engine.dp.consistency import nearest_with_margins, nearest_with_total
from worker.engine.dp.counting import CellRows
from worker.engine.dp.deriving import Part
from worker.engine.tables.frequency import Counts

Floats = np.ndarray[Any, np.dtype[np.float64]]
Edge = tuple[int, int]
LEFT_AFTER_FITTING = 0.5
"""About so much of a pair's noise is left once it is fitted to its columns."""


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
    """Counts that agree: one table per column, and one per edge (parent, child) in the order of growth."""

    alone: tuple[Floats, ...]
    edges: tuple[Edge, ...]
    pairs: tuple[Floats, ...]
    errors: tuple[int, int]
    """The half-widths at 95 % of a column's counts and of a pair's."""

    @property
    def rows(self) -> int:
        """How many rows there seem to be: every column's counts add up to as many."""
        return round(float(self.alone[0].sum()))


def grown(counted: CellRows, sizes: Sequence[int], prices: Prices, draw: Drawer) -> Tree:
    """Measure the columns, choose the edges, measure the pairs; then make them agree."""
    exact = [counted.marginal(sizes, (column,)) for column in range(len(sizes))]
    alone = _drawn(exact, prices.alone, draw)
    edges = _chosen(counted, sizes, _agreeing(alone, [1.0] * len(alone)), prices, draw)
    pairs = _drawn([counted.marginal(sizes, edge) for edge in edges], prices.pairs, draw) if edges else []
    shaped = [pair.reshape(sizes[a], sizes[b]) for pair, (a, b) in zip(pairs, edges, strict=True)]
    return _fitted(alone, edges, shaped, prices)


def _drawn(exact: Sequence[Counts], noise: Noise, draw: Drawer) -> list[Counts]:
    """All marginals as one vector: its sensitivity is theirs together."""
    drawn = draw.noisy(np.concatenate(exact), noise)
    return np.split(drawn, np.cumsum([len(one) for one in exact])[:-1])


# -- choosing ---------------------------------------------------------------------------------------------


def _chosen(
    counted: CellRows, sizes: Sequence[int], alone: Sequence[Floats], prices: Prices, draw: Drawer
) -> list[Edge]:
    """Grow the tree from the first column by the pair that is farthest from independent."""
    scores = {
        (a, b): _gain(counted.marginal(sizes, (a, b)), alone[a], alone[b], prices)
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


def _gain(pair: Counts, one: Floats, other: Floats, prices: Prices) -> int:
    """How far a pair's counts are from those of independent columns, less the noise that measuring them adds.

    The columns' counts are noisy and fixed, and the noise's size follows from that of the table alone: a row
    moves the figure by one.
    """
    expected = np.rint(np.outer(one, other) / max(float(one.sum()), 1.0)).astype(np.int64).ravel()
    noise = LEFT_AFTER_FITTING * prices.pairs.scale * len(pair)
    return int(np.abs(pair - expected).sum()) - round(noise)


# -- agreeing ---------------------------------------------------------------------------------------------


def _fitted(alone: Sequence[Counts], edges: Sequence[Edge], pairs: Sequence[Counts], prices: Prices) -> Tree:
    joined, variances = _joined(alone, edges, pairs, prices)
    columns = _agreeing(joined, variances)
    tables = [
        nearest_with_margins(pair.astype(float), (columns[a], columns[b]))
        for pair, (a, b) in zip(pairs, edges, strict=True)
    ]
    errors = (_error(joined, columns, prices.alone), _error(pairs, tables, prices.pairs) if edges else 0)
    return Tree(tuple(columns), tuple(edges), tuple(tables), errors)


def _joined(
    alone: Sequence[Counts], edges: Sequence[Edge], pairs: Sequence[Counts], prices: Prices
) -> tuple[list[Floats], list[float]]:
    """Each column's counts as the mean of all that tell them, weighed by their variances; in units of that
    of a column's own."""
    weights, sums = [1.0] * len(alone), [one.astype(float) for one in alone]
    for pair, edge in zip(pairs, edges, strict=True):
        for axis, column in enumerate(edge):
            weight = (prices.alone.scale / prices.pairs.scale) ** 2 / pair.shape[1 - axis]
            sums[column] = sums[column] + weight * pair.sum(axis=1 - axis)
            weights[column] += weight
    joined = [total / weight for total, weight in zip(sums, weights, strict=True)]
    return joined, [1 / weight for weight in weights]


def _agreeing(columns: Sequence[Counts | Floats], variances: Sequence[float]) -> list[Floats]:
    """Counts without negative ones that add up to one number of rows in every column."""
    weights = [1 / (len(one) * variance) for one, variance in zip(columns, variances, strict=True)]
    rows = float(np.average([one.sum() for one in columns], weights=weights))
    return [nearest_with_total(np.asarray(one, np.float64), round(rows)) for one in columns]


def _error(measured: Sequence[Counts | Floats], fitted: Sequence[Floats], noise: Noise) -> int:
    """The noise's half-width, and what fitting took from counts that are left: cutting at 0 what is empty
    adds rows there, which are missing where there are some."""
    taken = [
        float(np.maximum(one - other, 0.0)[other > 0].mean())
        for one, other in zip(measured, fitted, strict=True)
        if (other > 0).any()
    ]
    return noise.error() + round(max(taken, default=0.0))


# -- drawing ----------------------------------------------------------------------------------------------


def drawn_rows(tree: Tree, rows: int, generator: Generator) -> list[Longs]:
    """Cells of each column for so many invented rows."""
    found: dict[int, Longs] = {0: _draws(tree.alone[0], rows, generator)}
    for (parent, child), pair in zip(tree.edges, tree.pairs, strict=True):
        chosen = np.zeros(rows, np.int64)
        order = np.argsort(found[parent], kind="stable")
        ends = np.searchsorted(found[parent][order], np.arange(len(pair) + 1))
        for value, (start, end) in enumerate(pairwise(ends.tolist())):
            weights = pair[value] if pair[value].sum() > 0 else tree.alone[child]
            chosen[order[start:end]] = _draws(weights, end - start, generator)
        found[child] = chosen
    return [found[column] for column in range(len(tree.alone))]


def _draws(weights: Floats, rows: int, generator: Generator) -> Longs:
    """Cells in random order, each as often as its share of the rows, rounded up or down at random."""
    total = weights.sum()
    shares = weights / total if total > 0 else np.full(len(weights), 1 / len(weights))
    ends = np.floor(np.cumsum(shares) * rows + generator.random()).astype(np.int64)
    ends[-1] = rows
    found = np.repeat(np.arange(len(weights)), np.diff(np.minimum(ends, rows), prepend=0))
    generator.shuffle(found)
    return found
