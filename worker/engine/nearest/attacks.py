"""An attack on made-up rows: how often it succeeds, on whom it should not, and what that leaves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from worker.engine.contracts.chart import Axis, Chart, Series
from worker.engine.contracts.figure import Figure, Scalar
from worker.engine.contracts.measure import DoesNotApply
from worker.engine.nearest.shares import Share, advantage

NOTHING_LEFT = (
    "Every attack succeeds on rows that no step saw too: what it finds is no matter of who was in the data."
)
ADVANTAGE = (
    Figure(
        "advantage",
        "Advantage",
        "What the attack gains from rows having been used: (success − control) / (1 − control), never shown "
        "below 0. At 0 it does as well on people the release was not made from.",
        unit="share",
        better="low",
        usual=(0, 0.05),
        headline=True,
    ),
    Figure(
        "advantage_low",
        "Advantage, from",
        "The lower end of its 95 % interval, from the Wilson intervals of success and control.",
        unit="share",
        better="low",
    ),
    Figure(
        "advantage_high", "Advantage, to", "The upper end of the same interval.", unit="share", better="low"
    ),
)
FIGURES = (
    *ADVANTAGE,
    Figure(
        "success",
        "Success",
        "The share of attacks on training rows that succeed.",
        unit="share",
        better="low",
        headline=True,
    ),
    Figure("success_low", "Success, from", "The lower end of its 95 % interval (Wilson).", unit="share"),
    Figure("success_high", "Success, to", "The upper end of the same interval.", unit="share"),
    Figure(
        "control",
        "Control",
        "The share of the same attacks that succeed on hold-out rows, which no step saw.",
        unit="share",
    ),
    Figure("control_low", "Control, from", "The lower end of its 95 % interval (Wilson).", unit="share"),
    Figure("control_high", "Control, to", "The upper end of the same interval.", unit="share"),
    Figure(
        "baseline",
        "Baseline",
        "The share of attacks on training rows that succeed by guessing, without looking at the released "
        "rows as wholes. An attack that does no better says nothing.",
        unit="share",
    ),
    Figure("attacks", "Attacks", "How many were made on training rows.", unit="count"),
)


@dataclass(frozen=True)
class Attack:
    """Shares of attacks that succeeded: on training rows, on hold-out rows, and by guessing."""

    success: Share
    control: Share
    baseline: float
    attacks: int

    def figures(self) -> Mapping[str, Scalar]:
        """By the names they are declared under."""
        gained = advantage(self.success, self.control)
        if gained is None:
            raise DoesNotApply(NOTHING_LEFT)
        named = {"advantage": gained.bounded(), "success": self.success, "control": self.control}
        found: dict[str, Scalar] = {"baseline": self.baseline, "attacks": self.attacks}
        for name, share in named.items():
            found |= {name: share.value, f"{name}_low": share.low, f"{name}_high": share.high}
        return found

    def chart(self, slug: str, title: str) -> Chart:
        """The three beside one another."""
        bars = {"Training rows": self.success, "Hold-out rows": self.control}
        values = (*(one.value for one in bars.values()), self.baseline)
        errors = (*((one.high - one.low) / 2 for one in bars.values()), 0.0)
        return Chart(
            slug,
            title,
            "bar",
            Axis("Attacked", scale="category"),
            Axis("Share of attacks that succeed", scale="percent"),
            (Series("Success", (*bars, "Guessing"), values, error=errors),),
            note="What the first bar has above the second is due to rows having been used; half the interval "
            "is drawn as the error.",
            internal=True,
        )
