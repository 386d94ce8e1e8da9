"""What a k would cost the tagged columns before anything is run: rows given up, or levels made coarser."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from stewardapp.presenters.counted_sets import Between, Sets, between
from stewardapp.presenters.numbers import thousands

K = 5
"""Readings count the rows of combinations that fewer rows have."""
SPARED = 0.02
"""So large a share of rows may be given up where columns are made coarser instead."""


@dataclass(frozen=True)
class Coarser:
    """Columns that need not tell anything any more, and how many levels that is at most; None: not known."""

    names: tuple[str, ...]
    levels: int | None


@dataclass(frozen=True)
class Preflight:
    """Rows in classes of fewer than k, and the coarser columns that would spare nearly all of them."""

    found: Between
    rows: int
    coarser: Coarser | None

    @property
    def k(self) -> int:
        """The k that is asked about."""
        return K

    @property
    def words(self) -> str:
        """How many rows, as well as it is known."""
        if self.found.unknown:
            return "not known how many"
        if self.found.share is not None:
            return f"{'about ' if self.found.error else ''}{self._rows(self.found.share)}"
        if self.found.high == 1:
            return f"at least {self._rows(self.found.low)}"
        if self.found.low == 0:
            return f"at most {self._rows(self.found.high)}"
        return f"{self._rows(self.found.low)} to {self._rows(self.found.high)}"

    @property
    def instead(self) -> str:
        """What could be made coarser instead."""
        if self.coarser is None:
            return ""
        levels = self.coarser.levels
        most = "" if levels is None else f", by {levels} level{'' if levels == 1 else 's'} at most"
        return f", or {', '.join(self.coarser.names)} made coarser{most}"

    def _rows(self, share: float) -> str:
        return thousands(round(share * self.rows))


def preflight(sets: Sets, names: Sequence[str], rows: int, heights: Mapping[str, int | None]) -> Preflight:
    """For the tagged columns; `heights` are the levels above the values, where a hierarchy says how many."""
    found = between(sets, frozenset(names))
    spared = found.high <= SPARED or found.unknown
    return Preflight(found, rows, None if spared else _coarser(sets, names, heights))


def _coarser(sets: Sets, names: Sequence[str], heights: Mapping[str, int | None]) -> Coarser:
    """The fewest columns without which a counted part gives up hardly a row; at worst all of them."""
    wanted = frozenset(names)
    fine = [part for part, one in sets.items() if part < wanted and one.share + one.error <= SPARED]
    ways = [tuple(name for name in names if name not in part) for part in (*fine, frozenset[str]())]
    return min((Coarser(way, _levels(way, heights)) for way in ways), key=_effort)


def _levels(names: Sequence[str], heights: Mapping[str, int | None]) -> int | None:
    """A column without a hierarchy has one level above its values, `*`."""
    known = [heights.get(name, 1) for name in names]
    return None if None in known else sum(one or 0 for one in known)


def _effort(way: Coarser) -> tuple[bool, int, int]:
    return way.levels is None, len(way.names), way.levels or 0
