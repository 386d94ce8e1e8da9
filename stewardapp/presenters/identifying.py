"""How identifying a set of columns is, from the subsets that were counted when the file was read.

A set singles out at least what any part of it singles out: where the exact set was not counted, the
largest counted part is a lower bound, and the page says so.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

SHOWN = 6


@dataclass(frozen=True)
class Subset:
    """A set of columns and the share of rows it makes unique."""

    names: tuple[str, ...]
    share: float


@dataclass(frozen=True)
class Identifying:
    """What the panel beside the columns says."""

    names: tuple[str, ...]
    share: float | None
    exact: bool
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


def identifying(
    scan: Iterable[Mapping[str, Any]], single: Mapping[str, float | None], names: Sequence[str]
) -> Identifying:
    """Read a scan for these columns; `single` is what each column singles out alone."""
    wanted = frozenset(names)
    counted = _counted(scan, single)
    parts = [(columns, share) for columns, share in counted.items() if columns and columns <= wanted]
    exact = counted.get(wanted) if wanted else None
    share = exact if exact is not None else max((share for _, share in parts), default=None)
    proper = sorted((part for part in parts if part[0] != wanted), key=lambda part: (-part[1], len(part[0])))
    subsets = tuple(
        Subset(tuple(name for name in names if name in columns), part) for columns, part in proper[:SHOWN]
    )
    return Identifying(tuple(names), share, exact is not None, subsets)


def _counted(
    scan: Iterable[Mapping[str, Any]], single: Mapping[str, float | None]
) -> dict[frozenset[str], float]:
    counted = {frozenset([name]): share for name, share in single.items() if share is not None}
    for entry in scan:
        counted[frozenset(entry["columns"])] = float(entry["unique_share"])
    return counted
