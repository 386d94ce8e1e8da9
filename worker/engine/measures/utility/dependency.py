"""Whether columns hang together as they did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from worker.engine.association.matrix import (
    BYTES_PER_CELL,
    BYTES_PER_ROW,
    Associations,
    Reading,
    Together,
    together,
)
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
from worker.engine.information.bins import ORDERED, Line
from worker.engine.information.columns import leaves
from worker.engine.tables.column import Floats
from worker.engine.tables.kinds import RELEASED
from worker.engine.tables.questions import distinct_of
from worker.engine.tables.table import Field

TOO_FEW = "Fewer than two columns leave: there is no pair to look at."
NOTE = (
    "Each square is a pair of columns: Cramér's V of categories, the rank correlation of numbers, the "
    "correlation ratio of a number and a category."
)


@register
class Dependency(Measure):
    """Whether columns hang together as they did.

    For each pair: Cramér's V of two categories, Spearman's rank correlation of two numbers, the correlation
    ratio η of a number and a category; before, after, and the difference. Dates are numbers of days, and an
    interval counts as its middle; a missing value is a category of its own, and no number. Suppressed rows
    are left out and counted, because a handful of rows that are all `*` make a perfect association.
    Eigenvalues are those of the covariance of the numbers, each divided by its standard deviation in the
    original, and compared by their distance: relative ones explode where columns nearly follow from one
    another.
    """

    slug = "dependency"
    title = "Dependency"
    section = Section.UTILITY
    by_default = False
    references = ("Cramér (1946), Mathematical methods of statistics", "Spearman (1904)", "Pearson (1905)")
    figures: ClassVar = (
        Figure(
            "mean_difference",
            "Mean difference",
            "The mean over all pairs of how far the association after is from that before.",
            better="low",
            usual=(0, 0.1),
            headline=True,
        ),
        Figure(
            "largest_difference",
            "Largest difference",
            "Of the pair whose association changed most.",
            better="low",
            usual=(0, 0.3),
        ),
        Figure(
            "association",
            "Association",
            "Cramér's V and the correlation ratio lie between 0, nothing, and 1, all; the rank correlation "
            "between −1 and 1.",
            per="part",
        ),
        Figure(
            "difference",
            "Difference",
            "How far the association of each pair after is from that before.",
            better="low",
            per="part",
        ),
        Figure(
            "eigenvalues",
            "Eigenvalues",
            "The mean distance between the eigenvalues of the numbers' covariance before and after.",
            better="low",
        ),
        Figure(
            "suppressed_rows",
            "Suppressed rows",
            "Rows with `*` in every quasi-identifier, which are left out.",
            unit="count",
        ),
    )

    def effort(self, outlook: Outlook) -> Effort:
        columns = len(outlook.schema.named(*RELEASED))
        cells = 2 * outlook.rows * columns * (columns + 1) / 2
        return Effort(cells * SECONDS_PER_CELL, outlook.rows * (columns * BYTES_PER_CELL + BYTES_PER_ROW))

    def compare(self, scene: Scene) -> Found:
        columns = [one for one in scene.before.schema if one.role in RELEASED and leaves(scene, one)]
        names = [one.name for one in columns]
        if len(names) < 2:
            raise DoesNotApply(TOO_FEW)
        for side in (scene.before, scene.after):
            side.announce(map(distinct_of, names))
        read = {one.name: _reading(scene, one) for one in columns if one.kind in ORDERED}
        numbers = list(read)
        old = together(scene.before, names, read)
        units, was = old.deviations(numbers), old.associations(scene.reporter)
        before, hidden = _eigenvalues(old, numbers, units), old.suppressed
        del old  # both sides need not be held at once
        new = together(scene.after, names, read)
        became, after = new.associations(scene.reporter), _eigenvalues(new, numbers, units)
        apart = _differences(was, became)
        known = [one for one in apart.values() if one is not None]
        spread = None if before is None or after is None else float(np.abs(before - after).mean())
        return Found(
            {
                "mean_difference": sum(known) / len(known) if known else None,
                "largest_difference": max(known, default=None),
                "association": _named(became),
                "difference": _named(apart),
                "eigenvalues": spread,
                "suppressed_rows": new.suppressed,
            },
            charts=_maps(names, {"before": was, "after": became, "difference": apart}),
            before={"association": _named(was), "suppressed_rows": hidden},
        )


def _reading(scene: Scene, column: Field) -> Reading:
    """How the values of a column are numbers, on both sides."""
    return Line.of(scene.before.counts((column.name,)), column.kind).middles


def _eigenvalues(side: Together, numbers: Sequence[str], units: Floats) -> Floats | None:
    """Of the numbers that are not constant in the original."""
    moving = [name for name, unit in zip(numbers, units.tolist(), strict=True) if unit]
    return side.spread(moving, units[units > 0]) if moving else None


def _differences(was: Associations, became: Associations) -> Associations:
    both = ((pair, was[pair], became[pair]) for pair in was)
    return {pair: None if a is None or b is None else abs(a - b) for pair, a, b in both}


def _named(found: Associations) -> Parts:
    return {" × ".join(pair): one for pair, one in found.items()}


def _maps(names: Sequence[str], sides: Mapping[str, Associations]) -> tuple[Chart, ...]:
    """A heat map before, one after, and one of the difference."""
    axis = Axis("Column", "", "category")
    titles = {"before": "Before", "after": "After", "difference": "Difference"}
    return tuple(
        Chart(
            f"dependency-{side}",
            f"Dependency: {titles[side].lower()}",
            "heatmap",
            axis,
            axis,
            (Series(titles[side], tuple(names), tuple(names), z=_rows(names, found)),),
            note=NOTE,
        )
        for side, found in sides.items()
    )


def _rows(names: Sequence[str], found: Associations) -> tuple[tuple[float | None, ...], ...]:
    whole = found | {(b, a): one for (a, b), one in found.items()}
    return tuple(tuple(whole.get((row, column)) for column in names) for row in names)
