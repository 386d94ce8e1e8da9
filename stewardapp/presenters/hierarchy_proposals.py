"""A sensible hierarchy for a column, from its kind and its values. A person looks at it before it counts."""

from collections.abc import Collection
from decimal import Decimal, InvalidOperation
from typing import Any

from worker.engine.fields import NUMERIC, Kind

INTERVALS = 20
LONGEST_CODE = 12


def proposal(kind: str, values: Collection[str]) -> dict[str, Any] | None:
    """The settings of a builder, or None when only a person can know how the values belong together."""
    if not values:
        return None
    if kind in NUMERIC:
        return _intervals(values)
    if kind == Kind.DATE:
        return {"builder": "date", "levels": ["month", "year", "decade"]}
    if kind == Kind.ORDINAL:
        return {"builder": "order", "fan_out": 2}
    if kind in (Kind.TEXT, Kind.CATEGORICAL) and _looks_like_codes(values):
        return {"builder": "mask", "side": "right"}
    return None


def described(kind: str) -> str:
    """What a proposal for this kind of column would be, in a sentence."""
    if kind in NUMERIC:
        return "Intervals of a round width, twice as wide at each level."
    if kind == Kind.DATE:
        return "Month, year, decade."
    if kind == Kind.ORDINAL:
        return "Neighbours joined in pairs, then in fours, in their natural order."
    if kind == Kind.BOOLEAN:
        return "Two values have nothing between themselves and *."
    return (
        "Codes of equal length lose their last character at each level. "
        "Names need an import: only you know which belong together."
    )


def _intervals(values: Collection[str]) -> dict[str, Any] | None:
    try:
        numbers = [Decimal(value) for value in values]
    except InvalidOperation:
        return None
    reach = max(numbers) - min(numbers)
    if reach <= 0:
        return None
    width = round_width(reach / INTERVALS)
    return {"builder": "interval", "width": _number(width), "origin": 0, "fan_out": 2}


def round_width(width: Decimal) -> Decimal:
    """The next 1, 2 or 5 times a power of ten."""
    power = Decimal(10) ** width.adjusted()
    return next(power * step for step in (1, 2, 5, 10) if power * step >= width)


def _number(value: Decimal) -> int | float:
    return int(value) if value == value.to_integral_value() else float(value)


def _looks_like_codes(values: Collection[str]) -> bool:
    lengths = {len(value) for value in values}
    return (
        len(lengths) == 1
        and 2 <= max(lengths) <= LONGEST_CODE
        and any(sign.isdigit() for value in values for sign in value)
        and not any(" " in value for value in values)
    )
