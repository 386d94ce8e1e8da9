"""How identifying a set of columns is, from the sets that were counted when the file was read.

A set singles out at least what any part of it singles out, and at most what any set around it does: where the
exact set was not counted, the two are bounds, and the page says so.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

SHOWN = 6
DANGER = 0.2


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


class Counted(NamedTuple):
    """A share of unique rows, and how far off an estimate may be."""

    share: float
    error: float


ROUGH = 0.05
"""How far off an estimate may be whose error an older reading did not keep."""


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
    counted = _counted(scan, single, estimated)
    own = counted.get(wanted)
    parts = {columns: found for columns, found in counted.items() if columns and columns < wanted}
    around = [found for columns, found in counted.items() if columns > wanted]
    low = max((found.share - found.error for found in (*parts.values(), *filter(None, [own]))), default=0.0)
    high = min((found.share + found.error for found in (*around, *filter(None, [own]))), default=1.0)
    largest = sorted(parts.items(), key=lambda part: (-part[1].share, len(part[0])))
    subsets = tuple(
        Subset(tuple(name for name in names if name in columns), *found) for columns, found in largest[:SHOWN]
    )
    low, high = max(low, 0.0), min(high, 1.0)
    share, error = own or (None, 0.0)
    return Identifying(tuple(names), share, error, low, max(low, high), subsets)


def _counted(
    scan: Iterable[Mapping[str, Any]], single: Mapping[str, float | None], estimated: Collection[str]
) -> dict[frozenset[str], Counted]:
    counted = {
        frozenset([name]): Counted(share, ROUGH if name in estimated else 0.0)
        for name, share in single.items()
        if share is not None
    }
    for entry in scan:
        error = 0.0 if entry.get("is_exact", True) else entry.get("error95", ROUGH)
        counted[frozenset(entry["columns"])] = Counted(float(entry["unique_share"]), float(error))
    return counted
