"""The classes that fare worst by a figure per record, in words: what the rows have in common that are found.

Rows form classes by the quasi-identifiers that tell the truth. Where none does, the values of each column
are looked at by themselves, numbers by tenths.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from worker.engine.contracts.chart import Axis, Chart, Series
from worker.engine.contracts.figure import Figure
from worker.engine.contracts.measure import PerRecord
from worker.engine.contracts.scene import truthful_keys
from worker.engine.contracts.traces import Traces
from worker.engine.information.bins import Bins
from worker.engine.tables.classes import Classes, released_classes
from worker.engine.tables.column import Codes, Floats
from worker.engine.tables.frequency import Domain
from worker.engine.tables.kinds import NUMERIC
from worker.engine.tables.questions import distinct_of
from worker.engine.tables.statistics import Statistics
from worker.engine.tables.table import Field
from worker.engine.uniqueness.rows_of_classes import class_of_rows
from worker.engine.wording import thousands

SHOWN = 5
ALIKE = 2
"""Rows that a class must have: what one alone has is said of nobody."""
FEWEST = 5
"""Rows that a value must have where it is no class: fewer happen to fare badly."""


@dataclass(frozen=True)
class Grouped:
    """The group of each row of the input, −1 where it is in none, and what groups are called."""

    found: Codes
    number: int
    called: Callable[[int], str]
    fewest: int


@dataclass(frozen=True)
class Worst:
    """A group, its rows that have a figure, and their mean."""

    called: str
    rows: int
    mean: float

    @property
    def words(self) -> str:
        """So that it is read as a sentence."""
        return f"{thousands(self.rows)} rows with {self.called}"


def judged_by(figures: Sequence[Figure], records: Collection[str]) -> Figure | None:
    """The first figure per record that was found and of which one way is better."""
    judged = [one for one in figures if one.per == "record" and one.better != "neither"]
    return next((one for one in judged if one.name in records), None)


def worst_chart(figure: Figure, values: PerRecord, groups: Sequence[Grouped]) -> Chart | None:
    """The worst of the groups in words, each with its mean; None where nobody fares badly."""
    found = worst(groups, values, low=figure.better == "low")
    return _drawn(figure, found) if found else None


def groups_of(released: Statistics, traces: Traces | None, rows: int) -> Iterator[Grouped]:
    """The classes of a release, or the values of each column by which somebody could be looked for."""
    if keys := truthful_keys(released.quasi_identifiers, traces):
        classes, _ = released_classes(released.counts(keys, persons=True, weights=True), keys)
        if classes.number:
            found = class_of_rows(released, classes, keys, rows)
            yield Grouped(found, classes.number, _namer(classes, keys), ALIKE)
        return
    for field in released.schema:
        if field.name in released.quasi_identifiers:
            yield _tenths(released, field, rows) if field.kind in NUMERIC else _values(released, field, rows)


def worst(groups: Sequence[Grouped], values: PerRecord, *, low: bool) -> list[Worst]:
    """The groups with the worst means, the larger of two first; none that fares as well as one can."""
    found: list[tuple[float, int, int, int]] = []
    for place, group in enumerate(groups):
        counted = (group.found >= 0) & ~np.isnan(values)
        rows = np.bincount(group.found[counted], minlength=group.number)
        sums = np.bincount(group.found[counted], values[counted], group.number)
        enough = np.flatnonzero(rows >= group.fewest)
        means = sums[enough] / rows[enough]
        order = np.lexsort((enough, -rows[enough], -means if low else means))[:SHOWN]
        found += [(float(means[at]), int(rows[enough[at]]), place, int(enough[at])) for at in order.tolist()]
    found.sort(key=lambda one: (-one[0] if low else one[0], -one[1], *one[2:]))
    return [
        Worst(groups[place].called(group), rows, mean)
        for mean, rows, place, group in found[:SHOWN]
        if mean > 0 or not low
    ]


def _namer(classes: Classes, keys: Sequence[str]) -> Callable[[int], str]:
    first, table = classes.first(), classes.table

    def called(group: int) -> str:
        at = int(first[group])
        return ", ".join(_said(name, table.domain(name), int(table.column(name)[at])) for name in keys)

    return called


def _said(name: str, domain: Domain, code: int) -> str:
    return f"no {name}" if domain.missing[code] else f"{name} {domain.text(code)}"


def _values(released: Statistics, field: Field, rows: int) -> Grouped:
    """Each value of a column is a group."""
    domain, found = released.distinct(field.name), np.full(rows, -1, np.int32)
    for chunk in released.chunks((field.name,)):
        found[chunk.row_ids] = domain.translate(chunk[field.name])
    return Grouped(found, len(domain), lambda code: _said(field.name, domain, code), FEWEST)


def _tenths(released: Statistics, field: Field, rows: int) -> Grouped:
    """Each tenth of a column of numbers is a group; whatever is no number is in none."""
    bins = Bins.of(released.answer(distinct_of(field.name)), field.kind)
    found = np.full(rows, -1, np.int32)
    for chunk in released.chunks((field.name,)):
        codes = bins.placed(chunk[field.name]).codes
        found[chunk.row_ids] = np.where(codes <= len(bins.edges), codes, -1)
    return Grouped(found, len(bins.edges) + 1, lambda tenth: _range(field.name, bins.edges, tenth), FEWEST)


def _range(name: str, edges: Floats, tenth: int) -> str:
    if not len(edges):
        return f"any {name}"
    if tenth == 0:
        return f"{name} below {thousands(float(edges[0]))}"
    low = f"{name} from {thousands(float(edges[tenth - 1]))}"
    return low if tenth == len(edges) else f"{low} to below {thousands(float(edges[tenth]))}"


def _drawn(figure: Figure, found: Sequence[Worst]) -> Chart:
    mean = f"Mean {figure.title.lower()}"
    return Chart(
        slug=f"worst-{figure.name}",
        title=f"{figure.title}: the classes that fare worst",
        kind="bar",
        x=Axis("Class", "", "category"),
        y=Axis(mean, scale="percent") if figure.unit == "share" else Axis(mean),
        series=(Series(mean, tuple(one.words for one in found), tuple(one.mean for one in found)),),
        note=f"{figure.explanation} Rows that read alike in the release, those with the worst mean first. "
        "A row that is alone is not named.",
        internal=True,
    )
