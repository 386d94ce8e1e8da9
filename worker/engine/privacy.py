"""What a step takes from a privacy budget."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True)
class Spend:
    """ε in millionths, as an integer, so that sums are exact; δ as a decimal."""

    epsilon_micro: int = 0
    delta: Decimal = Decimal(0)

    def __post_init__(self) -> None:
        if self.epsilon_micro < 0 or not self.delta.is_finite() or self.delta < 0:
            raise ValueError("a spend is never negative")

    def __add__(self, other: Spend) -> Spend:
        return Spend(self.epsilon_micro + other.epsilon_micro, self.delta + other.delta)

    def __bool__(self) -> bool:
        return bool(self.epsilon_micro or self.delta)

    @property
    def epsilon(self) -> Decimal:
        """ε as a decimal with six places."""
        return Decimal(self.epsilon_micro) / 1_000_000
