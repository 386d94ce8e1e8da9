"""What a step leaves of each column, how steps compose, and which family the rows of a release are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import reduce
from typing import Protocol

from worker.engine.tables.kinds import RELEASED, Role
from worker.engine.tables.table import Schema


class Trace(StrEnum):
    """What still stands of the original values of a column."""

    KEPT = "kept"
    """Every cell as it was."""
    COARSER = "coarser"
    """What follows from the cell's own value: a label that holds it, a rounded or cut-off number, `*`."""
    EXCHANGED = "exchanged"
    """The same values, in other rows."""
    PERTURBED = "perturbed"
    """Values near the original ones, or drawn in their place."""
    MADE_UP = "made up"
    """Nothing of the cell: invented, such as a synthetic value or a pseudonym."""
    REMOVED = "removed"
    """The column does not leave."""


def composed(earlier: Trace, later: Trace) -> Trace:
    """What two steps leave of a column. The order does not matter: each adds to what is lost.

    Kept adds nothing; removed absorbs all, made up all else; coarser labels of exchanged or perturbed values
    hold the original no longer, and are perturbed.
    """
    if earlier is later or later is Trace.KEPT:
        return earlier
    if earlier is Trace.KEPT:
        return later
    return next((one for one in _ABSORBING if one in (earlier, later)), Trace.PERTURBED)


TRUE = (Trace.KEPT, Trace.COARSER)
"""What stands in the cell is true of it."""
_ABSORBING = (Trace.REMOVED, Trace.MADE_UP)
_ELSEWHERE = (Trace.EXCHANGED, Trace.PERTURBED)


def gone(schema: Schema) -> dict[str, Trace]:
    """What a step leaves that lets no row out."""
    return dict.fromkeys(schema.names, Trace.REMOVED)


class ReleaseFamily(StrEnum):
    """What the rows of a release are: it decides which risk there is to measure."""

    TRUTHFUL = "truthful"
    """A row can be matched by equal values."""
    PERTURBED = "perturbed"
    """A row can be linked although values moved."""
    MADE_UP = "made up"
    """Rows belong to nobody, but may give away who the model was made from."""
    TABLE = "table under differential privacy"
    """No rows; ε and δ answer."""


class Leaving(Protocol):
    """Of a method: what it does to rows and columns."""

    @property
    def drops_rows(self) -> bool:
        """Whether it leaves rows out."""

    @property
    def tabulates(self) -> bool:
        """Whether it makes a table instead of rows."""

    def leaves(self, schema: Schema) -> Mapping[str, Trace]:
        """What it leaves of each column; one that is not named is kept."""

    def output_schema(self, schema: Schema) -> Schema:
        """The columns after it."""


@dataclass(frozen=True)
class Traces:
    """What all steps together leave of the original columns and of those that steps added."""

    columns: Mapping[str, Trace]
    quasi_identifiers: tuple[str, ...] = ()
    """Those that leave."""
    fewer_rows: bool = False
    tabulated: bool = False
    steps: Mapping[str, int] = field(default_factory=dict)
    """How many steps changed each column."""

    @classmethod
    def of(cls, steps: Sequence[Leaving], schema: Schema, weight_leaves: bool = False) -> Traces:
        """Composed over the steps. Columns that do not leave are removed, whatever was done to them."""
        found, after = dict.fromkeys(schema.names, Trace.KEPT), schema
        changed = dict.fromkeys(schema.names, 0)
        for step in steps:
            for name, trace in step.leaves(after).items():
                found[name] = composed(found.get(name, Trace.KEPT), trace)
                changed[name] = changed.get(name, 0) + (trace is not Trace.KEPT)
            after = step.output_schema(after)
        leaving = {
            field.name
            for field in after
            if field.role in RELEASED or (field.role is Role.WEIGHT and weight_leaves)
        }
        tabulated = any(step.tabulates for step in steps)
        return cls(
            {name: one if name in leaving else Trace.REMOVED for name, one in found.items()},
            tuple(name for name in after.named(Role.QUASI_IDENTIFIER) if name in leaving),
            any(step.drops_rows for step in steps),
            tabulated,
            changed,
        )

    def __getitem__(self, name: str) -> Trace:
        """What is left of one column; a column that nobody tagged does not leave."""
        return self.columns.get(name, Trace.REMOVED)

    def named(self, *wanted: Trace) -> tuple[str, ...]:
        """The columns of which this is left."""
        return tuple(name for name, trace in self.columns.items() if trace in wanted)

    def together(self, names: Iterable[str]) -> Trace:
        """What is left of a combination of columns: as little as of the worst of them."""
        return reduce(composed, (self[name] for name in names), Trace.KEPT)

    @property
    def family(self) -> ReleaseFamily:
        """Judged by the quasi-identifiers, by which rows are found; without any by every column that leaves.

        A made-up column among others is no clue to anybody, and is passed over.
        """
        if self.tabulated:
            return ReleaseFamily.TABLE
        by_these = [self[name] for name in self.quasi_identifiers] or list(self.columns.values())
        leaving = [one for one in by_these if one is not Trace.REMOVED]
        if leaving and all(one is Trace.MADE_UP for one in leaving):
            return ReleaseFamily.MADE_UP
        if any(one in _ELSEWHERE for one in leaving):
            return ReleaseFamily.PERTURBED
        return ReleaseFamily.TRUTHFUL
