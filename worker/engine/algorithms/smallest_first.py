"""Goals about a whole release are reached by giving up the smallest classes first."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from worker.engine.column import Mask
from worker.engine.frequency import Counts


def smallest_dropped(sizes: Counts, met: Callable[[Counts], bool]) -> Mask:
    """Which classes stay when the fewest of the smallest go; nothing left satisfies everything.

    Found by bisection: what a number of dropped classes satisfies, more of them satisfy too. Among classes
    of one size those that come first go first.
    """
    order = np.argsort(sizes, kind="stable")
    low, high = 0, len(order)
    while low < high:
        middle = (low + high) // 2
        if met(sizes[order[middle:]]):
            high = middle
        else:
            low = middle + 1
    stay = np.ones(len(order), bool)
    stay[order[:low]] = False
    return stay
