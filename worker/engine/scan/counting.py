"""Any sets of columns of a table; sets with many values are estimated where it lies in parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from worker.engine.scan.cells import has_cells, in_cells
from worker.engine.scan.few_rows import MOST_COLUMNS, are_few, in_few_rows
from worker.engine.scan.parts import in_parts
from worker.engine.scan.refining import Refining, of_persons
from worker.engine.scan.rows import Rows
from worker.engine.scan.runs import has_runs, in_runs
from worker.engine.scan.told_apart import Names, Tally, ToldApart
from worker.engine.tables.column import Codes
from worker.engine.tables.frequency import FrequencyTable
from worker.engine.tables.keys import distinct
from worker.engine.tables.long_table import LongTable, Tuples


class Table:
    """Rows, or persons where a key tells them apart, and how well sets of columns tell them apart.

    Of a person equal rows count once. A missing value and `*` are values of their own.
    """

    def __init__(self, tuples: Tuples) -> None:
        self._tuples = tuples
        self.values = {one.name: max(len(one), 1) for one in tuples.domains}
        self.persons = tuples.persons
        self.rows = tuples.rows if self.persons is None else len(tuples)
        self.everybody = self.rows if self.persons is None else len(distinct(self.persons))

    @property
    def is_exact(self) -> bool:
        """Whether all sets are counted."""
        return not isinstance(self._tuples, LongTable)

    def told_apart(self, sets: Iterable[Names]) -> dict[Names, ToldApart]:
        """Each set; the columns of a set stand in the order of the table."""
        wanted = list(sets)
        if not self.rows or not wanted:
            return {}
        if isinstance(self._tuples, LongTable):
            return dict(in_parts(self._tuples, self.values, wanted))
        counted = _counted(_rows(self._tuples, self.values), self.persons, wanted)
        return {names: ToldApart.of(tally, self.rows, self.everybody) for names, tally in counted}

    def whole(self) -> float | None:
        """The share that all columns together single out, exact."""
        if not self.rows:
            return None
        if self.persons is None:
            return sum(int(np.count_nonzero(one.counts == 1)) for one in self._tuples.pieces()) / self.rows
        assert isinstance(self._tuples, FrequencyTable)
        rows = _rows(self._tuples, self.values)
        everything = next(of_persons(rows, self.persons, [self._tuples.names]))
        return everything[1].ones / self.everybody


def _rows(table: FrequencyTable, values: Mapping[str, int]) -> Rows:
    return Rows(dict(zip(table.names, table.codes, strict=True)), values, table.counts)


def _counted(rows: Rows, persons: Codes | None, sets: Sequence[Names]) -> Iterator[tuple[Names, Tally]]:
    """Each set in the way that suits the number of its values."""
    if persons is not None:
        yield from of_persons(rows, persons, sets)
        return
    if are_few(rows):
        yield from in_few_rows(rows, [names for names in sets if len(names) <= MOST_COLUMNS])
        sets = [names for names in sets if len(names) > MOST_COLUMNS]
    dense = [names for names in sets if has_cells(rows, names)]
    runs = [names for names in sets if not has_cells(rows, names) and has_runs(rows, names)]
    yield from in_cells(rows, dense)
    yield from in_runs(rows, runs)
    yield from Refining(rows).tallies(sorted({*sets} - {*dense} - {*runs}))
