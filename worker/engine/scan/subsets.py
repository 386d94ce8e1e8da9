"""Every set of up to so many columns: all of them, or as many as there is time for, the worst first.

A set makes at most as many combinations as a part of it times the values of the column that is left, and
singles out at most as many rows as it makes combinations. So of sets that nobody has counted it is known what
they single out at most; they are counted in this order, and what is left over is bounded.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import takewhile

from worker.engine.io.identifying import subsets
from worker.engine.scan.counting import Table
from worker.engine.scan.told_apart import Names, ToldApart

MOST_WORK = 3 * 10**9
"""Rows times sets; of a table for which all sets are more not all are counted."""
MOST_CANDIDATES = 1 << 17
"""So many sets of one size are weighed."""


@dataclass(frozen=True)
class Scanned:
    """The sets that were counted, out of so many; none of the others singles out more than `at_most`."""

    sets: Mapping[Names, ToldApart]
    possible: int
    at_most: float = 0.0

    @property
    def is_whole(self) -> bool:
        """Whether every set was counted."""
        return len(self.sets) == self.possible

    @property
    def error(self) -> float:
        """How far off a share may be, at most."""
        return max((one.error for one in self.sets.values()), default=0.0)

    def worst(self, number: int) -> list[Names]:
        """Single columns, and then the sets that single out most; not more than so many."""
        order = sorted(self.sets, key=lambda names: (len(names) > 1, -self.sets[names].singled_out))
        return order[:number]

    def smallest(self, share: float) -> list[Names]:
        """The sets that single out such a share and no part of which does: small ones first."""
        reaching = {names for names, one in self.sets.items() if one.singled_out >= share}
        least = [
            names
            for names in reaching
            if not any(set(part) < set(names) for part in reaching if len(part) < len(names))
        ]
        return sorted(least, key=lambda names: (len(names), -self.sets[names].singled_out, names))


def scan(table: Table, size: int, most_work: int = MOST_WORK) -> Scanned:
    """Every set of up to `size` columns."""
    columns = tuple(table.values)
    possible = sum(math.comb(len(columns), one) for one in range(1, size + 1))
    if not table.rows:
        return Scanned({}, 0)
    room = max(most_work // table.rows, len(columns))
    if possible <= room:
        wanted = takewhile(lambda names: len(names) <= size, subsets(columns))
        return Scanned(table.told_apart(wanted), possible)
    return _bounded(table, size, room, possible)


def _bounded(table: Table, size: int, room: int, possible: int) -> Scanned:
    """Size by size, those first that could single out most."""
    found = table.told_apart((name,) for name in table.values)
    most = {names: one.distinction * table.rows for names, one in found.items()}
    whole, left_over = table.whole() or 0.0, 0.0
    for length in range(2, size + 1):
        parents = sorted((one for one in most if len(one) == length - 1), key=most.__getitem__, reverse=True)
        weighed = MOST_CANDIDATES // len(table.values)
        if len(parents) > weighed:
            left_over = whole
        candidates = dict(_bounds(table, parents[:weighed], most))
        order = sorted(candidates, key=candidates.__getitem__, reverse=True)
        share = (room - len(found)) // (size - length + 1)
        counted = table.told_apart(order[:share])
        left_over = max([left_over, *(candidates[one] / table.everybody for one in order[share : share + 1])])
        most |= candidates | {one: counted[one].distinction * table.rows for one in counted}
        found |= counted
    return Scanned(found, possible, min(left_over, whole))


def _bounds(
    table: Table, parents: Iterable[Names], most: Mapping[Names, float]
) -> Iterator[tuple[Names, float]]:
    """Sets of one column more, and how many combinations each makes at most."""
    order = {name: at for at, name in enumerate(table.values)}
    extended = ((*parent, name) for parent in parents for name in table.values if name not in parent)
    for names in dict.fromkeys(tuple(sorted(one, key=order.__getitem__)) for one in extended):
        parts = ((tuple(one for one in names if one != name), name) for name in names)
        known = [most[part] * table.values[name] for part, name in parts if part in most]
        yield names, min([*known, float(table.rows)])
