"""The classical scores of anonymized files."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

import numpy as np

from worker.engine.contracts.figure import Figure, Figures
from worker.engine.contracts.measure import Found, Measure, Section, register
from worker.engine.contracts.scene import Outlook, Scene
from worker.engine.information.columns import leaves, original_columns, row_by_row
from worker.engine.information.distances import Distances
from worker.engine.information.generalized import bits_lost, gone, levels_climbed
from worker.engine.information.side_by_side import exactly
from worker.engine.tables.classes import released_classes
from worker.engine.tables.column import SUPPRESSED
from worker.engine.tables.declaration import HierarchySpec
from worker.engine.tables.frequency import FrequencyTable
from worker.engine.tables.kinds import NUMERIC, RELEASED, Role
from worker.engine.tables.statistics import Statistics
from worker.engine.tables.table import Field

NOTHING = "No column is tagged quasi-identifier and none is a number: there is nothing to score."
KEPT = "The same, turned: 1 is the original, 0 is nothing left."


@register
class ClassScores(Measure):
    """The scores by which anonymized files are compared in the literature.

    Of classes, rows equal on the quasi-identifiers; of generalized cells of quasi-identifiers; of numbers
    that moved. A suppressed row, and one that was left out, is `*` in every quasi-identifier. A label of
    numbers is read as the median of the originals under it.
    """

    slug = "class-scores"
    title = "Classical scores"
    section = Section.UTILITY
    by_default = False
    references = (
        "Bayardo & Agrawal (2005), Data privacy through optimal k-anonymization",
        "LeFevre, DeWitt & Ramakrishnan (2006), Mondrian multidimensional k-anonymity",
        "De Waal & Willenborg (1999), Information loss through global recoding and local suppression",
        "Sweeney (2002), Achieving k-anonymity privacy protection using generalization and suppression",
        "Mateo-Sanz, Sebé & Domingo-Ferrer (2004), Outlier protection in continuous microdata masking",
    )
    figures: ClassVar = (
        Figure(
            "non_uniform_entropy",
            "Non-uniform entropy",
            "Bits lost over all cells of quasi-identifiers: −log₂ of how often the value occurs in the "
            "original, divided by how often any value occurs that its label could be; `*` could be any.",
            better="low",
            of_rows=True,
        ),
        Figure("non_uniform_entropy_kept", "Entropy kept", KEPT, "share", "high", headline=True),
        Figure(
            "discernibility",
            "Discernibility",
            "The sum of squared class sizes; a suppressed row counts all rows, from which it cannot be told.",
            unit="count",
            better="low",
        ),
        Figure("discernibility_kept", "Discernibility kept", KEPT, "share", "high"),
        Figure(
            "aecs",
            "Average class size",
            "Rows divided by classes, all suppressed rows being one class more.",
            better="low",
        ),
        Figure("aecs_kept", "Class size kept", KEPT, "share", "high"),
        Figure(
            "generalization_intensity",
            "Generalization intensity",
            "The mean over cells of quasi-identifiers of the level they were generalized to, divided by the "
            "height of the hierarchy. None where a column was not generalized by its hierarchy.",
            unit="share",
            better="low",
            of_rows=True,
        ),
        Figure("generalization_intensity_kept", "Precision", KEPT, "share", "high"),
        Figure(
            "il1s",
            "IL1s",
            "The sum over all cells of numbers of the distance between original and released value, divided "
            "by √2 times the standard deviation of the original.",
            better="low",
            of_rows=True,
        ),
        Figure(
            "il1",
            "IL1",
            "The sum over all cells of numbers of the distance in percent of the original value; an original "
            "of 0 is left out.",
            better="low",
            of_rows=True,
        ),
        Figure(
            "suppressed_cells",
            "Suppressed cells",
            "Cells of columns that leave which hold `*`; those of rows that were left out among them.",
            unit="count",
            better="low",
        ),
    )

    def does_not_apply(self, outlook: Outlook) -> str | None:
        numbers = any(one.kind in NUMERIC and one.role in RELEASED for one in outlook.schema)
        return None if numbers or outlook.schema.named(Role.QUASI_IDENTIFIER) else NOTHING

    def compare(self, scene: Scene) -> Found:
        beside = row_by_row(scene)
        columns = [one for one in original_columns(scene) if one.role in RELEASED]
        beside.announce(exactly(one.name) for one in columns if leaves(scene, one))
        pairs = {one.name: _Pairs(scene, beside, one) for one in columns}
        found: Figures = {"suppressed_cells": sum(_stars(one()) for one in pairs.values() if one.stays)}
        if scene.before.quasi_identifiers:
            found = {**found, **_of_cells(scene, columns, pairs), **_of_classes(scene)}
        return Found({**found, **_of_numbers(columns, pairs)})


class _Pairs:
    """How often each value of a column became what, looked up when somebody asks."""

    def __init__(self, scene: Scene, beside: Statistics, column: Field) -> None:
        self._scene, self._beside, self._column = scene, beside, column
        self.stays = leaves(scene, column)

    def __call__(self) -> FrequencyTable:
        name = self._column.name
        if self.stays:
            return self._beside.counts(exactly(name).columns)
        return gone(self._scene.before.counts((name,)))


Asked = dict[str, _Pairs]


def _of_cells(scene: Scene, columns: list[Field], pairs: Asked) -> Figures:
    """Bits and levels of the quasi-identifiers."""
    keys = [one.name for one in columns if one.role is Role.QUASI_IDENTIFIER]
    specs = {name: scene.before.declaration(name).hierarchy for name in keys}
    lost = sum(bits_lost(pairs[name](), specs[name]) for name in keys)
    most = sum(bits_lost(gone(scene.before.counts((name,))), None) for name in keys)
    levels = _intensity([(pairs[name], specs[name]) for name in keys])
    return {
        "non_uniform_entropy": lost,
        "non_uniform_entropy_kept": _share(most - lost, most),
        "generalization_intensity": levels,
        "generalization_intensity_kept": None if levels is None else 1 - levels,
    }


def _intensity(keys: list[tuple[Callable[[], FrequencyTable], HierarchySpec | None]]) -> float | None:
    found = [levels_climbed(pairs(), spec) for pairs, spec in keys]
    known = [one for one in found if one is not None]
    return sum(known) / len(known) if len(known) == len(found) else None


def _stars(pairs: FrequencyTable) -> int:
    return int(pairs.counts[pairs.codes[1] == pairs.domains[1].find(SUPPRESSED)].sum())


def _of_classes(scene: Scene) -> Figures:
    """Of class sizes, beside those of the original."""
    rows = scene.before.rows()
    if not rows:
        return {}
    (before, classes), (after, left) = _scored(scene.before, rows), _scored(scene.after, rows)
    whole, single = rows * rows, rows / classes
    size = rows / left if left else None
    return {
        "discernibility": after,
        "discernibility_kept": _share(whole - after, whole - before),
        "aecs": size,
        "aecs_kept": None if size is None else _share(rows - size, rows - single),
    }


def _share(left: float, whole: float) -> float | None:
    """Of what there was; chance may make smaller classes than those of the original, which are no gain."""
    return min(max(left / whole, 0.0), 1.0) if whole else None


def _scored(side: Statistics, rows: int) -> tuple[int, int]:
    """Discernibility of a table that had so many rows, and its classes: suppressed rows are one more."""
    table = side.counts(side.quasi_identifiers)
    sizes = released_classes(table, side.quasi_identifiers)[0].rows
    suppressed = rows - int(sizes.sum())
    return int(np.square(sizes).sum()) + rows * suppressed, len(sizes) + (suppressed > 0)


def _of_numbers(columns: list[Field], pairs: Asked) -> Figures:
    """How far numbers moved, in deviations and in percent."""
    deviations = percent = 0.0
    for column in (one for one in columns if one.kind in NUMERIC):
        distances = Distances.of(pairs[column.name](), column.kind)
        if spread := distances.deviation():
            deviations += float(np.dot(distances.errors, distances.counts)) / (np.sqrt(2) * spread)
        known = distances.originals != 0
        moved = 100 * distances.errors[known] / np.abs(distances.originals[known])
        percent += float(np.dot(moved, distances.counts[known]))
    return {"il1s": deviations, "il1": percent}
