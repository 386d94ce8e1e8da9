"""What a release tells together with other releases about the same people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from worker.engine.contracts.chart import Axis, Chart, Series
from worker.engine.contracts.figure import Figure, Figures
from worker.engine.contracts.measure import DoesNotApply, Effort, Found, Measure, PerRecord, Section, register
from worker.engine.contracts.scene import Outlook, Scene
from worker.engine.contracts.traces import Trace, Traces
from worker.engine.linkage.joint import Joint, mean_chance
from worker.engine.linkage.releases import Known, Standing, standing, tuples_of_rows
from worker.engine.tables.classes import Ids
from worker.engine.tables.frequency import Counts
from worker.engine.tables.kinds import Role
from worker.engine.tables.statistics import Statistics
from worker.engine.wording import thousands

BYTES_PER_ROW = 64
EDGES = (1, 2, 3, 5, 10, 20, 50, 100, 1000, 10_000)
NO_KEYS = "No column tagged quasi-identifier leaves, so that nobody can be looked up in this release."
PERTURBED = (
    "The quasi-identifiers were perturbed, exchanged or made up, so that a class holds others than those "
    "who fit it: record linkage and the distances of hold-out rows answer."
)
ALONE = (
    "No other file about the same people that shares a column with this one is known here, so that there is "
    "nothing to compare. Nothing is said about files that left in another way."
)
NOT_COARSER = (
    "The quasi-identifiers of the release are not those of the original, kept or made coarser: they were "
    "perturbed or made up, or no hierarchy explains their labels."
)
OTHERS_UNREADABLE = (
    "No other release has quasi-identifiers that are those of these rows, kept or made coarser, so that "
    "nobody can be looked up in both."
)
BY_ROW, BY_LABEL = "by row", "by label"
UNREADABLE = "not comparable: perturbed, made up, about others, or without a quasi-identifier"


@register
class Intersection(Measure):
    """How few people are left to somebody who looks a person up in this release and in others.

    Somebody who knows a person's quasi-identifiers finds the person's class in each release; the person is
    one of those who stand in all of these classes. Two releases with classes of a hundred can leave one. For
    each row of the original that is in this release and in another, its joint class holds the rows that share
    its class in both – in all of them, when there are several. Where it is known which row of the other
    release was which, rows are joined by that; otherwise each stands in the smallest class whose labels cover
    its values, which the hierarchies of this recipe explain. A row that one release suppressed (`*` in every
    quasi-identifier) is one of those suppressed there; rows suppressed in all of them have no joint class.
    With a person key, classes count distinct persons. Success is the mean of 1 ÷ size over these rows, the
    baseline the same from the one release that tells most by itself.
    """

    slug = "intersection"
    title = "Together with other releases"
    section = Section.ATTACK
    looks_beside = True
    references = ("Ganta, Kasiviswanathan & Smith (2008), Composition attacks and auxiliary information",)
    figures: ClassVar = (
        Figure(
            "smallest_joint_class",
            "Smallest joint class",
            "The fewest rows that share their class in this release and their class in another one.",
            unit="count",
            better="high",
            usual=(3, None),
            headline=True,
        ),
        Figure(
            "unique_share",
            "Share of rows alone in both",
            "Rows that no other row joins in all their classes, divided by the rows that have a joint class.",
            unit="share",
            better="low",
            usual=(0, 0.05),
            headline=True,
        ),
        Figure(
            "unique_rows",
            "Rows alone in both",
            "Rows that whoever holds all these releases and knows the quasi-identifiers finds for certain.",
            unit="count",
            better="low",
        ),
        Figure(
            "highest_risk",
            "Highest risk",
            "1 ÷ smallest joint class: the chance to pick the right row for the person most at risk.",
            unit="share",
            better="low",
        ),
        Figure(
            "success",
            "Success",
            "The share of rows picked right by somebody who takes one of each joint class at random.",
            unit="share",
            better="low",
        ),
        Figure(
            "baseline",
            "Baseline",
            "The same with the one release alone that tells most.",
            unit="share",
        ),
        Figure(
            "advantage",
            "Advantage",
            "Success less baseline: what the releases tell together beyond the best of them.",
            better="low",
        ),
        Figure("rows", "Rows", "Rows that have a joint class.", unit="count"),
        Figure(
            "compared_releases",
            "Other releases",
            "Those in which people can be looked up as well.",
            unit="count",
        ),
        Figure(
            "joint_class",
            "Smallest joint class, by release",
            "With each other release alone.",
            unit="count",
            better="high",
            per="part",
        ),
        Figure(
            "alone",
            "Share of rows alone, by release",
            "With each other release alone.",
            unit="share",
            better="low",
            per="part",
        ),
        Figure(
            "joined",
            "How rows were joined",
            "By row, where it is known which row of the other release was which; by label otherwise.",
            unit="words",
            per="part",
        ),
        Figure(
            "joint_class_size",
            "Joint class",
            "The rows, or persons, that share all classes of a row.",
            unit="count",
            better="high",
            per="record",
        ),
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
        found = _Looked.of(scene)
        joint = Joint.of([found.own, *found.others.values()], found.persons)
        pairs = {name: Joint.of([found.own, one], found.persons) for name, one in found.others.items()}
        alone = [joint.alone(one, found.persons) for one in (found.own, *found.others.values())]
        ways = {name: BY_ROW if one.by_row else BY_LABEL for name, one in found.others.items()}
        return Found(
            {
                **_together(joint, max((mean_chance(one) or 0.0 for one in alone), default=0.0)),
                "compared_releases": len(pairs),
                "joint_class": {name: one.smallest for name, one in pairs.items()},
                "alone": {name: one.unique_share for name, one in pairs.items()},
                "joined": {**dict.fromkeys(found.unreadable, UNREADABLE), **ways},
            },
            charts=(_chart(alone[0], joint.sizes),) if joint.smallest else (),
            records={"joint_class_size": _by_record(joint)},
        )


@dataclass(frozen=True)
class _Looked:
    """Where the rows stand in this release and in those others in which they can be looked up."""

    own: Standing
    others: Mapping[str, Standing]
    unreadable: Sequence[str]
    persons: Ids | None

    @classmethod
    def of(cls, scene: Scene) -> _Looked:
        releases = scene.outside.releases()
        if not releases:
            raise DoesNotApply(ALONE)
        names = _truthful(_keys(scene, scene.after), scene.traces)
        if not names:
            raise DoesNotApply(NO_KEYS)
        known = Known.of(scene.before, names, scene.rows)
        own = standing(known, scene.after, scene.aligned, same_people=True)
        if own is None:
            raise DoesNotApply(NOT_COARSER)
        looked = {name: _in_other(scene, name, one) for name, one in releases.items()}
        others = {name: one for name, one in looked.items() if one is not None}
        if not others:
            raise DoesNotApply(OTHERS_UNREADABLE)
        return cls(own, others, [name for name in looked if name not in others], _persons(scene))


def _in_other(scene: Scene, name: str, release: Statistics) -> Standing | None:
    """Where the rows stand in another release; a file of as many rows may stand in the order of the input."""
    names = _keys(scene, release)
    if not names:
        return None
    alike = release.rows() == scene.before.rows() == scene.rows
    placed = name in scene.outside.placed() or (alike and scene.aligned)
    return standing(Known.of(scene.before, names, scene.rows), release, placed, same_people=alike)


def _keys(scene: Scene, release: Statistics) -> tuple[str, ...]:
    """The quasi-identifiers of the original that a release has."""
    return tuple(name for name in scene.before.quasi_identifiers if name in release.schema)


def _truthful(names: Sequence[str], traces: Traces | None) -> tuple[str, ...]:
    """Those by which rows can be matched; all of them where nobody knows what was done."""
    if traces is None:
        return tuple(names)
    return tuple(name for name in names if traces[name] in (Trace.KEPT, Trace.COARSER))


def _persons(scene: Scene) -> Ids | None:
    """Whose each row is, where a column tells."""
    key = scene.before.person_key
    if key is None:
        return None
    return np.maximum(tuples_of_rows(scene.before, scene.before.counts((key,)), scene.rows), 0)


def _together(joint: Joint, baseline: float) -> Figures:
    return {
        "smallest_joint_class": joint.smallest,
        "unique_rows": joint.unique,
        "unique_share": joint.unique_share,
        "highest_risk": 1 / joint.smallest if joint.smallest else None,
        "success": joint.success,
        "baseline": baseline if joint.smallest else None,
        "advantage": None if joint.success is None else joint.success - baseline,
        "rows": len(joint.sizes),
    }


def _by_record(joint: Joint) -> PerRecord:
    sizes = np.full(len(joint.rows), np.nan)
    sizes[joint.rows] = joint.sizes
    return sizes


def _chart(alone: Counts, together: Counts) -> Chart:
    """How many rows are in classes of each range of sizes, in this release alone and in all of them."""
    ends = (*EDGES[1:], None)
    names = tuple(_range(low, end) for low, end in zip(EDGES, ends, strict=True))
    bars = (("This release", alone), ("All releases", together))
    return Chart(
        "joint-classes",
        "Rows by size of their class, alone and joint",
        "bar",
        Axis("Size of the class", "rows", "category"),
        Axis("Rows"),
        tuple(Series(title, names, _numbers(sizes)) for title, sizes in bars),
        note="The further the joint classes stand to the left, the more the other releases add.",
        internal=True,
    )


def _numbers(sizes: Counts) -> tuple[int, ...]:
    """How many sizes are in each range."""
    at = np.searchsorted(EDGES, sizes, side="right") - 1
    return tuple(np.bincount(at[at >= 0], minlength=len(EDGES)).tolist())


def _range(low: int, end: int | None) -> str:
    if end is None:
        return f"{thousands(low)} and more"
    return thousands(low) if low == end - 1 else f"{thousands(low)}–{thousands(end - 1)}"
