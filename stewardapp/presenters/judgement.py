"""One table of everything a release was to meet: its goals, recomputed, and the rows of the policy."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stewardapp.access.thresholds import GOALS, RUN, checklist, row_words
from stewardapp.presenters.demands import Judged, judged_lines
from stewardapp.presenters.how_to_read import HowToRead
from stewardapp.presenters.numbers import thousands
from stewardapp.presenters.release_pages import badge_of
from stewardapp.presenters.results import GoalLine, goal_lines
from stewardapp.presenters.status import Status, status
from stewardapp.presenters.verdict_line import figure_help

if TYPE_CHECKING:
    from stewardapp.reads.runs import SeenRun


@dataclass(frozen=True)
class Line:
    """One thing that was asked: what, how much, what was found, the answer as colour, word and icon."""

    title: str
    demand: str
    found: str
    badge: Status
    remark: str = ""
    help: HowToRead | None = None


@dataclass(frozen=True)
class Judgement:
    """The two halves of the table."""

    goals: tuple[Line, ...]
    policy: tuple[Line, ...]


def judgement(seen: SeenRun) -> Judgement:
    """Goals and policy of a run. What the page shows anyway is left out: that it has results, and of goals
    that stand by themselves that all of them hold.
    """
    goals = tuple(goal_row(one) for one in goal_lines(seen.run))
    return Judgement(goals, tuple(_policy(seen, {RUN, GOALS} if goals else {RUN})))


def _policy(seen: SeenRun, told: Collection[str]) -> Iterator[Line]:
    """Every check in its order; those that are rows of the policy have a bound and a figure."""
    rows = deque(judged_lines(seen.facts, seen.policy))
    for words, verdict in checklist(seen.facts, seen.policy.facts()):
        if rows and words == row_words(rows[0].row):
            yield policy_row(seen, rows.popleft())
        elif words not in told:
            yield Line(words, "", "", badge_of(verdict), verdict.reason)


def goal_row(goal: GoalLine) -> Line:
    """A goal as it was recomputed."""
    told = [goal.remark] if goal.remark else []
    if goal.violating_rows:
        told.insert(0, f"{thousands(goal.violating_rows)} rows violate it.")
    answer = status("holds" if goal.holds else "fails")
    return Line(goal.title, goal.required, goal.achieved, answer, " ".join(told))


def policy_row(seen: SeenRun, one: Judged) -> Line:
    """A row of the policy with the figure it is about."""
    help = figure_help(seen, one.row.instance, one.slug, one.row.figure.partition("/")[0])
    return Line(one.line.title, one.line.demand, one.value, badge_of(one.verdict), one.verdict.reason, help)
