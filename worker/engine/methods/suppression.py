"""Local suppression of cells."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Self

import numpy as np
import pyarrow as pa
from pydantic import Field

from worker.engine.contracts.annotations import Columns, Unit
from worker.engine.contracts.facts import Facts, StepJson, Suppressed
from worker.engine.contracts.goal import Goal
from worker.engine.contracts.method import (
    Family,
    Guarantee,
    Method,
    Plan,
    register,
    require_quasi_identifiers,
)
from worker.engine.contracts.traces import Trace
from worker.engine.errors import EngineError, NoSolution
from worker.engine.randomness import Source
from worker.engine.reporting import Reporter
from worker.engine.tables.classes import Classes, classes_of, released_classes
from worker.engine.tables.column import SUPPRESSED, Codes, Column, Mask
from worker.engine.tables.declaration import Declaration
from worker.engine.tables.frequency import Domain, FrequencyTable
from worker.engine.tables.keys import Keys, Packer, group
from worker.engine.tables.kinds import Kind, Role
from worker.engine.tables.statistics import Statistics
from worker.engine.tables.table import Chunk, Schema
from worker.engine.tables.table import Field as ColumnField
from worker.engine.tables.wildcards import matching_sizes, wild_values

EVERY_PATTERN_UP_TO = 10
"""With more quasi-identifiers than this, cells are hidden in one fixed order instead of trying all sets."""


@dataclass(frozen=True)
class SuppressionPlan(Plan):
    """For every tuple of original values, which of its cells are hidden."""

    domains: tuple[Domain, ...] = ()
    packer: Packer | None = None
    keys: Keys | None = None
    hidden: tuple[Mask, ...] = ()


@register
class Suppression(Method):
    """Hide single cells of rows that are too rare, until the goals hold.

    Rows whose class violates a goal lose cells, as unimportant and as few as possible: first every single
    quasi-identifier is tried, then every pair, and so on; columns named important are touched only where
    hiding all less important ones does not help, in their order. A hidden cell becomes `*`, which is a
    value of its own: rows are alike only when they hide the same cells. A row that cannot be helped loses
    all quasi-identifiers and counts as suppressed.

    Where a goal lets hidden cells stand for any value, so does the k of this step. Then hiding helps other
    rows too: rows are helped one by one, each by the fewest cells, those first that help others most, and
    what need not be hidden in the end is shown again.
    """

    slug = "suppression"
    title = "Local suppression"
    family = Family.SUPPRESSING
    guarantee = Guarantee.GOALS
    enforces = True
    references = ("Templ, Kowarik & Meindl (2015), Statistical disclosure control using sdcMicro",)

    k: Annotated[int | None, Unit("rows or persons")] = Field(
        None,
        ge=1,
        le=1_000_000_000,
        title="k",
        description="The smallest class allowed, beside the goals. Leave empty to follow the goals alone.",
    )
    importance: Annotated[tuple[str, ...], Columns(role=Role.QUASI_IDENTIFIER)] = Field(
        (),
        title="Importance",
        description="The most important columns first: they are hidden last. Others count as unimportant.",
    )

    per_tuple = True

    @classmethod
    def examples(cls) -> tuple[Self, ...]:
        return (cls(k=3, importance=("age", "sex")), cls(k=2))

    def describe(self) -> str:
        until = f"every class holds at least {self.k} rows or persons and " if self.k else ""
        first = f", keeping {', '.join(self.importance)} longest" if self.importance else ""
        return f"Hide single cells until {until}the goals hold{first}."

    def check(self, schema: Schema) -> None:
        super().check(schema)
        require_quasi_identifiers(schema)

    def require_possible(
        self, schema: Schema, goals: Sequence[Goal], declared: Mapping[str, Declaration]
    ) -> None:
        super().require_possible(schema, goals, declared)
        if self.k is None and not goals:
            text = "k: give a k, or add a goal to the recipe: there is nothing to reach."
            raise EngineError("bad-parameter", text, param="k")

    def touches(self, schema: Schema) -> tuple[str, ...]:
        return schema.named(Role.QUASI_IDENTIFIER)

    def leaves(self, schema: Schema) -> Mapping[str, Trace]:
        return dict.fromkeys(schema.named(Role.QUASI_IDENTIFIER), Trace.COARSER)

    def output_schema(self, schema: Schema) -> Schema:
        for name in schema.named(Role.QUASI_IDENTIFIER):
            schema = schema.with_field(ColumnField(name, Kind.CATEGORICAL, Role.QUASI_IDENTIFIER))
        return schema

    def guidance(self, facts: StepJson) -> tuple[str, ...]:
        return (
            "A * in a quasi-identifier is a value that was hidden because its row was too rare. All other "
            "values are the original ones.",
            "Cells are not hidden at random: rare combinations lose more of them. Analyses of complete rows "
            "alone show too few of these; count a * as unknown, not as a category.",
        )

    def plan(
        self, statistics: Statistics, goals: Sequence[Goal], source: Source, report: Reporter
    ) -> SuppressionPlan:
        names = statistics.quasi_identifiers
        for name in names:
            statistics.require_values(name, f"columns.{name}")
        table = statistics.classes_table(column for goal in goals for column in goal.sensitive_columns())
        work = _Hiding(table, names, tuple(goals), self.k or 1)
        values = {name: len(table.domain(name)) for name in names}
        work.hide_one_by_one(weights_of(names, self.importance, values), report)
        for number, pattern in enumerate(patterns(names, self.importance, values)):
            report.progress(1 - 1 / (number + 2))
            if not work.hide(pattern):
                break
        return self._decided(table, names, work)

    def transform(self, chunk: Chunk, plan: SuppressionPlan, source: Source) -> Chunk:
        assert plan.packer is not None
        assert plan.keys is not None
        codes = [domain.translate(chunk[domain.name]) for domain in plan.domains]
        at = np.searchsorted(plan.keys, plan.packer.apply(codes, chunk.rows))
        columns = [
            _hidden(chunk[domain.name], hidden[at])
            for domain, hidden in zip(plan.domains, plan.hidden, strict=True)
        ]
        return chunk.with_columns(*columns)

    def _decided(self, table: FrequencyTable, names: Sequence[str], work: _Hiding) -> SuppressionPlan:
        classes, suppressed = released_classes(work.table(), names)
        if classes.number and work.violating(classes).any():
            text = (
                "Hiding cells cannot satisfy the goals. Weaken a goal, such as a k above the number of rows."
            )
            raise NoSolution("no-solution", text, param="k")
        packer = Packer(tuple(len(table.domain(name)) for name in names))
        keys, first = np.unique(
            packer.fit([table.column(name) for name in names], len(table)), return_index=True
        )
        cells = {
            name: int(table.counts[hidden].sum()) for name, hidden in zip(names, work.hidden, strict=True)
        }
        facts: dict[str, object] = {
            "suppressed_per_column": cells,
            "classes": classes.number,
            "smallest_class": int(classes.sizes.min()) if classes.number else None,
        }
        domains = tuple(table.domain(name) for name in names)
        rows = 0 if suppressed is None else int(suppressed.rows.sum())
        return SuppressionPlan(
            facts,
            domains,
            packer,
            keys,
            tuple(hidden[first] for hidden in work.hidden),
            announces=Facts(suppressed=Suppressed(rows, sum(cells.values()), left_out=False)),
        )


class _Hiding:
    """Which cells of which tuples are hidden so far."""

    def __init__(self, table: FrequencyTable, names: Sequence[str], goals: tuple[Goal, ...], k: int) -> None:
        self._original = table
        self._names = tuple(names)
        self._goals = goals
        self._k = k
        self.hidden = tuple(np.zeros(len(table), bool) for _ in names)
        self._wild = any(goal.least_agreeing is not None for goal in goals)
        self._left = self._undecided() if self._apart else None

    @property
    def _apart(self) -> bool:
        """Whether a row that was helped stays so, whatever is hidden in others: each class is judged by
        itself or beside the whole table, which loses no row, and no row joins it later because there was
        no `*` in the data before."""
        stars = any(SUPPRESSED in self._original.domain(name).index for name in self._names)
        return not (stars or self._wild) and all(_judges_alone(goal) for goal in self._goals)

    def violating(self, classes: Classes) -> Mask:
        """Classes that are too small or violate a goal."""
        sizes = matching_sizes(classes, self._names) if self._wild and self._k > 1 else classes.sizes
        bad = sizes < self._k
        for goal in self._goals:
            bad |= goal.violating(classes) | ~goal.spared(classes)
        return bad

    def hide_one_by_one(self, weights: Mapping[str, float], report: Reporter) -> None:
        """Where all that is asked is to agree with enough rows, hidden cells standing for any value."""
        asked = [goal.least_agreeing for goal in self._goals]
        if not self._wild or None in asked or self._original.persons is not None:
            return
        if len(self._names) > EVERY_PATTERN_UP_TO:
            return
        from worker.engine.suppression.hiding import hidden_cells, is_feasible

        k = max(self._k, *(one for one in asked if one is not None))
        classes = classes_of(self._original, self._names)
        agreeing, first = matching_sizes(classes, self._names), classes.first()
        if not is_feasible(int((agreeing < k).sum()), classes.number, len(self._names)):
            return
        codes = [self._original.column(name)[first] for name in self._names]
        wild = [wild_values(classes, name)[of] for name, of in zip(self._names, codes, strict=True)]
        costs = [weights[name] for name in self._names]
        found = hidden_cells(codes, wild, classes.rows, agreeing, k, costs, report.progress)
        self.hidden = tuple(mask[classes.ids] for mask in found)

    def hide(self, pattern: frozenset[str]) -> bool:
        """Hide these cells in rows that violate, where that helps. False when no row violates any more."""
        if self._left is not None:
            return self._hide_apart(pattern, self._left)
        open_rows = self._open()
        if not open_rows.any():
            return False
        last = len(pattern) == len(self._names)
        tried = tuple(
            np.where(open_rows, name in pattern, hidden)
            for name, hidden in zip(self._names, self.hidden, strict=True)
        )
        classes = classes_of(self.table(tried), self._names)
        helped = open_rows & (last | ~self.violating(classes)[classes.ids])
        self.hidden = tuple(np.where(helped, new, old) for new, old in zip(tried, self.hidden, strict=True))
        return True

    def table(self, hidden: Sequence[Mask] | None = None) -> FrequencyTable:
        """The table with hidden cells as `*`."""
        codes, domains = list(self._original.codes), list(self._original.domains)
        for name, mask in zip(self._names, hidden or self.hidden, strict=True):
            at = self._original.position(name)
            domain = domains[at]
            star = domain.index.get(SUPPRESSED, len(domain))
            codes[at] = np.where(mask, star, codes[at]).astype(np.int32)
            if star == len(domain):
                texts = (*domain.texts, SUPPRESSED)
                domains[at] = Domain(name, domain.kind, texts, np.append(domain.missing, False))
        return replace(self._original, codes=tuple(codes), domains=tuple(domains))

    def _open(self) -> Mask:
        classes, _ = released_classes(self.table(), self._names)
        bad = np.append(self.violating(classes), False)  # suppressed rows have class -1
        rows: Mask = bad[classes.ids]
        return rows

    def _undecided(self) -> FrequencyTable:
        """The tuples that violate, with every quasi-identifier able to be `*`."""
        self._whole = classes_of(self._original, self._names)
        self._rows = np.flatnonzero(self._open())
        return _some(self.table(), self._rows)

    def _hide_apart(self, pattern: frozenset[str], left: FrequencyTable) -> bool:
        """The same where only the rows still left have to be looked at."""
        if not len(left):
            return False
        codes = list(left.codes)
        for name in pattern:
            codes[left.position(name)] = np.full(len(left), len(left.domain(name)) - 1, np.int32)
        shown = [name for name in self._names if name not in pattern]
        groups = group(left.keys(shown))
        ids, part = groups.ids.astype(np.int64), replace(left, codes=tuple(codes))
        tried = Classes(part, ids, groups.number, self._whole)
        helped = ~self.violating(tried)[tried.ids] if shown else np.ones(len(left), bool)
        for name, hidden in zip(self._names, self.hidden, strict=True):
            hidden[self._rows[helped]] = name in pattern
        self._rows, self._left = self._rows[~helped], _some(left, ~helped)
        return True


def _judges_alone(goal: Goal) -> bool:
    """Whether its verdict on a class depends on that class alone, and on the table as a whole."""
    if goal.relative and goal.by_labels:
        return False
    return type(goal).spared is Goal.spared and type(goal).met is Goal.met


def _some(table: FrequencyTable, rows: Any) -> FrequencyTable:
    """Some tuples of a table."""
    return replace(
        table,
        codes=tuple(codes[rows] for codes in table.codes),
        counts=table.counts[rows],
        persons=None if table.persons is None else table.persons[rows],
        weights=None if table.weights is None else table.weights[rows],
    )


def weights_of(names: Sequence[str], importance: Sequence[str], values: Mapping[str, int]) -> dict[str, int]:
    """What it costs to hide a cell of each column, the first to be hidden first: an important one costs more
    than all that are less important together. Among columns of no importance those of many values come
    first: hiding them helps most."""
    ordered = sorted((n for n in names if n not in importance), key=lambda name: -values[name])
    return dict.fromkeys(ordered, 1) | {
        name: (len(ordered) + 1) << place for place, name in enumerate(reversed(importance))
    }


def patterns(
    names: Sequence[str], importance: Sequence[str], values: Mapping[str, int]
) -> Iterator[frozenset[str]]:
    """Sets of cells to hide: unimportant before important, then few before many; all cells last, twice.

    An important column is touched only where all that are less important together do not help. The second
    time of all cells helps rows whose class shrank because others joined the suppressed rows.
    """
    weight = weights_of(names, importance, values)
    ordered = list(weight)
    if len(names) <= EVERY_PATTERN_UP_TO:
        sets = (one for number in range(1, len(names)) for one in itertools.combinations(ordered, number))
        yield from (frozenset(one) for one in sorted(sets, key=lambda s: sum(weight[n] for n in s)))
    else:
        yield from (frozenset(ordered[:number]) for number in range(1, len(names)))
    yield frozenset(names)
    yield frozenset(names)


def _hidden(column: Column, mask: Mask) -> Column:
    """The column with `*` where its cell is hidden."""
    labels = pa.concat_arrays([column.labels.cast(pa.string()), pa.array([SUPPRESSED], pa.string())])
    codes: Codes = np.where(mask, len(column.labels), column.codes).astype(np.int32)
    return column.recoded(codes, labels, Kind.CATEGORICAL)
