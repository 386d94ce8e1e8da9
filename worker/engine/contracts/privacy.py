"""What a step takes from a privacy budget, in whole units: sums are exact and comparisons mean what they say.

ε counts in millionths. δ is a probability and counts in units of 1e-15.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction

EPSILON_PLACES, DELTA_PLACES = 6, 15
MICRO, FEMTO = 1_000_000, 1_000_000_000_000_000
LARGEST_EPSILON = 1_000_000
Number = Decimal | int | float


class Protected(StrEnum):
    """Whom a promise is made to: a person with all rows, or a row where nothing tells persons apart."""

    PERSON = "person"
    ROW = "row"


@dataclass(frozen=True)
class Spend:
    """An amount of ε and δ; nothing is a spend too, a negative one is not."""

    epsilon_micro: int = 0
    delta_femto: int = 0

    def __post_init__(self) -> None:
        for units in (self.epsilon_micro, self.delta_femto):
            if type(units) is not int:  # neither a float, which is not exact, nor a bool
                raise TypeError("a spend is counted in whole units")
            if units < 0:
                raise ValueError("a spend is never negative")

    @classmethod
    def of(cls, epsilon: Number, delta: Number = 0) -> Spend:
        """ε and δ as somebody wrote them; refused, not rounded, when they are no exact amount."""
        return cls(epsilon_micro(epsilon), delta_femto(delta))

    @classmethod
    def limit(cls, epsilon: Number, delta: Number = 0) -> Spend:
        """A limit as somebody wrote it: like a spend, and it may be nothing."""
        return cls(0 if epsilon == 0 else epsilon_micro(epsilon), delta_femto(delta))

    def __add__(self, other: Spend) -> Spend:
        return Spend(self.epsilon_micro + other.epsilon_micro, self.delta_femto + other.delta_femto)

    def __mul__(self, times: int) -> Spend:
        return Spend(self.epsilon_micro * times, self.delta_femto * times)

    def __bool__(self) -> bool:
        return bool(self.epsilon_micro or self.delta_femto)

    def within(self, other: Spend) -> bool:
        """Whether neither part is larger than that of the other."""
        return self.epsilon_micro <= other.epsilon_micro and self.delta_femto <= other.delta_femto

    @property
    def epsilon(self) -> Decimal:
        """ε as a decimal with at most six places."""
        return Decimal(self.epsilon_micro).scaleb(-EPSILON_PLACES)

    @property
    def delta(self) -> Decimal:
        """δ as a decimal with at most fifteen places."""
        return Decimal(self.delta_femto).scaleb(-DELTA_PLACES)


def epsilon_micro(epsilon: Number) -> int:
    """ε above zero with at most six decimal places, in millionths."""
    units = _units(epsilon, EPSILON_PLACES, "Epsilon")
    if not 0 < units <= LARGEST_EPSILON * MICRO:
        raise ValueError(f"Epsilon must lie above 0 and not above {LARGEST_EPSILON}.")
    return units


def delta_femto(delta: Number) -> int:
    """δ from zero to below one with at most fifteen decimal places, in units of 1e-15."""
    units = _units(delta, DELTA_PLACES, "Delta")
    if not 0 <= units < FEMTO:
        raise ValueError("Delta is a probability: it must lie from 0 to below 1.")
    return units


def _units(amount: Number, places: int, name: str) -> int:
    """The amount times ten to the places, which must be a whole number: a subnormal never is."""
    if isinstance(amount, bool) or not isinstance(amount, Decimal | int | float):
        raise ValueError(f"{name} must be a number.")
    number = Decimal(repr(amount)) if isinstance(amount, float) else Decimal(amount)
    if not number.is_finite():
        raise ValueError(f"{name} must be a finite number.")
    if abs(number.adjusted()) > 3 * DELTA_PLACES and number:
        raise ValueError(f"{name} is too large or too small.")
    scaled: Fraction = Fraction(number) * Fraction(10) ** places  # decimals would be rounded at 28 digits
    if scaled.denominator != 1:
        raise ValueError(f"{name} can have at most {places} decimal places.")
    return scaled.numerator
