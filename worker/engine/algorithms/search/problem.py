"""What is searched: a table, what must hold, what is made as small as possible; and the same for loops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from worker.engine.algorithms.hierarchies import Levels
from worker.engine.algorithms.search.coding import Keys
from worker.engine.algorithms.search.costs import Aim, costs_of
from worker.engine.algorithms.search.exploring import Task
from worker.engine.algorithms.search.judging import Judge
from worker.engine.algorithms.search.ladder import Ladder
from worker.engine.algorithms.search.lattice import Lattice
from worker.engine.algorithms.search.packing import keyed
from worker.engine.column import Codes
from worker.engine.errors import EngineError
from worker.engine.frequency import FrequencyTable

MOST_ROWS = 2**31


@dataclass(frozen=True, eq=False)
class Problem:
    """A table whose first columns are generalized, their hierarchies, and what is asked of the result."""

    table: FrequencyTable
    levels: Sequence[Levels]
    lattice: Lattice
    judge: Judge
    aim: Aim
    keys: Keys

    @classmethod
    def of(
        cls,
        table: FrequencyTable,
        levels: Sequence[Levels],
        bounds: Sequence[tuple[int, int]],
        judge: Judge,
        aim: Aim,
    ) -> Problem:
        """Lay out the keys."""
        if table.rows >= MOST_ROWS:
            text = f"{table.rows:,} rows are more than can be searched at once. Take a sample."
            raise EngineError("too-many-rows", text)
        others = [Ladder.of_codes(len(domain), domain.name) for domain in table.domains[len(levels) :]]
        if table.persons is not None:
            others.append(Ladder.of_codes(int(table.persons.max(initial=0)) + 1, ""))
        keys = Keys.of_ladders([Ladder.of_levels(one) for one in levels], others)
        return cls(table, tuple(levels), Lattice.of_bounds(bounds), judge, aim, keys)

    @cached_property
    def columns(self) -> tuple[Codes, ...]:
        """The codes of all columns, persons last."""
        persons = () if self.table.persons is None else (self.table.persons,)
        return (*self.table.codes, *persons)

    @cached_property
    def task(self) -> Task:
        """The same for loops."""
        sizes_only = self.judge.sizes_only(self.table)
        packed = keyed(self.columns, self.table.counts, self.keys, merge=sizes_only)
        rows = int(packed.rows.sum())
        return Task(
            coding=self.keys.coding,
            costs=costs_of(self.aim, self.keys, packed.keys, packed.rows),
            table=packed,
            limit=self.judge.limit,
            smallest=self.judge.smallest,
            sizes_only=sizes_only,
            together=sizes_only and not self.judge.drop and rows >= self.judge.smallest,
            monotone=self.judge.monotone,
        )

    @property
    def highest(self) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        """The levels of the most general node."""
        return np.array(self.lattice.highest, np.int64)
