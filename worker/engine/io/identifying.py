"""How identifying sets of columns are: the share of rows that no other row equals. Statistics only.

Nobody can count every set that can be made of many columns. The scan counts those that somebody tagging
columns meets first, while the file is read; whatever other set is asked for lies between what its counted
parts and the counted sets around it single out, because more columns never single out fewer rows. So sets
around one that tells nearly all rows apart need no counting.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, combinations, islice
from typing import TypedDict

import numpy as np

from worker.engine.io.ahead import THREADS, ahead
from worker.engine.io.sketch import Places
from worker.engine.io.tuples import Coded, Domain, Names, Rows, Tuples, Way

COLUMNS = 6
"""All sets of so many columns, the likely ones first, are always counted."""
BEGINNINGS = (8, 12, 16, 24, 32, 48)
MOST_SETS = 160
MOST_SETS_OF_FEW_ROWS = 1 << 10
FEW_CELLS = 1 << 22
"""So many cells are held to the end, and many more sets of them counted: rows times sets stay below this."""


def subsets(columns: Sequence[str]) -> Iterator[Names]:
    """Every set that can be made of the columns, small ones first."""
    for size in range(1, len(columns) + 1):
        yield from combinations(columns, size)


def families(likely: Sequence[str], columns: Sequence[str], most: int) -> list[Names]:
    """The sets to count, each in the order of the columns: parts of the first few; what the likely ones make
    together, and all of them; some in between; one more and one less of both; pairs; then what is left."""
    likely = tuple(likely)
    whole = tuple(columns)
    one_less = (tuple(name for name in likely if name != other) for other in likely)
    known = frozenset(likely)
    one_more = (tuple(name for name in columns if name in known or name == one) for one in columns)
    all_but_one = (tuple(name for name in columns if name != other) for other in columns)
    beginnings = (whole[:size] for size in BEGINNINGS if size < len(whole))
    wanted = chain(
        subsets(whole[:COLUMNS]), [likely, whole], beginnings, one_less, one_more, all_but_one,
        combinations(whole, 2), subsets(whole),
    )  # fmt: skip
    # Some sets come more than once; so many steps find enough that differ.
    return list(dict.fromkeys(islice(filter(None, wanted), 4 * most)))[:most]


class SetJson(TypedDict):
    """A set of columns in the profile: how many rows it singles out."""

    columns: list[str]
    unique_share: float
    is_exact: bool
    error95: float
    few_share: float
    few_error95: float


class Scan:
    """Counts sets of columns while the rows go by, in bounded memory."""

    def __init__(self, likely: Sequence[str], possible: Sequence[str] = ()) -> None:
        self.columns = (*likely, *possible)
        self._likely = tuple(likely)
        self._place = {name: place for place, name in enumerate(self.columns)}
        self._domains = [Domain(place) for place in range(len(self.columns))]
        self._known = families(self._likely, self.columns, MOST_SETS)
        self._sets = {names: Tuples(self._way(names)) for names in self._known}
        self._held: list[Rows] = []
        self._rows = 0

    def see(self, columns: Mapping[str, Coded]) -> None:
        """Take in a batch: numbers that are equal where the values are."""
        if not self.columns:
            return
        rows = Rows([columns[name] for name in self.columns], self._domains)
        self._count(rows, self._sets)
        self._leave_out()
        self._rows += len(rows)
        self._held = [*self._held, rows] if self._is_small else []

    def _leave_out(self) -> None:
        """No longer count what says nothing new: the sets around one that tells nearly all rows apart."""
        known = [frozenset(names) for names, one in self._sets.items() if one.began_unique]
        around = [names for names in self._sets if any(part < frozenset(names) for part in known)]
        for names in around:
            del self._sets[names]

    @property
    def _is_small(self) -> bool:
        return 0 < self._rows * len(self.columns) <= FEW_CELLS

    def _way(self, names: Names) -> Way:
        """From the nearest of the sums that are known: of nothing, of the likely ones, of all."""
        wanted = frozenset(names)
        base = min(((), self._likely, self.columns), key=lambda one: len(wanted ^ frozenset(one)))
        more, less = wanted - set(base), set(base) - wanted
        return Way(self._places(names), base, *map(self._places, (base, more, less)))

    def _places(self, names: Iterable[str]) -> Places:
        return np.array(sorted(self._place[name] for name in names), np.int64)

    def _count(self, rows: Rows, sets: Mapping[Names, Tuples]) -> None:
        """Each set by itself, several at once."""
        each = list(sets.values())

        def count(part: list[Tuples]) -> None:
            for one in part:
                one.see(rows)

        for _ in ahead(count, [each[first::THREADS] for first in range(THREADS)]):
            pass

    def result(self) -> tuple[SetJson, ...]:
        """The shares of rows of each set that are unique and that few others equal, and how far off."""
        self._count_more()
        return tuple(
            {
                "columns": list(names),
                "unique_share": round(one.unique_share, 6),
                "is_exact": one.is_exact,
                "error95": round(one.unique_error, 6),
                "few_share": round(one.few_share, 6),
                "few_error95": round(one.few_error, 6),
            }
            for names, one in self._sets.items()
        )

    def _count_more(self) -> None:
        """Of a table that is small enough to be held, many more sets."""
        most = min(MOST_SETS_OF_FEW_ROWS, FEW_CELLS // max(self._rows, 1))
        if not self._is_small or most <= len(self._sets):
            return
        wanted = families(self._likely, self.columns, most)
        more = {names: Tuples(self._way(names)) for names in wanted if names not in self._known}
        for rows in self._held:
            self._count(rows, more)
        self._sets.update(more)
