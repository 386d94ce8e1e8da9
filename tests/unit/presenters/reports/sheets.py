"""Charts and papers to draw: invented, small, one of each kind."""

from __future__ import annotations

from dataclasses import replace

from stewardapp.presenters.reports.measured import picture
from stewardapp.presenters.reports.parts import Audience, Facts, Paper, Section, Table, Text
from worker.engine.contracts.chart import Axis, Chart, ChartKind, Series, Threshold

SHARE, NAMES, COUNT = Axis("Share", "", "percent"), Axis("Class", "", "category"), Axis("Rows")


def chart(kind: ChartKind = "bar", **changes: object) -> Chart:
    """Two series beside one another."""
    x = NAMES if kind == "bar" else Axis("Amount")
    places: tuple[float | str, ...] = ("small", "large") if kind == "bar" else (1.0, 3.0)
    series = (Series("Before", places, (0.5, 0.25)), Series("After", places, (0.125, 0.75)))
    made = Chart("one", "A chart", kind, x, SHARE, series, note="How to read it.")
    return replace(made, **changes)  # type: ignore[arg-type]


def heat_map() -> Chart:
    """Three columns against two."""
    cells = ((0.0, 0.5, None), (1.0, 0.25, 0.75))
    series = (Series("", ("a", "b", "c"), ("p", "q"), z=cells),)
    return Chart("heat", "A heat map", "heatmap", NAMES, NAMES, series)


LIMIT = Threshold(0.6, "policy at most 60 %".replace(" %", "\u00a0%"))


def paper() -> Paper:
    """Something of everything."""
    numbers = Table(("Figure", "Value"), (("Rows", "30\u202f162"), ("ε", "0.5")), "Numbers", frozenset({1}))
    parts = (Text("A sentence.", "warn"), Facts((("sha256", "ab" * 32), ("Name", "x (y) \\ z"))), numbers)
    drawn = (picture(chart()), picture(chart("step", threshold=LIMIT)), picture(heat_map()))
    inner = (Section("Below", drawn),)
    return Paper(
        Audience.INTERNAL, "A paper", "What it is.", (Section("In short", parts, inner),), {"version": 2}
    )
