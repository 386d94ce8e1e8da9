"""What a run came to: its goals as they were recomputed, and the rows that it gave up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from stewardapp.presenters.numbers import thousands
from worker.engine import catalogue
from worker.engine.contracts.facts import Facts
from worker.engine.contracts.goal import Goal

if TYPE_CHECKING:
    from stewardapp.models import Run
    from worker.engine.contracts.goal import GoalFinding


@dataclass(frozen=True)
class GoalLine:
    """One goal as recomputed from the released bytes."""

    title: str
    required: str
    achieved: str
    holds: bool
    violating_rows: int
    remark: str = ""


def lowered(title: str) -> str:
    """A title within a sentence; an acronym stays as it is."""
    return title if title[1:2].isupper() else title[:1].lower() + title[1:]


def suppressed_rows(run: Run) -> int:
    """The one number of rows given up: those left out, and those that show * in every quasi-identifier.

    A step that keeps such rows counts all that are there, so that only the last one's count holds.
    """
    left_out = shown = 0
    steps = zip(run.recipe.get("steps", ()), run.report.get("steps", ()), strict=False)
    for step, entry in steps:
        found = Facts.of(entry).suppressed
        if found is None:
            continue
        gone = step.get("params", {}).get("drop_suppressed") if found.left_out is None else found.left_out
        if gone:
            left_out += found.rows
        else:
            shown = found.rows
    return left_out + shown


def goal_lines(run: Run) -> tuple[GoalLine, ...]:
    """Every goal of the manifest, recomputed from the released bytes."""
    known: Mapping[str, type[Goal]] = catalogue.goals()
    return tuple(goal_line(goal, known) for goal in run.stated.get("goals", ()))


def figure(found: Any) -> str:
    """A threshold, or the two ends of one."""
    return " to ".join(map(thousands, found)) if isinstance(found, list) else thousands(found)


def demanded(goal: GoalFinding, side: Literal["required", "achieved"]) -> str:
    """What a goal asks, or reached; where it asks several things, each by its name."""
    several = goal.get("demands") or ()
    return ", ".join(f"{one['name']} {figure(one[side])}" for one in several) or figure(goal.get(side))


def goal_line(goal: GoalFinding, known: Mapping[str, type[Goal]]) -> GoalLine:
    """One goal in words."""
    contract = known.get(goal["goal"])
    title = contract.title if contract else goal["goal"]
    column = f" of {goal['column']}" if goal.get("column") else ""
    return GoalLine(
        title=f"{title}{column}",
        required=demanded(goal, "required"),
        achieved=demanded(goal, "achieved"),
        holds=bool(goal.get("holds")),
        violating_rows=goal.get("violating_rows") or 0,
        remark=goal.get("remark", ""),
    )
