"""What a run's page says first: does it meet the policy, at which risk, for which utility, at what cost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from stewardapp.access.amounts import amount
from stewardapp.access.thresholds import EXCUSABLE
from stewardapp.presenters import tables
from stewardapp.presenters.demands import Judged, headlines, judged_lines
from stewardapp.presenters.how_to_read import HowToRead, explained, how_to_read, printed
from stewardapp.presenters.measures import figure_of
from stewardapp.presenters.numbers import percent, thousands
from stewardapp.presenters.results import lowered, suppressed_rows
from worker.engine import catalogue
from worker.engine.contracts.facts import Facts
from worker.engine.contracts.method import Method
from worker.engine.contracts.privacy import Protected, Spend
from worker.engine.contracts.traces import ReleaseFamily
from worker.engine.dp.promises import (
    ONE_CELL,
    SUBJECT,
    attribute_factor,
    factor_words,
    presence_factor,
    promised,
)

if TYPE_CHECKING:
    from stewardapp.access.verdict import Verdict
    from stewardapp.domain.averaging import Added
    from stewardapp.models import Policy, Run
    from stewardapp.reads.runs import SeenRun
    from worker.engine.contracts.figure import Figures

MOST = 4
"""Pairs in each part of the line; the tabs have the others."""
MOST_IDLE = 2
UTILITY = "utility"
FAMILIES = {
    ReleaseFamily.TRUTHFUL: "Rows are true, some values are coarser.",
    ReleaseFamily.PERTURBED: "Rows are of people, values were moved.",
    ReleaseFamily.MADE_UP: "Rows are made up.",
    ReleaseFamily.TABLE: "A table with noise; no rows leave.",
}
NOT_APPLICABLE = "–"


@dataclass(frozen=True)
class Pair:
    """One number of the line with its words; `holds` where a bound judges it."""

    value: str
    label: str
    help: HowToRead | None = None
    holds: bool | None = None
    idle: bool = False
    """Whether there was nothing to look at, for the reason in its words."""


@dataclass(frozen=True)
class Part:
    """Risk, utility or cost."""

    title: str
    pairs: tuple[Pair, ...]


@dataclass(frozen=True)
class VerdictLine:
    """The answer in one line."""

    met: bool
    reason: str
    parts: tuple[Part, ...]
    family: str = ""
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

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """All of them in order."""
        return tuple(pair for part in self.parts for pair in part.pairs)


def verdict_line(seen: SeenRun, met: Verdict) -> VerdictLine:
    """The figures that decide, beside what the policy demands."""
    run = seen.run
    found = [*judged_lines(seen.facts, seen.policy)]
    risk = promise_pairs(run) if tables.is_table(run) else measured_pairs(seen, found, useful=False)
    useful = table_pairs(run) if tables.is_table(run) else measured_pairs(seen, found, useful=True)
    return VerdictLine(
        met=bool(met),
        reason=met.reason,
        parts=(
            Part("Risk", tuple(risk)),
            Part("Utility", tuple(useful)),
            Part("Cost", tuple(cost_pairs(seen))),
        ),
        family=FAMILIES.get(seen.facts.family, ""),  # type: ignore[call-overload]
        idle=tuple(idle_steps(run)),
        excusable=met.code in EXCUSABLE,
        stated=run.release.reason_for_unique,
    )


def idle_steps(run: Run) -> Iterable[str]:
    """A sentence for each step that was to change values and changed none."""
    known: Mapping[str, type[Method]] = catalogue.methods()
    for number, step in enumerate(run.report.get("steps", ()), start=1):
        changed = Facts.of(step).changed
        if changed is not None and not changed.total:
            contract = known.get(step.get("method", ""))
            title = contract.title if contract else step.get("method", "")
            names = ", ".join(changed.changed)
            yield f"Step {number} ({title}) changed no value of {names}: the file is no safer for it."


# -- risk and utility ----------------------------------------------------------------------------------


def measured_pairs(seen: SeenRun, found: Iterable[Judged], *, useful: bool) -> list[Pair]:
    """What the policy judges, the failed first; then other headline figures, as far as there is room."""
    about = [one for one in found if one.useful is useful]
    judged = [judged_pair(seen, one) for one in about if one.verdict.applies]
    judged.sort(key=lambda pair: bool(pair.holds))
    idle = [idle_pair(one) for one in about if not one.verdict.applies]
    shown = [*judged, *further_pairs(seen, useful=useful)][: max(MOST, sum(not one.holds for one in judged))]
    return [*shown, *idle[: max(1, min(MOST_IDLE, MOST - len(shown)))]]


def judged_pair(seen: SeenRun, one: Judged) -> Pair:
    """A figure that a row of the policy judges, beside its bound."""
    label = f"{lowered(one.line.title)}, policy {one.line.demand}"
    help = figure_help(seen, one.row.instance, one.slug, one.row.figure.partition("/")[0])
    return Pair(one.value, label, help, bool(one.verdict))


def idle_pair(one: Judged) -> Pair:
    """A row that has nothing to judge, and why."""
    label = f"{lowered(one.line.title)} does not apply"
    return Pair(NOT_APPLICABLE, label, explained(one.line.title, one.verdict.reason), idle=True)


def further_pairs(seen: SeenRun, *, useful: bool) -> Iterator[Pair]:
    """The headline figures that no row judges, and what they were."""
    judged = {(row.instance, row.figure) for row in seen.policy.demanded}
    for id, name, figure, value in headlines(seen.run.figures):
        slug = seen.run.figures["results"][id]["measure"]
        if (id, name) not in judged and value is not None and is_useful(slug) is useful:
            was = before_of(seen.run, id, name)
            told = "" if was is None else f" (was {printed(figure, was)})"
            help = figure_help(seen, id, slug, name)
            yield Pair(printed(figure, value), f"{lowered(figure.title)}{told}", help)


def is_useful(slug: str) -> bool:
    """Whether a measure speaks of utility; any other is about risk."""
    contract = catalogue.measures().get(slug)
    return contract is not None and contract.section == UTILITY


def figure_help(seen: SeenRun, id: str, slug: str, name: str) -> HowToRead:
    """How to read a figure, on the numbers of this run as far as they are still there."""
    result = seen.results.get(id)
    kept: Figures = seen.run.figures.get("results", {}).get(id, {}).get("figures", {})
    found = (result.after or kept) if result else kept
    return how_to_read(figure_of(slug, name), slug, found, before_of(seen.run, id, name))


def before_of(run: Run, id: str, name: str) -> Any:
    """A published figure of the original; a manifest of version 1 called the instance by its measure."""
    for one in run.stated.get("measures", ()):
        if one["id"] == id:
            return (one["before"] or {}).get(name)
    old = run.stated.get("risk", {}).get("before", {}).get(id.partition("#")[0]) or {}
    return old.get(name)


# -- of a table ----------------------------------------------------------------------------------------


def promise_pairs(run: Run) -> Iterator[Pair]:
    """What a table with noise promises each person whatever anybody knows."""
    loss = run.report.get("privacy_loss", {})
    spend = Spend.of(*(Decimal(str(loss.get(name) or 0)) for name in ("epsilon", "delta")))
    if spend.epsilon_micro:
        unit = Protected(loss.get("unit", Protected.ROW))
        presence, attribute, *_ = promised(spend, unit)
        odds = presence_factor(spend.epsilon_micro), attribute_factor(spend.epsilon_micro)
        label = f"{SUBJECT[unit]} in or out, at most"
        yield Pair(f"× {factor_words(odds[0])}", label, explained("ε", presence))
        yield Pair(f"× {factor_words(odds[1])}", "an attribute, at most", explained("ε", attribute))
    yield Pair(NOT_APPLICABLE, "class sizes do not apply: no rows leave", idle=True)


def table_pairs(run: Run) -> Iterator[Pair]:
    """How far the noise reaches, known before the run."""
    return (Pair(value, label, explained(label, how)) for value, label, how in tables.error_figures(run))


# -- cost ----------------------------------------------------------------------------------------------


def cost_pairs(seen: SeenRun) -> Iterator[Pair]:
    """What was given up: rows, cells, budget."""
    if not tables.is_table(seen.run):
        yield from suppression_pairs(seen.run)
    yield loss_pair(seen.run)
    yield from local_pairs(seen.added_up, seen.policy)


def suppression_pairs(run: Run) -> Iterator[Pair]:
    """How many rows and cells were given up."""
    steps = run.report.get("steps", ())
    rows = suppressed_rows(run)
    cells = sum(found.cells for step in steps if (found := Facts.of(step).suppressed))
    whole = run.report.get("input", {}).get("rows") or 0
    if steps:
        share = f", {percent(rows / whole)}" if whole else ""
        yield Pair(thousands(rows), f"rows suppressed{share}", explained("Rows suppressed", ROWS_SUPPRESSED))
    if cells:
        yield Pair(thousands(cells), "cells suppressed", explained("Cells suppressed", CELLS_SUPPRESSED))


ROWS_SUPPRESSED = (
    "Rows that fit into no class large enough; they are left out or shown with * in every quasi-identifier."
)
CELLS_SUPPRESSED = "Single values replaced by *, so that their row falls into a class large enough."


def epsilon_of(run: Run) -> Decimal:
    """What a run took from the privacy budget."""
    return Decimal(str(run.report.get("privacy_loss", {}).get("epsilon") or 0))


def loss_pair(run: Run) -> Pair:
    """The privacy loss, or that there is no promise of it."""
    if (epsilon := epsilon_of(run)) > 0:
        return Pair(f"ε {amount(epsilon)}", "privacy loss, taken from the budget", explained("ε", SPENT))
    return Pair("none", "ε: no step promises differential privacy", idle=True)


SPENT = "Every table about the same people takes its part of one budget; what is spent never comes back."


def local_pairs(added: Iterable[Added], policy: Policy) -> Iterator[Pair]:
    """What single cells give away at most where a step randomized them; no budget pays for it."""
    bound = policy.maximum_local_epsilon
    allowed = "" if bound is None else f", policy at most {amount(bound)}"
    for one in added:
        beside = f", with {len(one.others)} that are out" if one.others else ""
        value = "no bound" if one.epsilon is None else f"ε {amount(one.epsilon)}"
        holds = None if bound is None else one.epsilon is not None and round(one.epsilon, 4) <= bound
        label = f"per cell of {one.column}, local{beside}{allowed}"
        yield Pair(value, label, explained("Local ε", ONE_CELL), holds)
