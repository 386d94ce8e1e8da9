"""Which columns a measure of information looks at, and what is said of those it passes over."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from worker.engine.contracts.chart import Axis, Chart, Series
from worker.engine.contracts.figure import Figure, Figures
from worker.engine.contracts.measure import DoesNotApply, Found
from worker.engine.contracts.scene import Scene
from worker.engine.contracts.traces import ReleaseFamily, Trace
from worker.engine.information.bins import ORDERED, Line
from worker.engine.tables.column import SUPPRESSED
from worker.engine.tables.frequency import Counts, FrequencyTable
from worker.engine.tables.kinds import RELEASED, Role
from worker.engine.tables.statistics import Statistics
from worker.engine.tables.table import Field

NAMING = (Role.DIRECT_IDENTIFIER, Role.PERSON_KEY, Role.HOUSEHOLD_KEY)
"""Identifiers and keys say who somebody is: they are not meant to stay."""
AT_RANDOM = (Trace.PERTURBED, Trace.EXCHANGED, Trace.MADE_UP)

NOT_ALIGNED = (
    "It follows single rows, and nobody knows which row of the file was which of the original. Compare files "
    "of as many rows in the same order."
)
NOBODYS = "Its rows are made up: none of them says anything of a row of the original."
NOTHING = "No column of the original could be judged."
PASSED_OVER = Figure(
    "passed_over",
    "Columns passed over",
    "Why a column has no figure and is not in the mean.",
    unit="words",
    per="column",
)
CONSTANT = "It holds one value throughout, so that there is nothing to keep."


def row_by_row(scene: Scene) -> Statistics:
    """Both sides beside one another; refused where rows did not stay rows."""
    if scene.traces is not None and scene.traces.family is ReleaseFamily.MADE_UP:
        raise DoesNotApply(NOBODYS)
    if scene.beside is None:
        raise DoesNotApply(NOT_ALIGNED)
    return scene.beside


def leaves(scene: Scene, column: Field) -> bool:
    """Whether a column of the original is in the release."""
    weight = column.role is Role.WEIGHT and scene.before.declaration(column.name).release
    if column.name not in scene.after.schema or not (column.role in RELEASED or weight):
        return False
    return scene.traces is None or scene.traces[column.name] is not Trace.REMOVED


def original_columns(scene: Scene) -> tuple[Field, ...]:
    """Those of the original but identifiers and keys, as far as they enter; `left_behind` are the others."""
    return tuple(one for one in scene.before.schema if one.role not in NAMING)


def released_columns(scene: Scene) -> tuple[Field, ...]:
    """Those of them that leave."""
    return tuple(one for one in original_columns(scene) if leaves(scene, one))


def at_random(scene: Scene, name: str, pairs: FrequencyTable) -> bool:
    """Whether chance changed a column. Where nobody knows, it did if a row holds another row's value."""
    if scene.traces is not None:
        return scene.traces[name] in AT_RANDOM
    was, became = pairs.domains
    places = was.places_of(became)[pairs.codes[1]]
    blank = (became.missing | (np.arange(len(became)) == became.find(SUPPRESSED)))[pairs.codes[1]]
    return bool(((places >= 0) & (places != pairs.codes[0]) & ~blank).any())


def truthful(scene: Scene, column: Field, pairs: FrequencyTable) -> bool:
    """Whether the readings of a column hold what they were. Where nobody knows what was done to numbers, one
    that moved may have moved by chance."""
    if scene.traces is not None or column.kind not in ORDERED:
        return not at_random(scene, column.name, pairs)
    line = Line.of(pairs.only(pairs.names[:1]), column.kind)
    was, became = (
        line.numbers(domain)[codes] for domain, codes in zip(pairs.domains, pairs.codes, strict=True)
    )
    return not bool((~np.isnan(was) & ~np.isnan(became) & (was != became)).any())


@dataclass
class Scores:
    """What was found of each column, and why nothing was found of others."""

    found: dict[str, float] = field(default_factory=dict)
    passed_over: dict[str, str] = field(default_factory=dict)

    @classmethod
    def where_gone(cls, scene: Scene, score: float) -> Scores:
        """What every column of the original scores that does not leave."""
        gone = (one.name for one in original_columns(scene) if not leaves(scene, one))
        return cls(dict.fromkeys((*scene.left_behind, *gone), score))

    def add(self, name: str, found: float | str) -> None:
        """A figure, or why there is none."""
        if isinstance(found, str):
            self.passed_over[name] = found
        else:
            self.found[name] = found

    def told(self, scene: Scene, slug: str, title: str, note: str, **more: int) -> Found:
        """The mean, under the name of the measure, and each column; refused where there is none."""
        if not self.found or not scene.before.rows():
            raise DoesNotApply(NOTHING)
        mean = sum(self.found.values()) / len(self.found)
        each: Figures = {"per_column": self.found, "passed_over": self.passed_over, **more}
        chart = _chart(slug, title, self.found, note)
        return Found({slug.replace("-", "_"): mean, **each}, charts=(chart,))


def _chart(slug: str, title: str, found: Mapping[str, float], note: str) -> Chart:
    bars = Series(title, tuple(found), tuple(found.values()))
    axis = Axis(title, "", "percent")
    return Chart(slug, title, "bar", Axis("Column", "", "category"), axis, (bars,), note=note)


def entropy(counts: Counts) -> float:
    """Of how often each value occurs, in nats."""
    total, known = counts.sum(), counts[counts > 0]
    return float(np.log(total) - (known * np.log(known)).sum() / total) if total else 0.0
