"""What a run's page says first: does it meet the policy, and by which figures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from stewardapp.access.thresholds import EXCUSABLE
from stewardapp.presenters import tables
from stewardapp.presenters.measures import explanations, readings
from stewardapp.presenters.numbers import percent, thousands
from worker.engine import catalogue

if TYPE_CHECKING:
    from stewardapp.access.verdict import Verdict
    from stewardapp.models import Policy, Run


@dataclass(frozen=True)
class Figure:
    """One number of the verdict line."""

    value: str
    label: str
    explanation: str = ""
    holds: bool | None = None


@dataclass(frozen=True)
class GoalLine:
    """One goal as recomputed from the released bytes."""

    title: str
    required: str
    achieved: str
    holds: bool
    violating_rows: int
    remark: str = ""


@dataclass(frozen=True)
class VerdictLine:
    """The answer in one line."""

    met: bool
    reason: str
    figures: tuple[Figure, ...]
    idle: tuple[str, ...] = ()
    """Steps that were to change values and changed none."""
    excusable: bool = False
    stated: str = ""
    """Why it may be released although a check failed that a reason can excuse."""

    @property
    def tone(self) -> str:
        """Never green while rows can be singled out."""
        if self.met:
            return "ok"
        return "warn" if self.excusable else "danger"


def verdict_line(run: Run, policy: Policy, met: Verdict) -> VerdictLine:
    """The figures that decide, beside what the policy demands."""
    risk = run.stated.get("risk") or run.report.get("risk", {})
    before, after = (risk.get(side, {}).get("reidentification", {}) for side in ("before", "after"))
    explain = explanations(readings(run.report, "risk"))
    figures = (
        class_figure(after, policy, explain),
        highest_figure(after, policy, explain),
        unique_figure(run, policy),
        average_figure(before, after, explain),
        *(table_figures(run) if tables.is_table(run) else suppression_figures(run)),
        *loss_figures(run),
        *local_figures(run),
    )
    return VerdictLine(
        met=bool(met),
        reason=met.reason,
        figures=tuple(figure for figure in figures if figure is not None),
        idle=tuple(idle_steps(run)),
        excusable=met.code in EXCUSABLE,
        stated=run.release.reason_for_unique,
    )


def idle_steps(run: Run) -> Iterable[str]:
    """A sentence for each step that was to change values and changed none."""
    known: Mapping[str, Any] = catalogue.methods()
    for number, step in enumerate(run.report.get("steps", ()), start=1):
        if step.get("changed_cells") == 0:
            contract = known.get(step.get("method", ""))
            title = contract.title if contract else step.get("method", "")
            names = ", ".join(step.get("changed", ()))
            yield f"Step {number} ({title}) changed no value of {names}: the file is no safer for it."


def class_figure(after: Mapping[str, Any], policy: Policy, explain: Mapping[str, str]) -> Figure | None:
    """The smallest class and the k of the policy."""
    smallest = after.get("smallest_class")
    if smallest is None:
        return None
    label = f"smallest class, policy at least {policy.minimum_k}"
    return Figure(thousands(smallest), label, explain.get("smallest_class", ""), smallest >= policy.minimum_k)


def highest_figure(after: Mapping[str, Any], policy: Policy, explain: Mapping[str, str]) -> Figure | None:
    """The highest risk of one row and the policy's limit."""
    highest = after.get("highest_risk")
    if highest is None:
        return None
    label = f"highest risk, policy at most {percent(policy.maximum_risk)}"
    holds = Decimal(str(highest)) <= policy.maximum_risk
    return Figure(percent(highest), label, explain.get("highest_risk", ""), holds)


def unique_figure(run: Run, policy: Policy) -> Figure | None:
    """How many rows the columns that leave single out, tagged or kept."""
    share = run.facts().unique_share
    if share is None:
        return None
    label = f"rows that the columns which leave single out, policy at most {percent(policy.maximum_unique)}"
    return Figure(percent(share), label, UNIQUE, share <= policy.maximum_unique)


UNIQUE = (
    "Rows that equal no other row in all quasi-identifiers and all columns kept as they are. Whoever knows "
    "these columns of a person finds the row, whatever class it is in."
)


def average_figure(
    before: Mapping[str, Any], after: Mapping[str, Any], explain: Mapping[str, str]
) -> Figure | None:
    """The average risk and what it was."""
    average = after.get("average_risk")
    if average is None:
        return None
    was = f" (was {percent(before['average_risk'])})" if before.get("average_risk") is not None else ""
    return Figure(percent(average), f"average risk{was}", explain.get("average_risk", ""))


def table_figures(run: Run) -> Iterable[Figure]:
    """How far the noise reaches, known before the run."""
    return (Figure(value, label, how) for value, label, how in tables.error_figures(run))


def suppressed_rows(run: Run) -> int:
    """The one number of rows given up: those left out, and those that show * in every quasi-identifier.

    A step that keeps such rows counts all that are there, so that only the last one's count holds.
    """
    left_out = shown = 0
    steps = zip(run.recipe.get("steps", ()), run.report.get("steps", ()), strict=False)
    for step, facts in steps:
        found = facts.get("suppressed_rows")
        if found is None:
            continue
        if step.get("params", {}).get("drop_suppressed"):
            left_out += found
        else:
            shown = found
    return left_out + shown


def suppression_figures(run: Run) -> Iterable[Figure]:
    """How many rows and cells were given up."""
    steps = run.report.get("steps", ())
    rows = suppressed_rows(run)
    cells = sum(step.get("suppressed_cells") or 0 for step in steps)
    whole = run.report.get("input", {}).get("rows") or 0
    if steps:
        share = f", {percent(rows / whole)}" if whole else ""
        yield Figure(thousands(rows), f"rows suppressed{share}", ROWS_SUPPRESSED)
    if cells:
        yield Figure(thousands(cells), "cells suppressed", CELLS_SUPPRESSED)


ROWS_SUPPRESSED = (
    "Rows that fit into no class large enough; they are left out or shown with * in every quasi-identifier."
)
CELLS_SUPPRESSED = "Single values replaced by *, so that their row falls into a class large enough."


def loss_figures(run: Run) -> Iterable[Figure]:
    """The privacy loss of a run that spent some."""
    epsilon = run.report.get("privacy_loss", {}).get("epsilon") or 0
    if Decimal(str(epsilon)) > 0:
        yield Figure(f"ε {epsilon}", "privacy loss, taken from the budget")


def local_figures(run: Run) -> Iterable[Figure]:
    """What single cells give away at most where a step randomized them; no budget pays for it."""
    for step in run.report.get("steps", ()):
        epsilon = step.get("local_epsilon")
        if epsilon is not None and not step.get("matrix_depends_on_data"):
            yield Figure(f"ε {epsilon:.3g}", f"per cell of {step.get('column', 'a column')}, local", LOCAL)


LOCAL = (
    "Local model: each cell was changed at random before anybody sees it, so that the odds of the answer "
    "itself change by at most e to the power of this number. The privacy budget is for answers computed from "
    "unchanged data; nothing is taken from it. Columns that were not changed are not protected by it."
)


def goal_lines(run: Run) -> tuple[GoalLine, ...]:
    """Every goal of the manifest, recomputed from the released bytes."""
    known: Mapping[str, Any] = catalogue.goals()
    return tuple(goal_line(goal, known) for goal in run.stated.get("goals", ()))


def figure(found: Any) -> str:
    """A threshold, or the two ends of one."""
    return " to ".join(map(thousands, found)) if isinstance(found, list) else thousands(found)


def goal_line(goal: Mapping[str, Any], known: Mapping[str, Any]) -> GoalLine:
    """One goal in words."""
    contract = known.get(goal["goal"])
    title = contract.title if contract else goal["goal"]
    column = f" of {goal['column']}" if goal.get("column") else ""
    return GoalLine(
        title=f"{title}{column}",
        required=figure(goal.get("required")),
        achieved=figure(goal.get("achieved")),
        holds=bool(goal.get("holds")),
        violating_rows=goal.get("violating_rows") or 0,
        remark=goal.get("remark", ""),
    )
