"""Reads the charts of a page as drawn, and the tables below them as printed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Page

DRAWN = """all => all.map(figure => ({
  title: figure.querySelector("h3").textContent,
  traces: figure.querySelector("[data-chart-url]").data.map(({ name, x, y, z }) => ({ name, x, y, z })),
  headers: [...figure.querySelectorAll("thead th")].map(cell => cell.textContent.trim()),
  rows: [...figure.querySelectorAll("tbody tr")].map(row =>
    [...row.cells].map(cell => cell.textContent.trim())),
}))"""


@dataclass(frozen=True)
class Picture:
    """One chart and its table."""

    title: str
    traces: list[dict[str, Any]]
    headers: list[str]
    rows: list[list[str]]

    def drawn(self, trace: str) -> dict[Any, float]:
        """The values of one series by their place."""
        [one] = [one for one in self.traces if one["name"] == trace]
        return dict(zip(one["x"], one["y"], strict=True))

    def differences(self) -> list[str]:
        """Where the table says something else than the drawing."""
        if any(trace.get("z") for trace in self.traces):
            return [difference for trace in self.traces for difference in self._unsaid(trace)]
        places = list(dict.fromkeys(place for trace in self.traces for place in trace["x"]))
        if self.headers[1:] != [trace["name"] for trace in self.traces] or len(places) != len(self.rows):
            return [f"{self.title}: other rows or columns"]
        return [
            f"{self.title}: {trace['name']} at {place} is drawn as {value} and printed as {cells[column]}"
            for column, trace in enumerate(self.traces, 1)
            for place, cells in zip(places, self.rows, strict=True)
            if not says(cells[column], value := self.drawn(trace["name"]).get(place))
        ]

    def _unsaid(self, trace: dict[str, Any]) -> list[str]:
        """Lines of a heat map that no row of the table says."""
        return [
            f"{self.title}: the line {place} is drawn as {line} and printed otherwise"
            for place, line in zip(trace["y"], trace["z"], strict=True)
            if not any(row[0] == str(place) and all(map(says, row[1:], line)) for row in self.rows)
        ]


def pictures(page: Page) -> list[Picture]:
    """Every chart of the page, once it is drawn."""
    boxes = page.locator("figure.chart [data-chart-url]")
    for number in range(boxes.count()):
        boxes.nth(number).locator(".main-svg").first.wait_for()
    return [Picture(**one) for one in page.locator("figure.chart:has([data-chart-url])").evaluate_all(DRAWN)]


def says(text: str, value: float | None) -> bool:
    """Whether a printed number is this value, as exactly as it is printed."""
    plain = text.replace("\u202f", "").replace("\u00a0", "")
    if value is None:
        return plain == "–"
    if not plain.endswith("%"):
        return abs(float(plain) - value) <= 0.0005 * abs(value)
    bound, share = plain[0], float(plain.strip("<>%"))
    if bound in "<>":
        return value < share if bound == "<" else value > share
    return abs(value - share) <= 0.0501
