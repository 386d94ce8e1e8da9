"""What a certificate says of risk: what the rows are, every demand of the policy, what has no figure and why.

Only published figures are told; of any other it is said whether the bound was met.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stewardapp.domain.assessed import joined
from stewardapp.presenters.demands import Judged, judged_lines
from stewardapp.presenters.measures import STATES, figure_of, words
from stewardapp.presenters.release_pages import badge_of
from stewardapp.presenters.status import Status
from stewardapp.presenters.verdict_line import FAMILIES
from worker.engine import catalogue
from worker.engine.contracts.result import State

if TYPE_CHECKING:
    from stewardapp.models import Run
    from stewardapp.reads.runs import SeenRun

UNPUBLISHED = "not published"


@dataclass(frozen=True)
class Demanded:
    """A row of the policy: what, how much, the figure where it may be told, the answer."""

    title: str
    demand: str
    figure: str
    badge: Status
    remark: str
    explanation: str


@dataclass(frozen=True)
class PublishedRisk:
    """The risk of a release as everybody may know it."""

    family: str
    demands: tuple[Demanded, ...]
    idle: tuple[tuple[str, str], ...]
    """Measures without figures, each with its reason."""


def published_risk(seen: SeenRun) -> PublishedRisk:
    """The part of a certificate about risk."""
    return PublishedRisk(
        family=FAMILIES.get(seen.facts.family, ""),  # type: ignore[call-overload]
        demands=tuple(demanded(one) for one in judged_lines(seen.facts, seen.policy)),
        idle=tuple(idle_measures(seen.run)),
    )


def demanded(one: Judged) -> Demanded:
    """One row; a reason is told only where it speaks of no figure."""
    public = figure_of(one.slug, one.row.figure.partition("/")[0]).public
    idle = not one.verdict.applies
    return Demanded(
        title=one.line.title,
        demand=one.line.demand,
        figure=one.value if public or idle else UNPUBLISHED,
        badge=badge_of(one.verdict),
        remark=one.verdict.reason if public or idle else "",
        explanation=one.line.explanation,
    )


def idle_measures(run: Run) -> Iterator[tuple[str, str]]:
    """What found nothing: the title of the measure, and why. How large a file is too large stays inside."""
    found = joined(run.figures.get("results", {}), run.assessed.get("results", {}))
    for one in found.values():
        if one["state"] != State.MEASURED:
            contract = catalogue.measures().get(one["measure"])
            told = one["reason"] if one["state"] == State.DOES_NOT_APPLY else f"{STATES[one['state']]}."
            yield contract.title if contract else words(one["measure"]), told
