"""How identifying a set of columns is, and which small sets of all that leave single rows out."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stewardapp.presenters.counted_sets import Sets, between, counted

SHOWN = 6
DANGER = 0.2
SINGLING = 0.05
"""A set that makes so many rows unique is named."""


@dataclass(frozen=True)
class Subset:
    """A set of columns and the share of rows it makes unique."""

    names: tuple[str, ...]
    share: float
    error: float = 0.0

    @property
    def estimated(self) -> bool:
        """Whether it is an estimate."""
        return self.error > 0


@dataclass(frozen=True)
class Smallest:
    """Of all columns that leave, the smallest sets that single rows out."""

    names: tuple[str, ...]
    sets: tuple[Subset, ...]
    most: float
    """None of their sets singles out a larger share."""

    @property
    def harmless(self) -> bool:
        """Whether it is sure that no set singles out so many."""
        return self.most < SINGLING


@dataclass(frozen=True)
class Identifying:
    """What the panel beside the columns says: the share when the set was counted, bounds in any case."""

    names: tuple[str, ...]
    share: float | None
    error: float
    low: float
    high: float
    subsets: tuple[Subset, ...]

    @property
    def exact(self) -> bool:
        """Whether this very set was counted."""
        return self.share is not None

    @property
    def meter(self) -> float:
        """The share that is sure, in per cent."""
        return round((self.low if self.share is None else self.share) * 100, 2)

    @property
    def tone(self) -> str:
        """The colour of the bar; the number beside it says the same."""
        if self.low >= DANGER:
            return "danger"
        return "ok" if self.high == 0 else "warn"


def identifying(
    scan: Iterable[Mapping[str, Any]],
    single: Mapping[str, float | None],
    names: Sequence[str],
    estimated: Collection[str] = (),
) -> Identifying:
    """Read a scan for these columns; `single` is what each column singles out alone.

    `estimated` names the columns whose own share is an estimate.
    """
    wanted = frozenset(names)
    sets = counted(scan, single, estimated)
    found = between(sets, wanted)
    parts = [(columns, one) for columns, one in sets.items() if columns and columns < wanted]
    largest = sorted(parts, key=lambda part: (-part[1].share, len(part[0])))
    subsets = tuple(Subset(_in_order(names, columns), *one) for columns, one in largest[:SHOWN])
    return Identifying(tuple(names), found.share, found.error, found.low, found.high, subsets)


def smallest(sets: Sets, names: Sequence[str]) -> Smallest:
    """The counted sets of these columns that single rows out and no part of which does: small ones first."""
    wanted = frozenset(names)
    reaching = {columns: one for columns, one in sets.items() if columns <= wanted and one.share >= SINGLING}
    least = [columns for columns in reaching if not any(part < columns for part in reaching)]
    order = sorted(least, key=lambda columns: (len(columns), -reaching[columns].share, sorted(columns)))
    found = tuple(Subset(_in_order(names, columns), *reaching[columns]) for columns in order[:SHOWN])
    return Smallest(tuple(names), found, between(sets, wanted).high)


def _in_order(names: Sequence[str], columns: Collection[str]) -> tuple[str, ...]:
    return tuple(name for name in names if name in columns)
