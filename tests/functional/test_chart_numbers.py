"""The drawing library of the pages writes numbers as the pages do: on axes, in hover texts, beside shades."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from stewardapp.presenters.charts import figure_json
from tests.functional.crawl import BY_HAND
from worker.engine.contracts.chart import Axis, Chart, Series, Threshold

LIBRARY = Path(__file__).resolve().parents[2] / "static" / "vendor" / "plotly-cartesian.min.js"
ROWS = Series("after", ("1", "2"), (30162, 12000))
SHARES = Series("after", (1.0, 12_000.0, 120_000.0), (0.2, 1 / 3, 0.00045))
SHADES = Series("after", ("a", "b"), ("a", "b"), z=((30162.0, 1.0), (2.0, None)))
NAMES = Axis("", scale="category")
CHARTS = {
    "bars": Chart("bars", "", "bar", NAMES, Axis("rows"), (ROWS,)),
    "a line": Chart(
        "line", "", "line", Axis("k"), Axis("", scale="percent"), (SHARES,), "", Threshold(0.3, "limit")
    ),
    "powers": Chart("powers", "", "line", Axis("k", scale="log"), Axis("", scale="percent"), (SHARES,)),
    "shades": Chart(
        "shades", "", "heatmap", Axis("", scale="category"), Axis("", scale="category"), (SHADES,)
    ),
}
WRITTEN = {
    "bars": ("30\u202f000", "12\u202f000"),
    "a line": ("120\u202f000", "20\u00a0%", "33.3\u00a0%"),
    "powers": ("100\u202f000", "20\u00a0%", "33.3\u00a0%"),
    "shades": ("30\u202f000",),
}
DRAW = """async ({ data, layout }) => {
  await Plotly.newPlot("chart", data, layout);
  if (data[0].type !== "heatmap") Plotly.Fx.hover("chart", [{ curveNumber: 0, pointNumber: 1 }]);
}"""
TEXTS = "() => [...document.querySelectorAll('#chart text')].map(one => one.textContent)"


@pytest.fixture
def canvas(chromium: Browser) -> Iterator[Page]:
    """An empty page that knows the library."""
    page = chromium.new_page()
    page.set_content('<div id="chart"></div>')
    page.add_script_tag(content=LIBRARY.read_text(encoding="utf-8"))
    yield page
    page.close()


def coloured(figure: str) -> str:
    """With a colour for every name of one: that is the task of the page's own script."""
    return re.sub(r'"(after|before|limit|surface)"', '"#777777"', figure)


@pytest.mark.parametrize("kind", CHARTS)
def test_numbers_of_a_drawing_are_written_like_those_beside_it(canvas: Page, kind: str) -> None:
    canvas.evaluate(DRAW, json.loads(coloured(figure_json(CHARTS[kind]))))
    texts = canvas.evaluate(TEXTS)
    assert [one for one in WRITTEN[kind] if not any(one in text for text in texts)] == []
    assert [text for text in texts if BY_HAND.search(text)] == []


def test_shades_say_their_number_when_pointed_at() -> None:
    [trace] = json.loads(figure_json(CHARTS["shades"]))["data"]
    assert trace["hovertext"] == [["30\u202f162", "1"], ["2", "–"]]
