"""What is searched: a table, what must hold, what is made as small as possible; and the same for loops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from worker.engine.errors import EngineError
from worker.engine.hierarchies.hierarchy import Levels
from worker.engine.search.coding import Keys
from worker.engine.search.costs import Aim, costs_of
from worker.engine.search.fetching import Base
from worker.engine.search.judging import Judge
from worker.engine.search.ladder import Ladder
from worker.engine.search.lattice import Lattice
from worker.engine.search.packing import keyed
from worker.engine.search.snapshots import Table
from worker.engine.search.state import Task
from worker.engine.tables.column import Codes
from worker.engine.tables.frequency import FrequencyTable
from worker.engine.tables.long_table import LongTable, Tuples
from worker.engine.wording import thousands

MOST_ROWS = 2**31


@dataclass(frozen=True, eq=False)
class Problem:
    """A table whose first columns are generalized, their hierarchies, and what is asked of the result."""

    table: Tuples
    levels: Sequence[Levels]
    lattice: Lattice
    judge: Judge
    aim: Aim
    keys: Keys
    most: int | None = None

    @classmethod
    def of(
        cls,
        table: Tuples,
        levels: Sequence[Levels],
        bounds: Sequence[tuple[int, int]],
        judge: Judge,
        aim: Aim,
        most: int | None = None,
    ) -> Problem:
        """Lay out the keys. Of a long table up to `most` groups are held at once."""
        if table.rows >= MOST_ROWS:
            text = f"{thousands(table.rows)} rows are more than can be searched at once. Take a sample."
            raise EngineError("too-many-rows", text)
        others = [Ladder.of_codes(len(domain), domain.name) for domain in table.domains[len(levels) :]]
        if table.persons is not None:
            others.append(Ladder.of_codes(int(table.persons.max(initial=0)) + 1, ""))
        keys = Keys.of_ladders([Ladder.of_levels(one) for one in levels], others)
        return cls(table, tuple(levels), Lattice.of_bounds(bounds), judge, aim, keys, most)

    @cached_property
    def base(self) -> Base | None:
        """The keys of a long table; None when the table is in memory."""
        if not isinstance(self.table, LongTable):
            return None
        return Base(self.table, self.keys, self.most or len(self.table))

    @cached_property
    def columns(self) -> tuple[Codes, ...]:
        """The codes of all columns of a table in memory, persons last."""
        assert isinstance(self.table, FrequencyTable)
        persons = () if self.table.persons is None else (self.table.persons,)
        return (*self.table.codes, *persons)

    @cached_property
    def task(self) -> Task:
        """The same for loops."""
        sizes_only = self.judge.sizes_only(self.table)
        packed = self._packed(sizes_only)
        rows = self.table.rows
        return Task(
            coding=self.keys.coding,
            costs=costs_of(self.aim, self.keys, [packed] if self.base is None else self.base.pieces()),
            table=packed,
            limit=self.judge.limit,
            smallest=self.judge.smallest,
            sizes_only=sizes_only,
            together=sizes_only and not self.judge.drop and rows >= self.judge.smallest,
            monotone=self.judge.monotone,
        )

    def _packed(self, merge: bool) -> Table:
        """The keys in memory: none of a long table."""
        if isinstance(self.table, LongTable):
            return Table(np.empty((self.keys.words, 0), np.uint64), np.empty(0, np.int32))
        return keyed(self.columns, self.table.counts, self.keys, merge)

    @property
    def highest(self) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        """The levels of the most general node."""
        return np.array(self.lattice.highest, np.int64)
