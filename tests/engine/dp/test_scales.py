"""Whole units between declared bounds."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from worker.engine.dp.scales import MOST_CANDIDATES, Scale, scale_of
from worker.engine.tables.column import Column
from worker.engine.tables.declaration import Declaration
from worker.engine.tables.kinds import Kind


def scale(low: object, high: object, kind: Kind = Kind.DECIMAL, width: Any = None) -> Scale:
    found = scale_of("c", Declaration(bounds=(low, high), kind=kind, bin_width=width))
    assert found is not None
    return found


def test_integers_are_their_own_units() -> None:
    found = scale(18, 90, Kind.INTEGER)
    assert (found.unit, found.low, found.high, found.middle) == (1, 18, 90, 54)
    assert (found.farthest, found.largest, found.step) == (36, 90, 1)


@pytest.mark.parametrize(
    ("low", "high", "unit"), [(0, 1, "0.0001"), (0, 10_000, "1"), (0, 99_999, "1"), (-5, 5, "0.001")]
)
def test_units_are_the_power_of_ten_below_a_ten_thousandth(low: int, high: int, unit: str) -> None:
    assert scale(low, high).unit == Decimal(unit)


def test_bounds_between_units_are_drawn_inwards() -> None:
    found = scale("0.5", "9.5", Kind.INTEGER)
    assert (found.low, found.high) == (1, 9)


@pytest.mark.parametrize(
    "said",
    [
        Declaration(kind=Kind.INTEGER),
        Declaration(bounds=(5, 5), kind=Kind.INTEGER),
        Declaration(bounds=("0.2", "0.8"), kind=Kind.INTEGER),
        Declaration(bounds=("2020-01-01", "2020-12-31"), kind=Kind.DATE),
    ],
)
def test_without_room_there_is_no_scale(said: Declaration) -> None:
    assert scale_of("c", said) is None


def test_values_beyond_the_bounds_count_as_the_bound() -> None:
    column = Column.of_texts("c", ["-7", "0.26", "0.24", "3", "", "x"], Kind.DECIMAL)
    units = Scale("c", Decimal("0.1"), 0, 20, 1).units(column)
    assert units[:4].tolist() == [0, 3, 2, 20]
    assert np.isnan(units[4:]).all()


def test_candidates_reach_from_bound_to_bound() -> None:
    found = scale(0, 1_000_000, Kind.INTEGER)
    assert found.candidates()[0] == 0
    assert found.candidates()[-1] == 1_000_000
    assert len(found.candidates()) <= MOST_CANDIDATES + 1
    assert scale(0, 100, Kind.INTEGER, 25).candidates() == [0, 25, 50, 75, 100]
    assert scale(0, 1, width="0.25").step == 2_500
    assert found.value(3) == 3


def test_beyond_what_rows_can_hold() -> None:
    assert scale(0, 2**53, Kind.INTEGER).is_exact
    assert not scale(0, 2**53 + 1, Kind.INTEGER).is_exact
