"""Loops over what classes hold, for what must go of them: the search asks this of every node."""

from __future__ import annotations

from typing import Any

import numpy as np

from worker.engine.arrays import Longs
from worker.engine.kernels.compiled import compiled

Floats = np.ndarray[Any, np.dtype[np.float64]]

ROUNDS = 30
NEARLY = 0.05
"""Rows by which a class still shrinks when it is hardly worth going on."""


@compiled
def shrunk(ids: Longs, inside: Longs, allowed: Floats, sizes: Longs) -> Floats:
    """At most how many rows of each class stay when no entry may exceed its share of them."""
    kept, start = sizes.astype(np.float64), 0
    for one in range(sizes.size):
        end = start
        while end < ids.size and ids[end] == one:
            end += 1
        for _ in range(ROUNDS):
            before, fewer = kept[one], 0.0
            for i in range(start, end):
                fewer += min(float(inside[i]), allowed[i] * before)
            kept[one] = min(before, fewer)
            if kept[one] >= before - NEARLY:
                break
        start = end
    return kept
