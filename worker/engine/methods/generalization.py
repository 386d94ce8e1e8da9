"""Full-domain generalization with row suppression."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

import numpy as np
from pydantic import Field, field_validator

from worker.engine.contracts.annotations import Unit
from worker.engine.contracts.facts import Explored, Facts, Generalized, Node, StepJson, Suppressed
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
from worker.engine.errors import EngineError, LimitExceeded
from worker.engine.hierarchies.hierarchy import Levels, levels_of
from worker.engine.randomness import Source
from worker.engine.reporting import Reporter
from worker.engine.tables.column import Column, Mask
from worker.engine.tables.frequency import Domain
from worker.engine.tables.keys import Keys, Packer, among
from worker.engine.tables.kinds import Kind, Role
from worker.engine.tables.long_table import Tuples
from worker.engine.tables.statistics import Statistics
from worker.engine.tables.table import Chunk, Schema
from worker.engine.tables.table import Field as ColumnField

if TYPE_CHECKING:
    from worker.engine.search.deciding import Rating
    from worker.engine.search.judging import Judge
    from worker.engine.search.outcome import Explored as Seen
    from worker.engine.search.outcome import Outcome


Weight = Annotated[float, Field(ge=0, le=1_000_000)]
UNNAMED = 0.5
"""The weight of a column that is not named, as ARX has it."""


@dataclass(frozen=True)
class GeneralizationPlan(Plan):
    """The level of each column, and the classes whose rows are suppressed."""

    domains: tuple[Domain, ...] = ()
    levels: tuple[Levels, ...] = ()
    node: tuple[int, ...] = ()
    packer: Packer | None = None
    suppressed: Keys | None = None
    drop: bool = False


@register
class Generalization(Method):
    """Replace values by coarser ones, a whole column at a time, until the goals hold.

    Each quasi-identifier is lifted to one level of its hierarchy; the classes that still violate a goal are
    suppressed whole. Every combination of levels is considered, and the one that loses least by the chosen
    objective is proven to be the best within the suppression limit. With a time limit the search may end
    before that and then says so; lattices too large to search to the end need one.
    """

    slug = "generalization"
    title = "Generalization"
    family = Family.GENERALIZING
    guarantee = Guarantee.GOALS
    enforces = True
    references = (
        "Samarati (2001), Protecting respondents' identities in microdata release",
        "Kohlmayer et al. (2012), Flash: efficient, stable and optimal k-anonymity",
    )

    suppression_limit: Annotated[float, Unit("share of rows")] = Field(
        0.0,
        ge=0,
        le=1,
        title="Suppression limit",
        description="The largest share of rows that may be suppressed.",
    )
    objective: Literal[
        "loss", "aecs", "discernibility", "discernibility-star", "ambiguity", "entropy", "precision", "height"
    ] = Field("loss", title="Objective", description="What the search makes as small as possible.")
    aggregate: Literal["arithmetic-mean", "geometric-mean", "max", "sum", "rank"] = Field(
        "arithmetic-mean",
        title="Aggregate",
        description="How the losses of the columns become one number (loss only).",
    )
    generalization_weight: float = Field(
        0.5,
        ge=0,
        le=1,
        title="Weight of generalization",
        description="0.5 weighs generalization and suppression alike; below favours suppression (loss only).",
    )
    weights: dict[str, Weight] = Field(
        default_factory=dict,
        title="Weights",
        description="How much each column counts, relative to the largest; 0.5 for a column that is not "
        "named. (Loss, entropy, precision and height only: the others do not add columns up.)",
    )
    levels: dict[str, tuple[int, int]] = Field(
        default_factory=dict, title="Levels", description="Lowest and highest level allowed, per column."
    )
    time_limit: Annotated[float | None, Unit("seconds")] = Field(
        None,
        gt=0,
        le=86_400,
        title="Time limit",
        description="Stop searching after this time with the best found so far, which may not be the best "
        "there is; the report says which. Without it the search ends when the best is proven.",
    )
    drop_suppressed: bool = Field(
        False,
        title="Leave suppressed rows out",
        description="Otherwise they stay, with every quasi-identifier *.",
    )

    per_tuple = True

    @property
    def drops_rows(self) -> bool:
        return self.drop_suppressed

    @classmethod
    def examples(cls) -> tuple[Self, ...]:
        return (
            cls(suppression_limit=0.1),
            cls(suppression_limit=0.1, objective="aecs", levels={"sex": (0, 0)}, drop_suppressed=True),
            cls(suppression_limit=0.1, time_limit=60, weights={"age": 0.9, "sex": 0.1}),
        )

    @field_validator("levels")
    @classmethod
    def _levels_in_order(cls, levels: dict[str, tuple[int, int]]) -> dict[str, tuple[int, int]]:
        if any(low < 0 or low > high for low, high in levels.values()):
            raise ValueError("Give each column its lowest and highest level, from 0 up, lowest first.")
        return levels

    def describe(self) -> str:
        rows = "are left out" if self.drop_suppressed else "keep * in every quasi-identifier"
        weights = ", ".join(f"{name} {weight:g}" for name, weight in self.weights.items())
        counted = f"; weights: {weights}" if weights else ""
        return (
            f"Generalize the quasi-identifiers as little as the goals allow ({self.objective}{counted}), "
            f"suppressing at most {self.suppression_limit:.4g} of the rows; suppressed rows {rows}."
        )

    def guidance(self, facts: StepJson) -> tuple[str, ...]:
        coarser = [name for name, level in facts["levels"].items() if level]
        said = []
        if coarser:
            said.append(
                f"{', '.join(coarser)}: coarser values stand in place of the original ones, the same in "
                "every row. An interval [a, b[ holds a and ends below b: tabulate intervals as they are, or "
                "by their midpoints."
            )
        if facts["suppressed_rows"]:
            hidden = "are left out" if self.drop_suppressed else "show * in every quasi-identifier"
            said.append(
                f"Rows that were still too rare {hidden}. They are not a random part: small groups have lost "
                "more of their rows than large ones, and totals of groups are too small by as much."
            )
        return tuple(said)

    def check(self, schema: Schema) -> None:
        super().check(schema)
        require_quasi_identifiers(schema)
        for param, names in (("levels", self.levels), ("weights", self.weights)):
            for name in names:
                if name not in schema or schema[name].role is not Role.QUASI_IDENTIFIER:
                    text = f"{param}: {name!r} is not a quasi-identifier of these data."
                    raise EngineError("no-such-column", text, param=param)

    def leaves(self, schema: Schema) -> Mapping[str, Trace]:
        """A column that may not be lifted keeps its values where no row is hidden among others."""
        hides = self.suppression_limit > 0 and not self.drop_suppressed
        return {
            name: Trace.COARSER if hides or self.levels.get(name, (0, 1))[1] else Trace.KEPT
            for name in schema.named(Role.QUASI_IDENTIFIER)
        }

    def output_schema(self, schema: Schema) -> Schema:
        for name in schema.named(Role.QUASI_IDENTIFIER):
            schema = schema.with_field(ColumnField(name, Kind.CATEGORICAL, Role.QUASI_IDENTIFIER))
        return schema

    def plan(
        self, statistics: Statistics, goals: Sequence[Goal], source: Source, report: Reporter
    ) -> GeneralizationPlan:
        from worker.engine.search.best_effort import BestEffort
        from worker.engine.search.costs import Aim
        from worker.engine.search.judging import Judge, may_hide
        from worker.engine.search.optimal import Search
        from worker.engine.search.problem import Problem

        names = statistics.quasi_identifiers
        table = statistics.classes_tuples(column for goal in goals for column in goal.sensitive_columns())
        for name in names:
            statistics.require_counted(table.domain(name), f"columns.{name}")
        levels = [levels_of(statistics.declaration(name).hierarchy, table.domain(name)) for name in names]
        bounds = self._bounds(levels)
        hidden = names if may_hide(levels, bounds) else ()
        judge = Judge(goals, self._limit(table.rows), self.drop_suppressed, hidden)
        weights = tuple(self.weights.get(name, UNNAMED) for name in names) if self.weights else ()
        aim = Aim(self.objective, self.aggregate, self.generalization_weight, weights)
        problem = Problem.of(table, levels, bounds, judge, aim, statistics.most_classes)
        search: Search | BestEffort
        if self.time_limit is None or problem.lattice.is_searchable:
            search = Search(problem, report, self.time_limit)
        else:
            search = BestEffort(problem, report, self.time_limit)
        began = perf_counter()
        search.run()
        found = perf_counter()
        if report.nodes_wanted:
            search.list_minimal()
        seconds = {"plan_seconds": found - began, "minimal_seconds": perf_counter() - found}
        outcome, listed = search.outcome(), report.nodes_wanted
        del search, problem  # what the search held may be as much as the table
        return self._decided(table, levels, judge, outcome, seconds, listed)

    def transform(self, chunk: Chunk, plan: GeneralizationPlan, source: Source) -> Chunk:
        assert plan.packer is not None
        assert plan.suppressed is not None
        codes = []
        for domain, levels, level in zip(plan.domains, plan.levels, plan.node, strict=True):
            codes.append(levels.lifted(domain.translate(chunk[domain.name]), level))
        hidden = np.zeros(chunk.rows, bool)
        if len(plan.suppressed):
            hidden = among(plan.packer.apply(codes, chunk.rows), plan.suppressed)
        if plan.drop:
            chunk, codes = chunk.filter(~hidden), [one[~hidden] for one in codes]
            hidden = np.zeros(chunk.rows, bool)
        columns = [
            _generalized(chunk[levels.name], levels, level, one, hidden)
            for levels, level, one in zip(plan.levels, plan.node, codes, strict=True)
        ]
        return chunk.with_columns(*columns)

    def _limit(self, rows: int) -> int:
        """floor(limit × rows) with the limit as written: 0.29 of 100 rows are 29, not 28."""
        return int(Fraction(repr(self.suppression_limit)) * rows)

    def _bounds(self, levels: Sequence[Levels]) -> list[tuple[int, int]]:
        bounds = []
        for one in levels:
            low, high = self.levels.get(one.name, (0, one.height))
            if low > one.height:
                text = f"levels: column {one.name!r} has no level above {one.height}."
                raise EngineError("bad-parameter", text, param="levels")
            bounds.append((low, min(high, one.height)))
        return bounds

    def _decided(
        self,
        table: Tuples,
        levels: Sequence[Levels],
        judge: Judge,
        outcome: Outcome,
        seconds: Mapping[str, float],
        listed: bool,
    ) -> GeneralizationPlan:
        from worker.engine.search.deciding import decided, rated
        from worker.engine.search.judging import lifted
        from worker.engine.search.obstacles import no_solution
        from worker.engine.tables.classes import classes_of

        names = [one.name for one in levels]
        if outcome.best is None and not outcome.optimal:
            text = f"No solution was found in {self.time_limit:g} seconds; there may be one. Allow more time."
            raise LimitExceeded("time-limit", text)
        if outcome.best is None:
            top = [high for _, high in self._bounds(levels)]
            coarsest = classes_of(lifted(table, levels, top), names)
            raise no_solution(judge, coarsest, outcome.least_suppressed)
        found = decided(table, levels, outcome.best, judge)
        facts: dict[str, object] = {
            "suppression_allowed": judge.limit,
            "classes": found.classes,
            "smallest_class": found.smallest,
            "objective": self.objective,
            "score": list(outcome.score) if isinstance(outcome.score, tuple) else outcome.score,
            **seconds,
        }
        announced = Facts(
            levels=Generalized(
                dict(zip(names, outcome.best, strict=True)), {one.name: one.height for one in levels}
            ),
            suppressed=Suppressed(found.suppressed_rows, left_out=self.drop_suppressed),
            explored=_explored(names, outcome, rated(table, levels, outcome, judge) if listed else None),
        )
        domains = tuple(table.domain(name) for name in names)
        return GeneralizationPlan(
            facts,
            domains,
            tuple(levels),
            outcome.best,
            found.packer,
            found.suppressed,
            self.drop_suppressed,
            announces=announced,
        )


def _explored(
    names: Sequence[str], outcome: Outcome, rated: Mapping[tuple[int, ...], Rating] | None
) -> Explored:
    """What the search looked at, with the columns' names; node by node where that was asked for, with the
    classes of those that were `rated`."""
    if rated is None:
        return Explored(outcome.nodes, outcome.checked, outcome.optimal, minimal_complete=False, listed=False)

    def named(node: Sequence[int]) -> dict[str, int]:
        return dict(zip(names, node, strict=True))

    def told(one: Seen) -> Node:
        known = rated.get(one.node, (None, None, None))
        return Node(named(one.node), one.feasible, one.suppressed_rows, one.score, *known)

    return Explored(
        outcome.nodes,
        outcome.checked,
        outcome.optimal,
        tuple(named(node) for node in outcome.minimal),
        outcome.minimal_complete,
        tuple(told(one) for one in outcome.explored),
    )


def _generalized(column: Column, levels: Levels, level: int, codes: Any, hidden: Mask) -> Column:
    """The column at its level, with `*` where the row is suppressed."""
    if hidden.any():
        codes = np.where(hidden, len(levels.labels[level]), codes)
    return column.recoded(codes, levels.with_star(level), Kind.CATEGORICAL)
