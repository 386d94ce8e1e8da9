"""Record swapping between households."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Self

import numpy as np
from pydantic import Field, model_validator

from worker.engine.contracts.annotations import Columns, Unit
from worker.engine.contracts.facts import StepJson
from worker.engine.contracts.goal import Goal
from worker.engine.contracts.method import Family, Method, Plan, Preset, Scope, register
from worker.engine.contracts.traces import Trace
from worker.engine.randomness import Source
from worker.engine.reporting import Reporter
from worker.engine.swapping.households import Households, households_of, pairs_within, rows_of_pairs
from worker.engine.tables.aligned import Aligned
from worker.engine.tables.column import Mask
from worker.engine.tables.keys import group, pack
from worker.engine.tables.kinds import GROUPING, Role
from worker.engine.tables.statistics import Statistics
from worker.engine.tables.table import Chunk, Schema, Table


@dataclass(frozen=True)
class RecordSwappingPlan(Plan):
    """The columns after swapping, row by row."""

    aligned: Aligned | None = None


@register
class RecordSwapping(Method):
    """Exchange some columns, usually places, between households that are alike in others.

    Two households of the same size and the same stratum trade their values in the chosen columns, member by
    member, so that all counts of households within the strata stay as they are while nobody can be sure
    that a household really lives where the release says. Households with rare members can be made to go
    first. A household's stratum is that of its first row. Without a household key every row is a household.
    """

    slug = "record-swapping"
    title = "Record swapping"
    family = Family.PERTURBATIVE
    averages_out = True
    scope = Scope.WHOLE_COLUMNS
    references = (
        "Dalenius & Reiss (1982), Data-swapping: a technique for disclosure control",
        "Shlomo, Tudor & Groom (2010), Data swapping for protecting census tables",
    )

    columns: Annotated[tuple[str, ...], Columns()] = Field(
        min_length=1, title="Columns", description="What the households trade, such as their region."
    )
    strata: Annotated[tuple[str, ...], Columns()] = Field(
        (), title="Strata", description="Households trade only with others that are equal in these columns."
    )
    share: Annotated[float, Unit("of the households")] = Field(
        0.05, gt=0, le=1, title="Share", description="How many households trade."
    )
    household: Annotated[str | None, Columns(role=GROUPING)] = Field(
        None, title="Household", description="Empty: the column tagged household key, or else each row."
    )
    risky: Annotated[tuple[str, ...], Columns()] = Field(
        (),
        title="Rare combinations of",
        description="Households with a rare member in these columns go first.",
    )
    k: int = Field(3, ge=2, title="Rare below", description="A combination is rare in fewer rows than this.")

    @classmethod
    def examples(cls) -> tuple[Self, ...]:
        return (
            cls(columns=("zip",), share=0.2),
            cls(columns=("zip",), strata=("sex",), risky=("age", "disease"), k=5),
        )

    @classmethod
    def presets(cls) -> tuple[Preset, ...]:
        return (
            Preset("Light", "Two households in a hundred trade places.", {"share": 0.02}),
            Preset("Medium", "Five households in a hundred trade places.", {"share": 0.05}),
            Preset("Strong", "One household in five trades places.", {"share": 0.2}),
        )

    @model_validator(mode="after")
    def _apart(self) -> Self:
        if set(self.columns) & set(self.strata):
            raise ValueError("A column is either traded or part of the strata.")
        return self

    def describe(self) -> str:
        within = f" within equal {', '.join(self.strata)}" if self.strata else ""
        return f"Swap {', '.join(self.columns)} between {self.share:.4g} of the households{within}."

    def touches(self, schema: Schema) -> tuple[str, ...]:
        return self.columns

    def leaves(self, schema: Schema) -> Mapping[str, Trace]:
        return dict.fromkeys(self.columns, Trace.EXCHANGED)

    def plan(
        self, statistics: Statistics, goals: Sequence[Goal], source: Source, report: Reporter
    ) -> RecordSwappingPlan:
        self.require_values(statistics)
        key = self.household or next(iter(statistics.schema.named(Role.HOUSEHOLD_KEY)), None)
        read = (*self.columns, *self.strata, *self.risky, *((key,) if key else ()))
        whole = statistics.table(tuple(dict.fromkeys(read)))
        homes = households_of(whole[key].merged() if key else None, whole.rows)
        report.progress(0.5)
        pairs = pairs_within(
            self._keys(whole, homes, self.strata, sizes=True),
            self._keys(whole, homes, self.columns),
            homes.any_row(self._rare(whole)),
            self.share,
            source.stream("\x00pairs", 0),
        )
        where = rows_of_pairs(homes, pairs)
        made = [whole[name].take(where) for name in self.columns]
        ids = None if whole.is_contiguous else whole.row_ids
        facts = {
            "columns": list(self.columns),
            "households": len(homes),
            "swapped_households": 2 * len(pairs),
        }
        facts["moved_rows"] = int(np.count_nonzero(where != np.arange(whole.rows)))
        return RecordSwappingPlan(facts, Aligned(Table(made, whole.first_row, whole.rows, ids)))

    def transform(self, chunk: Chunk, plan: RecordSwappingPlan, source: Source) -> Chunk:
        return plan.aligned.put_into(chunk) if plan.aligned else chunk

    def guidance(self, facts: StepJson) -> tuple[str, ...]:
        names = ", ".join(self.columns)
        within = f" that are equal in {', '.join(self.strata)}" if self.strata else ""
        strata = f" and by {', '.join(self.strata)} of the first member" if self.strata else ""
        share = facts["swapped_households"] / max(1, facts["households"])
        return (
            f"{names}: about {share:.2g} of the households traded these values with households of the "
            f"same size{within}.",
            f"Tables of {names} by household size{strata}, counted in households, are exactly the original "
            f"ones; tables of {names} by any other column are changed at random, small cells more than large "
            "ones.",
        )

    def _keys(self, whole: Table, homes: Households, names: Sequence[str], sizes: bool = False) -> Any:
        """One number per household, equal when the columns are equal in their first rows."""
        columns = [whole[name].merged() for name in names]
        codes = [column.codes[homes.heads] for column in columns]
        widths = [len(column.labels) for column in columns]
        if sizes:
            codes.append(homes.sizes.astype(np.int32))
            widths.append(int(homes.sizes.max(initial=0)) + 1)
        return pack(codes, widths, len(homes))

    def _rare(self, whole: Table) -> Mask:
        if not self.risky or not whole.rows:
            return np.zeros(whole.rows, bool)
        columns = [whole[name].merged() for name in self.risky]
        groups = group(pack([c.codes for c in columns], [len(c.labels) for c in columns], whole.rows))
        rare: Mask = (np.bincount(groups.ids) < self.k)[groups.ids]
        return rare
