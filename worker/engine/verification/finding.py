"""What checking one goal on some classes found, and how such findings are put together."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, BinaryIO, Protocol, TypedDict

import numpy as np

from worker.engine.errors import EngineError
from worker.engine.verification.grouping import Group
from worker.engine.verification.released import Released


@dataclass(frozen=True)
class Finding:
    """The weakest class, and how many rows stand in classes that fall short."""

    achieved: Any
    violating_rows: int
    remark: str = field(default="", kw_only=True)
    """What the figure alone would not tell."""

    @property
    def holds(self) -> bool:
        """Whether no class falls short."""
        return self.violating_rows == 0

    def joined(self, other: Finding) -> Finding:
        """Both together: the weaker of the two decides."""
        known = [one.achieved for one in (self, other) if one.achieved is not None]
        rows, remark = self.violating_rows + other.violating_rows, self.remark or other.remark
        return Finding(min(known, default=None), rows, remark=remark)


@dataclass(frozen=True)
class Farthest(Finding):
    """Where the largest figure is the weakest."""

    def joined(self, other: Finding) -> Finding:
        """Both together: the larger of the two decides."""
        known = [one.achieved for one in (self, other) if one.achieved is not None]
        rows, remark = self.violating_rows + other.violating_rows, self.remark or other.remark
        return Farthest(max(known, default=None), rows, remark=remark)


@dataclass(frozen=True)
class Range(Finding):
    """Where both ends count: `achieved` is the smallest and the largest figure."""

    def joined(self, other: Finding) -> Finding:
        """Both together."""
        (low, high), (other_low, other_high) = self.achieved, other.achieved
        both = [min(low, other_low), max(high, other_high)]
        rows, remark = self.violating_rows + other.violating_rows, self.remark or other.remark
        return Range(both, rows, remark=remark)


@dataclass(frozen=True)
class WholeRelease(Finding):
    """Judged by the sizes of all classes together: `tally` holds how many classes have each size."""

    tally: Mapping[int, int]
    figure: Callable[[Mapping[int, int]], float]
    limit: float

    @classmethod
    def of(
        cls, tally: Mapping[int, int], figure: Callable[[Mapping[int, int]], float], limit: float
    ) -> WholeRelease:
        """The figure of these sizes; none when it cannot be told."""
        value = figure(tally)
        return cls(None if math.isnan(value) else value, 0, tally, figure, limit)

    @property
    def holds(self) -> bool:
        """Whether the figure is within the limit; one that cannot be told is not."""
        return self.achieved is not None and bool(self.achieved <= self.limit)

    def joined(self, other: Finding) -> Finding:
        """Both together, judged anew."""
        assert isinstance(other, WholeRelease)
        return self.of(Counter(self.tally) + Counter(other.tally), self.figure, self.limit)


def tally_of(sizes: Any) -> Mapping[int, int]:
    """How many classes have each size."""
    return dict(zip(*(found.tolist() for found in np.unique(sizes, return_counts=True)), strict=True))


Params = Mapping[str, object]
"""What a goal is told: nobody has looked at it before it is read here."""


class ColumnSaid(TypedDict, total=False):
    """A column as the recipe spells it, as far as goals hang on it."""

    role: str
    kind: str
    release: bool
    hierarchy: object
    categories: Sequence[object]


@dataclass(frozen=True)
class Facts:
    """What a recipe declares beside its goals: columns, texts of hierarchy files, population files."""

    columns: Mapping[str, ColumnSaid]
    missing: frozenset[str]
    hierarchies: Mapping[str, str]
    populations: Mapping[str, BinaryIO]

    def quasi_identifiers(self) -> list[str]:
        """The columns tagged quasi-identifier."""
        return [name for name, column in self.columns.items() if column.get("role") == "quasi-identifier"]


class Check(Protocol):
    """One goal, ready to be recomputed.

    It may also have `told(facts)`, to hear what the recipe declares, `concluded(finding)`, to have the last
    word on the classes when all rows were seen, `demands(finding)`, when the goal asks several things at
    once, and a true `whole` when it cannot be judged on some of the
    classes alone.
    """

    slug: str
    required: Any
    column: str | None

    def find(self, group: Group, released: Released) -> Finding:
        """Look at some whole classes."""


def number(params: Params, name: str, default: float) -> float:
    """A parameter that is a number of at least one (or positive, when it is no whole number)."""
    value = params.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int | float) or value <= 0:
        raise EngineError("goal-parameter", f"{name} is a number above zero.", name)
    return value


def column_of(params: Params) -> str | None:
    """The column whose values a goal is about."""
    column = params.get("column")
    return column if isinstance(column, str) else None


def texts_of(params: Params, name: str) -> tuple[str, ...]:
    """A parameter that is a list of values."""
    listed = params.get(name, ())
    return tuple(map(str, listed)) if isinstance(listed, list | tuple) else ()


def share(params: Params, name: str, default: float) -> float:
    """A parameter between 0 and 1."""
    value = params.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise EngineError("goal-parameter", f"{name} is a number from 0 to 1.", name)
    return value
