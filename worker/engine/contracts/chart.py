"""A chart as data: aggregates only, the same numbers as the table below it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Literal, Required, TypedDict, cast

ChartKind = Literal["bar", "line", "step", "scatter", "heatmap", "lattice", "interval"]


Scale = Literal["linear", "log", "category", "percent"]
Side = Literal["x", "y"]


class AxisJson(TypedDict):
    """An axis as JSON spells it."""

    title: str
    unit: str
    scale: Scale


class SeriesJson(TypedDict, total=False):
    """A series as JSON spells it; an older report does not tell all of it."""

    name: Required[str]
    x: Required[Sequence[float | str]]
    y: Required[Sequence[float | str]]
    z: Sequence[Sequence[float | None]]
    error: Sequence[float]
    reference: bool


class ThresholdJson(TypedDict):
    """A line to compare with, as JSON spells it."""

    value: float
    label: str
    axis: Side


class RegionJson(TypedDict):
    """A region as JSON spells it."""

    x: tuple[float, float] | None
    y: tuple[float, float] | None


class ChartJson(TypedDict, total=False):
    """A chart as JSON spells it; an older report does not tell all of it."""

    slug: Required[str]
    title: Required[str]
    kind: Required[ChartKind]
    x: Required[AxisJson]
    y: Required[AxisJson]
    series: Required[Sequence[SeriesJson]]
    note: str
    threshold: ThresholdJson | None
    internal: bool
    column: str
    region: RegionJson | None


@dataclass(frozen=True)
class Axis:
    """One axis: what it shows, in which unit, and how it is scaled."""

    title: str
    unit: str = ""
    scale: Scale = "linear"


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
    axis: Side = "y"


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

    def as_dict(self) -> ChartJson:
        """The chart as plain JSON."""
        return cast(ChartJson, asdict(self))

    @classmethod
    def from_dict(cls, data: ChartJson) -> Chart:
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
        threshold, region = data.get("threshold"), data.get("region")
        return cls(
            slug=data["slug"],
            title=data["title"],
            kind=data["kind"],
            x=Axis(**data["x"]),
            y=Axis(**data["y"]),
            series=series,
            note=data.get("note", ""),
            threshold=Threshold(**threshold) if threshold else None,
            internal=data.get("internal", False),
            column=data.get("column", ""),
            region=Region(**region) if region else None,
        )


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
