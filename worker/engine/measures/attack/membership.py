"""Telling from made-up rows whether somebody was in the data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from worker.engine.contracts.annotations import Unit
from worker.engine.contracts.chart import Axis, Chart, Series
from worker.engine.contracts.figure import Figure, Scalar
from worker.engine.contracts.measure import SECONDS_PER_CELL, Effort, Found, Measure, Section, register
from worker.engine.contracts.scene import Outlook, Scene
from worker.engine.nearest.blocks import Blocks
from worker.engine.nearest.neighbours import SECONDS_PER_PAIR, nearest
from worker.engine.nearest.parameters import HoldOut, LeavingColumns, MostReleased
from worker.engine.nearest.parties import Parties, not_made_up
from worker.engine.nearest.ranking import Scores
from worker.engine.nearest.shares import Share
from worker.engine.tables.column import Floats

FALSE_ALARMS = tuple(one / 20 for one in range(21))
LEAST = 1e-9
"""Added to distances before they are divided: a row that is released has none."""
DIGITS = 9
"""Scores that differ by less are equal."""


@register
class Membership(Measure):
    """How well somebody who knows a person's row can tell whether it was used to make the file.

    Two attackers score training rows and hold-out rows. The first takes the nearer to the nearest released
    row for the likelier member. The second knows how common such people are: it divides the distance to the
    nearest row of a reference, one half of the hold-out, by the distance to the nearest released row. AUC is
    the chance that a member scores higher than somebody who is none, one half by guessing; what is above
    counts twice as the advantage, and the better attacker counts.
    """

    slug = "membership"
    title = "Membership"
    section = Section.ATTACK
    references = (
        "DeLong, DeLong & Clarke-Pearson (1988), Comparing the areas under two or more correlated ROC curves",
        "van Breugel, Sun, Qian & van der Schaar (2023), Membership inference attacks against synthetic data "
        "through overfitting detection",
    )
    figures: ClassVar = (
        Figure(
            "advantage",
            "Advantage",
            "2 × AUC − 1 of the better attacker, never shown below 0: at 0 nobody can tell members from "
            "others.",
            unit="share",
            better="low",
            usual=(0, 0.1),
            headline=True,
        ),
        Figure(
            "advantage_low",
            "Advantage, from",
            "From the lower end of the AUC's 95 % interval (DeLong).",
            unit="share",
            better="low",
        ),
        Figure(
            "advantage_high",
            "Advantage, to",
            "From the upper end of the same interval.",
            unit="share",
            better="low",
        ),
        Figure(
            "auc",
            "AUC of the distance",
            "The chance that a training row is nearer to its nearest released row than a hold-out row is; "
            "ties count one half. 0.5 by guessing, 1 where members are always told.",
            unit="share",
            better="low",
            usual=(0.45, 0.55),
            headline=True,
        ),
        Figure(
            "auc_low",
            "AUC of the distance, from",
            "The lower end of its 95 % interval (DeLong).",
            unit="share",
        ),
        Figure("auc_high", "AUC of the distance, to", "The upper end of the same interval.", unit="share"),
        Figure(
            "density_auc",
            "AUC of the density",
            "The same by the distance to people who were not used, divided by that to the released rows.",
            unit="share",
            better="low",
            usual=(0.45, 0.55),
        ),
        Figure(
            "density_auc_low",
            "AUC of the density, from",
            "The lower end of its 95 % interval (DeLong).",
            unit="share",
        ),
        Figure(
            "density_auc_high", "AUC of the density, to", "The upper end of the same interval.", unit="share"
        ),
        Figure("members", "Members", "Training rows that were scored.", unit="count"),
        Figure(
            "others", "Others", "Hold-out rows that were scored; as many are the reference.", unit="count"
        ),
    )

    hold_out: HoldOut = None
    columns: LeavingColumns = ()
    targets: Annotated[int, Unit("rows")] = Field(
        10_000, ge=100, le=1_000_000, title="Targets", description="At most so many people of each sort."
    )
    rows: MostReleased = 100_000

    def does_not_apply(self, outlook: Outlook) -> str | None:
        return None if self.hold_out else not_made_up(outlook)

    def effort(self, outlook: Outlook) -> Effort:
        rows, width = min(self.rows, outlook.rows), len(outlook.schema)
        people = min(self.targets, outlook.rows)
        reading = 4 * outlook.rows * width * SECONDS_PER_CELL
        return Effort(reading + 2 * rows * people * width * SECONDS_PER_PAIR, 24 * rows * width)

    def compare(self, scene: Scene) -> Found:
        parties = Parties.of(scene, self.hold_out, self.columns)
        members, unused, released = parties.cells(self.targets, self.rows)
        order = scene.source.stream("reference", 0).permutation(len(unused))
        half = len(unused) // 2
        reference, others = unused.take(np.sort(order[:half])), unused.take(np.sort(order[half:]))
        near, by_nature = (
            [nearest(rows, held, scene.reporter).first for rows in (members, others)]
            for held in (Blocks.of(released), Blocks.of(reference))
        )
        distance = Scores(*(-one.round(DIGITS) for one in near))
        density = Scores(*(_ratio(*one) for one in zip(by_nature, near, strict=True)))
        return Found(
            {**_figures(distance.told, density.told), "members": len(members), "others": len(others)},
            charts=(_chart(distance, density),),
        )


def _ratio(far: Floats, near: Floats) -> Floats:
    """The logarithm of the one distance in parts of the other."""
    return np.asarray((np.log(far + LEAST) - np.log(near + LEAST)).round(DIGITS))


def _figures(distance: Share, density: Share) -> Mapping[str, Scalar]:
    better = max(distance, density, key=lambda one: one.value)
    gained = Share(*(2 * one - 1 for one in (better.value, better.low, better.high))).bounded()
    named = {"advantage": gained, "auc": distance, "density_auc": density}
    found: dict[str, Scalar] = {}
    for name, share in named.items():
        found |= {name: share.value, f"{name}_low": share.low, f"{name}_high": share.high}
    return found


def _chart(distance: Scores, density: Scores) -> Chart:
    lines = {"By distance": distance, "By density": density}
    drawn = [Series(name, FALSE_ALARMS, one.curve(FALSE_ALARMS)) for name, one in lines.items()]
    return Chart(
        "membership",
        "Members told from others",
        "line",
        Axis("Others taken for members", scale="percent"),
        Axis("Members found", scale="percent"),
        (*drawn, Series("Guessing", FALSE_ALARMS, FALSE_ALARMS, reference=True)),
        note="A line above that of guessing tells who was in the data; its left end matters most.",
        internal=True,
    )
