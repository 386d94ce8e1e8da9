"""A sensible hierarchy for a column, from its kind, its name and its values. A person looks at it first."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

import pyarrow as pa

from worker.engine.hierarchies.builders.settings import is_usable
from worker.engine.hierarchies.classifications import ENOUGH, Classification, classifications
from worker.engine.io.kinds import date_forms
from worker.engine.io.words import says
from worker.engine.tables.kinds import NUMERIC, Kind

INTERVALS = 20
LONGEST_CODE = 12
AGES = frozenset({"age", "alter", "edad", "eta", "leeftijd", "alder", "age_years"})
BIRTHS = frozenset({"birth", "dob", "birthdate", "birthday", "born", "geburtsdatum", "geburt", "naissance"})
OLDEST = 130
RARE, RARER = 0.25, 0.05
"""The rarest values, of at most so many of the rows together, are joined: first the rarer, then the rare."""

Spec = dict[str, Any]


def proposal(kind: str, name: str, counts: Mapping[str, int], this_year: int | None = None) -> Spec | None:
    """The settings of a builder, or the `rows` of a `classification`; None without values."""
    values = list(counts)
    if not values:
        return None
    if known := classified(name, values):
        return {"classification": known.slug, "rows": known.rows(values)}
    if kind in NUMERIC:
        return _intervals(kind, name, values)
    if kind == Kind.DATE:
        return _calendar(name, values, this_year)
    if kind == Kind.ORDINAL:
        return {"builder": "order", "fan_out": 2}
    if kind != Kind.BOOLEAN and _looks_like_codes(values):
        return {"builder": "mask", "side": "right"}
    return _by_frequency(counts)


def classified(name: str, values: Collection[str]) -> Classification | None:
    """The shipped classification that the name speaks of and that knows most of the values."""
    named = [one for one in classifications() if says(name, one.words)]
    best = max(named, key=lambda one: one.knows(values), default=None)
    return best if best is not None and best.knows(values) >= ENOUGH else None


def _intervals(kind: str, name: str, values: Collection[str]) -> Spec | None:
    try:
        numbers = [Decimal(value) for value in values]
    except InvalidOperation:
        return None
    if not all(map(is_usable, numbers)):
        return None
    low, high = min(numbers), max(numbers)
    if high <= low:
        return {"builder": "order", "fan_out": 2}
    if says(name, AGES) and low >= 0 and high <= OLDEST:
        return _ages(high)
    width = round_width((high - low) / INTERVALS)
    if kind == Kind.INTEGER:
        width = max(width, Decimal(2 if high - low > 2 else 1))
    return {"builder": "interval", "width": _number(width), "origin": 0, "fan_out": 2}


def _ages(oldest: Decimal) -> Spec:
    """Five, ten and twenty years, as far as they still tell ages apart."""
    widths = [width for width in (5, 10, 20) if width < oldest] or [2]
    fan_outs = [2] * (len(widths) - 1)
    spec: Spec = {"builder": "interval", "width": widths[0], "origin": 0, "fan_out": fan_outs or [2]}
    return spec | ({"bounds": [None, 90]} if oldest > 90 else {})


def _calendar(name: str, values: Collection[str], this_year: int | None) -> Spec | None:
    """By month, where it is sure which number is the month; else by year."""
    forms = date_forms(pa.array(values, pa.string()))
    if not forms:
        return None
    levels = ["month", "year", "decade"] if len(forms) == 1 else ["year", "decade"]
    spec: Spec = {"builder": "date", "levels": levels}
    if forms[0] != "%Y-%m-%d":
        spec["format"] = forms[0]
    if "%y" in forms[0] and this_year is not None and says(name, BIRTHS):
        spec["pivot"] = this_year % 100  # nobody is born in a year to come
    return spec


def _by_frequency(counts: Mapping[str, int]) -> Spec:
    """The rarest values joined, then more of them; of a few nothing lies between them and the root."""
    rows, ordered = sum(counts.values()), sorted(counts, key=lambda value: (counts[value], value))
    if len(ordered) < 4:
        return {"builder": "order", "fan_out": max(len(ordered), 2)}
    rarer = _first_within(ordered, counts, RARER * rows)
    rare = max(_first_within(ordered, counts, RARE * rows), min(rarer + 1, len(ordered) - 1), 2)
    other = next(label for label in ("other", "any other", "(other)") if label not in counts)
    tree: dict[str, Any] = {}
    inner: dict[str, Any] = {f"{other}, rare": list(ordered[:rarer])} if rarer >= 2 else {}
    first = rarer if inner else 0
    tree[other] = inner | {value: {} for value in ordered[first:rare]}
    return {"builder": "tree", "tree": tree | {value: {} for value in ordered[rare:]}}


def _first_within(ordered: Collection[str], counts: Mapping[str, int], most: float) -> int:
    """How many of the rarest values hold no more rows than this together."""
    total = number = 0
    for number, value in enumerate(ordered):
        total += counts[value]
        if total > most:
            return number
    return number + 1


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
        and all(any(sign.isdigit() for sign in value) for value in values)
        and not any(" " in value for value in values)
    )
