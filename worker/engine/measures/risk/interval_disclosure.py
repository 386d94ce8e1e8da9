"""How close released numbers are to the original ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, ClassVar, Literal, Self

import numpy as np
from pydantic import Field

from worker.engine.contracts.annotations import Columns
from worker.engine.contracts.chart import Axis, Chart, Series
from worker.engine.contracts.figure import Figure, Parts, Scalar
from worker.engine.contracts.measure import DoesNotApply, Found, Measure, Section, register
from worker.engine.contracts.scene import Outlook, Scene
from worker.engine.contracts.traces import ReleaseFamily, Trace, Traces
from worker.engine.information.columns import NOT_ALIGNED
from worker.engine.information.side_by_side import original, released
from worker.engine.linkage.closeness import Closeness, Ranks
from worker.engine.tables.column import Floats
from worker.engine.tables.kinds import NUMERIC, Role
from worker.engine.tables.statistics import Statistics
from worker.engine.tables.table import Schema

JUDGED = (Role.QUASI_IDENTIFIER, Role.SENSITIVE)
MOVED = (Trace.PERTURBED, Trace.EXCHANGED)
NO_NUMBERS = "No quasi-identifier or sensitive column holds numbers."
A_TABLE = "The release is a table under differential privacy, without rows: ε answers."
MADE_UP = "The numbers are made up and nobody's: hold-out distances answer."
NOT_MOVED = "No number was perturbed: numbers that leave are kept or coarser, and class sizes answer."
NO_PAIRS = "No row has a number on both sides."
ROUNDING = 1e-9


@register
class IntervalDisclosure(Measure):
    """How many released numbers lie so close to the original that they give it away.

    An interval stands around each original number: so many standard deviations of the original column to
    either side, or such a share of its ranks. A cell is inside when the released number of the same row lies
    in it. Where hardly any number moves out of a narrow interval, noise protects nobody, whether or not rows
    can be linked. Missing cells, and labels in place of numbers, are not counted.

    Readings differ: sdcMicro's `dRisk` takes the standard deviation of the released column, and counts rows
    of which at most one column lies outside; that figure stands beside ours where the interval is in
    deviations.
    """

    slug = "interval-disclosure"
    title = "Interval disclosure"
    section = Section.RISK
    references = (
        "Mateo-Sanz, Sebé & Domingo-Ferrer (2004), Outlier protection in continuous microdata masking",
        "Templ (2017), Statistical disclosure control for microdata",
    )
    figures: ClassVar = (
        Figure(
            "inside_share",
            "Share of numbers inside",
            "Released numbers within the interval around the original one, divided by the rows with both.",
            unit="share",
            better="low",
            usual=(0, 0.5),
            per="column",
            headline=True,
        ),
        Figure(
            "worst_share",
            "Worst column",
            "The largest of these shares.",
            unit="share",
            better="low",
            headline=True,
        ),
        Figure(
            "all_inside_share",
            "Rows inside in every column",
            "Rows of which all numbers lie inside, divided by rows with any.",
            unit="share",
            better="low",
        ),
        Figure(
            "drisk",
            "As sdcMicro counts",
            "Rows with at most one number farther from the original than the width times the standard "
            "deviation of the released column, divided by rows with any number; 1 by definition where only "
            "one column is judged.",
            unit="share",
            better="low",
        ),
        Figure("rows", "Rows", "Rows that have a number on both sides in any column.", unit="count"),
    )

    columns: Annotated[tuple[str, ...], Columns(kind=NUMERIC)] = Field(
        (),
        title="Columns",
        description="Numbers to judge. Empty: all perturbed quasi-identifiers and sensitive columns.",
    )
    width: float = Field(
        0.1,
        gt=0,
        le=10,
        title="Width",
        description="To either side: in standard deviations of the original, or as a share of its ranks.",
    )
    by: Literal["deviation", "rank"] = Field(
        "deviation", title="Measured in", description="Standard deviations or ranks of the original."
    )

    @classmethod
    def examples(cls) -> tuple[Self, ...]:
        return (cls(), cls(columns=("income",), width=0.05, by="rank"))

    def does_not_apply(self, outlook: Outlook) -> str | None:
        names = self._named(outlook.schema)
        if not names:
            return NO_NUMBERS
        return None if outlook.traces is None else _elsewhere(outlook.traces, names)

    def compare(self, scene: Scene) -> Found:
        if scene.beside is None:
            raise DoesNotApply(NOT_ALIGNED)
        names = [one for one in self._named(scene.before.schema) if one in scene.after.schema]
        if scene.traces is not None:
            names = [one for one in names if scene.traces[one] in MOVED]
        else:
            names = [one for one in names if _moved(scene.beside, one)]
        if not names:
            raise DoesNotApply(NOT_MOVED)
        return self._found(names, self._close(scene, scene.beside, names))

    def _named(self, schema: Schema) -> tuple[str, ...]:
        return self.columns or tuple(one for one in schema.named(*JUDGED) if schema[one].kind in NUMERIC)

    def _close(self, scene: Scene, beside: Statistics, names: Sequence[str]) -> Closeness:
        deviations = [_deviation(scene.before, one) for one in names]
        ranks = [Ranks.of(scene.before.counts((one,))) for one in names] if self.by == "rank" else []
        units = [1.0] * len(names) if ranks else deviations
        found = Closeness(
            [_nearly(self.width * one) for one in units],
            [_nearly(self.width * _deviation(scene.after, one)) for one in names],
        )
        for was, became in _numbers(beside, names):
            plain = [np.abs(old - new) for old, new in zip(was, became, strict=True)]
            placed = [
                np.abs(one.places(old) - one.places(new))
                for one, old, new in zip(ranks, was, became, strict=bool(ranks))
            ]
            found.add(placed or plain, plain)
        return found

    def _found(self, names: Sequence[str], close: Closeness) -> Found:
        each = zip(names, close.inside, close.cells, strict=True)
        shares = {name: inside / cells for name, inside, cells in each if cells}
        if not shares:
            raise DoesNotApply(NO_PAIRS)
        figures: dict[str, Scalar | Parts] = {
            "inside_share": shares,
            "worst_share": max(shares.values()),
            "all_inside_share": close.everywhere / close.rows,
            "rows": close.rows,
        }
        if self.by == "deviation":
            figures["drisk"] = close.forgiving / close.rows
        return Found(figures, charts=(_chart(shares),))


def _elsewhere(traces: Traces, names: Sequence[str]) -> str | None:
    """Why no number is judged."""
    if traces.family is ReleaseFamily.TABLE:
        return A_TABLE
    left = {traces[name] for name in names}
    if left.intersection(MOVED):
        return None
    return MADE_UP if Trace.MADE_UP in left else NOT_MOVED


def _numbers(beside: Statistics, names: Sequence[str]) -> Iterator[tuple[list[Floats], list[Floats]]]:
    """The numbers of both sides, piece by piece."""
    were, are = [original(one) for one in names], [released(one) for one in names]
    for chunk in beside.chunks((*were, *are)):
        yield [chunk[one].numbers for one in were], [chunk[one].numbers for one in are]


def _moved(beside: Statistics, name: str) -> bool:
    """Whether a number became another one in any row."""
    pieces = _numbers(beside, [name])
    return any(bool((np.abs(was[0] - became[0]) > 0).any()) for was, became in pieces)


def _deviation(side: Statistics, name: str) -> float:
    variance = side.moments(name).variance
    return 0.0 if np.isnan(variance) else float(np.sqrt(variance))


def _nearly(reach: float) -> float:
    """The end of an interval belongs to it, however it was computed."""
    return reach * (1 + ROUNDING) + ROUNDING * ROUNDING


def _chart(shares: dict[str, float]) -> Chart:
    bars = Series("Inside", tuple(shares), tuple(shares.values()))
    axis = Axis("Share of numbers", "", "percent")
    note = "100 % means that every released number lies close to the original one."
    return Chart(
        "inside", "Numbers close to the original", "bar", Axis("Column", "", "category"), axis, (bars,), note
    )
