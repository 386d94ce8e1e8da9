"""The attacker who measures: how far released rows lie from a known one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from worker.engine.arrays import Longs
from worker.engine.contracts.traces import Trace
from worker.engine.linkage.costs import LINEAR, Apart, Cost, Listed, alike, places, range_of
from worker.engine.linkage.quasi_identifiers import Key
from worker.engine.tables.column import Codes, Floats, Mask

NEARLY = 1e-9
"""Distances that differ by less, relative to their size, are the same."""
CORES = 2


def gower(keys: Sequence[Key]) -> tuple[Cost, ...]:
    """Numbers over the range that both sides share, any other column by equal or not; a label that holds the
    value is as near as the value. A missing value is far from any number. Not divided by the columns."""
    return tuple(_gower(key) for key in keys)


def _gower(key: Key) -> Cost:
    if key.is_numeric:
        wide = range_of(key.was.numbers, key.became.numbers)
        scales = np.full(len(key.was), 1 / wide if wide else 0.0)
        centres, bases = np.array(key.was.numbers), np.zeros(len(key.was))
        return Apart(centres, scales, bases, places(key.became), LINEAR, 1.0)
    if key.trace is Trace.COARSER:
        return Listed(np.where(key.cover(), 0.0, 1.0))
    return alike(key.was, key.became, 1.0)


def scaled(keys: Sequence[Key]) -> Floats:
    """What numbers are multiplied by so that their deviation is 1; a constant column tells nothing."""
    spreads = np.array([key.spread for key in keys])
    found: Floats = np.divide(1.0, spreads, out=np.zeros(len(keys)), where=spreads > 0)
    return found


def points(keys: Sequence[Key], codes: Codes, released: bool) -> Floats:
    """Tuples as points of a space in which the original's deviations are 1."""
    domains = (key.became if released else key.was for key in keys)
    columns = [domain.numbers[codes[:, at]] for at, domain in enumerate(domains)]
    found: Floats = np.column_stack(columns) * scaled(keys)
    return found


def nearest_standings(
    points: Floats, counts: Longs, targets: Floats, own: Floats, there: Mask, most: int
) -> Longs:
    """For each target the rows nearer than its own, counted up to `most`, and those as near as it."""
    from scipy.spatial import cKDTree

    found = np.full((len(targets), 2), most)
    tree = cKDTree(
        points, balanced_tree=False, compact_nodes=False
    )  # few are looked for: built in half the time
    asked, mine = targets[there], own[there]
    away, which = tree.query(asked, k=np.arange(1, min(most, len(points)) + 1), workers=CORES)
    far = np.sqrt(np.square(asked - mine).sum(axis=1))
    slack = NEARLY * np.maximum(far, 1.0)
    nearer, beyond = away < (far - slack)[:, None], away > (far + slack)[:, None]
    rows = counts[which]
    less = np.where(nearer, rows, 0).sum(axis=1)
    same = np.where(nearer | beyond, 0, rows).sum(axis=1)
    more = np.flatnonzero(~beyond[:, -1] & (less < most) & (away.shape[1] < len(points)))
    if len(more):
        reached = tree.query_ball_point(asked[more], (far + slack)[more], workers=CORES)
        same[more] = [counts[at].sum() for at in reached] - less[more]
    found[there] = np.column_stack([np.minimum(less, most), same])
    return found
