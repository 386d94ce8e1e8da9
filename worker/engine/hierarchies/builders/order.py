"""Neighbours in an order, joined level by level."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal, InvalidOperation

from worker.engine.hierarchies.builders.settings import FanOuts, Rows, Settings
from worker.engine.tables.column import SUPPRESSED

OPTIONS = ("values", "fan_out")


def build(settings: Settings, values: Sequence[str]) -> Rows:
    """The rows of the declared values, or of those that occur in their natural order."""
    declared = settings.get("values")
    if declared is not None and not isinstance(declared, list | tuple):
        raise settings.refusal("values", "must be a list of texts in their order")
    ordered = [str(one) for one in declared] if declared else _natural(values)
    if len(set(ordered)) != len(ordered):
        raise settings.refusal("values", "names a value twice")
    sizes = _sizes(settings.fan_outs(), len(ordered))
    return [
        (text, *(_span(ordered, place // size * size, size) for size in sizes), SUPPRESSED)
        for place, text in enumerate(ordered)
    ]


def _sizes(fan_outs: FanOuts, number: int) -> list[int]:
    """How many neighbours one label covers at each level; a level that joined all would be the top."""
    sizes: list[int] = []
    size = 1
    for factor in fan_outs:
        size *= factor
        if size >= number:
            break
        sizes.append(size)
    return sizes


def _span(ordered: Sequence[str], start: int, size: int) -> str:
    first, last = ordered[start], ordered[min(start + size, len(ordered)) - 1]
    return first if first == last else f"[{first}, {last}]"


def _natural(values: Sequence[str]) -> list[str]:
    """Numbers by size, everything else by text."""
    try:
        return sorted(values, key=lambda text: (Decimal(text), text))
    except InvalidOperation:
        return sorted(values)
