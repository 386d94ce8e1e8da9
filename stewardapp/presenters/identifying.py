"""How identifying a set of columns is, from the subsets that were counted when the file was read.

A set singles out at least what any part of it singles out: where the exact set was not counted, the
largest counted part is a lower bound, and the page says so.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

SHOWN = 6


@dataclass(frozen=True)
class Subset:
    """A set of columns and the share of rows it makes unique."""

    names: tuple[str, ...]
    share: float
    estimated: bool = False


@dataclass(frozen=True)
class Identifying:
    """What the panel beside the columns says."""

    names: tuple[str, ...]
    share: float | None
    exact: bool
    estimated: bool
    subsets: tuple[Subset, ...]

    @property
    def meter(self) -> float:
        """The share in per cent."""
        return round((self.share or 0.0) * 100, 2)

    @property
    def tone(self) -> str:
        """The colour of the bar; the number beside it says the same."""
        if self.share is None:
            return ""
        return "danger" if self.share >= 0.2 else "warn" if self.share > 0 else "ok"


class Counted(NamedTuple):
    """A share of unique rows, and whether a sketch only estimated it."""

    share: float
    estimated: bool


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
    parts = [(columns, found) for columns, found in counted.items() if columns and columns <= wanted]
    exact = counted.get(wanted) if wanted else None
    best = exact or max((found for _, found in parts), default=None)
    proper = sorted(
        (part for part in parts if part[0] != wanted), key=lambda part: (-part[1].share, len(part[0]))
    )
    subsets = tuple(
        Subset(tuple(name for name in names if name in columns), *found) for columns, found in proper[:SHOWN]
    )
    share, guessed = best if best is not None else (None, False)
    return Identifying(tuple(names), share, exact is not None, guessed, subsets)


def _counted(
    scan: Iterable[Mapping[str, Any]], single: Mapping[str, float | None], estimated: Collection[str]
) -> dict[frozenset[str], Counted]:
    counted = {
        frozenset([name]): Counted(share, name in estimated)
        for name, share in single.items()
        if share is not None
    }
    for entry in scan:
        found = Counted(float(entry["unique_share"]), not entry.get("is_exact", True))
        counted[frozenset(entry["columns"])] = found
    return counted
