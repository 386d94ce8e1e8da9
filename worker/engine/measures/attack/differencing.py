"""Whom the difference between two releases gives away."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar

from pydantic import Field

from worker.engine.contracts.chart import Axis, Chart, Series
from worker.engine.contracts.figure import Figure
from worker.engine.contracts.measure import DoesNotApply, Effort, Found, Measure, Section, register
from worker.engine.contracts.scene import Outlook, Scene
from worker.engine.contracts.traces import Trace, Traces
from worker.engine.linkage.regions import Regions, regions_of
from worker.engine.linkage.releases import Known, standing
from worker.engine.tables.kinds import Role
from worker.engine.tables.statistics import Statistics

BYTES_PER_ROW = 48
TRUTHFUL = (Trace.KEPT, Trace.COARSER)
NO_KEYS = "No column tagged quasi-identifier leaves, so that there are no sets of people to compare."
PERTURBED = (
    "The quasi-identifiers were perturbed, exchanged or made up, so that counts are not counts of people: a "
    "difference of two of them says nothing certain."
)
NOT_COARSER = (
    "The quasi-identifiers of the release are not those of the original, kept or made coarser: they were "
    "perturbed or made up, or no hierarchy explains their labels."
)
ALONE = (
    "No other file about the same people that shares a column with this one is known here, so that there is "
    "nothing to take away from its counts. Nothing is said about files that left in another way."
)
UNREADABLE = (
    "No other release counts people by the same quasi-identifiers, kept or made coarser, so that there is no "
    "difference to take."
)


@register
class Differencing(Measure):
    """How many people stand in a small difference between this release and another.

    Whoever holds two editions, or two tables about the same people, takes one count from the other: in a
    region of 40 that had 38 a year ago two came, and what they earn is the difference of what both groups
    earn. A region is the smallest set of people that is a union of classes of either release, by the
    quasi-identifiers that both have; labels are compared by what they cover. A difference of fewer than k
    people that is not 0 exposes them. Suppressed rows (`*` in every quasi-identifier) are in no region, and a
    difference that stems from them counts like any other. Who came while somebody else left is not seen in
    counts. Rows are counted, because another file does not say whose they are; a single release has no
    differences, so that the baseline is 0.
    """

    slug = "differencing"
    title = "Difference to other releases"
    section = Section.ATTACK
    looks_beside = True
    references = ("Denning (1982), Cryptography and data security, chapter 6: trackers",)
    figures: ClassVar = (
        Figure(
            "exposed_share",
            "Share of rows exposed",
            "People in differences below k, divided by the rows of all regions (the larger of both counts); "
            "of several other releases the worst.",
            unit="share",
            better="low",
            usual=(0, 0.01),
            headline=True,
        ),
        Figure(
            "exposed_rows",
            "Rows exposed",
            "People who are in one of the releases only, and stand in a difference of fewer than k.",
            unit="count",
            better="low",
        ),
        Figure(
            "smallest_difference",
            "Smallest difference",
            "The fewest people by whom the counts of a region differ, where they do.",
            unit="count",
            better="high",
        ),
        Figure(
            "compared_releases", "Other releases", "Those that count people in the same way.", unit="count"
        ),
        Figure(
            "exposed",
            "Share of rows exposed, by release",
            "By each other release alone.",
            unit="share",
            better="low",
            per="part",
        ),
        Figure(
            "differing",
            "Regions that differ, by release",
            "In how many regions the counts differ by fewer than k.",
            unit="count",
            better="low",
            per="part",
        ),
        Figure(
            "certain_share",
            "Value certain",
            "Of the people exposed the share whose value follows: only one value differs in their region.",
            unit="share",
            better="low",
            per="column",
            roles=(Role.SENSITIVE,),
        ),
    )

    k: int = Field(
        5, ge=2, le=1000, title="Fewest people", description="A smaller difference exposes who stands in it."
    )

    def does_not_apply(self, outlook: Outlook) -> str | None:
        if outlook.traces is None:
            return None if outlook.schema.named(Role.QUASI_IDENTIFIER) else NO_KEYS
        if not outlook.traces.quasi_identifiers:
            return NO_KEYS
        return None if _truthful(outlook.traces.quasi_identifiers, outlook.traces) else PERTURBED

    def effort(self, outlook: Outlook) -> Effort:
        return Effort(super().effort(outlook).seconds, memory=outlook.rows * BYTES_PER_ROW)

    def compare(self, scene: Scene) -> Found:
        releases = scene.outside.releases()
        if not releases:
            raise DoesNotApply(ALONE)
        found = {name: _compared(scene, other) for name, other in releases.items()}
        known = {name: one for name, one in found.items() if one is not None}
        if not known:
            raise DoesNotApply(UNREADABLE)
        exposed = {name: _share(one.exposed(self.k), int(one.rows.sum())) for name, one in known.items()}
        worst = known[max(known, key=lambda name: exposed[name] or 0.0)]
        differing = {name: int(one.small(self.k).sum()) for name, one in known.items()}
        return Found(
            {
                "exposed_share": max((one for one in exposed.values() if one is not None), default=None),
                "exposed_rows": worst.exposed(self.k),
                "smallest_difference": _smallest(known.values()),
                "compared_releases": len(known),
                "exposed": exposed,
                "differing": differing,
                "certain_share": {name: self._certain(worst, name) for name in _sensitive(scene, worst)},
            },
            charts=(_chart(differing, self.k),),
        )

    def _certain(self, regions: Regions, column: str) -> float | None:
        return _share(regions.certain(self.k, column), regions.exposed(self.k))


def _compared(scene: Scene, other: Statistics) -> Regions | None:
    """The regions of this release and another; None where their classes cannot be compared."""
    names = _truthful(scene.before.quasi_identifiers, scene.traces)
    names = tuple(name for name in names if name in scene.after.schema and name in other.schema)
    if not names:
        return None
    known = Known.of(scene.before, names, scene.rows)
    if standing(known, scene.after, scene.aligned, same_people=True) is None:
        raise DoesNotApply(NOT_COARSER)
    if standing(known, other, placed=False, same_people=False) is None:
        return None
    return regions_of(known, scene.after, other)


def _truthful(names: Sequence[str], traces: Traces | None) -> tuple[str, ...]:
    """The keys whose counts are counts of people; all of them where nobody knows what was done."""
    return tuple(name for name in names if traces is None or traces[name] in TRUTHFUL)


def _sensitive(scene: Scene, regions: Regions) -> tuple[str, ...]:
    """The sensitive columns whose values both releases tell."""
    there = [
        name for name in scene.before.sensitive if all(name in one.statistics.schema for one in regions.sides)
    ]
    return _truthful(there, scene.traces)


def _smallest(found: Iterable[Regions]) -> int | None:
    sizes = [abs(int(one)) for regions in found for one in regions.more if one]
    return min(sizes, default=None)


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _chart(differing: Mapping[str, int], k: int) -> Chart:
    """In how many regions each other release differs by few."""
    return Chart(
        "small-differences",
        f"Regions that differ by fewer than {k}, by release",
        "bar",
        Axis("Other release", "", "category"),
        Axis("Regions"),
        (Series("Regions", tuple(differing), tuple(differing.values())),),
        note="Each of these regions tells of a handful of people that they came or left.",
        internal=True,
    )
