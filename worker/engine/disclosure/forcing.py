"""How many rows of a class must go, however the class is split further.

Take a class that violates a goal under which two good classes together make a good one, and split it. All
rows that are kept lie in good parts, so together they are good as well. Hence at least as many rows go as
separate the class from its largest good part of any composition. A search may pass over everything finer
than a grouping whose classes together cost too many rows, although suppression makes such goals
non-monotone. Every figure here may be too small, never too large.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from worker.engine.disclosure.comparison import BLOCK_CELLS, Comparison, places
from worker.engine.tables.classes import Contents, Ids
from worker.engine.tables.column import Codes, Floats, Mask
from worker.engine.tables.frequency import Counts

SLACK = 1e-6
"""Taken off before rounding up, so that rounding errors only ever weaken a figure."""

Prices = tuple[Floats, Floats]
"""A price for each entry of a comparison, and per class the mean price over the whole table: the mean price
of a class minus that of the table is the class's distance, and no other composition's distance is less than
what it comes to at these prices (the dual of moving earth)."""


def tree_prices(one: Comparison, levels: Sequence[Codes]) -> Prices:
    """Half a step up for each edge of the tree, in the direction the earth flows."""
    prices, mean = np.zeros(len(one.ids)), np.zeros(one.number)
    for groups in levels:
        size = int(groups.max(initial=0)) + 1
        keys = one.ids * size + groups[one.codes]
        distinct, first, of = np.unique(keys, return_index=True, return_inverse=True)
        overall = np.bincount(groups, weights=one.overall, minlength=size)
        inside = np.bincount(of, weights=one.inside, minlength=len(distinct))
        ids, whole = one.ids[first], overall[groups[one.codes[first]]]
        direction = np.sign(inside * one.total - one.sizes[ids] * whole)
        prices += direction[of]
        present = np.bincount(ids, weights=whole, minlength=one.number)
        flow = np.bincount(ids, weights=whole * direction, minlength=one.number)
        mean += (flow - (one.total - present)) / max(one.total, 1)
    return prices / (2.0 * len(levels)), mean / (2.0 * len(levels))


def ordered_prices(one: Comparison, ranks: Codes) -> Prices:
    """A price per rank: for each gap above it, the direction in which the earth crosses it."""
    place, overall = places(one, ranks)
    prices, mean = np.zeros(len(one.ids)), np.zeros(one.number)
    if len(overall) < 2:
        return prices, mean
    step = max(1, BLOCK_CELLS // len(overall))
    starts = np.searchsorted(one.ids, np.arange(0, one.number + step, step))
    for block, first in enumerate(range(0, one.number, step)):
        last = min(first + step, one.number)
        flows = -one.sizes[first:last, None] * overall[None, :]
        entries = slice(starts[block], starts[block + 1])
        rows, ranked = one.ids[entries] - first, place[one.codes[entries]]
        flows[rows, ranked] += one.scaled_inside[entries]
        signs = np.sign(np.cumsum(flows, axis=1))[:, :-1]
        table = np.zeros(flows.shape)
        table[:, :-1] = np.cumsum(signs[:, ::-1], axis=1)[:, ::-1] / (len(overall) - 1.0)
        prices[entries] = table[rows, ranked]
        mean[first:last] = table @ (overall / one.total)
    return prices, mean


def dropped_by_distance(one: Comparison, found: Prices, limit: float) -> Counts:
    """Closeness: the dearest rows go until the rest is near enough at the prices given."""
    prices, mean = found
    costs = prices - mean[one.ids] - limit
    excess = np.bincount(one.ids, weights=costs * one.inside, minlength=one.number) - SLACK
    far = np.flatnonzero(excess[one.ids] > 0)
    order = far[np.lexsort((-costs[far], one.ids[far]))]
    ids, costs, rows = one.ids[order], costs[order], one.inside[order]
    freed, gone = _within(ids, costs * rows), _within(ids, rows.astype(np.float64))
    before = freed - costs * rows
    dear = (costs > 0) & (before < excess[ids])
    whole = dear & (freed <= excess[ids])
    dropped = np.zeros(one.number)
    np.maximum.at(dropped, ids[whole], gone[whole])
    part = dear & ~whole
    rest = (excess[ids[part]] - before[part]) / costs[part]
    np.maximum.at(dropped, ids[part], gone[part] - rows[part] + rest)
    return np.minimum(_rounded_up(dropped), one.sizes)


def dropped_by_shares(one: Comparison, allowed: Floats) -> Counts:
    """No value may exceed its share of the rows that stay: shrink until what is allowed adds up."""
    from worker.engine.disclosure.forcing_loops import shrunk

    kept = shrunk(one.ids, one.inside, allowed, one.sizes)
    return one.sizes - np.floor(kept + SLACK).astype(np.int64)


def dropped_by_cap(contents: Contents, number: int, holds: Callable[[Ids, Counts, Counts], Mask]) -> Counts:
    """Diversity: of all parts of one size the most even one is best, which cuts all values to one cap.

    `holds` says of classes, with the counts of all entries cut and each class's cap, which are good; entries
    lie class by class, the largest first, and under higher caps a class is never better. Rows above what the
    first bad cap leaves cannot all stay.
    """
    ids, counts = _largest_first(contents)
    top = np.zeros(number, np.int64)
    starts = np.flatnonzero(np.diff(ids, prepend=-1))
    top[ids[starts]] = counts[starts]
    bad = ~holds(ids, counts, top)
    dropped, mine = np.zeros(number, np.int64), bad[ids]
    dropped[bad] = _cut((np.cumsum(bad) - 1)[ids[mine]], counts[mine], top[bad], holds)
    return dropped


def _largest_first(contents: Contents) -> tuple[Ids, Counts]:
    span = int(contents.counts.max(initial=0)) + 1
    order = np.argsort(contents.ids * span - contents.counts, kind="stable")
    return contents.ids[order], contents.counts[order]


def _cut(ids: Ids, counts: Counts, top: Counts, holds: Callable[[Ids, Counts, Counts], Mask]) -> Counts:
    """Look for the highest good cap of each class, of which none is good as it is."""
    number = len(top)
    low, high = np.zeros(number, np.int64), top - 1
    while (low < high).any():
        cap = (low + high + 1) // 2
        good = holds(ids, np.minimum(counts, cap[ids]), cap)
        low, high = np.where(good, cap, low), np.where(good, high, cap - 1)
    total = _sums(ids, counts, number)
    left = _sums(ids, np.minimum(counts, low[ids] + 1), number)
    return total - left + 1


def _sums(ids: Ids, values: Counts, number: int) -> Counts:
    return np.bincount(ids, weights=values, minlength=number).astype(np.int64)


def _within(ids: Ids, values: Floats) -> Floats:
    """Running totals that start anew with each class; entries lie class by class."""
    running = np.cumsum(values)
    starts = np.flatnonzero(np.diff(ids, prepend=-1))
    offsets = np.zeros(len(ids))
    offsets[starts] = np.diff(running[starts] - values[starts], prepend=0.0)
    return running - np.cumsum(offsets)


def _rounded_up(rows: Floats) -> Counts:
    """The least whole number of rows, never below zero."""
    return np.maximum(np.ceil(rows - SLACK), 0).astype(np.int64)
