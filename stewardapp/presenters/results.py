"""What a run's page says first: does it meet the policy, and by which figures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal

from stewardapp.access.amounts import amount
from stewardapp.access.thresholds import EXCUSABLE
from stewardapp.presenters import tables
from stewardapp.presenters.demands import headlines, judged_lines
from stewardapp.presenters.measures import help_of, printed
from stewardapp.presenters.numbers import percent, thousands
from worker.engine import catalogue
from worker.engine.contracts.facts import Facts
from worker.engine.dp.promises import ONE_CELL

if TYPE_CHECKING:
    from stewardapp.access.facts import RunFacts
    from stewardapp.access.verdict import Verdict
    from stewardapp.domain.averaging import Added
    from stewardapp.models import Policy, Run
    from stewardapp.reads.runs import SeenRun
    from worker.engine.recipes.report import GoalFinding


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


def verdict_line(seen: SeenRun, met: Verdict) -> VerdictLine:
    """The figures that decide, beside what the policy demands."""
    run, policy = seen.run, seen.policy
    figures = (
        *row_figures(seen.facts, policy),
        *further_figures(run, policy),
        *(table_figures(run) if tables.is_table(run) else suppression_figures(run)),
        *loss_figures(run),
        *local_figures(seen.added_up, policy),
    )
    return VerdictLine(
        met=bool(met),
        reason=met.reason,
        figures=figures,
        idle=tuple(idle_steps(run)),
        excusable=met.code in EXCUSABLE,
        stated=run.release.reason_for_unique,
    )


def idle_steps(run: Run) -> Iterable[str]:
    """A sentence for each step that was to change values and changed none."""
    known: Mapping[str, Any] = catalogue.methods()
    for number, step in enumerate(run.report.get("steps", ()), start=1):
        changed = Facts.of(step).changed
        if changed is not None and not changed.total:
            contract = known.get(step.get("method", ""))
            title = contract.title if contract else step.get("method", "")
            names = ", ".join(changed.changed)
            yield f"Step {number} ({title}) changed no value of {names}: the file is no safer for it."


def row_figures(facts: RunFacts, policy: Policy) -> Iterable[Figure]:
    """Every figure that a row of the policy judges, beside its bound."""
    for one in judged_lines(facts, policy):
        label = f"{lowered(one.line.title)}, policy {one.line.demand}"
        yield Figure(one.value, label, one.line.explanation, one.holds)


def further_figures(run: Run, policy: Policy) -> Iterable[Figure]:
    """The headline figures of risk that no row judges, and what they were."""
    judged = {(row.instance, row.figure) for row in policy.demanded}
    for id, name, figure, value in headlines(run.figures, "risk"):
        if (id, name) not in judged and value is not None:
            was = before_of(run, id, name)
            told = "" if was is None else f" (was {printed(figure, was)})"
            yield Figure(printed(figure, value), f"{lowered(figure.title)}{told}", help_of(figure))


def before_of(run: Run, id: str, name: str) -> Any:
    """A published figure of the original; a manifest of version 1 called the instance by its measure."""
    for one in run.stated.get("measures", ()):
        if one["id"] == id:
            return (one["before"] or {}).get(name)
    old = run.stated.get("risk", {}).get("before", {}).get(id.partition("#")[0]) or {}
    return old.get(name)


def lowered(title: str) -> str:
    """A title within a sentence; an acronym stays as it is."""
    return title if title[1:2].isupper() else title[:1].lower() + title[1:]


def table_figures(run: Run) -> Iterable[Figure]:
    """How far the noise reaches, known before the run."""
    return (Figure(value, label, how) for value, label, how in tables.error_figures(run))


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


def suppression_figures(run: Run) -> Iterable[Figure]:
    """How many rows and cells were given up."""
    steps = run.report.get("steps", ())
    rows = suppressed_rows(run)
    cells = sum(found.cells for step in steps if (found := Facts.of(step).suppressed))
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


def local_figures(added: Iterable[Added], policy: Policy) -> Iterable[Figure]:
    """What single cells give away at most where a step randomized them; no budget pays for it."""
    bound = policy.maximum_local_epsilon
    allowed = "" if bound is None else f", policy at most {amount(bound)}"
    for one in added:
        beside = f", with {len(one.others)} that are out" if one.others else ""
        value = "no bound" if one.epsilon is None else f"ε {amount(one.epsilon)}"
        holds = None if bound is None else one.epsilon is not None and round(one.epsilon, 4) <= bound
        yield Figure(value, f"per cell of {one.column}, local{beside}{allowed}", ONE_CELL, holds)


def goal_lines(run: Run) -> tuple[GoalLine, ...]:
    """Every goal of the manifest, recomputed from the released bytes."""
    known: Mapping[str, Any] = catalogue.goals()
    return tuple(goal_line(goal, known) for goal in run.stated.get("goals", ()))


def figure(found: Any) -> str:
    """A threshold, or the two ends of one."""
    return " to ".join(map(thousands, found)) if isinstance(found, list) else thousands(found)


def demanded(goal: GoalFinding, side: Literal["required", "achieved"]) -> str:
    """What a goal asks, or reached; where it asks several things, each by its name."""
    several = goal.get("demands") or ()
    return ", ".join(f"{one['name']} {figure(one[side])}" for one in several) or figure(goal.get(side))


def goal_line(goal: GoalFinding, known: Mapping[str, Any]) -> GoalLine:
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
