"""Settings as typed values."""

from __future__ import annotations

from decimal import Decimal
from itertools import islice

import pytest

from worker.engine.errors import EngineError
from worker.engine.hierarchies.builders.settings import FARTHEST, OPEN, Settings, is_usable


def test_one_fan_out_stands_for_all_levels() -> None:
    assert list(islice(Settings({"fan_out": 3}, "c").fan_outs(), 4)) == [3, 3, 3, 3]
    assert list(Settings({"fan_out": [2, 5]}, "c").fan_outs()) == [2, 5]
    assert list(islice(Settings({}, "c").fan_outs(), 2)) == [2, 2]


def test_ends() -> None:
    assert Settings({}, "c").ends("bounds") == OPEN
    assert Settings({"bounds": [None, "1.5"]}, "c").ends("bounds") == (None, Decimal("1.5"))


@pytest.mark.parametrize("given", ["x", "nan", "inf", "1e999", None, "1e-999"])
def test_what_is_no_number(given: object) -> None:
    with pytest.raises(EngineError) as refused:
        Settings({"width": given}, "c").number("width", 1)
    assert refused.value.param == "columns.c.hierarchy.width"


def test_a_few_characters_can_stand_for_a_billion_digits() -> None:
    assert is_usable(Decimal(f"1e{FARTHEST}"))
    assert not is_usable(Decimal(f"1e{FARTHEST + 1}"))
    assert not is_usable(Decimal("NaN"))
