"""What is done to numbers after they were changed: round, keep within bounds, leave zeros alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from worker.engine.tables.column import Floats
from worker.engine.tables.kinds import Kind

if TYPE_CHECKING:
    from worker.engine.tables.statistics import Statistics


@dataclass(frozen=True)
class Finish:
    """How the numbers of one column end up. Rounding also hides the low digits that could tell the noise."""

    places: int
    lower: float | None = None
    upper: float | None = None
    keep_zeros: bool = False

    def apply(self, fresh: Floats, original: Floats) -> Floats:
        """Finish `fresh` in place; missing cells are NaN in both. Returns what was `clipped`, not counting
        zeros, which no bound moves when they are left alone."""
        scale = 10.0**self.places
        if self.places:
            fresh *= scale
        np.rint(fresh, out=fresh)
        if self.places:
            fresh /= scale
        if not self.keep_zeros:
            return self._clip(fresh)
        zeros = original == 0.0
        np.copyto(fresh, np.nan, where=zeros)
        clipped = self._clip(fresh)
        np.copyto(fresh, 0.0, where=zeros)
        return clipped

    def _clip(self, fresh: Floats) -> Floats:
        """How many cells lay beyond a bound, and by how many last digits in all, up and down: whole numbers,
        so that they add up to the same however the rows are cut."""
        clipped = np.zeros(3)
        for at, bound in ((1, self.lower), (2, self.upper)):
            if bound is None:
                continue
            beyond = fresh < bound if at == 1 else fresh > bound
            if number := np.count_nonzero(beyond):
                clipped[0] += number
                clipped[at] = np.rint(np.abs(fresh[beyond] - bound) * 10.0**self.places).sum()
                fresh[beyond] = bound
        return clipped

    def cells(self, original: Floats) -> int:
        """How many cells there are to change."""
        left_alone = np.isnan(original) | (original == 0.0) if self.keep_zeros else np.isnan(original)
        return len(original) - int(np.count_nonzero(left_alone))

    def kind(self, kind: Kind) -> Kind:
        """What the column is afterwards."""
        return Kind.DECIMAL if self.places else kind


def finish_for(
    statistics: Statistics,
    column: str,
    places: int | None,
    lower: float | None,
    upper: float | None,
    keep_zeros: bool,
) -> Finish:
    """Where the steward says nothing: as many decimals as the column shows, and its declared bounds."""
    if places is None:
        whole = statistics.schema[column].kind is Kind.INTEGER
        places = 0 if whole else statistics.places(column)
    declared = statistics.declaration(column).bounds or (None, None)
    low = _number(declared[0]) if lower is None else lower
    high = _number(declared[1]) if upper is None else upper
    return Finish(places, _on_grid(low, places, np.ceil), _on_grid(high, places, np.floor), keep_zeros)


def _on_grid(bound: float | None, places: int, inward: Callable[[float], Any]) -> float | None:
    """The outermost number within the bound that has so many decimals."""
    return None if bound is None else float(inward(round(bound * 10.0**places, 6))) / 10.0**places


def _number(bound: object) -> float | None:
    try:
        return None if bound is None else float(str(bound))
    except ValueError:
        return None
