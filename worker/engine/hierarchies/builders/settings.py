"""The settings of a builder as typed values; refusals name the setting, never a data value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from itertools import chain, repeat
from typing import Any

from worker.engine.errors import EngineError

Rows = list[tuple[str, ...]]
Ends = tuple[Decimal | None, Decimal | None]
MOST_LEVELS = 64
FARTHEST = 400  # digits before or after the point: labels are written out
OPEN: Ends = (None, None)


@dataclass(frozen=True)
class FanOuts:
    """How many neighbours are joined at each level: one number for all levels, or one for each."""

    each: tuple[int, ...]
    listed: bool

    def __iter__(self) -> Iterator[int]:
        """As many as there are levels; without end when one number stands for all."""
        return iter(self.each) if self.listed else chain(self.each, repeat(self.each[-1]))


@dataclass(frozen=True)
class Settings:
    """What was said of one builder for one column."""

    options: Mapping[str, Any]
    column: str

    def get(self, option: str, default: Any = None) -> Any:
        """As it was written."""
        return self.options.get(option, default)

    def refusal(self, option: str, what: str) -> EngineError:
        """Why a setting cannot be used."""
        where = f"columns.{self.column}.hierarchy.{option}"
        return EngineError("bad-hierarchy", f"{where}: {what}.", param=where)

    def number(self, option: str, default: Any) -> Decimal:
        """A finite number."""
        return self._number(option, self.get(option, default))

    def _number(self, option: str, given: Any) -> Decimal:
        try:
            number = Decimal(str(given))
        except InvalidOperation:
            raise self.refusal(option, "must be a number") from None
        if not is_usable(number):
            raise self.refusal(option, "must be a finite number, neither too large nor too small")
        return number

    def ends(self, option: str) -> Ends:
        """Two numbers from low to high; null leaves a side open."""
        given = self.get(option)
        if given is None:
            return OPEN
        if not isinstance(given, list | tuple) or len(given) != 2:
            raise self.refusal(option, "must be two numbers; null leaves a side open")
        low, high = (None if one is None else self._number(option, one) for one in given)
        if low is not None and high is not None and low >= high:
            raise self.refusal(option, "must go from low to high")
        return low, high

    def fan_outs(self) -> FanOuts:
        """One whole number for every level, or a list with one for each."""
        given = self.get("fan_out", 2)
        listed = isinstance(given, list | tuple)
        each = tuple(given) if listed else (given,)
        if not all(isinstance(one, int) and not isinstance(one, bool) and one >= 2 for one in each):
            raise self.refusal("fan_out", "must be a whole number of at least 2, or one for each level")
        if not each or len(each) > MOST_LEVELS:
            raise self.refusal("fan_out", f"must hold between 1 and {MOST_LEVELS} numbers")
        return FanOuts(each, listed)

    def numbers(self, values: Sequence[str]) -> list[Decimal]:
        """The values as numbers; refused with a count when some are none."""
        numbers = [number for text in values if (number := _read(text)) is not None]
        if len(numbers) < len(values):
            lost = len(values) - len(numbers)
            raise self.refusal(
                "builder", f"needs numbers, but {lost} distinct values are none. Use another builder"
            )
        return numbers


def _read(text: str) -> Decimal | None:
    try:
        number = Decimal(text.strip())
    except InvalidOperation:
        return None
    return number if is_usable(number) else None


def is_usable(number: Decimal) -> bool:
    """Whether it can be counted with and written out: a few characters can stand for a billion digits."""
    return number.is_finite() and abs(number.adjusted()) <= FARTHEST
