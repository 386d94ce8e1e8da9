"""Post-randomization of a categorical column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Self

import numpy as np
from pydantic import Field, model_validator

from worker.engine.contracts.annotations import Columns, Transition, Unit
from worker.engine.contracts.channels import Channel, Transitions
from worker.engine.contracts.chart import Chart
from worker.engine.contracts.facts import StepJson
from worker.engine.contracts.goal import Goal
from worker.engine.contracts.method import Family, Method, Plan, Preset, register
from worker.engine.contracts.traces import Trace
from worker.engine.dp.promises import randomized
from worker.engine.errors import EngineError
from worker.engine.marginals.distributions import FEWEST
from worker.engine.randomization import transition
from worker.engine.randomization.alias import Alias
from worker.engine.randomization.categories import Categories, require_known
from worker.engine.randomization.change_charts import estimate_chart, matrix_chart
from worker.engine.randomization.coupling import Coupling
from worker.engine.randomization.estimation import Estimate, original_counts
from worker.engine.randomization.strata import Strata
from worker.engine.randomness import Source
from worker.engine.reporting import Reporter
from worker.engine.tables.column import Column, Floats
from worker.engine.tables.frequency import Counts
from worker.engine.tables.kinds import Kind
from worker.engine.tables.statistics import Statistics
from worker.engine.tables.table import Chunk, Schema, Tallies

CATEGORICAL = frozenset({Kind.CATEGORICAL, Kind.ORDINAL, Kind.BOOLEAN, Kind.TEXT, Kind.INTEGER})


@dataclass(frozen=True)
class PramPlan(Plan):
    """One matrix per stratum, and the tables that draw from them exactly; those of a version draw alike."""

    categories: Categories = field(default_factory=lambda: Categories((), ()))
    strata: Strata | None = None
    matrices: tuple[transition.Weights, ...] = ()
    alias: Alias | None = None
    coupling: Coupling | None = None
    frequent: tuple[bool, ...] = ()
    """Which categories so many rows hold that their names are no secret."""


@register
class Pram(Method):
    """Change categories at random by known probabilities (post-randomization, PRAM).

    Every cell keeps its category with the probability that stands on the diagonal of a transition matrix and
    takes another one otherwise, so that nobody can be sure of any cell, while analysts who know the matrix
    can estimate the original frequencies without bias. The matrix comes from a keep probability, or is
    written by hand; changes can be confined to groups of categories. The invariant option makes a matrix
    that leaves the frequencies as they are on average, within each stratum; it is derived from the data,
    and its diagonal is never below what was asked for. Missing cells stay missing.
    """

    slug = "pram"
    title = "Post-randomization (PRAM)"
    family = Family.PERTURBATIVE
    tells_changes = False
    references = (
        "Gouweleeuw, Kooiman, Willenborg & De Wolf (1998), Post randomisation for statistical disclosure "
        "control",
        "Van den Hout & Van der Heijden (2002), Randomized response, statistical disclosure control and "
        "misclassification",
    )

    column: Annotated[str, Columns(kind=CATEGORICAL)] = Field(
        title="Column", description="The categories to change."
    )
    keep: Annotated[float, Unit("0 to 1")] = Field(
        0.8, gt=0, le=1, title="Keep probability", description="At least this much stays on the diagonal."
    )
    invariant: bool = Field(
        False, title="Invariant", description="Leave the frequencies as they are on average."
    )
    categories: tuple[str, ...] = Field(
        (),
        title="Categories",
        description="In the order of the matrix. Empty: those that occur or are declared.",
    )
    matrix: Annotated[
        tuple[tuple[float, ...], ...] | None,
        Transition("column", "categories", "keep", "groups", "strata", derived="invariant"),
    ] = Field(
        None,
        title="Matrix",
        description="One row per category, from it to each category; every row sums to 1. Instead of a "
        "keep probability.",
    )
    groups: tuple[tuple[str, ...], ...] = Field(
        (), title="Groups", description="Categories change only within their group; those in no group stay."
    )
    strata: Annotated[tuple[str, ...], Columns()] = Field(
        (),
        title="Strata",
        description="Frequencies are kept and estimated within equal values of these columns.",
    )

    @classmethod
    def examples(cls) -> tuple[Self, ...]:
        return (
            cls(column="disease"),
            cls(column="disease", keep=0.7, invariant=True, strata=("sex",)),
            cls(column="sex", categories=("female", "male"), matrix=((0.9, 0.1), (0.2, 0.8))),
        )

    @classmethod
    def presets(cls) -> tuple[Preset, ...]:
        return (
            Preset(
                "Light",
                "At most about one cell in ten changes, fewer where one category prevails; frequencies "
                "stay on average.",
                {"keep": 0.9, "invariant": True},
            ),
            Preset(
                "Medium",
                "At most about one cell in five changes, fewer where one category prevails; frequencies "
                "stay on average.",
                {"keep": 0.8, "invariant": True},
            ),
            Preset(
                "Strong",
                "At most about half of the cells change, fewer where one category prevails; frequencies "
                "stay on average.",
                {"keep": 0.5, "invariant": True},
            ),
        )

    @model_validator(mode="after")
    def _matrix_is_one(self) -> Self:
        if len(set(self.categories)) != len(self.categories):
            raise ValueError("List each category once.")
        if self.column in self.strata:
            raise ValueError("Strata are made of other columns than the one that changes.")
        listed = [name for group in self.groups for name in group]
        if len(set(listed)) != len(listed):
            raise ValueError("A category may stand in one group only.")
        if self.matrix is not None:
            transition.require_matrix(self.matrix, len(self.categories))
            if self.groups:
                raise ValueError("Give either groups or a matrix: zeros in the matrix confine changes.")
        return self

    @property
    def drawn_column(self) -> str | None:
        return None if self._keeps_all else self.column

    @property
    def _keeps_all(self) -> bool:
        if self.matrix is None:
            return self.keep == 1
        return all(row[i] == 1 for i, row in enumerate(self.matrix))

    def describe(self) -> str:
        how = (
            "by its own matrix" if self.matrix is not None else f"keeping each with probability {self.keep:g}"
        )
        more = ", invariant" if self.invariant else ""
        more += f", within strata of {', '.join(self.strata)}" if self.strata else ""
        return f"Change categories of {self.column} at random {how}{more}."

    def touches(self, schema: Schema) -> tuple[str, ...]:
        return tuple(dict.fromkeys((self.column, *self.strata)))

    def leaves(self, schema: Schema) -> Mapping[str, Trace]:
        return {self.column: Trace.PERTURBED if self.drawn_column else Trace.KEPT}

    def channels(self, statistics: Statistics) -> Mapping[str, Channel]:
        """The matrix; those of several strata are not published."""
        if self.strata and self.invariant:
            return {}
        table = statistics.counts((self.column,))
        declared = self.categories or statistics.declaration(self.column).categories or ()
        categories = Categories.of(table.domains[0], declared)
        counts = categories.counts(table, Strata.of(statistics, ()))[0]
        weights = self._weights(categories, self._groups(categories), counts)
        return {self.column: Transitions(categories.texts, transition.probabilities(weights))}

    def plan(
        self, statistics: Statistics, goals: Sequence[Goal], source: Source, report: Reporter
    ) -> PramPlan:
        self.require_values(statistics)
        table = statistics.counts((self.column, *self.strata))
        declared = self.categories or statistics.declaration(self.column).categories or ()
        categories = Categories.of(table.domains[0], declared)
        if self.categories:
            require_known(table, self.categories, "categories")
        if self.matrix is not None and len(categories.known) != len(self.categories):
            text = "categories: a listed category is one of the texts that mean missing. Leave it out."
            raise EngineError("missing-category", text, param="categories")
        strata = Strata.of(statistics, self.strata)
        groups = self._groups(categories)
        counts = categories.counts(table, strata)
        matrices = tuple(self._weights(categories, groups, row) for row in counts)
        facts = self._facts(categories, groups, matrices, frozenset(declared))
        rows = [row for matrix in matrices for row in matrix]
        alias = Alias.of_weights(rows) if rows else None
        frequent = tuple(sum(column) >= FEWEST for column in zip(*counts, strict=True))
        coupling = Coupling.of(matrices, categories.texts) if rows and source.of_version else None
        if coupling:
            facts = {**facts, "draws": coupling.label(source, self.column, self.strata)}
        return PramPlan(facts, categories, strata, matrices, alias, coupling, frequent)

    def transform(self, chunk: Chunk, plan: PramPlan, source: Source) -> Chunk:
        if plan.alias is None or plan.strata is None:
            return chunk
        from worker.engine.randomization import alias_kernel, coupling_kernel

        column, width = chunk[self.column], len(plan.categories)
        lookup = plan.categories.codes_of(column)
        codes, rows_of = column.codes, lookup
        if len(plan.strata) > 1:
            codes = plan.strata.ids(chunk) * np.int32(width) + lookup[column.codes]
            rows_of = np.arange(width * len(plan.strata), dtype=np.int32)
        if plan.coupling:
            keys = plan.coupling.keys(source, self.column)
            fresh, released = coupling_kernel.drawn(plan.coupling, keys, codes, rows_of, chunk)
        else:
            given = (plan.alias, width, codes, rows_of, chunk, source, self.column)
            fresh, released = alias_kernel.drawn(*given)
        made = Column.of_domain(
            self.column, column.kind, fresh, plan.categories.texts, plan.categories.missing
        )
        return chunk.with_columns(made).tallied(released=released.reshape(-1, width))

    def conclude(self, plan: PramPlan, tallies: Tallies) -> StepJson:
        """Unbiased estimates of the original frequencies, from the released ones and the matrix alone."""
        known = list(plan.categories.known)
        released: Counts = np.asarray(tallies.get("released", np.zeros((1, len(plan.categories)))))
        totals = released.sum(axis=0)[known].astype(int).tolist()
        facts: dict[str, object] = {"released": totals, "categories": _named(plan, totals)}
        estimate = _estimated(plan, released)
        if estimate is not None:
            facts["estimated"] = estimate.counts.tolist()
            facts["standard_errors"] = estimate.standard_errors.tolist()
        return facts

    def guidance(self, facts: StepJson) -> tuple[str, ...]:
        said: tuple[str, ...] = (
            f"{self.column}: categories were changed at random; each cell kept its category with probability "
            f"{facts['smallest_diagonal']:.6g} or more. "
            + (
                "The matrix P (rows: original, columns: released) is part of this codebook."
                if _is_one(facts["matrix"])
                else "Each stratum has a matrix of its own, made from the data, that is not published."
            ),
        )
        if self.invariant:
            within = f" within equal values of {', '.join(self.strata)}" if self.strata else ""
            said += (f"Frequencies of the column are unbiased as they are{within}; cross tables are not.",)
        elif "estimated" in facts:
            said += (
                "Released frequencies λ are biased: t = λ·P⁻¹ estimates the original ones without bias.",
            )
        if not self.invariant:
            said += _local(facts)
        if "estimated" not in facts:
            return (
                *said,
                "P has no inverse: the frequencies of the original categories cannot be estimated.",
            )
        cross = "For cross tables multiply the dimension of this column by P⁻¹ too. "
        return (
            *said,
            cross * _is_one(facts["matrix"]) + "Associations with other columns are weakened; the estimated "
            "frequencies come with the standard errors that the change alone causes.",
        )

    def charts(self, facts: StepJson) -> tuple[Chart, ...]:
        names, matrix = facts["categories"], facts["matrix"]
        drawn: tuple[Chart, ...] = ()
        if matrix and _is_one(matrix):
            drawn += (matrix_chart(self.column, names, matrix, rounded=facts["matrix_depends_on_data"]),)
        if "estimated" in facts:
            errors = facts["standard_errors"]
            drawn += (estimate_chart(self.column, names, facts["released"], facts["estimated"], errors),)
        return drawn

    def _groups(self, categories: Categories) -> list[list[int]]:
        known = {categories.texts[i]: i for i in categories.known}
        if not self.groups:
            return [list(categories.known)]
        return [[known[name] for name in group if name in known] for group in self.groups]

    def _weights(
        self, categories: Categories, groups: list[list[int]], counts: list[int]
    ) -> transition.Weights:
        if self.matrix is not None:
            stated = transition.widened(transition.stated(self.matrix), categories.known, len(categories))
            return transition.balanced(stated, counts) if self.invariant else stated
        keep = transition.exactly(self.keep)
        if self.invariant:
            return transition.proportional_flows(keep, counts, groups)
        return transition.uniform(keep, groups, len(categories))

    def _facts(
        self,
        categories: Categories,
        groups: list[list[int]],
        matrices: Sequence[transition.Weights],
        declared: frozenset[str],
    ) -> StepJson:
        """Categories are named only where the steward did: a name taken from the data is a value."""
        known = categories.known
        shown = [_shown(matrix, known) for matrix in matrices]
        return {
            "column": self.column,
            "categories": [
                text if text in declared else None for text in map(categories.texts.__getitem__, known)
            ],
            "strata": len(matrices),
            "matrix": shown[0].tolist() if _all_equal(shown) else [one.tolist() for one in shown],
            "smallest_diagonal": min((float(np.diag(one).min()) for one in shown if one.size), default=1.0),
            "local_epsilon": transition.worst_epsilon(matrices, [known]),
            "local_epsilon_within_groups": transition.worst_epsilon(matrices, groups),
            "matrix_depends_on_data": self.invariant,
        }


def _is_one(matrix: Sequence[Sequence[Any]]) -> bool:
    """Whether all strata share it; else every stratum has one of its own."""
    return not matrix or isinstance(matrix[0][0], float)


def _local(facts: StepJson) -> tuple[str, ...]:
    """What one cell gives away of its original."""
    whole, within = facts["local_epsilon"], facts["local_epsilon_within_groups"]
    more = "(local model, per cell; no privacy budget is charged for it)."
    if whole is not None:
        return (f"To whoever sees one cell {randomized(whole)}, with ε = {whole:.4g} {more}",)
    if within is not None:
        return (
            "Which group of categories the original of a cell belongs to is not hidden. Within its group, "
            f"to whoever sees the cell {randomized(within)}, with ε = {within:.4g} {more}",
        )
    return ()


def _named(plan: PramPlan, released: Sequence[int]) -> list[str | None]:
    """Declared categories, and those that were and are frequent: the released file shows them anyway."""
    known = plan.categories.known
    told = zip(plan.facts["categories"], known, released, strict=True)
    return [
        declared or (plan.categories.texts[i] if plan.frequent[i] and rows >= FEWEST else None)
        for declared, i, rows in told
    ]


def _all_equal(matrices: Sequence[Floats]) -> bool:
    return bool(matrices) and all(np.array_equal(matrices[0], one) for one in matrices)


def _shown(matrix: transition.Weights, known: Sequence[int]) -> Floats:
    return transition.probabilities(matrix)[np.ix_(known, known)] if known else np.zeros((0, 0))


def _estimated(plan: PramPlan, released: Counts) -> Estimate | None:
    known = list(plan.categories.known)
    total: Estimate | None = None
    for matrix, counts in zip(plan.matrices, released, strict=False):
        one = original_counts(_shown(matrix, known), counts[known].astype(np.float64))
        if one is None:
            return None
        total = one if total is None else total + one
    return total
