"""Groups of rows that are treated apart: equal values in some columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from worker.engine.tables.column import Codes
from worker.engine.tables.frequency import Domain, FrequencyTable
from worker.engine.tables.keys import Keys, Packer, distinct
from worker.engine.tables.statistics import Statistics
from worker.engine.tables.table import Chunk


@dataclass(frozen=True)
class Strata:
    """Knows the stratum of each row of any chunk; one stratum when no column is named."""

    names: tuple[str, ...]
    domains: tuple[Domain, ...]
    packer: Packer
    keys: Keys

    @classmethod
    def of(cls, statistics: Statistics, names: Sequence[str]) -> Strata:
        """The strata that occur in the data."""
        if not names:
            return cls((), (), Packer(()), np.zeros(1, np.int64))
        table = statistics.counts(tuple(names))
        packer = Packer(tuple(len(domain) for domain in table.domains))
        keys = packer.fit(list(table.codes), len(table))
        return cls(tuple(names), table.domains, packer, distinct(keys))

    def __len__(self) -> int:
        return len(self.keys)

    def ids(self, chunk: Chunk) -> Codes:
        """The number of each row's stratum."""
        if not self.names:
            return np.zeros(chunk.rows, np.int32)
        codes = [domain.translate(chunk[domain.name]) for domain in self.domains]
        found = np.searchsorted(self.keys, self.packer.apply(codes, chunk.rows))
        return found.astype(np.int32)

    def of_table(self, table: FrequencyTable) -> Codes:
        """The stratum of each tuple of a frequency table that counted these columns too."""
        if not self.names:
            return np.zeros(len(table), np.int32)
        codes = [table.column(name) for name in self.names]
        return np.searchsorted(self.keys, self.packer.apply(codes, len(table))).astype(np.int32)
