"""Amounts of ε and δ are whole units; what is no exact amount is refused, never rounded."""

import math
from decimal import Decimal
from typing import Any

import pytest

from worker.engine.contracts.privacy import Spend, delta_femto, epsilon_micro


def test_ten_tenths_are_one() -> None:
    assert sum([Spend.of(0.1)] * 10, Spend()) == Spend.of(1)
    assert Spend.of(Decimal("0.1"), Decimal("1e-6")) * 10 == Spend(1_000_000, 10_000_000_000)


def test_the_smallest_amounts() -> None:
    spend = Spend.of(Decimal("0.000001"), Decimal("1e-15"))
    assert spend == Spend(1, 1)
    assert (spend.epsilon, spend.delta) == (Decimal("0.000001"), Decimal("1e-15"))


def test_nothing_is_a_spend_that_is_false() -> None:
    assert not Spend()
    assert Spend(1)
    assert Spend(0, 1)


@pytest.mark.parametrize(
    "epsilon",
    [
        0,
        -1,
        -0.0,
        Decimal("-0.1"),
        math.nan,
        math.inf,
        -math.inf,
        Decimal("NaN"),
        Decimal("sNaN"),
        Decimal("Infinity"),
        5e-324,  # subnormal
        2.2250738585072009e-308,
        Decimal("1e-999999"),
        Decimal("1e999999"),
        0.0000001,
        Decimal("0.1234567"),
        Decimal("0.1" + "0" * 40 + "1"),
        1_000_001,
        1e300,
        "0.1",
        "NaN",
        None,
        True,
    ],
)
def test_no_epsilon(epsilon: Any) -> None:
    with pytest.raises(ValueError, match="Epsilon") as refusal:
        epsilon_micro(epsilon)
    assert "1234567" not in str(refusal.value)


@pytest.mark.parametrize("delta", [1, 1.5, -1e-9, 1e-16, math.nan, math.inf, 5e-324, "0", False])
def test_no_delta(delta: Any) -> None:
    with pytest.raises(ValueError, match="Delta"):
        delta_femto(delta)


@pytest.mark.parametrize("units", [1.0, True, Decimal(1), "1"])
def test_units_are_integers(units: Any) -> None:
    with pytest.raises(TypeError):
        Spend(units)
    with pytest.raises(TypeError):
        Spend(1, units)


def test_a_negative_spend_would_be_a_refund() -> None:
    for units in ((-1, 0), (1, -1)):
        with pytest.raises(ValueError, match="negative"):
            Spend(*units)
