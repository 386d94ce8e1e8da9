"""A chart and its table say the same, and a chart carries plain numbers only."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from stewardapp.presenters.chart_table import table
from stewardapp.presenters.charts import TOKENS, figure_json, pictured
from worker.engine.contracts.chart import Axis, Chart, ChartKind, Series, Threshold

CLASSES = Chart(
    slug="classes",
    title="Rows by size of their class",
    kind="bar",
    x=Axis("size of the class", scale="category"),
    y=Axis("rows"),
    series=(
        Series("before", ("1", "2", "5–9"), (3187, 1200.5, 40)),
        Series("after", ("5–9", "10–19"), (610, 29552)),
    ),
    threshold=Threshold(5, "policy", axis="y"),
)
HEAT = Chart(
    slug="heat",
    title="Dependency",
    kind="heatmap",
    x=Axis("column", scale="category"),
    y=Axis("column", scale="category"),
    series=(Series("after", ("a", "b"), ("a", "b"), z=((1.0, 0.25), (0.25, None))),),
)
NOISY = Chart(
    slug="noisy",
    title="Counts",
    kind="interval",
    x=Axis("cell", scale="category"),
    y=Axis("people"),
    series=(Series("count", ("a", "b"), (10, 12), error=(2.5, 2.5)),),
)
KINDS: tuple[ChartKind, ...] = ("bar", "line", "step", "scatter", "interval", "lattice")


def walk(node: Any) -> Any:
    yield node
    for child in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from walk(child)


@pytest.mark.parametrize("chart", [CLASSES, HEAT, NOISY], ids=lambda chart: chart.slug)
def test_nothing_in_the_figure_is_binary_or_styled(chart: Chart) -> None:
    figure = json.loads(figure_json(chart))
    dicts = [node for node in walk(figure) if isinstance(node, dict)]
    assert not [node for node in dicts if {"bdata", "dtype"} & node.keys()]
    assert {node["color"] for node in dicts if "color" in node} <= {*TOKENS, "before", "limit", "ink"}
    assert figure["layout"].get("template", {}).get("data") in (None, {}, {"scatter": [{"type": "scatter"}]})


@pytest.mark.parametrize("kind", KINDS)
def test_the_table_holds_exactly_the_numbers_of_the_drawing(kind: ChartKind) -> None:
    chart = Chart(**{**CLASSES.__dict__, "kind": kind})
    drawn = {
        (trace["name"], x): y
        for trace in json.loads(figure_json(chart))["data"]
        for x, y in zip(trace["x"], trace["y"], strict=True)
    }
    shown = table(chart)
    told = {
        (name, row[0]): cell
        for row in shown.values
        for name, cell in zip(shown.headers[1:], row[1:], strict=True)
        if cell is not None
    }
    assert told == drawn


def test_a_heat_map_is_a_table_of_its_rows() -> None:
    assert table(HEAT).values == (("a", 1.0, 0.25), ("b", 0.25, None))
    assert json.loads(figure_json(HEAT))["data"][0]["z"] == [[1.0, 0.25], [0.25, None]]
    assert table(HEAT).rows[1] == ("b", "0.25", "–")


def test_half_widths_have_a_column() -> None:
    assert table(NOISY).headers == ("cell", "count", "count ±")
    assert table(NOISY).values[0] == ("a", 10, 2.5)


def test_shares_are_drawn_as_per_cent_and_large_numbers_in_groups() -> None:
    shares = replace(
        CLASSES,
        x=Axis("share of people", scale="percent"),
        y=Axis("share of rows", scale="percent"),
        kind="line",
        series=(Series("after", (0.5, 1), (0.07, 1 / 3), error=(0.01, 0)),),
        threshold=Threshold(0.2, "policy"),
    )
    figure = json.loads(figure_json(shares))
    [trace], layout = figure["data"], figure["layout"]
    assert (trace["x"], trace["y"]) == ([50, 100], [7, 33.333333333])
    assert trace["error_y"]["array"] == [1, 0]
    assert layout["shapes"][0]["y0"] == layout["annotations"][0]["y"] == 20
    assert [layout[axis]["ticksuffix"] for axis in ("xaxis", "yaxis")] == 2 * ["\u00a0%"]
    assert layout["separators"] == ".\u202f"
    assert layout["yaxis"]["separatethousands"]
    assert table(shares).rows[1][1] == "33.3\u00a0%"


def test_before_is_grey_and_the_rest_has_colours() -> None:
    figure = json.loads(figure_json(CLASSES))
    assert [trace["marker"]["color"] for trace in figure["data"]] == ["before", "after"]


def test_the_threshold_is_a_line_with_its_name() -> None:
    layout = json.loads(figure_json(CLASSES))["layout"]
    assert layout["shapes"][0]["y0"] == layout["shapes"][0]["y1"] == 5
    assert layout["annotations"][0]["text"] == "policy"


@pytest.mark.parametrize(
    ("names", "angle"),
    [
        (("1", "2", "3–4", "5–9", "10–19", "20–49", "50–99"), 0),
        (("1", "2", "3–4", "5–9", "10–19", "20–49", "50–99", "100–199", "200–499"), -40),
        (("birth_date", "sex", "postcode", "education", "diagnosis", "income"), 0),
        (("a name that is long", "another long name", "and a third one"), 0),
        (("a name that is too long", "another very long name", "and one more of that length"), -40),
        (("alone",), 0),
    ],
)
def test_names_that_would_run_into_each_other_are_slanted(names: tuple[str, ...], angle: int) -> None:
    chart = replace(CLASSES, series=(Series("after", names, tuple(range(1, len(names) + 1))),))
    assert json.loads(figure_json(chart))["layout"]["xaxis"]["tickangle"] == angle


@pytest.mark.parametrize(("label", "drawn"), [("short", "/chart"), ("Everybody with " + "a label, " * 7, "")])
def test_sentences_are_a_table_and_not_along_an_axis(label: str, drawn: str) -> None:
    bars = Series("Rows", (label,), (1,))
    chart = Chart("c", "C", "bar", Axis("Class", scale="category"), Axis("Rows"), (bars,), note="?")
    picture = pictured(chart, "/chart")
    assert picture.url == drawn
    assert picture.table.rows[0][0] == label
