"""How far classes are from the table on a scale, without walking over the whole scale for each class."""

from __future__ import annotations

import numpy as np

from worker.engine.tables.classes import Ids
from worker.engine.tables.column import Codes, Floats
from worker.engine.tables.frequency import Counts


def ordered_distances(ids: Ids, places: Codes, inside: Counts, table: Floats) -> Floats:
    """Σ |cumulative (p − q)| / (m − 1) of each class over the m places of the scale.

    Entries are in ascending order of class and place, one for each place that occurs in a class, with how
    often it does; every class has one. `table` are the shares of the places in the whole. Between two entries
    the class's running share P stands still while the table's running share Q grows, so that |P − Q| falls
    until Q has reached P and rises after it: two sums of Q tell it.
    """
    number, length = int(ids[-1]) + 1 if len(ids) else 0, len(table)
    if length < 2 or not number:
        return np.zeros(number)
    running = np.minimum(np.cumsum(table), 1.0)
    sums = np.concatenate([[0.0], np.cumsum(running)])
    fresh = np.append(True, ids[1:] != ids[:-1])
    first = np.flatnonzero(fresh)
    reached = _running(inside, first, ids)
    until = np.append(places[1:], length - 1)
    until[np.append(fresh[1:], True)] = length - 1  # at the last place both have reached 1
    middle = np.clip(np.searchsorted(running, reached), places, until)
    below = reached * (middle - places) - (sums[middle] - sums[places])
    above = (sums[until] - sums[middle]) - reached * (until - middle)
    found = np.bincount(ids, below + above, number) + sums[places[first]]
    return np.asarray(np.maximum(found, 0.0) / (length - 1))


def _running(inside: Counts, first: Ids, ids: Ids) -> Floats:
    """The running share within each class, each begun anew: added up in whole numbers."""
    total = np.concatenate([[0], np.cumsum(inside)])
    last = np.append(first[1:], len(ids))
    return np.asarray((total[1:] - total[first][ids]) / (total[last] - total[first])[ids])
