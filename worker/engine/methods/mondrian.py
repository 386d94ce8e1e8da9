"""Multidimensional recoding by recursive cuts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING, Literal, Self

import numpy as np
import pyarrow as pa
from pydantic import Field

from worker.engine.contracts.facts import Facts, StepJson, Suppressed
from worker.engine.contracts.goal import Goal
from worker.engine.contracts.method import (
    Family,
    Guarantee,
    Method,
    Plan,
    Preset,
    register,
    require_quasi_identifiers,
)
from worker.engine.contracts.traces import Trace
from worker.engine.errors import EngineError, NoSolution
from worker.engine.mondrian.axes import AS_NUMBERS, Axis, axis_of, kind_after, summarized
from worker.engine.randomness import Source
from worker.engine.reporting import Reporter
from worker.engine.tables.aligned import Aligned
from worker.engine.tables.classes import Classes, released_classes
from worker.engine.tables.column import Codes, Column
from worker.engine.tables.declaration import Declaration
from worker.engine.tables.frequency import Domain, FrequencyTable
from worker.engine.tables.keys import Keys, Packer
from worker.engine.tables.kinds import Kind, Role
from worker.engine.tables.statistics import Statistics
from worker.engine.tables.table import Chunk, Schema, Table
from worker.engine.tables.table import Field as ColumnField
from worker.engine.wording import thousands

if TYPE_CHECKING:
    from worker.engine.mondrian.labels import Labels
    from worker.engine.mondrian.regions import Leaves


@dataclass(frozen=True)
class MondrianPlan(Plan):
    """The region of every combination of values, or of every row, and what stands for it in each column."""

    domains: tuple[Domain, ...] = ()
    packer: Packer | None = None
    keys: Keys | None = None
    fresh: tuple[Column, ...] = ()
    aligned: Aligned | None = None


@register
class Mondrian(Method):
    """Cut the data into small groups of similar rows and describe each group by what its rows span.

    All rows start as one region. Again and again a region is cut along the quasi-identifier in which it is
    widest – numbers, dates and ordinals at their median, other columns down their hierarchy, or without one
    into two sets – as long as every part satisfies all goals. So sparse parts of the data become coarse and
    dense parts stay fine, and nothing is suppressed; but a value may be described in several ways, which
    makes analysis harder than one level for the whole column. The cuts are greedy: good, not provably best.

    A missing value is a value of its own and gets a branch of its own where enough rows share it; a region
    that must mix missing and known values shows `*` (a mean or median is missing then). *strict*: rows with
    equal quasi-identifiers stay together. *relaxed*: they may fall to both sides of a cut, which makes
    regions of even halves and therefore smaller ones; it needs whole columns in memory.
    """

    slug = "mondrian"
    title = "Mondrian"
    family = Family.GENERALIZING
    guarantee = Guarantee.GOALS
    enforces = True
    references = ("LeFevre, DeWitt & Ramakrishnan (2006), Mondrian multidimensional k-anonymity",)

    relaxed: bool = Field(
        False,
        title="Relaxed",
        description="Rows with equal values may fall into different regions: smaller regions, more memory.",
    )
    summary: Literal["interval", "mean", "median", "set"] = Field(
        "interval",
        title="Summary",
        description="What stands for a region: its lowest and highest value, the mean or median of numbers "
        "and dates, or all values that occur. Columns with a hierarchy show its label.",
    )

    @property
    def holds_columns(self) -> bool:
        return self.relaxed

    @classmethod
    def examples(cls) -> tuple[Self, ...]:
        return (cls(), cls(relaxed=True, summary="mean"), cls(summary="set"), cls(summary="median"))

    @classmethod
    def presets(cls) -> tuple[Preset, ...]:
        return (
            Preset("Intervals", "Every group shows the range its rows span.", {"summary": "interval"}),
            Preset("Medians", "Numbers stay numbers: the median of each group.", {"summary": "median"}),
            Preset(
                "Finest groups",
                "Equal rows may fall into different groups, which become as small as the goals allow.",
                {"relaxed": True, "summary": "mean"},
            ),
        )

    def describe(self) -> str:
        shown = {
            "interval": "the interval it spans",
            "mean": "the mean of its rows",
            "median": "the median of its rows",
            "set": "the values that occur in it",
        }[self.summary]
        equal = "; rows of equal values may be parted" if self.relaxed else ""
        return (
            "Cut the data along the quasi-identifiers into regions as small as the goals allow, and show "
            f"{shown} in place of the values{equal}."
        )

    def check(self, schema: Schema) -> None:
        super().check(schema)
        require_quasi_identifiers(schema)

    def require_possible(
        self, schema: Schema, goals: Sequence[Goal], declared: Mapping[str, Declaration]
    ) -> None:
        super().require_possible(schema, goals, declared)
        if not goals:
            text = "Cutting goes as far as the goals allow, and the recipe has none. Add a goal."
            raise EngineError("no-goals", text, param="goals")

    def touches(self, schema: Schema) -> tuple[str, ...]:
        return schema.named(Role.QUASI_IDENTIFIER)

    def leaves(self, schema: Schema) -> Mapping[str, Trace]:
        """A mean or median is another value in place of the original one, not a label that holds it."""
        return {
            name: Trace.PERTURBED if summarized(schema[name].kind, self.summary) else Trace.COARSER
            for name in schema.named(Role.QUASI_IDENTIFIER)
        }

    def output_schema(self, schema: Schema) -> Schema:
        for name in schema.named(Role.QUASI_IDENTIFIER):
            kind = kind_after(schema[name].kind, self.summary)
            schema = schema.with_field(ColumnField(name, kind, Role.QUASI_IDENTIFIER))
        return schema

    def plan(
        self, statistics: Statistics, goals: Sequence[Goal], source: Source, report: Reporter
    ) -> MondrianPlan:
        for name in statistics.quasi_identifiers:
            statistics.require_values(name, f"columns.{name}")
        whole, table = self._counted(statistics, goals)
        began = perf_counter()
        work = _Recoding(statistics, table, self.summary)
        leaves = work.cut(goals, self.relaxed, report)
        labels = work.labels(leaves)
        announced, found = work.facts(leaves, labels)
        facts = {"relaxed": self.relaxed, "summary": self.summary, **found}
        facts["plan_seconds"] = perf_counter() - began
        if whole is not None:
            made = [_column(one, one.codes[leaves.of]) for one in labels]
            ids = None if whole.is_contiguous else whole.row_ids
            aligned = Aligned(Table(made, whole.first_row, whole.rows, ids))
            return MondrianPlan(facts, aligned=aligned, announces=announced)
        domains = table.domains[: len(labels)]
        packer = Packer(tuple(map(len, domains)))
        keys, first = np.unique(packer.fit(table.codes[: len(labels)], len(table)), return_index=True)
        fresh = tuple(_column(one, one.codes[leaves.of[first]]) for one in labels)
        return MondrianPlan(facts, domains, packer, keys, fresh, announces=announced)

    def transform(self, chunk: Chunk, plan: MondrianPlan, source: Source) -> Chunk:
        if plan.aligned is not None:
            return plan.aligned.put_into(chunk)
        assert plan.packer is not None
        assert plan.keys is not None
        codes = [domain.translate(chunk[domain.name]) for domain in plan.domains]
        at = np.searchsorted(plan.keys, plan.packer.apply(codes, chunk.rows))
        return chunk.with_columns(*(column.take(at) for column in plan.fresh))

    def guidance(self, facts: StepJson) -> tuple[str, ...]:
        shown = {
            "interval": "the interval from the lowest to the highest value of its group",
            "mean": "the mean of its group, where the column is a number or a date",
            "median": "the median of its group, where the column has an order",
            "set": "the set of the values that occur in its group",
        }[self.summary]
        if not facts["classes"]:
            return ()
        return (
            f"The quasi-identifiers were recoded in {thousands(facts['classes'])} groups of at least "
            f"{thousands(facts['smallest_class'])}: each shows {shown}; columns with a hierarchy show "
            "a label of it.",
            "Groups differ in width: dense parts of the data are described more finely than sparse ones, and "
            "the same value may appear under several labels. Tabulate with midpoints or spread rows evenly "
            "over their interval; within a group nothing can be told apart.",
        )

    def _counted(self, statistics: Statistics, goals: Sequence[Goal]) -> tuple[Table | None, FrequencyTable]:
        """The combinations of values – or, relaxed, every row by itself and the rows they are."""
        sensitive = [column for goal in goals for column in goal.sensitive_columns()]
        if not self.relaxed:
            return None, statistics.classes_table(sensitive)
        names = tuple(dict.fromkeys((*statistics.quasi_identifiers, *sensitive)))
        person, weight = statistics.person_key, statistics.weight
        more = [name for name in (person, weight) if name and name not in names]
        whole = statistics.table((*names, *more))
        domains = tuple(statistics.distinct(name) for name in names)
        return whole, FrequencyTable(
            domains,
            tuple(domain.translate(whole[domain.name]) for domain in domains),
            np.ones(whole.rows, np.int64),
            statistics.distinct(person).translate(whole[person]) if person else None,
            whole[weight].numbers if weight else None,
        )


class _Recoding:
    """Cuts a table and labels the regions."""

    def __init__(self, statistics: Statistics, table: FrequencyTable, summary: str) -> None:
        self.table, self.summary = table, summary
        self.names = statistics.quasi_identifiers
        domains = table.domains[: len(self.names)]
        self.axes: list[Axis] = [axis_of(one, statistics.declaration(one.name)) for one in domains]
        numeric = summary in AS_NUMBERS
        self._places = [
            statistics.places(one.name) if numeric and one.kind is Kind.DECIMAL else 0 for one in domains
        ]

    def cut(self, goals: Sequence[Goal], relaxed: bool, report: Reporter) -> Leaves:
        """The regions, or a refusal that names the goal in the way."""
        from worker.engine.mondrian.regions import Regions

        regions = Regions(self.table, self.axes, goals, relaxed)
        with report.span(0.0, 0.9):
            leaves = regions.cut(report.progress)
        found = regions.mend(leaves, goals, self.released)
        if found is None:
            raise self._no_solution(goals, self.released(regions.uncut())[0])
        return found

    def labels(self, leaves: Leaves) -> list[Labels]:
        """What stands for each region, column by column."""
        from worker.engine.mondrian.labels import labels_of

        described = zip(self.axes, self.table.codes, self._places, strict=False)
        return [
            labels_of(axis, codes, self.table.counts, leaves, self.summary, places)
            for axis, codes, places in described
        ]

    def released(self, leaves: Leaves) -> tuple[Classes, Classes | None]:
        """The classes as they would be released."""
        labels = self.labels(leaves)
        rest = len(labels)
        table = replace(
            self.table,
            domains=(*(one.domain for one in labels), *self.table.domains[rest:]),
            codes=(*(one.codes[leaves.of] for one in labels), *self.table.codes[rest:]),
        )
        return released_classes(table, self.names)

    def facts(self, leaves: Leaves, labels: Sequence[Labels]) -> tuple[Facts, StepJson]:
        """What the report tells: announced to others, and its own."""
        rows = np.bincount(leaves.of, weights=self.table.counts, minlength=len(leaves)).astype(np.int64)
        if self.table.persons is None:  # then the regions tell all there is to tell
            table = FrequencyTable(
                tuple(one.domain for one in labels), tuple(one.codes for one in labels), rows
            )
            classes, suppressed = released_classes(table, self.names)
        else:
            classes, suppressed = self.released(leaves)
        total = max(int(rows.sum()), 1)
        lost = {one.name: round(float((one.lost * rows).sum()) / total, 6) for one in labels}
        gone = 0 if suppressed is None else int(suppressed.rows.sum())
        return Facts(suppressed=Suppressed(gone, left_out=False)), {
            "classes": classes.number,
            "smallest_class": int(classes.sizes.min()) if classes.number else None,
            "largest_class": int(classes.sizes.max()) if classes.number else None,
            "range_lost": lost,
            "mean_range_lost": round(sum(lost.values()) / len(lost), 6),
        }

    def _no_solution(self, goals: Sequence[Goal], everybody: Classes) -> NoSolution:
        failing = (i for i, goal in enumerate(goals) if not goal.result(everybody).holds)
        at = next(failing, 0)
        reached = goals[at].achieved(everybody)
        text = (
            f"The obstacle is {goals[at].title}: {'even ' * goals[at].monotone}all rows as one class do not "
        )
        text += "satisfy it, and cutting begins from there." if not goals[at].monotone else "satisfy it."
        if isinstance(reached, int | float):
            number = thousands(reached)
            text += f" One class of all rows reaches {number}."
        return NoSolution("no-solution", f"{text} Weaken the goal.", param=f"goals[{at}]")


def _column(labels: Labels, codes: Codes) -> Column:
    return Column(labels.name, labels.kind, codes, pa.array(labels.texts, pa.string()))
