"""Made-up rows that keep close to the rows they were made from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
from pydantic import Field

from worker.engine.contracts.chart import Axis, Chart, Series
from worker.engine.contracts.figure import Figure, Scalar
from worker.engine.contracts.measure import SECONDS_PER_CELL, Effort, Found, Measure, Section, register
from worker.engine.contracts.scene import Outlook, Scene
from worker.engine.nearest.blocks import Blocks
from worker.engine.nearest.closeness import Closeness
from worker.engine.nearest.neighbours import SECONDS_PER_PAIR, Distance, nearest
from worker.engine.nearest.parameters import HoldOut, LeavingColumns, MostRows
from worker.engine.nearest.parties import Parties, not_made_up
from worker.engine.nearest.shares import difference
from worker.engine.tables.column import Floats

LOW = 0.05
QUANTILES = tuple(q / 20 for q in range(1, 20))


@register
class HoldOutDistances(Measure):
    """Whether made-up rows lie closer to the rows they were made from than to rows that no step saw.

    For each released row the nearest training row and the nearest row of the hold-out are found, by one
    scale for all: numbers and dates in parts of the range of the original, any two other values 0 or 1 apart,
    the mean over the columns (Gower's distance), or the root of the mean square (Euclid's). Missing values
    and * are values. So many training rows are looked at as were held out, drawn at random, so that chance
    gives both the same. A model that learnt what is common lies as close to one as to the other; one that
    remembers rows lies closer to those it was made from. Copies pasted into the file hardly move the share
    that is closer, but they are identical to training rows far more often than to any others: that excess
    is what to judge by. A release can pass here and still give members away: see membership.
    """

    slug = "hold-out-distances"
    title = "Hold-out distances"
    section = Section.RISK
    references = (
        "Platzer & Reutterer (2021), Holdout-based empirical assessment of mixed-type synthetic data",
        "Yao, Krčo, Ganev & de Montjoye (2025), The DCR delusion",
    )
    figures: ClassVar = (
        Figure(
            "identical_excess",
            "Identical beyond chance",
            "The share of released rows that are identical to a training row, less the share identical to a"
            " row of a hold-out of the same size. Chance alone gives 0; it is never shown below.",
            unit="share",
            better="low",
            usual=(0, 0.01),
            headline=True,
        ),
        Figure(
            "identical_excess_low",
            "Identical beyond doubt",
            "The lower end of its 95 % interval (Newcombe). Released rows with the same nearest record "
            "count as one.",
            unit="share",
            better="low",
        ),
        Figure(
            "identical_excess_high",
            "Identical beyond chance, to",
            "The upper end of the same interval.",
            unit="share",
            better="low",
        ),
        Figure(
            "identical_share",
            "Identical to a training row",
            "Released rows that equal one of the training rows looked at in every column, of all released "
            "rows.",
            unit="share",
            better="low",
        ),
        Figure(
            "identical_holdout_share",
            "Identical to a hold-out row",
            "The same for rows no step saw: what chance gives where many people are alike.",
            unit="share",
        ),
        Figure(
            "pasted_share",
            "Rows that may be copies",
            "Identical beyond chance, divided by the share of the training rows that were looked at: about "
            "so many of the released rows would be copies of training rows, if all training rows were "
            "looked at.",
            unit="share",
            better="low",
            usual=(0, 0.02),
        ),
        Figure(
            "closer_share",
            "Closer to training rows",
            "Released rows whose nearest training row is nearer than their nearest hold-out row. One as "
            "close to both counts in proportion to the tied rows on either side. Compare it with its "
            "baseline.",
            unit="share",
            better="low",
            usual=(0.45, 0.55),
            headline=True,
        ),
        Figure(
            "closer_low",
            "Closer to training rows, from",
            "The lower end of its 95 % interval (Wilson). Released rows with the same nearest record count "
            "as one.",
            unit="share",
            better="low",
        ),
        Figure(
            "closer_high",
            "Closer to training rows, to",
            "The upper end of the same interval.",
            unit="share",
            better="low",
        ),
        Figure(
            "closer_baseline",
            "Baseline",
            "Training rows looked at, divided by these and the hold-out rows looked at: what the share "
            "closer to training rows is where nothing is remembered. One half where both are of the same "
            "size.",
            unit="share",
        ),
        Figure(
            "distance_5",
            "Distance to the closest record, 5 %",
            "One released row in twenty is no farther from a training row than this. Before: the same of "
            "hold-out rows, as near as different people come to each other by nature.",
            better="high",
        ),
        Figure(
            "distance_5_holdout",
            "Distance to the closest hold-out row, 5 %",
            "The same distance of released rows, to rows no step saw.",
        ),
        Figure(
            "distance_ratio",
            "Mean distance, training to hold-out",
            "The mean distance to the nearest training row, divided by that to the nearest hold-out row. "
            "Near 1 where nothing is remembered, below where released rows keep close to training rows.",
            better="high",
            usual=(0.9, 1.1),
        ),
        Figure(
            "neighbour_ratio_5",
            "Nearest-neighbour ratio, 5 %",
            "The distance to the nearest training row divided by that to the second nearest, of which one "
            "released row in twenty has no more. Near 0: the row lies beside one single person. Before: the"
            " same of hold-out rows.",
            unit="share",
            better="high",
        ),
        Figure(
            "neighbour_ratio_5_holdout",
            "Nearest-neighbour ratio to hold-out rows, 5 %",
            "The same ratio of released rows, of distances to rows no step saw.",
            unit="share",
        ),
        Figure(
            "columns_compared",
            "Columns compared",
            "Those that leave with values such as the original has: one that a later step put labels over is "
            "not among them.",
            unit="count",
        ),
        Figure("rows_released", "Released rows looked at", "A random sample, or all.", unit="count"),
        Figure("rows_training", "Training rows looked at", "A random sample, or all.", unit="count"),
        Figure("rows_holdout", "Hold-out rows looked at", "A random sample, or all.", unit="count"),
    )

    hold_out: HoldOut = None
    columns: LeavingColumns = ()
    distance: Distance = Field(
        "gower",
        title="Distance",
        description="Gower: the mean over the columns. Euclidean: the root mean square.",
    )
    rows: MostRows = 20_000
    same_size: bool = Field(
        True,
        title="Same size",
        description="Look at as many training rows as were held out. Otherwise at all, and the baseline is "
        "not ½.",
    )

    def does_not_apply(self, outlook: Outlook) -> str | None:
        return None if self.hold_out else not_made_up(outlook)

    def effort(self, outlook: Outlook) -> Effort:
        rows, width = min(self.rows, outlook.rows), len(outlook.schema)
        reading = 4 * outlook.rows * width * SECONDS_PER_CELL
        return Effort(reading + 3 * rows * rows * width * SECONDS_PER_PAIR, 48 * rows * width)

    def compare(self, scene: Scene) -> Found:
        parties = Parties.of(scene, self.hold_out, self.columns)
        training, hold_out, released = parties.cells(self.rows, self.rows, self.same_size)
        known, unknown = Blocks.of(training), Blocks.of(hold_out)
        to_training, to_hold_out, by_nature = (
            nearest(rows, held, scene.reporter, self.distance)
            for rows, held in ((released, known), (released, unknown), (hold_out, known))
        )
        found = Closeness(to_training, to_hold_out, len(training), len(hold_out))
        looked_at = len(training) / parties.training.rows()
        return Found(
            {
                **_closer(found),
                **_identical(found, looked_at),
                "distance_5": _low(to_training.first),
                "distance_5_holdout": _low(to_hold_out.first),
                "distance_ratio": _ratio(to_training.first, to_hold_out.first),
                "neighbour_ratio_5": _low(to_training.ratio),
                "neighbour_ratio_5_holdout": _low(to_hold_out.ratio),
                "columns_compared": len(parties.fields),
                "rows_released": len(released),
                "rows_training": len(training),
                "rows_holdout": len(hold_out),
            },
            charts=(_chart(to_training.first, to_hold_out.first, by_nature.first),),
            before={"distance_5": _low(by_nature.first), "neighbour_ratio_5": _low(by_nature.ratio)},
        )


def _closer(found: Closeness) -> Mapping[str, Scalar]:
    closer = found.closer
    return {
        "closer_share": closer.value,
        "closer_low": closer.low,
        "closer_high": closer.high,
        "closer_baseline": found.baseline,
    }


def _identical(found: Closeness, looked_at: float) -> Mapping[str, Scalar]:
    one, other = found.identical
    excess = difference(one, other).bounded()
    return {
        "identical_excess": excess.value,
        "identical_excess_low": excess.low,
        "identical_excess_high": excess.high,
        "identical_share": one.value,
        "identical_holdout_share": other.value,
        "pasted_share": min(1.0, excess.value / looked_at),
    }


def _low(values: Floats) -> float | None:
    known = values[~np.isnan(values)]
    return float(np.quantile(known, LOW)) if len(known) else None


def _ratio(one: Floats, other: Floats) -> float | None:
    return float(one.mean() / other.mean()) if other.mean() > 0 else None


def _chart(to_training: Floats, to_hold_out: Floats, by_nature: Floats) -> Chart:
    lines = {
        "Released rows to training rows": to_training,
        "Released rows to hold-out rows": to_hold_out,
        "Hold-out rows to training rows": by_nature,
    }
    series = (
        Series(name, QUANTILES, tuple(np.quantile(far, QUANTILES).tolist()), reference=far is by_nature)
        for name, far in lines.items()
    )
    return Chart(
        "hold-out-distances",
        "Distance to the closest record",
        "line",
        Axis("Share of rows", scale="percent"),
        Axis("No farther than"),
        tuple(series),
        note="Where nothing is remembered, the first two lines lie on one another. The third shows how near "
        "different people are to each other by nature.",
        internal=True,
    )
