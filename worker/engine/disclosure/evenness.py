"""Whether the values of a class are spread as evenly as l equally frequent ones: entropy ≥ ln l, exactly.

Logarithms round, and evenly filled classes lie on the border: of seven and seven rows with l = 2 floats say
no. So what lies within their error is decided by logarithms of fifty digits.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Context, Decimal
from functools import lru_cache
from math import log

import numpy as np

from worker.engine.tables.classes import Contents
from worker.engine.tables.column import Mask

_PRECISE = Context(prec=50)
_NOTHING = Decimal("1e-35")
"""Sums of whole numbers times logarithms that differ by less are equal."""
_ROUNDING = 4 * float(np.finfo(np.float64).eps)


def even_enough(contents: Contents, number: int, l: int) -> Mask:  # noqa: E741 - the name everybody knows it by
    """n (ln n − ln l) ≥ Σ f ln f in each class."""
    counts = contents.counts.astype(np.float64)
    total = np.bincount(contents.ids, weights=counts, minlength=number)
    values = np.bincount(contents.ids, minlength=number)
    spread = total * np.log(np.maximum(total, 1))
    surplus = spread - total * log(l)
    surplus -= np.bincount(contents.ids, weights=counts * np.log(counts), minlength=number)
    enough: Mask = surplus >= 0
    close = np.abs(surplus) <= _ROUNDING * (values + 4) * spread
    for one, counted in _counts_of(contents, close):
        enough[one] = _holds(counted, l)
    return enough


def _counts_of(contents: Contents, wanted: Mask) -> Iterator[tuple[int, tuple[int, ...]]]:
    """The frequencies of some classes, without what divides them all."""
    chosen = wanted[contents.ids]
    ids, counts = contents.ids[chosen], contents.counts[chosen]
    if not len(ids):
        return
    order = np.lexsort((counts, ids))
    ids, counts = ids[order], counts[order]
    starts = np.append(0, np.flatnonzero(np.diff(ids)) + 1)
    common = np.gcd.reduceat(counts, starts)
    for one, own, divisor in zip(ids[starts], np.split(counts, starts[1:]), common, strict=True):
        yield int(one), tuple((own // divisor).tolist())


@lru_cache(maxsize=10_000)
def _holds(counts: tuple[int, ...], l: int) -> bool:  # noqa: E741
    """The same of one class; multiplying all frequencies changes nothing."""
    total = sum(counts)
    surplus = total * (_ln(total) - _ln(l)) - sum((count * _ln(count) for count in counts), Decimal(0))
    return surplus >= -_NOTHING * total


@lru_cache(maxsize=10_000)
def _ln(whole: int) -> Decimal:
    return Decimal(whole).ln(_PRECISE)
