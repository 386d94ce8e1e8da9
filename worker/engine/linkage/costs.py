"""What a released value of a column costs each original value: the farther or the less likely, the more.

Costs of columns add up. Those of an attacker who measures are distances, those of one who knows how values
were moved are −ln of likelihoods.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from worker.engine.tables.column import SUPPRESSED, Codes, Floats, Mask
from worker.engine.tables.frequency import Domain

ANYTHING = -2
"""The code of a label that holds every value."""
NOTHING = -1
"""The code of a value that the other side does not have."""
LINEAR, SQUARE, WINDOW = 0, 1, 2
"""How the cost of a number grows with the distance."""


@dataclass(frozen=True)
class Listed:
    """A cost for each original value (rows) and each released one (columns)."""

    costs: Floats


@dataclass(frozen=True)
class Alike:
    """For columns of many values: nothing for the same value and for `*`, `miss` for any other."""

    was: Codes
    became: Codes
    miss: float


@dataclass(frozen=True)
class Apart:
    """By how far a released number, at its place, lies from the centre that an original one is given.

    The cost is `bases` and the distance times `scales` (its square where that is the shape; within a window
    of half-width `scales` nothing). `*` stands at infinity and costs nothing; a missing number is NaN and
    costs `gone` beside a number.
    """

    centres: Floats
    scales: Floats
    bases: Floats
    places: Floats
    shape: int
    gone: float


Cost = Listed | Alike | Apart


def alike(was: Domain, became: Domain, miss: float) -> Alike:
    """Equal or not."""
    codes = was.places_of(became).astype(np.int32)
    codes[stars(became)] = ANYTHING
    return Alike(np.arange(len(was), dtype=np.int32), codes, miss)


def places(domain: Domain) -> Floats:
    """Where released values stand among numbers."""
    found = np.array(domain.numbers, np.float64)
    found[stars(domain)] = np.inf
    return found


def range_of(*numbers: Floats) -> float:
    """The range that all of them share."""
    finite = np.concatenate([one[np.isfinite(one)] for one in numbers])
    return float(finite.max() - finite.min()) if len(finite) else 0.0


def stars(domain: Domain) -> Mask:
    """Where `*` stands among the values."""
    marked = np.zeros(len(domain), bool)
    if (star := domain.find(SUPPRESSED)) >= 0:
        marked[star] = True
    return marked


def cells(costs: Sequence[Cost]) -> int | None:
    """How many combinations of values there are; None where a column is not listed value by value."""
    product = 1
    for one in costs:
        if not isinstance(one, Listed):
            return None
        product *= max(one.costs.shape)
    return product
