"""People who are alone with their values and stand in a made-up file all the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from worker.engine.arrays import Longs
from worker.engine.contracts.chart import Axis, Chart, Series
from worker.engine.contracts.figure import Figure, Scalar
from worker.engine.contracts.measure import (
    SECONDS_PER_CELL,
    DoesNotApply,
    Effort,
    Found,
    Measure,
    Section,
    register,
)
from worker.engine.contracts.scene import Outlook, Scene
from worker.engine.nearest.cells import Scale
from worker.engine.nearest.parameters import HoldOut, LeavingColumns
from worker.engine.nearest.parties import NO_ROWS, Parties, leaving, not_made_up
from worker.engine.nearest.shares import Share, difference
from worker.engine.nearest.uniques import Counted
from worker.engine.tables.column import Mask
from worker.engine.tables.statistics import Statistics

BYTES_PER_CELL = 24


@register
class ReplicatedUniques(Measure):
    """How many rows of a made-up file are alone with values that one single person of the original has.

    A row is unique where no other row of its table equals it in all of these columns. A replicated unique is
    unique in the release, and its values are unique in the original: whoever knows the person takes the row
    for theirs, and where rows were copied rightly so. Missing values and * are values, numbers and dates are
    equal where they mean the same. With a person key a combination is unique where one person has it. Where
    rows were held out, their uniques are counted apart: a file that remembers nobody replicates as many of
    theirs as of those it was made from. The reading is that of synthpop's replicated.uniques.
    """

    slug = "replicated-uniques"
    title = "Replicated uniques"
    section = Section.RISK
    references = ("Nowok, Raab & Dibben (2016), synthpop: bespoke creation of synthetic data in R",)
    figures: ClassVar = (
        Figure(
            "replicated_share",
            "Replicated uniques, of released rows",
            "Released rows that are unique and equal a unique row of the original, divided by all released "
            "rows.",
            unit="share",
            better="low",
            usual=(0, 0.01),
            headline=True,
        ),
        Figure(
            "replicated",
            "Replicated uniques",
            "Combinations of values that are unique in the original and in the release.",
            unit="count",
            better="low",
        ),
        Figure(
            "replicated_of_uniques",
            "Replicated uniques, of uniques",
            "The same, divided by the unique rows of the original: how many of those who are alone are "
            "found.",
            unit="share",
            better="low",
            usual=(0, 0.02),
        ),
        Figure("uniques", "Unique rows", "Rows that no other row of the same table equals.", unit="count"),
        Figure(
            "in_original_share",
            "Unique and in the original, of released rows",
            "Unique released rows whose values the original has, once or more often, divided by all "
            "released rows.",
            unit="share",
            better="low",
        ),
        Figure(
            "training_share",
            "Replicated, of training uniques",
            "Of the rows the file was made from that are unique in the whole original: the share that is "
            "replicated. Only where rows were held out.",
            unit="share",
            better="low",
        ),
        Figure(
            "holdout_share",
            "Replicated, of hold-out uniques",
            "The same of rows that no step saw: what chance gives.",
            unit="share",
        ),
        Figure(
            "excess",
            "Replicated beyond chance",
            "The first of these shares less the second, never shown below 0.",
            unit="share",
            better="low",
            usual=(0, 0.01),
        ),
        Figure(
            "excess_low",
            "Replicated beyond doubt",
            "The lower end of its 95 % interval (Newcombe).",
            unit="share",
            better="low",
        ),
        Figure(
            "excess_high",
            "Replicated beyond chance, to",
            "The upper end of the same interval.",
            unit="share",
            better="low",
        ),
    )

    hold_out: HoldOut = None
    columns: LeavingColumns = ()

    def does_not_apply(self, outlook: Outlook) -> str | None:
        return None if self.hold_out else not_made_up(outlook)

    def effort(self, outlook: Outlook) -> Effort:
        cells = outlook.rows * len(outlook.schema)
        return Effort(6 * cells * SECONDS_PER_CELL, BYTES_PER_CELL * cells)

    def compare(self, scene: Scene) -> Found:
        fields = leaving(scene, self.columns)
        original: Sequence[Statistics] = (scene.before,)
        if self.hold_out is not None or (scene.held_out is not None and scene.held_out.any()):
            parties = Parties.of(scene, self.hold_out, self.columns)
            fields, original = parties.fields, (parties.training, parties.hold_out)
        scales = [Scale.of(field, original) for field in fields]
        *known, released = Counted.of((*original, scene.after), fields, scales).counts
        if not released.any():
            raise DoesNotApply(NO_ROWS)
        whole = known[0] if self.hold_out else np.sum(known, axis=0)
        chance = _beside_chance(known, released == 1) if len(known) > 1 else None
        return Found(
            {**_figures(whole, released), **(_shares(*chance) if chance else {})},
            charts=(_chart(*chance),) if chance else (),
            before={"uniques": int((whole == 1).sum())},
        )


def _figures(original: Longs, released: Longs) -> Mapping[str, Scalar]:
    alone, rows = released == 1, int(released.sum())
    unique, replicated = int((original == 1).sum()), int((alone & (original == 1)).sum())
    return {
        "replicated_share": replicated / rows,
        "replicated": replicated,
        "replicated_of_uniques": replicated / unique if unique else None,
        "uniques": int(alone.sum()),
        "in_original_share": int((alone & (original > 0)).sum()) / rows,
    }


def _beside_chance(known: Sequence[Longs], alone: Mask) -> tuple[Share, Share] | None:
    """The replicated share of those unique among all people, who were used and who were not."""
    unique = np.sum(known, axis=0) == 1
    groups = [unique & (one == 1) for one in known]
    if not all(group.any() for group in groups):
        return None
    one, other = (Share.of(int((group & alone).sum()), int(group.sum())) for group in groups)
    return one, other


def _shares(training: Share, hold_out: Share) -> Mapping[str, Scalar]:
    excess = difference(training, hold_out).bounded()
    return {
        "training_share": training.value,
        "holdout_share": hold_out.value,
        "excess": excess.value,
        "excess_low": excess.low,
        "excess_high": excess.high,
    }


def _chart(training: Share, hold_out: Share) -> Chart:
    bars = {"Training uniques": training, "Hold-out uniques": hold_out}
    errors = tuple((one.high - one.low) / 2 for one in bars.values())
    return Chart(
        "replicated-uniques",
        "Replicated uniques",
        "bar",
        Axis("Unique rows", scale="category"),
        Axis("Share that is replicated", scale="percent"),
        (Series("Replicated", tuple(bars), tuple(one.value for one in bars.values()), error=errors),),
        note="Both are alike where nobody is remembered; half the 95 % interval is drawn as the error.",
        internal=True,
    )
