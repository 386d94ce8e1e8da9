"""What every attack tells."""

import pytest

from worker.engine.contracts.figure import taken
from worker.engine.contracts.measure import DoesNotApply
from worker.engine.nearest.attacks import FIGURES, Attack
from worker.engine.nearest.shares import Share


def test_every_figure_is_declared_and_found():
    found = Attack(Share.of(30, 100), Share.of(10, 100), 0.01, 100)
    figures = taken(FIGURES, found.figures())
    assert figures.keys() == {figure.name for figure in FIGURES}
    assert figures["advantage"] == pytest.approx(0.2 / 0.9)
    chart = found.chart("one", "One")
    assert chart.internal
    assert chart.series[0].y == (0.3, 0.1, 0.01)


def test_where_strangers_always_fall_nothing_is_told():
    with pytest.raises(DoesNotApply):
        Attack(Share.of(9, 9), Share.of(9, 9), 0.0, 9).figures()
