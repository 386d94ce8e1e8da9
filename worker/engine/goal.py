"""The contract of goals: privacy models that judge equivalence classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from worker.engine.column import Mask
from worker.engine.parametric import Parametric, Registry

if TYPE_CHECKING:
    from worker.engine.classes import Classes


@dataclass(frozen=True)
class GoalResult:
    """How a release fares against one goal."""

    goal: str
    required: Any
    achieved: Any
    holds: bool
    violating_rows: int
    column: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """The entry of the report."""
        facts = {"goal": self.goal, "required": self.required, "achieved": self.achieved}
        facts |= {"holds": self.holds, "violating_rows": self.violating_rows}
        return facts if self.column is None else {"column": self.column, **facts}


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

    def sensitive_columns(self) -> tuple[str, ...]:
        """The sensitive columns whose values it judges."""
        return ()

    def violating(self, classes: Classes) -> Mask:
        """Which classes, each judged by itself, violate the goal."""
        raise NotImplementedError

    def met(self, kept: Classes) -> bool:
        """Whether the kept classes together satisfy what the goal asks of the whole release."""
        return True

    def achieved(self, classes: Classes) -> Any:
        """The best threshold that the classes satisfy; None when there is no class."""
        raise NotImplementedError

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
        )


goals: Registry[type[Goal]] = Registry("goal")
G = TypeVar("G", bound=type[Goal])


def register(cls: G) -> G:
    """Make a goal known under its slug."""
    goals.register(cls)
    return cls
