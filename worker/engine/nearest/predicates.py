"""Predicates such as «age at least 90 and sex = f» that fit one released row, tried on other rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from worker.engine.arrays import Longs
from worker.engine.nearest.cells import NUMBER, Cells
from worker.engine.nearest.loops import AT_LEAST, AT_MOST, BELOW, IS, IS_NOT, fitting
from worker.engine.nearest.neighbours import pieces
from worker.engine.reporting import Reporter
from worker.engine.tables.column import Codes, Floats, Mask

if TYPE_CHECKING:
    from numpy.random import Generator

TRIES = 50
"""So many predicates are thought of, at most, for each that is wanted."""
AT_ONCE = 2_000


@dataclass(frozen=True)
class Predicates:
    """A line of conditions each: the column, what it must be, and compared with which cell."""

    columns: Longs
    signs: Longs
    values: Floats
    labels: Codes

    def __len__(self) -> int:
        return len(self.columns)

    def take(self, some: Mask | slice) -> Predicates:
        """Some of them."""
        return Predicates(self.columns[some], self.signs[some], self.values[some], self.labels[some])

    def single_out(self, rows: Cells, reporter: Reporter) -> Mask:
        """Which of them fit one of the rows and no other."""
        counts = np.zeros(len(self), np.int64)
        for part in pieces(len(self), len(rows), reporter):
            some = self.take(part)
            conditions = (some.columns, some.signs, some.values, some.labels)
            fitting(rows.numbers, rows.codes, *conditions, counts[part])
        return np.asarray(counts == 1)


def _together(parts: Sequence[Predicates]) -> Predicates:
    columns, signs, values, labels = zip(
        *((one.columns, one.signs, one.values, one.labels) for one in parts), strict=True
    )
    return Predicates(
        np.concatenate(columns), np.concatenate(signs), np.concatenate(values), np.concatenate(labels)
    )


def singling_out(released: Cells, width: int, wanted: int, draw: Generator, reporter: Reporter) -> Predicates:
    """Different predicates from random rows and columns, each of which fits one released row and no other."""
    middles = _middles(released)
    found: list[Predicates] = []
    seen: set[tuple[int, ...]] = set()
    for _ in range(max(1, TRIES * wanted // AT_ONCE)):
        rows = draw.integers(0, len(released), AT_ONCE)
        columns = _some_columns(released.numbers.shape[1], width, AT_ONCE, draw)
        tried = _from_rows(released, rows, columns, middles)
        fit = tried.single_out(released, reporter)
        fit[fit] = _fresh(rows[fit], columns[fit], seen, wanted)
        found.append(tried.take(fit))
        if len(seen) >= wanted:
            break
    return _together(found)


def guessed(released: Cells, width: int, wanted: int, draw: Generator) -> Predicates:
    """Predicates of random columns, values that occur there, and signs, whatever rows they come from."""
    columns = _some_columns(released.numbers.shape[1], width, wanted, draw)
    numbers, codes = np.empty(columns.shape), np.empty(columns.shape, np.int32)
    for column in range(released.numbers.shape[1]):
        here = columns == column
        cells = np.unique(np.column_stack([released.codes[:, column], released.numbers[:, column]]), axis=0)
        chosen = cells[draw.integers(0, len(cells), int(here.sum()))]
        codes[here], numbers[here] = chosen[:, 0].astype(np.int32), chosen[:, 1]
    most = np.where(codes == NUMBER, BELOW + 1, IS_NOT + 1)
    return Predicates(columns, draw.integers(IS, most), numbers, codes)


def _middles(released: Cells) -> Floats:
    """The median of the numbers of each column; 0 where there are none."""
    pairs = zip(released.numbers.T, released.codes.T, strict=True)
    known = (numbers[codes == NUMBER] for numbers, codes in pairs)
    return np.array([np.median(one) if len(one) else 0.0 for one in known])


def _some_columns(of: int, width: int, lines: int, draw: Generator) -> Longs:
    """So many different columns in each line, in ascending order."""
    order = np.argsort(draw.random((lines, of)), axis=1)[:, : min(width, of)]
    return np.ascontiguousarray(np.sort(order, axis=1).astype(np.int64))


def _from_rows(released: Cells, rows: Longs, columns: Longs, middles: Floats) -> Predicates:
    """A number above the median: at least that; any other: at most that; a text: the same."""
    values, labels = released.numbers[rows[:, None], columns], released.codes[rows[:, None], columns]
    sides = np.where(values > middles[columns], AT_LEAST, AT_MOST)
    return Predicates(columns, np.where(labels == NUMBER, sides, IS).astype(np.int64), values, labels)


def _fresh(rows: Longs, columns: Longs, seen: set[tuple[int, ...]], wanted: int) -> Mask:
    """Which predicates were not there before, until there are enough: one that fits a single row is that
    row's, and known by the row and its columns."""
    fresh = np.zeros(len(rows), bool)
    for at, key in enumerate(zip(rows.tolist(), *columns.T.tolist(), strict=True)):
        if key not in seen and len(seen) < wanted:
            seen.add(key)
            fresh[at] = True
    return fresh
