"""The risk–utility map: every finished run of a release as one point, on any two headline figures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from django.urls import reverse

from stewardapp.presenters.chart_table import ChartTable, scaled
from stewardapp.presenters.charts import Picture, pictured
from stewardapp.presenters.demands import headlines
from stewardapp.presenters.results import lowered
from worker.engine.contracts.chart import Axis, Chart, Region, Series, Threshold
from worker.engine.contracts.figure import Figure
from worker.engine.contracts.traces import ReleaseFamily

if TYPE_CHECKING:
    from collections.abc import Mapping

    from stewardapp.models import Policy, Run

Place = tuple[float, float]
TITLE = "Risk–utility map of this release’s runs"
BETTER = {"low": "lower is better", "high": "higher is better"}


@dataclass(frozen=True)
class Way:
    """One figure that runs can be placed by: its instance, its declaration, where in a report it stands."""

    instance: str
    figure: Figure
    section: str

    @property
    def address(self) -> str:
        """What an address calls it."""
        return f"{self.instance}/{self.figure.name}"

    @property
    def title(self) -> str:
        """What the axis says."""
        return f"{lowered(self.figure.title)} ({BETTER[self.figure.better]})"


def ways(runs: Sequence[Run]) -> tuple[Way, ...]:
    """Every headline figure that some run has and of which one way is better, risks first."""
    found = {
        (id, name): Way(id, figure, section)
        for section in ("risk", "attack", "utility")
        for run in runs
        for id, name, figure, value in headlines(run.figures, section)
        if value is not None and figure.comparable
    }
    return tuple(found.values())


def axes(runs: Sequence[Run], policy: Policy, asked: Mapping[str, str]) -> tuple[Way, Way] | None:
    """The two figures that were asked for; otherwise a risk with a bound, and a utility."""
    offered = {one.address: one for one in ways(runs)}
    across = offered.get(asked.get("x", "")) or next(_risks(tuple(offered.values()), policy), None)
    up = offered.get(asked.get("y", "")) or next(_useful(tuple(offered.values())), None)
    return (across, up) if across and up else None


def _risks(offered: Sequence[Way], policy: Policy) -> Iterator[Way]:
    """Shares that a row of the policy bounds, then any, then whatever is no utility."""
    bounded = {(row.instance, row.figure) for row in policy.demanded}
    risky = [one for one in offered if one.section != "utility"]
    shares = [one for one in risky if one.figure.unit == "share"]
    yield from (one for one in shares if (one.instance, one.figure.name) in bounded)
    yield from (*shares, *risky)


def _useful(offered: Sequence[Way]) -> Iterator[Way]:
    useful = [one for one in offered if one.section == "utility"]
    yield from (*(one for one in useful if one.figure.unit == "share"), *useful)


def chart(runs: Sequence[Run], policy: Policy, asked: Mapping[str, str]) -> Chart:
    """All runs on two axes; none where there are no two figures to place them by."""
    if (chosen := axes(runs, policy, asked)) is None:
        return Chart("risk-utility", TITLE, "scatter", Axis(""), Axis(""), ())
    placed: dict[Place, list[str]] = {}
    for run in reversed(runs):
        if (point := place(run, *chosen)) is not None:
            placed.setdefault(point, []).append(str(run.number))
    limit, region = bound(policy, *chosen), allowed(policy, chosen, [*placed])
    front = pareto(chosen, [*placed])
    notes = {BOUND: limit, REGION: region, FRONT: front, shapes(runs): True, CLICK: placed}
    return Chart(
        slug="risk-utility",
        title=TITLE,
        kind="scatter",
        x=axis(chosen[0]),
        y=axis(chosen[1]),
        series=(*(Series(named(numbers), (x,), (y,)) for (x, y), numbers in placed.items()), *front),
        note=" ".join(note for note, told in notes.items() if note and told),
        threshold=limit,
        region=region,
    )


BEST = "Best of both"
BOUND = "The dashed line is the bound of the policy."
REGION = "What lies in the shaded part meets it."
FRONT = "No other run is better in both figures than those that the line joins."
CLICK = "A click on a run compares it."


SHAPES = {
    ReleaseFamily.TRUTHFUL: ("circle", "Circles are runs whose rows are true"),
    ReleaseFamily.PERTURBED: ("diamond", "diamonds those that moved values"),
    ReleaseFamily.MADE_UP: ("square", "squares those that made rows up"),
}


def families(runs: Sequence[Run]) -> list[ReleaseFamily]:
    """What the rows of these runs are, as far as the map has a sign for it."""
    found = {run.figures.get("family", "") for run in runs}
    return [family for family in SHAPES if family in found]


def shapes(runs: Sequence[Run]) -> str:
    """Which sign is which family, where there are several."""
    told = [SHAPES[family][1] for family in families(runs)]
    text = ", ".join(told)
    return f"{text[:1].upper()}{text[1:]}." if len(told) > 1 else ""


def symbols(runs: Sequence[Run], chart: Chart) -> dict[str, str]:
    """The sign of each place by its name: that of its first run."""
    families = {str(run.number): run.figures.get("family", "") for run in runs}
    found = ((one.name, families.get(first_number(one), "")) for one in chart.series if not one.reference)
    return {name: SHAPES[family][0] for name, family in found if family in SHAPES}


def picture(runs: Sequence[Run], drawn: Chart, candidate: object, url: str) -> Picture:
    """The map with its table, whose rows lead where a click on their places leads."""
    found = links(runs, drawn, candidate)
    return replace(pictured(drawn, url), table=listed(drawn), leads=found)


def listed(drawn: Chart) -> ChartTable:
    """A row for each place: the runs that stand there, both figures, whether it is among the best."""
    best = {point for one in drawn.series if one.reference for point in zip(one.x, one.y, strict=True)}
    values = tuple(
        (one.name, one.x[0], one.y[0], "yes" if (one.x[0], one.y[0]) in best else "–")
        for one in drawn.series
        if not one.reference
    )
    heads = ("Runs", *(f"{axis.title[:1].upper()}{axis.title[1:]}" for axis in (drawn.x, drawn.y)), BEST)
    rows = tuple((name, scaled(x, drawn.x), scaled(y, drawn.y), among) for name, x, y, among in values)
    return ChartTable(heads, values, rows)


def first_number(series: Series) -> str:
    """The first of the runs that stand at one place."""
    return series.name.split()[1].rstrip(",")


def links(runs: Sequence[Run], chart: Chart, candidate: object) -> dict[str, str]:
    """Where a click on a place leads: to its run beside the candidate, or beside the newest."""
    done = {str(run.number): run for run in runs if run.state == "succeeded"}
    beside = next((run for run in runs if run.pk == candidate), next(iter(done.values()), None))
    found = {}
    for series in chart.series:
        run = None if series.reference else done.get(first_number(series))
        if run is not None and beside is not None:
            found[series.name] = compared(beside, run)
    return found


def compared(first: Run, second: Run) -> str:
    """The page of two runs, or of the one that both are."""
    if first.pk == second.pk:
        return reverse("run-detail", args=[first.pk])
    return reverse("run-compare", args=[first.pk, second.pk])


def pareto(chosen: tuple[Way, Way], places: Sequence[Place]) -> tuple[Series, ...]:
    """A line through the places that no other is better than in both figures; none through a single one."""
    signs = [{"low": 1.0, "high": -1.0}.get(way.figure.better, 0.0) for way in chosen]
    if 0.0 in signs:
        return ()
    best: list[Place] = []
    for place in sorted(places, key=lambda one: (signs[0] * one[0], signs[1] * one[1])):
        if not best or signs[1] * place[1] < signs[1] * best[-1][1]:
            best.append(place)
    if len(best) < 2:
        return ()
    across, up = zip(*best, strict=True)
    return (Series(BEST.lower(), across, up, reference=True),)


def allowed(policy: Policy, chosen: tuple[Way, Way], places: Sequence[Place]) -> Region | None:
    """Where the bounds of both axes hold; none where neither has one."""
    across, up = (ends(policy, way, [place[at] for place in places]) for at, way in enumerate(chosen))
    return Region(across, up) if across or up else None


def ends(policy: Policy, way: Way, values: Sequence[float]) -> Place | None:
    """From and to of what the policy allows of a figure, as far as the drawing reaches."""
    for row in policy.demanded:
        if (row.instance, row.figure) == (way.instance, way.figure.name):
            limit, highest = float(row.bound), max((float(row.bound), *values))
            return (limit, highest) if row.at_least else (0.0, limit)
    return None


def choosable(
    runs: Sequence[Run], policy: Policy, asked: Mapping[str, str]
) -> list[tuple[str, str, list[tuple[str, str, bool]]]]:
    """For each axis its name, its words, and every figure with whether it is shown now."""
    chosen = axes(runs, policy, asked)
    offered = ways(runs)
    named = zip(("x", "y"), ("Across", "Up"), chosen or (), strict=False)
    return [
        (name, words, [(one.address, one.title, one == shown) for one in offered])
        for name, words, shown in named
    ]


def axis(way: Way) -> Axis:
    """The axis of a figure."""
    return Axis(way.title, scale="percent") if way.figure.unit == "share" else Axis(way.title)


def bound(policy: Policy, across: Way, up: Way) -> Threshold | None:
    """The line of the policy, on the first axis that has one."""
    sides: tuple[tuple[Way, Literal["x", "y"]], ...] = ((across, "x"), (up, "y"))
    for way, where in sides:
        for row in policy.demanded:
            if (row.instance, row.figure) == (way.instance, way.figure.name):
                return Threshold(float(row.bound), "policy", axis=where)
    return None


def named(numbers: list[str]) -> str:
    """The runs at one place."""
    return f"Run{'s' if len(numbers) > 1 else ''} {', '.join(numbers)}"


def place(run: Run, across: Way, up: Way) -> Place | None:
    """Where a run stands, when both figures are known."""
    x, y = figure_of(run, across), figure_of(run, up)
    return None if x is None or y is None else (x, y)


def figure_of(run: Run, way: Way) -> float | None:
    """The figure of a run, where it is known."""
    found = run.figures.get("results", {}).get(way.instance, {}).get("figures", {}).get(way.figure.name)
    return None if found is None else float(found)
