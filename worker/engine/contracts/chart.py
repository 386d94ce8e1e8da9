"""A chart as data: aggregates only, the same numbers as the table below it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

ChartKind = Literal["bar", "line", "step", "scatter", "heatmap", "lattice", "interval"]


@dataclass(frozen=True)
class Axis:
    """One axis: what it shows, in which unit, and how it is scaled."""

    title: str
    unit: str = ""
    scale: Literal["linear", "log", "category", "percent"] = "linear"


@dataclass(frozen=True)
class Series:
    """One named row of aggregates; `z` holds the rows of a heat map, `error` half-widths.

    A `reference` is not found but expected: a line to compare the others with.
    """

    name: str
    x: tuple[float | str, ...]
    y: tuple[float | str, ...]
    z: tuple[tuple[float | None, ...], ...] = ()
    error: tuple[float, ...] = ()
    reference: bool = False


@dataclass(frozen=True)
class Threshold:
    """A line to compare with, such as the policy's limit."""

    value: float
    label: str
    axis: Literal["x", "y"] = "y"


@dataclass(frozen=True)
class Region:
    """The part of the drawing in which every bound holds: from and to on each axis, or all of it."""

    x: tuple[float, float] | None = None
    y: tuple[float, float] | None = None


@dataclass(frozen=True)
class Chart:
    """What to draw and how to read it. Labels of data values belong only to released categories."""

    slug: str
    title: str
    kind: ChartKind
    x: Axis
    y: Axis
    series: tuple[Series, ...]
    note: str = ""
    threshold: Threshold | None = None
    internal: bool = field(default=False)
    """True when a label or figure stems from unreleased data: never shown outside the project."""
    column: str = ""
    """The column it is about: pages show it beside that column instead of among the charts of its measure."""
    region: Region | None = None

    def as_dict(self) -> dict[str, Any]:
        """The chart as plain JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Chart:
        """Read back what `as_dict` wrote."""
        series = tuple(
            Series(
                name=one["name"],
                x=tuple(one["x"]),
                y=tuple(one["y"]),
                z=tuple(tuple(row) for row in one.get("z", ())),
                error=tuple(one.get("error", ())),
                reference=one.get("reference", False),
            )
            for one in data["series"]
        )
        threshold = Threshold(**data["threshold"]) if data.get("threshold") else None
        region = Region(**data["region"]) if data.get("region") else None
        rest = {
            **data,
            "region": region,
            "x": Axis(**data["x"]),
            "y": Axis(**data["y"]),
            "series": series,
            "threshold": threshold,
        }
        return cls(**rest)


def overlaid(sides: Iterable[tuple[str, Iterable[Chart]]]) -> tuple[Chart, ...]:
    """The charts of several sides of the same thing, laid over one another; each series says its side."""
    drawn: dict[str, Chart] = {}
    for side, charts in sides:
        for chart in charts:
            named = (replace(one, name=_sided(one.name, side)) for one in chart.series)
            earlier = drawn[chart.slug].series if chart.slug in drawn else ()
            drawn[chart.slug] = replace(chart, series=(*earlier, *named))
    return tuple(drawn.values())


def _sided(name: str, side: str) -> str:
    return f"{name}, {side.lower()}" if name else side
