"""Half-open intervals that are joined level by level."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from worker.engine.hierarchies.builders.settings import MOST_LEVELS, Ends, FanOuts, Rows, Settings
from worker.engine.tables.column import SUPPRESSED

OPTIONS = ("width", "origin", "fan_out", "bounds", "snap")


@dataclass(frozen=True)
class Scale:
    """Intervals `[a, b[` of one width.

    `bounds` are where bottom and top coding begin: what lies beyond keeps the label `<low` or `>=high` at
    every level. Intervals are repeated up to `snap`; the interval that holds a snap reaches on to the bound,
    or has no end where there is none.
    """

    width: Decimal
    origin: Decimal
    bounds: Ends
    snap: Ends

    def label(self, number: Decimal) -> str:
        """The interval a number lies in."""
        low_end, high_end = self.bounds
        if low_end is not None and number < low_end:
            return f"<{plain(low_end)}"
        if high_end is not None and number >= high_end:
            return f">={plain(high_end)}"
        return _worded(*self._snapped(*self._cell(number)))

    def _cell(self, number: Decimal) -> tuple[Decimal, Decimal]:
        low = self.origin + _floor(number - self.origin, self.width) * self.width
        return low, low + self.width

    def _snapped(self, low: Decimal, high: Decimal) -> Ends:
        """Outermost intervals reach to the bounds; where the two outermost overlap they are one."""
        first, last = self._first_end(), self._last_begin()
        at_first = first is not None and low < first
        at_last = last is not None and high > last
        if first is not None and last is not None and first > last and (at_first or at_last):
            return self.bounds
        if at_first:
            return self.bounds[0], first
        return (last, self.bounds[1]) if at_last else (self._clipped(low), self._clipped(high))

    def _first_end(self) -> Decimal | None:
        """Where the interval ends that holds the lower snap."""
        return None if self.snap[0] is None else self._clipped(self._cell(self.snap[0])[1])

    def _last_begin(self) -> Decimal | None:
        """Where the interval begins that ends at, or holds, the upper snap."""
        if self.snap[1] is None:
            return None
        low, _ = self._cell(self.snap[1])
        return self._clipped(low - self.width if low == self.snap[1] else low)

    def _clipped(self, end: Decimal) -> Decimal:
        low, high = self.bounds
        end = end if low is None else max(end, low)
        return end if high is None else min(end, high)


def build(settings: Settings, values: Sequence[str]) -> Rows:
    """The rows of every value; levels go on while they still join something, or as the fan-outs say."""
    width, origin = settings.number("width", 10), settings.number("origin", 0)
    if width <= 0:
        raise settings.refusal("width", "must be above 0")
    bounds, snap = _ends(settings)
    fan_outs, numbers = settings.fan_outs(), settings.numbers(values)
    inside = [n for n in numbers if not _beyond(n, bounds)]
    levels: list[list[str]] = []
    try:
        for one in _widths(width, fan_outs):
            scale = Scale(one, origin, bounds, snap)
            levels.append([scale.label(number) for number in numbers])
            if not fan_outs.listed and _joined(inside, scale):
                break
    except InvalidOperation:  # more digits than the arithmetic has
        raise settings.refusal("width", "is too small for numbers of this size") from None
    return [(text, *(level[at] for level in levels), SUPPRESSED) for at, text in enumerate(values)]


def _ends(settings: Settings) -> tuple[Ends, Ends]:
    bounds, snap = settings.ends("bounds"), settings.ends("snap")
    known = [end for end in (bounds[0], *snap, bounds[1]) if end is not None]
    if known != sorted(known):
        raise settings.refusal("snap", "must lie within the bounds")
    return bounds, snap


def _widths(width: Decimal, fan_outs: FanOuts) -> Iterator[Decimal]:
    yield width
    for level, factor in enumerate(fan_outs, 1):
        if level == MOST_LEVELS:
            return
        width *= factor
        yield width


def _joined(inside: Sequence[Decimal], scale: Scale) -> bool:
    """Whether another level would join no more than the top does."""
    reach = max(inside) - min(inside) if inside else Decimal(0)
    return reach <= scale.width or len({scale.label(number) for number in inside}) <= 2


def _beyond(number: Decimal, ends: Ends) -> bool:
    low, high = ends
    return (low is not None and number < low) or (high is not None and number >= high)


def _floor(number: Decimal, width: Decimal) -> Decimal:
    whole = number // width  # Decimal's // goes toward zero
    return whole - 1 if whole * width > number else whole


def _worded(low: Decimal | None, high: Decimal | None) -> str:
    if low is None:
        return SUPPRESSED if high is None else f"<{plain(high)}"
    return f">={plain(low)}" if high is None else f"[{plain(low)}, {plain(high)}["


def plain(number: Decimal) -> str:
    """Without an exponent and without zeros that say nothing."""
    text = f"{number:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
