"""One column of a sequence: how it is read into bins, and how new values are drawn given those before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from worker.engine.arrays import Longs
from worker.engine.synthesis.scores import Scale
from worker.engine.synthesis.shapes import Categories, Numbers, Shape, shape_of
from worker.engine.synthesis.trees import MOST_BINS, Bins, Tree, grown
from worker.engine.tables.column import Column, Floats, Mask
from worker.engine.tables.declaration import Declaration
from worker.engine.tables.keys import distinct


@dataclass(frozen=True)
class Link:
    """`values` are the donors' values in the order of the tree's donors: sorted within each leaf."""

    shape: Shape
    edges: Floats
    tree: Tree
    values: Floats
    fitted: Bins

    @property
    def name(self) -> str:
        """The column."""
        return self.shape.name

    @property
    def ordered(self) -> bool:
        """Whether its bins have an order."""
        return isinstance(self.shape, Numbers)

    @property
    def leaves(self) -> int:
        """How many leaves the tree has."""
        return int((self.tree.feature < 0).sum())

    def forgetting(self) -> Link:
        """Without the rows it was fitted on."""
        return replace(
            self, fitted=np.zeros(0, np.uint8), tree=replace(self.tree, donors=np.zeros(0, np.int64))
        )

    def drawn(self, bins: Bins, draws: Floats) -> tuple[Column, Bins]:
        """New values for rows with these bins of the columns before, and their own bins."""
        if not len(self.values):
            return self.shape.write(np.full(len(draws), np.nan)), np.zeros(len(draws), np.uint8)
        leaves = self.tree.leaves(bins) if len(bins) else np.zeros(len(draws), np.int64)
        place = self.tree.drawn(leaves, draws)
        at = np.minimum(place.astype(np.int64), self.tree.ends[leaves] - 1)
        values: Floats = self.values[at]
        if isinstance(self.shape, Categories):
            return self.shape.write(values.astype(np.int32)), _binned(self.shape, self.edges, values)
        smooth = self._between(place, leaves)
        smooth[np.isnan(values)] = np.nan
        return self.shape.write(smooth), _binned(self.shape, self.edges, smooth)

    def _between(self, place: Floats, leaves: Longs) -> Floats:
        """A number between two neighbours of the leaf, so that the leaf's mean stays."""
        begins, last = self.tree.begins[leaves], self.tree.ends[leaves] - 1
        low = np.clip(np.floor(place - 0.5).astype(np.int64), begins, last)
        one, other = self.values[low], self.values[np.minimum(low + 1, last)]
        share = np.clip(place - 0.5 - low, 0.0, 1.0)
        return one + np.where(np.isnan(other), 0.0, share * (other - one))


def linked(before: Sequence[Link], column: Column, declared: Declaration, smallest: int) -> Link:
    """Fit the next column on those before it."""
    shape = shape_of(column, declared, smallest)
    values = shape.read(column).astype(np.float64)
    edges = _edges(values) if isinstance(shape, Numbers) else np.zeros(0)
    fitted = _binned(shape, edges, values)
    usable = np.flatnonzero(values >= 0) if isinstance(shape, Categories) else np.arange(len(values))
    bins = np.array([link.fitted[usable] for link in before], dtype=np.uint8)
    bins = bins.reshape(len(before), len(usable))
    ordered: Mask = np.array([link.ordered for link in before], dtype=bool)
    tree = grown(bins, ordered, _response(shape, values[usable]), smallest)
    donors = _sorted_within(tree, values[usable])
    return Link(shape, edges, tree, donors, fitted)


def _edges(values: Floats) -> Floats:
    known = values[~np.isnan(values)]
    return distinct(np.quantile(known, np.arange(1, MOST_BINS - 1) / (MOST_BINS - 1)))


def _binned(shape: Shape, edges: Floats, values: Floats) -> Bins:
    """Numbers by quantile with a bin for none; categories by place, the rarest sharing the last bin."""
    if isinstance(shape, Numbers):
        found = np.searchsorted(edges, values, side="right")
        return np.where(np.isnan(values), MOST_BINS - 1, np.minimum(found, MOST_BINS - 2)).astype(np.uint8)
    by_share = np.argsort(-shape.shares, kind="stable")
    table = np.zeros(len(shape.texts) + 1, np.uint8)
    table[by_share] = np.minimum(np.arange(len(by_share)), MOST_BINS - 1)
    table[-1] = MOST_BINS - 1
    return table[values.astype(np.int64)] if len(values) else np.zeros(0, np.uint8)


def _response(shape: Shape, values: Floats) -> Floats:
    """What a tree explains: a number's normal score and whether there is one; or one column per category."""
    if isinstance(shape, Numbers):
        gone = np.isnan(values)
        score = Scale.of(values[~gone])(values)
        return np.column_stack([score, gone]) if gone.any() else np.column_stack([score])
    frequent = np.argsort(-shape.shares, kind="stable")[: MOST_BINS // 2]
    return np.asarray(values[:, None] == frequent[None, :], np.float64)


def _sorted_within(tree: Tree, values: Floats) -> Floats:
    """The donors' values leaf by leaf, ascending, NaN last."""
    leaf = np.repeat(np.arange(len(tree.begins)), tree.ends - tree.begins)
    donors = values[tree.donors]
    found: Floats = donors[np.lexsort((donors, leaf))]
    return found
