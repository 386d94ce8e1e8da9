"""Bars of a column's two sides, from shares or from quantiles."""

from __future__ import annotations

import pytest

from stewardapp.presenters.column_shapes import BARS, shapes
from worker.engine.marginals.distributions import moved_chart, quantile_chart, share_chart


def test_shares_share_one_scale() -> None:
    found = shapes(
        share_chart(
            "sex", [{"value": "F", "before": 0.5, "after": 0.25}, {"value": "M", "before": 0.5, "after": 1}]
        )
    )
    assert found == ([50, 50], [25, 100])


def test_quantiles_become_a_histogram_of_each_side() -> None:
    steps = [(q / 20, float(q), 10.0 + q / 2) for q in range(1, 20)]
    found = shapes(quantile_chart("age", steps))
    assert found is not None
    assert len(found.before) == len(found.after) == BARS
    assert max(found.before[1:6]) - min(found.before[1:6]) <= 1  # even where all of it lies
    assert found.after[0] == 0  # nothing of the release lies where the lowest originals lay
    assert max(found.after) == 100


@pytest.mark.parametrize(
    "chart",
    [
        moved_chart({"age": 0.5}),
        quantile_chart("age", [(0.05, 3.0, 3.0), (0.95, 3.0, 3.0)]),
        quantile_chart("age", []),
        share_chart("sex", []),
    ],
)
def test_what_has_no_two_sides_or_no_width_has_no_shape(chart) -> None:
    assert shapes(chart) is None
