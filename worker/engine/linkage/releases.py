"""Where the people of some data stand in a release of them: in which of its classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from worker.engine.linkage.fitting import Fits, fits
from worker.engine.linkage.labels import Labels
from worker.engine.tables.classes import Ids, suppressed_tuples
from worker.engine.tables.column import Mask
from worker.engine.tables.frequency import Domain, FrequencyTable
from worker.engine.tables.keys import Packer
from worker.engine.tables.statistics import Statistics

NOWHERE = -1
Read = dict[tuple[str, tuple[str, ...], tuple[str, ...]], Labels]
"""Which labels cover the values of a column, by its name, the values and the labels."""


@dataclass(frozen=True)
class Known:
    """The data by some columns: their distinct tuples, and which of them each input row has."""

    statistics: Statistics
    table: FrequencyTable
    rows: Ids
    read: Read

    @classmethod
    def of(cls, statistics: Statistics, names: Sequence[str], rows: int, read: Read | None = None) -> Known:
        """`rows` are those of the input; one that does not take part has none. Labels that were `read` once
        are not read again."""
        table = statistics.counts(names)
        return cls(statistics, table, tuples_of_rows(statistics, table, rows), {} if read is None else read)

    def fits(self, other: FrequencyTable, people: FrequencyTable | None = None) -> Fits:
        """The tuples of a release that fit these tuples, or those of other people."""
        people = people or self.table
        columns = zip(people.domains, self.table.domains, other.domains, strict=True)
        return fits(people, other, [self._labels(*domains) for domains in columns])

    def _labels(self, values: Domain, known: Domain, labels: Domain) -> Labels:
        key = (known.name, values.texts, labels.texts)
        if key not in self.read:
            declared = self.statistics.declaration(known.name)
            self.read[key] = Labels.covering(values, known, labels, declared)
        return self.read[key]


@dataclass(frozen=True)
class Standing:
    """The class of each input row in a release, `hidden` marking the one that is `*` throughout.

    `by_row` says whether rows were found again by where they stood; otherwise each stands in the smallest
    class that its values fit. A row that stands nowhere is not in the release, for all that is known.
    """

    table: FrequencyTable
    classes: Ids
    hidden: Mask
    by_row: bool

    @property
    def shown(self) -> Mask:
        """The rows that stand in a class which is not suppressed."""
        found: Mask = (self.classes != NOWHERE) & ~self.suppressed
        return found

    @property
    def suppressed(self) -> Mask:
        """The rows that are suppressed."""
        found: Mask = np.append(self.hidden, False)[self.classes]
        return found


def standing(known: Known, release: Statistics, placed: bool, same_people: bool) -> Standing | None:
    """Where the rows stand; None where the values of the release are not those of the data, made coarser.

    `placed` says that the rows of the release may be known by where they stood in the input: they are, when
    each fits the row there. `same_people` says that nobody else is in it.
    """
    table = release.counts(known.table.names)
    hidden, found = suppressed_tuples(table, table.names), known.fits(table)
    if placed:
        stand = by_row(known, release)
        there = stand.classes != NOWHERE
        if found.hold(known.rows[there], stand.classes[there]).all():
            return stand
    people = found.without(hidden).fitting(known.table.counts)
    foreign = int(np.maximum(table.counts - people, 0)[~hidden].sum())
    if foreign > (0 if same_people else table.rows // 2):
        return None
    smallest = np.append(_by_labels(found, table, hidden), NOWHERE)
    return Standing(table, smallest[known.rows], hidden, by_row=False)


def by_row(known: Known, release: Statistics) -> Standing:
    """Where the rows stand by their numbers, whatever became of their values."""
    table = release.counts(known.table.names)
    classes = tuples_of_rows(release, table, len(known.rows))
    there = np.where(known.rows != NOWHERE, classes, NOWHERE)
    return Standing(table, there, suppressed_tuples(table, table.names), by_row=True)


def _by_labels(found: Fits, table: FrequencyTable, hidden: Mask) -> Ids:
    """The class of each tuple of the data: a suppressed row is looked for only where nothing else fits."""
    shown = found.without(hidden).smallest(table.counts)
    return np.where(shown == NOWHERE, found.smallest(table.counts), shown)


def tuples_of_rows(statistics: Statistics, table: FrequencyTable, rows: int) -> Ids:
    """Which tuple of a table each input row has."""
    packer = Packer(tuple(len(domain) for domain in table.domains))
    keys = packer.fit(table.codes, len(table))
    found = np.full(rows, NOWHERE, np.int64)
    for chunk in statistics.chunks(table.names):
        codes = [domain.translate(chunk[domain.name]) for domain in table.domains]
        found[chunk.row_ids] = np.searchsorted(keys, packer.apply(codes, chunk.rows))
    return found
