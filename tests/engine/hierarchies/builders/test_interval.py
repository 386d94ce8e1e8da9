"""Intervals joined level by level: every number lies in its own, and levels nest."""

from __future__ import annotations

import random
import re
from itertools import pairwise
from typing import Any

import pytest

from worker.engine.errors import EngineError
from worker.engine.hierarchies.builders.interval import build
from worker.engine.hierarchies.builders.settings import Settings

LABEL = re.compile(r"\[(-?[0-9.]+), (-?[0-9.]+)\[|<(-?[0-9.]+)|>=(-?[0-9.]+)|\*")


def rows(*values: object, **options: Any) -> list[tuple[str, ...]]:
    return build(Settings(options, "age"), [str(one) for one in values])


def span(label: str) -> tuple[float, float]:
    """What a label says, read by itself."""
    found = LABEL.fullmatch(label)
    assert found, label
    low, high, below, above = found.groups()
    if low:
        return float(low), float(high)
    return (float("-inf"), float(below)) if below else (float(above or "-inf"), float("inf"))


def test_ten_years_then_twenty() -> None:
    assert rows(4, 15, 38) == [
        ("4", "[0, 10[", "[0, 20[", "*"),
        ("15", "[10, 20[", "[0, 20[", "*"),
        ("38", "[30, 40[", "[20, 40[", "*"),
    ]


def test_an_origin_and_fractions() -> None:
    assert rows("-0.5", width="0.25", origin="0.1", fan_out=[2])[0][1:3] == ("[-0.65, -0.4[", "[-0.9, -0.4[")


def test_bounds_keep_their_label_at_every_level() -> None:
    low, high = rows(3, 95, bounds=[18, 90], fan_out=[2, 2])
    assert set(low[1:-1]) == {"<18"}
    assert set(high[1:-1]) == {">=90"}


def test_the_outermost_interval_reaches_to_the_bound() -> None:
    labels = [row[1] for row in rows(1, 25, 71, 88, snap=[20, 80])]
    assert labels == ["<30", "<30", ">=70", ">=70"]


@pytest.mark.parametrize("seed", range(40))
def test_numbers_lie_in_their_intervals_and_levels_nest(seed: int) -> None:
    chance = random.Random(seed)
    values = sorted({round(chance.uniform(-50, 150), chance.randint(0, 2)) for _ in range(15)})
    options: dict[str, Any] = {"width": chance.choice([1, 5, "2.5"]), "origin": chance.choice([0, "0.5", -3])}
    options |= {
        "bounds": chance.choice([None, [0, 100], [None, 90]]),
        "fan_out": chance.choice([2, 3, [2, 2]]),
    }
    made = rows(*values, **options)
    for value, row in zip(values, made, strict=True):
        spans = [span(label) for label in row[1:]]
        assert all(low <= value < high for low, high in spans)
        assert all(a[0] >= b[0] and a[1] <= b[1] for a, b in pairwise(spans))
    for finer, coarser in pairwise(zip(*made, strict=True)):
        assert len(set(zip(finer, coarser, strict=True))) == len(set(finer))


@pytest.mark.parametrize(
    ("options", "param"),
    [
        ({"width": 0}, "width"),
        ({"width": "x"}, "width"),
        ({"width": "1e999"}, "width"),
        ({"bounds": [5, 5]}, "bounds"),
        ({"bounds": [1]}, "bounds"),
        ({"snap": [0, 10], "bounds": [2, 8]}, "snap"),
        ({"fan_out": 1.5}, "fan_out"),
        ({"fan_out": [2] * 65}, "fan_out"),
    ],
)
def test_refusals(options: dict[str, Any], param: str) -> None:
    with pytest.raises(EngineError) as refused:
        rows(5, **options)
    assert refused.value.param == f"columns.age.hierarchy.{param}"


def test_words_are_counted_not_shown() -> None:
    with pytest.raises(EngineError, match="1 distinct value") as refused:
        rows(5, "secret")
    assert "secret" not in str(refused.value)
