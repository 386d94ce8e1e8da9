"""The numbers of a chart as rows."""

from __future__ import annotations

from worker.engine.contracts.chart import Axis, Chart, Series
from worker.engine.contracts.chart_values import titled, union, values_of


def test_a_row_per_place_a_column_per_series_and_its_error() -> None:
    first = Series("before", ("a", "b"), (1.0, 2.0), error=(0.1, 0.2))
    chart = Chart(
        "s",
        "S",
        "bar",
        Axis("Value", unit="years"),
        Axis("Rows"),
        (first, Series("after", ("b", "c"), (3.0, 4.0))),
    )
    headers, rows = values_of(chart)
    assert headers == ("Value (years)", "before", "before ±", "after")
    assert rows == (("a", 1.0, 0.1, None), ("b", 2.0, 0.2, 3.0), ("c", None, None, 4.0))


def test_heat_maps_stand_below_one_another() -> None:
    maps = [Series(name, ("x", "y"), ("r",), z=((1.0, 2.0),)) for name in ("one", "two")]
    headers, rows = values_of(Chart("s", "S", "heatmap", Axis("Across"), Axis("Down"), tuple(maps)))
    assert headers == ("Down", "x", "y")
    assert rows == (("r", 1.0, 2.0),) * 2


def test_places_in_the_order_of_their_first_mention() -> None:
    assert union([Series("a", ("z", "b"), (1, 1)), Series("b", ("a", "z"), (1, 1))], "x") == ["z", "b", "a"]


def test_shares_carry_no_unit() -> None:
    assert titled(Axis("Share", unit="%", scale="percent")) == "Share"
