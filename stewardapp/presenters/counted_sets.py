"""Shares of rows of sets of columns, from the sets that were counted when the file was read.

A set singles out at least what any part of it singles out, and at most what any set around it does: where the
exact set was not counted, the two are bounds, and the page says so.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

ROUGH = 0.05
"""How far off an estimate may be whose error an older reading did not keep."""


class Counted(NamedTuple):
    """A share of rows, and how far off an estimate may be."""

    share: float
    error: float


Sets = Mapping[frozenset[str], Counted]


@dataclass(frozen=True)
class Between:
    """The share of one set when it was counted, bounds in any case."""

    share: float | None
    error: float
    low: float
    high: float

    @property
    def exact(self) -> bool:
        """Whether this very set was counted."""
        return self.share is not None

    @property
    def unknown(self) -> bool:
        """Whether nothing is known of it."""
        return self.low == 0 and self.high == 1


def counted(
    scan: Iterable[Mapping[str, Any]],
    single: Mapping[str, float | None],
    estimated: Collection[str] = (),
    figure: tuple[str, str] = ("unique_share", "error95"),
) -> Sets:
    """What a reading counted; `single` is what it knows of each column alone, an estimate of some. The figure
    is a share and its error by their names; a reading that did not keep it knows nothing of the set."""
    share, error = figure
    found = {
        frozenset([name]): Counted(known, ROUGH if name in estimated else 0.0)
        for name, known in single.items()
        if known is not None
    }
    for entry in scan:
        if share in entry:
            off = 0.0 if entry.get("is_exact", True) else float(entry.get(error, ROUGH))
            found[frozenset(entry["columns"])] = Counted(float(entry[share]), off)
    return found


def between(sets: Sets, wanted: frozenset[str]) -> Between:
    """What is known of one set."""
    own = sets.get(wanted)
    parts = (found for columns, found in sets.items() if columns <= wanted)
    around = (found for columns, found in sets.items() if columns >= wanted)
    low = max(max((found.share - found.error for found in parts), default=0.0), 0.0)
    high = min(min((found.share + found.error for found in around), default=1.0), 1.0)
    share, error = own or (None, 0.0)
    return Between(share, error, low, max(low, high))
