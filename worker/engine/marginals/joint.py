"""How far the joint distribution of several columns moved, counted from whole columns of codes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

import numpy as np

from worker.engine.randomness import Source
from worker.engine.tables.column import Codes
from worker.engine.tables.keys import Grouped, grouped, pack

Sets = list[tuple[str, ...]]


def total_variation(before: Sequence[Codes], after: Sequence[Codes], sizes: Sequence[int]) -> float | None:
    """Half the sum of differences between the shares of each tuple; None where a side has no rows."""
    rows = len(before[0]), len(after[0])
    if not all(rows):
        return None
    both = [np.concatenate(side) for side in zip(before, after, strict=True)]
    keys = pack(both, list(sizes), sum(rows))
    span = math.prod(sizes)
    was, became = (grouped(part, None, span) for part in (keys[: rows[0]], keys[rows[0] :]))
    return _apart(was, became, rows)


def _apart(was: Grouped, became: Grouped, rows: tuple[int, int]) -> float:
    """Every tuple of the release beside the same one of the original; what has none is apart altogether."""
    places = np.minimum(np.searchsorted(was.keys, became.keys), len(was.keys) - 1)
    known = was.keys[places] == became.keys
    shares = was.counts / rows[0]
    alike = np.minimum(shares[places[known]], became.counts[known] / rows[1]).sum()
    return min(max(1 - float(alike), 0.0), 1.0)


def some_of(names: Sequence[str], together: int, most: int, source: Source) -> Sets:
    """Every set of so many columns, or as many of them as are allowed, drawn at random."""
    whole = list(combinations(names, together))
    if len(whole) <= most:
        return whole
    chosen = source.stream(f"\x00sets of {together}", 0).choice(len(whole), most, replace=False)
    return [whole[at] for at in sorted(chosen.tolist())]
