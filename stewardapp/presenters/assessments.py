"""What the pages show of measures that were asked of a run after it ended."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from django.urls import reverse

from stewardapp.access import rules
from stewardapp.access.verdict import Verdict
from stewardapp.domain.assessed import is_counted
from stewardapp.domain.brought import names
from stewardapp.domain.demands import unanswered
from stewardapp.models.assessment import Why
from stewardapp.presenters import charts, measures
from stewardapp.presenters.recipes import sentences
from worker.engine import catalogue
from worker.engine.contracts.measure import Section

if TYPE_CHECKING:
    from stewardapp.models import Assessment, Run
    from stewardapp.presenters.measures import Reading
    from stewardapp.reads.releases import Seen
    from stewardapp.reads.runs import SeenRun
    from worker.engine.contracts.chart import Chart

WHY = {
    Why.HAND: "Asked for",
    Why.REVIEWER: "Demanded by a reviewer",
    Why.POLICY: "Demanded by the policy",
}
Shown = tuple["Reading", list[charts.Picture]]


@dataclass(frozen=True)
class Line:
    """One assessment of a run."""

    assessment: Assessment
    why: str
    measures: tuple[str, ...]
    counts: bool
    may_stop: Verdict

    @property
    def can_be_given_up(self) -> bool:
        """Whether nothing is to be stopped any more, but somebody may wait for it."""
        return not self.assessment.is_alive


@dataclass(frozen=True)
class Verdicts:
    """One answer per button."""

    ask: Verdict
    demand: Verdict
    policy: Verdict


def verdicts(run: SeenRun) -> Verdicts:
    """Who may have what measured of this run."""
    person, release = run.seen.person, run.seen.facts
    return Verdicts(
        ask=rules.may_assess(person, release, run.assessable),
        demand=rules.may_demand(person, release, run.assessable, is_candidate=_is_candidate(run.run)),
        policy=policy_verdict(run),
    )


def policy_verdict(run: SeenRun) -> Verdict:
    """May what the policy asks, and the run does not answer, be measured now?"""
    return rules.may_measure_policy(
        run.seen.person,
        run.seen.facts,
        run.assessable,
        is_candidate=_is_candidate(run.run),
        lacking=run.seen.facts.uncompared or bool(unanswered(run.facts, run.policy)),
    )


def lines(seen: Seen, found: Iterable[Assessment]) -> list[Line]:
    """Assessments of a run, with who may stop them."""
    return [
        Line(
            assessment=one,
            why=WHY[Why(one.why)],
            measures=titles(one),
            counts=is_counted(one),
            may_stop=rules.may_stop_assessment(seen.person, seen.facts, one.facts()),
        )
        for one in found
    ]


def titles(assessment: Assessment) -> tuple[str, ...]:
    """What was asked, in words."""
    return sentences({"measures": assessment.measures}, files_named(assessment)).measures


def readings(found: Iterable[Assessment], section: str, *, internal: bool) -> list[Shown]:
    """The results of a section, each with its charts."""
    return [
        (replace(reading, assessment=str(one.pk)), pictures(one, reading, internal=internal))
        for one in found
        for reading in measures.readings(one.report, section, files_named(one))
    ]


def files_named(assessment: Assessment) -> dict[str, str]:
    """What people call the files it was compared with."""
    compared = {str(one.version_id): str(one.version) for one in assessment.compared.all()}
    return compared | names(assessment)


def attacks() -> list[tuple[str, str, str]]:
    """What can be replayed on a release: name, title, one line."""
    known = catalogue.measures().items()
    return [(slug, one.title, one.in_short()) for slug, one in known if one.section is Section.ATTACK]


def pictures(assessment: Assessment, reading: Reading, *, internal: bool) -> list[charts.Picture]:
    """The charts of a measure that this person may see."""
    shown = (chart for chart in reading.charts if internal or not chart.internal)
    return [_picture(assessment, chart, measures.address(reading.id, chart)) for chart in shown]


def _picture(assessment: Assessment, chart: Chart, address: str) -> charts.Picture:
    return charts.pictured(chart, reverse("assessment-chart", args=[assessment.pk, address]))


def _is_candidate(run: Run) -> bool:
    return run.release.candidate_id == run.pk
