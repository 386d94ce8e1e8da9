"""Numbers in whole units between declared bounds, so that sums are exact and one person's part is bounded."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal
from typing import Any

import numpy as np

from worker.engine.dp.cells import decimal_of
from worker.engine.tables.column import Column
from worker.engine.tables.declaration import Declaration
from worker.engine.tables.kinds import Kind
from worker.engine.tables.numeric import NumberColumn

FINENESS = 10_000
MOST_CANDIDATES = 1000
EXACT = 2**53


@dataclass(frozen=True)
class Scale:
    """Whole units from `low` to `high`. Values beyond the bounds count as the bound; others are rounded."""

    name: str
    unit: Decimal
    low: int
    high: int
    step: int
    """Units between neighbouring candidates for a quantile."""

    @property
    def middle(self) -> int:
        """What means and variances are measured from, so that one person changes them least."""
        return (self.low + self.high) // 2

    @property
    def largest(self) -> int:
        """The largest size of a value."""
        return max(abs(self.low), abs(self.high))

    @property
    def is_exact(self) -> bool:
        """Whether every number of units is one that rows can hold: beyond, bounds themselves are rounded."""
        return self.largest <= EXACT

    @property
    def farthest(self) -> int:
        """The largest distance of a value from the middle."""
        return max(self.high - self.middle, self.middle - self.low)

    def value(self, units: int | float | Decimal) -> Decimal:
        """What so many units stand for."""
        return Decimal(units) * self.unit

    def candidates(self) -> list[int]:
        """The values a quantile may have, in units."""
        return [*range(self.low, self.high, self.step), self.high]

    def units(self, column: Column) -> np.ndarray[Any, np.dtype[np.float64]]:
        """Each row in whole units, within the bounds; NaN where there is no number."""
        found = np.rint(column.numbers / float(self.unit))
        return np.asarray(np.clip(found, self.low, self.high))

    def recoded(self, column: Column, unknown: bool = False) -> Column:
        """The column in units; missing where it holds no number."""
        return NumberColumn(self.name, Kind.INTEGER, self.units(column))


def scale_of(name: str, said: Declaration) -> Scale | None:
    """The scale between declared bounds; None without them, or when a single value fits between them."""
    if said.bounds is None or said.kind is Kind.DATE:
        return None
    low, high = (decimal_of(bound, f"columns.{name}.bounds") for bound in said.bounds)
    if low >= high:
        return None
    unit = Decimal(1) if said.kind is Kind.INTEGER else _power_of_ten((high - low) / FINENESS)
    ends = (
        int((low / unit).to_integral_value(ROUND_CEILING)),
        int((high / unit).to_integral_value(ROUND_FLOOR)),
    )
    if ends[0] >= ends[1]:
        return None
    return Scale(name, unit, *ends, _step(name, said, unit, ends))


def _step(name: str, said: Declaration, unit: Decimal, ends: tuple[int, int]) -> int:
    if said.bin_width is not None:
        width = decimal_of(said.bin_width, f"columns.{name}.bin_width") / unit
        return max(1, int(width.to_integral_value(ROUND_HALF_EVEN)))
    return max(1, (ends[1] - ends[0]) // MOST_CANDIDATES)


def _power_of_ten(size: Decimal) -> Decimal:
    """The largest power of ten that is not larger."""
    return Decimal(1).scaleb(size.adjusted())
