"""Values at their places: in order, within the frame, with round numbers beside them."""

import random

import pytest

from stewardapp.presenters.reports.scales import scale_of
from worker.engine.contracts.chart import Axis

LINEAR, LOG = Axis("x"), Axis("x", scale="log")


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("axis", [LINEAR, LOG], ids=["linear", "log"])
def test_larger_values_stand_further_and_none_outside(axis: Axis, seed: int) -> None:
    source = random.Random(seed)
    size = 10 ** source.uniform(-6, 6)
    values = sorted(source.uniform(0.001, 1) * size for _ in range(9))
    scale = scale_of(axis, values, 10, 200)
    places = [scale.at(one) for one in values]
    assert places == sorted(places)
    assert places[0] >= 10 - 1e-9
    assert places[-1] <= 200 + 1e-9
    ticks = scale.ticks()
    assert len({words for _, words in ticks}) == len(ticks)
    assert all(10 - 1e-6 <= place <= 200 + 1e-6 for place, _ in ticks)


def test_round_numbers_by_hand() -> None:
    assert [words for _, words in scale_of(LINEAR, [0, 9], 0, 1).ticks()] == ["0", "2", "4", "6", "8", "10"]
    assert [words for _, words in scale_of(LOG, [0.01, 1], 0, 1).ticks()] == ["0.01", "0.1", "1"]
    percent = Axis("x", scale="percent")
    assert scale_of(percent, [0.4], 0, 1, from_zero=True).ticks()[-1][1] == "40\u00a0%"


@pytest.mark.parametrize("values", [[], [0.0], [5.0, 5.0], [float("nan")]])
def test_nothing_to_scale_is_still_a_scale(values: list[float]) -> None:
    scale = scale_of(LINEAR, values, 0, 100, from_zero=True)
    assert scale.ticks()
    assert 0 <= scale.at(3.0) <= 100


def test_up_is_up() -> None:
    scale = scale_of(LINEAR, [0, 10], 170, 0)
    assert (scale.at(0), scale.at(10)) == (170, 0)
