"""A column's distribution as ten small bars, without a single value in it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from worker.engine.tables.column import Floats, parse_numbers
from worker.engine.tables.kinds import NUMERIC, Kind

BARS = 10
_KEPT = 20_000

Codes = np.ndarray[Any, np.dtype[np.int32]]


def scaled(counts: list[int]) -> list[int]:
    """Counts as heights from 0 to 100; the tallest is 100, and what is there at all is at least 1."""
    top = max(counts, default=0)
    heights = [max(1, round(100 * count / top)) if count else 0 for count in counts]
    return heights + [0] * (BARS - len(heights))


class NumberSample:
    """An even sample of a column's numbers (or dates, as numbers), taken by row."""

    def __init__(self) -> None:
        self._stride, self._next = 1, 0
        self._parts: list[Floats] = []
        self._held = 0

    def see(self, codes: Codes, texts: pa.Array, first_row: int) -> None:
        """Take every so many rows of a batch; `texts` are its labels."""
        rows = np.arange(-first_row % self._stride, len(codes), self._stride)
        taken = codes[rows]
        taken = taken[taken >= 0]
        used, places = np.unique(taken, return_inverse=True)
        numbers = _numbers(texts.take(pa.array(used)))
        self._parts.append(numbers[places.reshape(-1)])
        self._held += len(taken)
        while self._held > _KEPT:
            self._parts = [np.concatenate(self._parts)[::2]]
            self._held, self._stride = len(self._parts[0]), self._stride * 2

    def heights(self) -> list[int]:
        """A histogram between the 1st and the 99th percentile: an extreme value moves no border."""
        numbers = np.concatenate(self._parts) if self._parts else np.empty(0)
        numbers = numbers[np.isfinite(numbers)]
        if not len(numbers):
            return [0] * BARS
        low, high = np.quantile(numbers, [0.01, 0.99])
        counts, _ = np.histogram(
            np.clip(numbers, low, high), bins=BARS, range=(low, high) if high > low else None
        )
        return scaled(counts.tolist())


def _numbers(texts: pa.Array) -> Floats:
    """Numbers as they are; of an ISO date its digits, which sort like the date."""
    dates = pc.match_substring_regex(texts, "^[0-9]{4}[-/][0-9]{2}[-/][0-9]{2}")
    if not pc.any(dates).as_py():
        return parse_numbers(texts)
    digits = pc.replace_substring_regex(pc.utf8_slice_codeunits(texts, 0, 10), "[-/]", "")
    return parse_numbers(pc.if_else(dates, digits, texts))


def has_range(kind: Kind) -> bool:
    """Whether the values lie on a line."""
    return kind in NUMERIC or kind is Kind.DATE
