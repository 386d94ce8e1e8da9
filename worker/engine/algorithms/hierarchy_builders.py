"""Hierarchies made by rule: intervals, order, masking, dates, trees."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any

from worker.engine.column import SUPPRESSED
from worker.engine.errors import EngineError

Rows = list[tuple[str, ...]]
MOST_LEVELS = 64


def build(builder: str, options: Mapping[str, Any], values: Sequence[str], column: str) -> Rows:
    """The rows of a hierarchy over these values."""
    make = BUILDERS.get(builder)
    if make is None:
        raise _refusal(column, "builder", f"there is no such builder. Known: {', '.join(sorted(BUILDERS))}")
    known = OPTIONS[builder]
    for option in options:
        if option not in known:
            raise _refusal(column, option, f"builder {builder} has no such option. Known: {', '.join(known)}")
    return make(options, values, column)


def interval(options: Mapping[str, Any], values: Sequence[str], column: str) -> Rows:
    """Half-open intervals `[a, b[`, each level `fan_out` times as wide as the one before."""
    width = _number(options.get("width", 10), column, "width")
    origin = _number(options.get("origin", 0), column, "origin")
    fan_out = _whole(options.get("fan_out", 2), column, "fan_out", 2)
    if width <= 0:
        raise _refusal(column, "width", "must be above 0")
    bounds = _bounds(options, column)
    numbers = _numbers(values, column)
    inside = [n for n in numbers if bounds is None or bounds[0] <= n < bounds[1]]
    widths = _widths(inside, width, origin, fan_out)
    rows: Rows = []
    for text, number in zip(values, numbers, strict=True):
        labels = [_interval_label(number, w, origin, bounds) for w in widths]
        rows.append((text, *labels, SUPPRESSED))
    return rows


def order(options: Mapping[str, Any], values: Sequence[str], column: str) -> Rows:
    """Neighbours in a declared order, `fan_out` of them joined at each level."""
    fan_out = _whole(options.get("fan_out", 2), column, "fan_out", 2)
    declared = options.get("values")
    if declared is not None and not isinstance(declared, list | tuple):
        raise _refusal(column, "values", "must be a list of texts in their order")
    ordered = [str(one) for one in declared] if declared else _natural_order(values)
    if len(set(ordered)) != len(ordered):
        raise _refusal(column, "values", "names a value twice")
    rows: Rows = []
    for place, text in enumerate(ordered):
        labels = []
        size = fan_out
        while size < len(ordered):
            start = place // size * size
            labels.append(_span_label(ordered[start], ordered[min(start + size, len(ordered)) - 1]))
            size *= fan_out
        rows.append((text, *labels, SUPPRESSED))
    return rows


def mask(options: Mapping[str, Any], values: Sequence[str], column: str) -> Rows:
    """One more character hidden at each level, from the right or from the left."""
    side = options.get("side", "right")
    character = options.get("character", SUPPRESSED)
    pad = options.get("pad")
    if side not in ("left", "right"):
        raise _refusal(column, "side", "must be left or right")
    for name, sign in (("character", character), ("pad", pad)):
        if sign is not None and (not isinstance(sign, str) or len(sign) != 1):
            raise _refusal(column, name, "must be one character")
    longest = max((len(text) for text in values), default=1)
    hide = _mask_right if side == "right" else _mask_left
    rows: Rows = []
    for text in values:
        # Padding goes where hiding starts, so that codes of unequal length lose their ends together.
        padded = (
            text if pad is None else text.ljust(longest, pad) if side == "right" else text.rjust(longest, pad)
        )
        labels = [hide(padded, number, character) for number in range(1, longest)]
        rows.append((text, *labels, SUPPRESSED))
    return rows


def date(options: Mapping[str, Any], values: Sequence[str], column: str) -> Rows:
    """Calendar units, from fine to coarse."""
    levels = options.get("levels", ["month", "year", "decade"])
    if not isinstance(levels, list | tuple) or not levels or any(unit not in UNITS for unit in levels):
        raise _refusal(column, "levels", f"must be a list of {', '.join(UNITS)}")
    places = [list(UNITS).index(unit) for unit in levels]
    if places != sorted(set(places)):
        raise _refusal(column, "levels", "must go from fine to coarse, each unit once")
    if "week" in levels and levels[-1] != "week":
        raise _refusal(column, "levels", "cannot go on after week: weeks cross months and years")
    pattern = options.get("format", "%Y-%m-%d")
    days = [_day(text, pattern) for text in values]
    unread = sum(day is None for day in days)
    if unread:
        text = f"{unread} distinct values are not dates of this form. Correct them or give another format"
        raise _refusal(column, "format", text)
    return [
        (text, *(UNITS[unit](day) for unit in levels), SUPPRESSED)
        for text, day in zip(values, days, strict=True)
        if day is not None
    ]


def tree(options: Mapping[str, Any], _values: Sequence[str], column: str) -> Rows:
    """A nested object: groups of groups of values; a shallow value stands for itself further up."""
    nested = options.get("tree", options.get("children"))
    if not isinstance(nested, Mapping | list | tuple):
        raise _refusal(column, "tree", "must be a nested object whose innermost parts are lists of values")
    paths = list(_leaves(nested, ()))
    deepest = max((len(path) for path in paths), default=1)
    if deepest > MOST_LEVELS:
        raise _refusal(column, "tree", f"is deeper than {MOST_LEVELS} levels")
    return [(path[0],) * (deepest - len(path)) + path + (SUPPRESSED,) for path in paths]


def _leaves(node: Any, above: tuple[str, ...]) -> Rows:
    if isinstance(node, Mapping):
        return [path for name, below in node.items() for path in _leaves_of(str(name), below, above)]
    return [(str(leaf), *above) for leaf in node]


def _leaves_of(name: str, below: Any, above: tuple[str, ...]) -> Rows:
    if below is None or (isinstance(below, Mapping | list | tuple) and not below):
        return [(name, *above)]
    if isinstance(below, Mapping | list | tuple):
        return _leaves(below, (name, *above))
    return [(str(below), name, *above)]


BUILDERS: dict[str, Callable[[Mapping[str, Any], Sequence[str], str], Rows]] = {
    "interval": interval,
    "order": order,
    "mask": mask,
    "date": date,
    "tree": tree,
}
OPTIONS: dict[str, tuple[str, ...]] = {
    "interval": ("width", "origin", "fan_out", "bounds"),
    "order": ("values", "fan_out"),
    "mask": ("side", "character", "pad"),
    "date": ("levels", "format"),
    "tree": ("tree", "children"),
}
UNITS: dict[str, Callable[[dt.date], str]] = {
    "day": lambda day: day.isoformat(),
    "week": lambda day: f"{day.isocalendar().year}-W{day.isocalendar().week:02d}",
    "month": lambda day: f"{day.year:04d}-{day.month:02d}",
    "quarter": lambda day: f"{day.year:04d}-Q{(day.month + 2) // 3}",
    "year": lambda day: f"{day.year:04d}",
    "decade": lambda day: f"[{day.year // 10 * 10}, {day.year // 10 * 10 + 10}[",
}


def _widths(numbers: Sequence[Decimal], width: Decimal, origin: Decimal, fan_out: int) -> list[Decimal]:
    """Widths of the levels, as long as another level still joins something."""
    widths = [width]
    reach = max(numbers) - min(numbers) if numbers else Decimal(0)
    while widths[-1] < reach and len({_floor(n - origin, widths[-1]) for n in numbers}) > 2:
        widths.append(widths[-1] * fan_out)
    return widths[:MOST_LEVELS]


def _floor(number: Decimal, width: Decimal) -> Decimal:
    whole = number // width  # Decimal's // goes toward zero
    return whole - 1 if whole * width > number else whole


def _interval_label(
    number: Decimal, width: Decimal, origin: Decimal, bounds: tuple[Decimal, Decimal] | None
) -> str:
    if bounds is not None and number < bounds[0]:
        return f"<{_plain(bounds[0])}"
    if bounds is not None and number >= bounds[1]:
        return f">={_plain(bounds[1])}"
    low = origin + _floor(number - origin, width) * width
    high = low + width
    if bounds is not None:
        low, high = max(low, bounds[0]), min(high, bounds[1])
    return f"[{_plain(low)}, {_plain(high)}["


def _span_label(first: str, last: str) -> str:
    return first if first == last else f"[{first}, {last}]"


def _mask_right(text: str, number: int, character: str) -> str:
    hidden = min(number, len(text))
    return text[: len(text) - hidden] + character * hidden


def _mask_left(text: str, number: int, character: str) -> str:
    hidden = min(number, len(text))
    return character * hidden + text[hidden:]


def _natural_order(values: Sequence[str]) -> list[str]:
    """Numbers by size, everything else by text."""
    try:
        return sorted(values, key=lambda text: (Decimal(text), text))
    except InvalidOperation:
        return sorted(values)


def _day(text: str, pattern: str) -> dt.date | None:
    try:
        return dt.datetime.strptime(text.strip(), pattern).date()  # noqa: DTZ007 - only the day is read
    except (ValueError, TypeError):
        return None


def _numbers(values: Sequence[str], column: str) -> list[Decimal]:
    numbers = []
    for text in values:
        try:
            numbers.append(Decimal(text.strip()))
        except InvalidOperation:
            continue
    if len(numbers) < len(values) or any(not n.is_finite() for n in numbers):
        text = (
            f"needs numbers, but {len(values) - len(numbers)} distinct values are none. Use another builder"
        )
        raise _refusal(column, "builder", text)
    return numbers


def _bounds(options: Mapping[str, Any], column: str) -> tuple[Decimal, Decimal] | None:
    given = options.get("bounds")
    if given is None:
        return None
    if not isinstance(given, list | tuple) or len(given) != 2:
        raise _refusal(column, "bounds", "must be two numbers")
    low, high = (_number(one, column, "bounds") for one in given)
    if low >= high:
        raise _refusal(column, "bounds", "must go from low to high")
    return low, high


def _number(given: Any, column: str, option: str) -> Decimal:
    try:
        number = Decimal(str(given))
    except InvalidOperation:
        raise _refusal(column, option, "must be a number") from None
    if not number.is_finite():
        raise _refusal(column, option, "must be a finite number")
    return number


def _whole(given: Any, column: str, option: str, least: int) -> int:
    if isinstance(given, bool) or not isinstance(given, int) or given < least:
        raise _refusal(column, option, f"must be a whole number of at least {least}")
    return given


def _plain(number: Decimal) -> str:
    text = f"{number:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _refusal(column: str, option: str, what: str) -> EngineError:
    where = f"columns.{column}.hierarchy.{option}"
    return EngineError("bad-hierarchy", f"{where}: {what}.", param=where)
