"""Rows drawn from one side, suppressed ones left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from worker.engine.contracts.scene import Scene
from worker.engine.information.columns import leaves
from worker.engine.randomness import Source
from worker.engine.tables.column import SUPPRESSED, Codes, Floats, Mask
from worker.engine.tables.kinds import RELEASED
from worker.engine.tables.questions import distinct_of
from worker.engine.tables.statistics import Statistics
from worker.engine.tables.table import Field, Rows


@dataclass(frozen=True)
class Drawn:
    """Some rows of one side: the code of each value in its column, and the number of each row."""

    codes: dict[str, Codes]
    row_ids: Rows
    suppressed: int

    @classmethod
    def of(cls, side: Statistics, names: Sequence[str], rows: int, source: Source) -> Drawn:
        """As many as there are, at most so many; both sides draw the same ones where rows stayed rows."""
        keys = side.quasi_identifiers
        asked = tuple(dict.fromkeys([*names, *keys]))
        side.announce(map(distinct_of, asked))
        domains = {name: side.distinct(name) for name in asked}
        table = side.sample(asked, rows, source)
        codes = {name: domains[name].translate(table[name]) for name in asked}
        hidden = np.full(table.rows, bool(keys))
        for name in keys:
            hidden &= codes[name] == domains[name].find(SUPPRESSED)
        stay = {name: codes[name][~hidden] for name in names}
        return cls(stay, table.row_ids[~hidden], int(hidden.sum()))

    def __len__(self) -> int:
        return len(self.row_ids)

    def among(self, rows: Mask) -> Drawn:
        """Some of them."""
        return Drawn({name: one[rows] for name, one in self.codes.items()}, self.row_ids[rows], 0)


def lot(source: Source, name: str, rows: int) -> Floats:
    """Where in its interval each released row of a column lies."""
    return np.asarray(source.stream(f"\x00interval {name}", 0).random(rows))


def leaving(scene: Scene) -> tuple[Field, ...]:
    """The columns that are on both sides."""
    return tuple(one for one in scene.before.schema if one.role in RELEASED and leaves(scene, one))
