"""A chart's table shows what its drawing shows."""

from __future__ import annotations

from stewardapp.presenters.chart_table import table, trimmed
from worker.engine.contracts.chart import Axis, Chart, Series


def bars(*series: Series, scale: str = "number") -> Chart:
    return Chart(
        slug="sizes",
        title="Sizes",
        kind="bar",
        x=Axis("Size", scale="category"),
        y=Axis("Rows", scale=scale),  # type: ignore[arg-type]
        series=series,
    )


def test_places_at_the_end_where_all_are_zero_are_left_out() -> None:
    chart = bars(Series("a", ("1", "2", "3", "4"), (5.0, 0.0, 0.0, 0.0)), Series("b", ("1", "2"), (0.0, 2.0)))
    shown = trimmed(chart)
    assert [series.x for series in shown.series] == [("1", "2"), ("1", "2")]
    assert trimmed(bars(Series("a", ("1", "2"), (0.0, 0.0)))).series[0].x == ("1", "2")


def test_errors_are_shortened_with_their_bars() -> None:
    (series,) = trimmed(bars(Series("a", ("1", "2"), (3.0, 0.0), error=(0.1, 0.2)))).series
    assert series.error == (0.1,)


def test_a_row_per_place_and_a_dash_where_nothing_is() -> None:
    made = table(bars(Series("a", ("1", "2"), (1234.0, 2.0)), Series("b", ("2",), (0.5,))))
    assert [row[0] for row in made.rows] == ["1", "2"]
    assert made.rows[0][2] == "–"
    assert made.values[0][1] == 1234.0


def test_shares_are_written_as_shares() -> None:
    made = table(bars(Series("a", ("1",), (0.25,)), scale="percent"))
    assert made.rows[0][1].startswith("25")
    assert made.rows[0][1].endswith("%")
