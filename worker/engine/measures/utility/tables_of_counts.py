"""How far tables of counts of two and three columns moved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from worker.engine.comparable.drawn import leaving, lot
from worker.engine.comparable.words import words_of
from worker.engine.contracts.annotations import Unit
from worker.engine.contracts.chart import Axis, Chart, Series
from worker.engine.contracts.figure import Figure, Parts
from worker.engine.contracts.measure import (
    SECONDS_PER_CELL,
    DoesNotApply,
    Effort,
    Found,
    Measure,
    Section,
    register,
)
from worker.engine.contracts.scene import Outlook, Scene
from worker.engine.marginals.joint import Sets, some_of, total_variation
from worker.engine.tables.column import SUPPRESSED, Codes, Mask
from worker.engine.tables.keys import narrow
from worker.engine.tables.kinds import RELEASED
from worker.engine.tables.questions import distinct_of
from worker.engine.tables.statistics import Statistics

TOO_FEW = "Fewer than two columns leave: there is no table of two."
BYTES_PER_CELL = 4
BYTES_PER_ROW = 64
"""What a table takes while it is counted."""


@register
class TablesOfCounts(Measure):
    """How far the tables of counts moved that people make of two and three columns.

    Of every two columns, and of some three, the shares of all tuples of values before and after: half the sum
    of their differences. At the level at which each column is released, the original mapped through the
    hierarchy; numbers and dates in ten quantile bins of the original, an interval by an original drawn from
    those in it. Missing values and `*` are values; suppressed rows are left out and counted.
    """

    slug = "tables-of-counts"
    title = "Tables of counts"
    section = Section.UTILITY
    by_default = False
    references = ("Karr, Kohnen, Oganian, Reiter & Sanil (2006)", "Voas & Williamson (2001)")
    figures: ClassVar = (
        Figure(
            "distance",
            "Distance of tables of two",
            "The mean total variation over the pairs of released columns: 0 means the same shares in every "
            "cell, 1 no cell in common.",
            unit="share",
            better="low",
            usual=(0, 0.5),
            headline=True,
        ),
        Figure(
            "largest_distance",
            "Largest distance",
            "Of the table of two columns that moved most.",
            unit="share",
            better="low",
            usual=(0, 0.7),
        ),
        Figure(
            "distance_of_three",
            "Distance of tables of three",
            "The mean total variation over the tables of three columns that were looked at.",
            unit="share",
            better="low",
            usual=(0, 0.7),
        ),
        Figure(
            "total_variation",
            "Total variation",
            "Half the sum of differences between the shares of each cell before and after.",
            unit="share",
            better="low",
            per="part",
        ),
        Figure("pairs", "Tables of two", "Pairs of columns that were looked at.", unit="count"),
        Figure("triples", "Tables of three", "Sets of three columns that were looked at.", unit="count"),
        Figure(
            "suppressed_rows",
            "Suppressed rows",
            "Rows of the release with `*` in every quasi-identifier, which are left out.",
            unit="count",
        ),
    )

    pairs: Annotated[int, Unit("tables")] = Field(
        300,
        ge=1,
        le=5000,
        title="Tables of two",
        description="Every pair of columns where there are no more; otherwise so many, drawn at random.",
    )
    triples: Annotated[int, Unit("tables")] = Field(
        50,
        ge=0,
        le=5000,
        title="Tables of three",
        description="Every three columns where there are no more; otherwise so many, drawn at random.",
    )

    def effort(self, outlook: Outlook) -> Effort:
        columns = len(outlook.schema.named(*RELEASED))
        pairs = min(self.pairs, columns * (columns - 1) / 2)
        triples = min(self.triples, columns * (columns - 1) * (columns - 2) / 6)
        cells = 2 * outlook.rows * (columns + pairs + triples)
        return Effort(cells * SECONDS_PER_CELL, outlook.rows * (2 * columns * BYTES_PER_CELL + BYTES_PER_ROW))

    def compare(self, scene: Scene) -> Found:
        names = [one.name for one in leaving(scene)]
        if len(names) < 2:
            raise DoesNotApply(TOO_FEW)
        both = _Both.of(scene, names)
        two = both.apart(some_of(names, 2, self.pairs, scene.source), scene)
        three = both.apart(some_of(names, 3, self.triples, scene.source), scene)
        return Found(
            {
                "distance": _mean(two),
                "largest_distance": max(two.values(), default=None),
                "distance_of_three": _mean(three),
                "total_variation": _named(two),
                "pairs": len(two),
                "triples": len(three),
                "suppressed_rows": both.suppressed,
            },
            charts=(_map(names, two),),
        )


Distances = Mapping[tuple[str, ...], float]


@dataclass(frozen=True)
class _Both:
    """Whole columns of both sides in shared words, without suppressed rows."""

    before: dict[str, Codes]
    after: dict[str, Codes]
    sizes: dict[str, int]
    suppressed: int

    @classmethod
    def of(cls, scene: Scene, names: Sequence[str]) -> _Both:
        for side in (scene.before, scene.after):
            side.announce(map(distinct_of, names))
        stay = [~_suppressed(side, names) for side in (scene.before, scene.after)]
        made = cls({}, {}, {}, int((~stay[1]).sum()))
        for name in names:
            words = words_of(scene, name)
            small, rows = narrow(len(words)), len(stay[1])
            became = words.of_release(scene.after.column(name).codes, lot(scene.source, name, rows))
            was = words.before[scene.before.column(name).codes]
            made.before[name] = was[stay[0]].astype(small)
            made.after[name] = became[stay[1]].astype(small)
            made.sizes[name] = max(len(words), 1)
        return made

    def apart(self, sets: Sets, scene: Scene) -> Distances:
        """The total variation of the table of each set of columns."""
        found = {}
        for names in sets:
            scene.reporter.checkpoint()
            was, became = ([side[name] for name in names] for side in (self.before, self.after))
            found[names] = total_variation(was, became, [self.sizes[name] for name in names])
        return {names: one for names, one in found.items() if one is not None}


def _suppressed(side: Statistics, names: Sequence[str]) -> Mask:
    """The rows with `*` in every quasi-identifier."""
    keys = [name for name in side.quasi_identifiers if name in names]
    hidden = np.full(side.rows(), bool(keys))
    for name in keys:
        hidden &= side.column(name).codes == side.distinct(name).find(SUPPRESSED)
    return hidden


def _mean(found: Distances) -> float | None:
    return sum(found.values()) / len(found) if found else None


def _named(found: Distances) -> Parts:
    return {" × ".join(names): one for names, one in found.items()}


def _map(names: Sequence[str], found: Distances) -> Chart:
    axis = Axis("Column", "", "category")
    rows = tuple(
        tuple(found.get((row, column), found.get((column, row))) for column in names) for row in names
    )
    return Chart(
        "tables-of-counts",
        "Distance of tables of two columns",
        "heatmap",
        axis,
        axis,
        (Series("Total variation", tuple(names), tuple(names), z=rows),),
        note="Each square is the table of a pair of columns: 0 means the same shares as before, 1 no cell in "
        "common.",
    )
