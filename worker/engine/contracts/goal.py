"""The contract of goals: privacy models that judge equivalence classes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, Self, TypedDict, TypeVar

import numpy as np

from worker.engine.contracts.parametric import Parametric, Registry
from worker.engine.tables.column import Floats, Mask
from worker.engine.tables.kinds import Role

if TYPE_CHECKING:
    from worker.engine.tables.classes import Classes
    from worker.engine.tables.declaration import Declaration
    from worker.engine.tables.frequency import Counts, Domain, FrequencyTable

Population = Callable[[str, Sequence[str]], "FrequencyTable"]
"""Counts some columns of a declared population file."""


class Knowledge(Protocol):
    """What a goal may ask about the data before it judges; the statistics of a step answer."""

    @property
    def quasi_identifiers(self) -> tuple[str, ...]:
        """The columns tagged quasi-identifier."""

    def declaration(self, column: str) -> Declaration:
        """What the steward declared of a column."""

    def distinct(self, column: str) -> Domain:
        """The distinct values of a column."""


DIGITS = 10


class GoalDemand(TypedDict):
    """One of several things that a goal asks, as the report spells it."""

    name: str
    required: float
    achieved: float | None
    holds: bool


class GoalFinding(TypedDict, total=False):
    """A goal, and what was found about it, as the report spells it."""

    goal: str
    column: str | None
    unit: str
    required: float | list[float] | None
    achieved: float | list[float] | None
    holds: bool
    violating_rows: int | None
    remark: str
    demands: Sequence[GoalDemand]
    suppressed_rows: int
    suppressed_hold: bool


@dataclass(frozen=True)
class Demand:
    """One of several things that a goal asks at once, such as k and α."""

    name: str
    required: Any
    achieved: Any
    holds: bool

    def as_dict(self) -> GoalDemand:
        """Plain JSON."""
        return GoalDemand(
            name=self.name, required=self.required, achieved=shown(self.achieved), holds=self.holds
        )


@dataclass(frozen=True)
class GoalResult:
    """How a release fares against one goal."""

    goal: str
    required: Any
    achieved: Any
    holds: bool
    violating_rows: int
    column: str | None = None
    remark: str = ""
    """What the figure alone would not tell."""
    demands: tuple[Demand, ...] = ()
    """Where it asks several things: each with what was reached."""

    def as_dict(self) -> GoalFinding:
        """The entry of the report."""
        entry: GoalFinding = {} if self.column is None else {"column": self.column}
        entry["goal"] = self.goal
        entry["required"], entry["achieved"] = self.required, shown(self.achieved)
        entry["holds"], entry["violating_rows"] = self.holds, self.violating_rows
        if self.remark:
            entry["remark"] = self.remark
        if self.demands:
            entry["demands"] = [one.as_dict() for one in self.demands]
        return entry


def shown(figure: Any) -> Any:
    """A figure in as many digits as two ways of adding it up have in common."""
    if isinstance(figure, list | tuple):
        return [shown(one) for one in figure]
    return float(f"{figure:.{DIGITS}g}") if isinstance(figure, float) else figure


class Goal(Parametric):
    """A privacy model that must hold on the released bytes."""

    @property
    def required(self) -> Any:
        """The threshold, as the report shows it."""
        raise NotImplementedError

    @property
    def monotone(self) -> bool:
        """Whether merging classes can never turn a row from satisfied to violating."""
        return False

    @property
    def relative(self) -> bool:
        """Whether its verdict on a class depends on what else is released."""
        return False

    @property
    def least_size(self) -> int | None:
        """When all it asks is that every class has so many persons or rows: how many."""
        return None

    @property
    def least_agreeing(self) -> int | None:
        """When all it asks is that every class agrees with so many rows or persons, counting those of other
        classes too where a missing or suppressed cell may stand for any value: how many."""
        return None

    @property
    def by_sizes(self) -> bool:
        """Whether it looks at nothing of a class but its size, and gives up the smallest first."""
        return self.least_size is not None

    @property
    def by_labels(self) -> bool:
        """Whether it looks at the quasi-identifiers themselves, not only at who is alike on them.

        A goal that names sensitive columns looks at those alone, in the class and in the whole table.
        """
        return not (self.by_sizes or self.sensitive_columns())

    def bound(self, statistics: Knowledge, population: Population) -> Self:
        """The goal, told what it must know of these data: declared orders, hierarchies, the population."""
        return self

    def sensitive_columns(self) -> tuple[str, ...]:
        """The sensitive columns whose values it judges: by default those a parameter asks for as such."""
        wanted = frozenset({Role.SENSITIVE})
        return tuple(name for _, name, one in self.named_columns() if one.roles == wanted)

    def violating(self, classes: Classes) -> Mask:
        """Which classes, each judged by itself, violate the goal."""
        raise NotImplementedError

    def least_dropped(self, classes: Classes) -> Counts:
        """At least how many rows of each class go when it is suppressed or split further; 0 where unknown.

        A search passes over everything finer than a grouping that costs too many rows. What is said here
        may be too low, never too high. Relative goals are asked only when suppressed rows stay in the table.
        """
        if not self.monotone:
            return np.zeros(classes.number, np.int64)
        return np.where(self.violating(classes), classes.rows, 0)

    def met(self, kept: Classes) -> bool:
        """Whether the kept classes together satisfy what the goal asks of the whole release."""
        return True

    def spared(self, kept: Classes) -> Mask:
        """Which of these classes may stay so that the release as a whole meets the goal; by default all."""
        return np.ones(kept.number, bool)

    def reachable(self, classes: Classes, limit: int) -> Any:
        """The best threshold these classes satisfy when at most `limit` rows are dropped; None if unknown."""
        return None

    def achieved(self, classes: Classes) -> Any:
        """The best threshold that the classes satisfy; None when there is no class."""
        raise NotImplementedError

    def remark(self, classes: Classes) -> str:
        """What `achieved` alone would not tell of these classes; mostly nothing."""
        return ""

    def demands(self, classes: Classes) -> tuple[Demand, ...]:
        """Where it asks several things at once: each with what these classes reach."""
        return ()

    def result(self, classes: Classes) -> GoalResult:
        """The entry of the report for these classes."""
        bad = self.violating(classes)
        columns = self.sensitive_columns()
        return GoalResult(
            goal=self.slug,
            required=self.required,
            achieved=self.achieved(classes),
            holds=not bad.any() and self.met(classes),
            violating_rows=int(classes.rows[bad].sum()),
            column=columns[0] if columns else None,
            remark=self.remark(classes),
            demands=self.demands(classes),
        )


def keepable(goals: Sequence[Goal], classes: Classes, drop: bool = False) -> Mask:
    """Which classes may be released when the others are suppressed.

    Classes that fail by themselves go first. Goals that compare a class with the rest then look again and
    again at what is left – with `drop` as if the suppressed rows had never been there – until nothing more
    goes. Goals about the whole release come last and may cost the smallest classes.
    """
    kept = np.ones(classes.number, bool)
    for goal in goals:
        if not goal.relative:
            kept &= ~goal.violating(classes)
    while True:
        if not kept.any():
            return kept
        rest = classes.kept(kept)
        rest = rest.alone() if drop else rest
        good = _good(goals, rest)
        if good.all():
            return kept
        kept[np.flatnonzero(kept)[~good]] = False


def _good(goals: Sequence[Goal], rest: Classes) -> Mask:
    good = np.ones(rest.number, bool)
    for goal in goals:
        if goal.relative:
            good &= ~goal.violating(rest)
    if good.all():
        for goal in goals:
            good &= goal.spared(rest)
    return good


def best_within(figures: Floats | Counts, rows: Counts, limit: int, high: bool) -> Any:
    """The weakest figure that is left when the weakest classes, of at most `limit` rows, are dropped."""
    order = np.argsort(figures if high else -figures, kind="stable")
    left = np.flatnonzero(np.cumsum(rows[order]) > limit)
    return figures[order[left[0]]].item() if len(left) else None


goals: Registry[type[Goal]] = Registry("goal")
G = TypeVar("G", bound=type[Goal])


def register(cls: G) -> G:
    """Make a goal known under its slug."""
    goals.register(cls)
    return cls
