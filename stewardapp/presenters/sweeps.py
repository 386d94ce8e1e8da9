"""What the pages of a sweep print: its grid run by run, the map, the run it proposes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from django.urls import reverse

from stewardapp.access.thresholds import EXCUSABLE, meets_policy
from stewardapp.domain.sweeping import Varied, dials
from stewardapp.presenters import utility_map
from stewardapp.presenters.charts import Picture, figure_json
from stewardapp.presenters.how_to_read import printed
from stewardapp.presenters.numbers import duration, thousands
from stewardapp.presenters.proposal import Proposal, Tried, misses, proposal
from stewardapp.presenters.release_pages import badge_of
from stewardapp.presenters.status import Status, status
from stewardapp.reads.changes import Topic
from stewardapp.reads.runs import SeenRun

if TYPE_CHECKING:
    from collections.abc import Iterable

    from stewardapp.access.facts import RunFacts
    from stewardapp.access.verdict import Verdict
    from stewardapp.models import Policy, Run, Sweep
    from stewardapp.presenters.utility_map import Way
    from stewardapp.reads.releases import Seen

MAP = "Risk–utility map of this sweep’s runs"
Axes = tuple["Way", "Way"]


@dataclass(frozen=True)
class Line:
    """One run of the grid."""

    run: Run
    values: tuple[str, ...]
    figures: tuple[str, ...]
    badge: Status
    missed: str = ""
    compare_url: str = ""


@dataclass(frozen=True)
class Grid:
    """The table of a sweep and what follows from it."""

    sweep: Sweep
    headers: tuple[str, ...]
    measured: tuple[str, ...]
    lines: tuple[Line, ...]
    proposed: Proposal | None
    ended: int
    watched: str = ""
    map: Picture | None = None
    map_axes: Sequence[Any] = ()

    @property
    def under_way(self) -> bool:
        """Whether a run still waits or works."""
        return self.ended < len(self.lines)

    @property
    def proposed_title(self) -> str:
        """What the proposal is called, also while more runs are to come."""
        title = "Proposed" if self.proposed and self.proposed.inside else "None to take"
        return f"{title} so far." if self.under_way else f"{title}."

    @property
    def chosen(self) -> Line | None:
        """The line of the run that is proposed."""
        number = self.proposed.number if self.proposed else None
        return next((line for line in self.lines if line.run.number == number), None)


def grid(sweep: Sweep, runs: Sequence[Run], seen: Seen, asked: Mapping[str, str]) -> Grid:
    """The sweep on the axes that were asked for."""
    axes, policy = utility_map.axes(runs, seen.policy, asked), seen.policy
    facts = {run.pk: SeenRun(run, seen).facts for run in runs}
    varied = [Varied.of(one) for one in sweep.varied]
    ended = sum(not run.is_alive for run in runs)
    found = proposed(runs, facts, policy, axes)
    beside = beside_which(runs, sweep, found)
    return Grid(
        sweep=sweep,
        headers=tuple(titles(runs[0], varied)) if runs else (),
        measured=tuple(way.title for way in axes or ()),
        lines=tuple(line(run, facts[run.pk], policy, varied, axes, beside) for run in runs),
        proposed=found,
        ended=ended,
        watched=str(Topic("sweep", sweep.pk)) if ended < len(runs) else "",
        map=picture(sweep, runs, policy, asked) if axes else None,
        map_axes=utility_map.choosable(runs, policy, asked),
    )


def proposed(
    runs: Iterable[Run], facts: Mapping[Any, RunFacts], policy: Policy, axes: Axes | None
) -> Proposal | None:
    """The run to take, by whichever of the axes is a utility; none where neither is."""
    useful = next((way for way in axes or () if way.section == "utility"), None)
    risky = next((way for way in axes or () if way.section != "utility"), None)
    if useful is None or risky is None:
        return None
    tried = [
        Tried(run.number, facts[run.pk], *(utility_map.figure_of(run, way) for way in (risky, useful)))
        for run in runs
        if run.state == "succeeded"
    ]
    return proposal(tried, policy.facts(), risky, useful)


def beside_which(runs: Iterable[Run], sweep: Sweep, found: Proposal | None) -> Run | None:
    """What every run is compared with: the candidate, or while there is none the run that is proposed."""
    if sweep.release.candidate is not None:
        return sweep.release.candidate
    return next((run for run in runs if found and run.number == found.number), None)


def line(
    run: Run, facts: RunFacts, policy: Policy, varied: Sequence[Varied], axes: Axes | None, beside: Run | None
) -> Line:
    """One run: what it tried, what came of it."""
    done, rules = run.state == "succeeded", policy.facts()
    values = (one.found_in(run.recipe) for one in varied)
    compared = done and beside is not None and beside.pk != run.pk
    return Line(
        run=run,
        values=tuple("–" if value is None else str(value) for value in values),
        figures=tuple(printed(way.figure, utility_map.figure_of(run, way)) for way in axes or ()),
        badge=met(meets_policy(facts, rules)) if done else status(run.state),
        missed="; ".join(one.words for one in misses(facts, rules)) if done else "",
        compare_url=utility_map.compared(beside, run) if compared and beside else "",
    )


def met(verdict: Verdict) -> Status:
    """Whether a run meets the policy, as colour, word and icon."""
    if verdict:
        return Status("ok", "Meets the policy", "check")
    badge = badge_of(verdict)
    return badge if verdict.code in EXCUSABLE else badge._replace(word="Misses the policy")


def titles(run: Run, varied: Iterable[Varied]) -> Iterable[str]:
    """What each varied parameter is called, with its goal or step."""
    known = {(dial.part, dial.number, dial.parameter.name): dial for dial in dials(run.recipe)}
    for one in varied:
        dial = known.get((one.part, one.number, one.param))
        yield f"{dial.contract.title}: {dial.parameter.title}" if dial else one.param


def size_words(runs: int, seconds: float | None) -> str:
    """How much is begun, said before it is."""
    if seconds is None:
        return f"{thousands(runs)} runs. How long they take shows when one of this release has ended."
    took = duration(runs * seconds)
    return f"{thousands(runs)} runs: about {took} one after another, if each takes as long as the last ones."


def picture(sweep: Sweep, runs: Sequence[Run], policy: Policy, asked: Mapping[str, str]) -> Picture:
    """The map with its table."""
    shown = placed(sweep, runs)
    drawn = replace(utility_map.chart(shown, policy, asked), title=MAP)
    return utility_map.picture(shown, drawn, sweep.release.candidate_id, map_address(sweep, asked))


def map_address(sweep: Sweep, asked: Mapping[str, str]) -> str:
    """Where the map is drawn, on the axes that were asked for."""
    chosen = {axis: asked[axis] for axis in ("x", "y") if axis in asked}
    return reverse("sweep-map", args=[sweep.pk]) + (f"?{urlencode(chosen)}" if chosen else "")


def placed(sweep: Sweep, runs: Sequence[Run]) -> list[Run]:
    """The runs of the map, the newest first: those of the sweep, and the candidate to compare them with."""
    candidate = sweep.release.candidate
    beside = [candidate] if candidate is not None and candidate not in runs else []
    return [*reversed(runs), *beside]


def map_json(sweep: Sweep, runs: Sequence[Run], policy: Policy, asked: Mapping[str, str]) -> str:
    """The map as it is drawn: where its points lead, and how they look."""
    shown = placed(sweep, runs)
    drawn = utility_map.chart(shown, policy, asked)
    links = utility_map.links(shown, drawn, sweep.release.candidate_id)
    return figure_json(drawn, links, utility_map.symbols(shown, drawn))
