"""Which counts a table shows, what is measured with noise for it, and how large its errors are.

A layout turns exact cells into the counts that get noise, and noisy counts into the table. Everything but
the noise is decided by declarations and parameters, so that errors are known before any data are touched.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import numpy as np

from worker.engine.dp.accuracy import Noise
from worker.engine.dp.cells import Grid
from worker.engine.dp.consistency import (
    Floats,
    Parents,
    fitted_cells,
    fitted_levels,
    level_variances,
    margin_variances,
    rounded_in_turn,
    without_negative,
)
from worker.engine.tables.column import SUPPRESSED
from worker.engine.tables.frequency import Counts

LEVEL = "level"
NORMAL_REACH = 1.96
POSITIVE_PART = 0.75
LAPLACE_REACH = 2.12
"""95 % of a Laplace variable lies within 2.12 standard deviations; of a sum of some, within less."""


class Layout(ABC):
    """The shape of a table over the cells of some columns."""

    tables: int = 1
    """How many tables are measured; one person changes each by at most the rows kept."""

    def __init__(self, grid: Grid) -> None:
        self.grid = grid

    @property
    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """The columns before `count`."""

    @abstractmethod
    def texts(self) -> tuple[list[str], ...]:
        """Their texts, one list per column."""

    @abstractmethod
    def measured(self, cells: Counts) -> Counts:
        """The exact counts that get noise, table after table."""

    @abstractmethod
    def published(self, counts: Counts, nonnegative: bool) -> Counts:
        """The counts of the table from the noisy ones. Given exact counts it returns the exact table."""

    @abstractmethod
    def errors(self, noise: Noise, nonnegative: bool = False) -> list[int]:
        """The 95 % half-width of every count."""

    def everywhere(self, noise: Noise, nonnegative: bool = False) -> int:
        """The half-width that no error of the table exceeds, at 95 %."""
        errors = self.errors(noise, nonnegative)
        return math.ceil(max(errors) * noise.error(len(errors)) / max(noise.error(), 1)) if errors else 0


class Plain(Layout):
    """Every cell by itself."""

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(cells.name for cells in self.grid.columns)

    def texts(self) -> tuple[list[str], ...]:
        return self.grid.texts()

    def measured(self, cells: Counts) -> Counts:
        return cells

    def published(self, counts: Counts, nonnegative: bool) -> Counts:
        return np.maximum(counts, 0) if nonnegative else counts

    def errors(self, noise: Noise, nonnegative: bool = False) -> list[int]:
        return [noise.error()] * self.grid.size

    def everywhere(self, noise: Noise, nonnegative: bool = False) -> int:
        """Exactly: the cells' noises are independent."""
        return noise.error(self.grid.size)


class WithMargins(Layout):
    """A cross table, the totals of each of its columns and the grand total, which add up."""

    def __init__(self, grid: Grid) -> None:
        super().__init__(grid)
        self.tables = 1 + len(grid.columns)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(cells.name for cells in self.grid.columns)

    def texts(self) -> tuple[list[str], ...]:
        found = self.grid.texts()
        for axis, cells in enumerate(self.grid.columns):
            for other, column in enumerate(found):
                column.extend(cells.labels if other == axis else [SUPPRESSED] * len(cells))
        for column in found:
            column.append(SUPPRESSED)
        return found

    def measured(self, cells: Counts) -> Counts:
        return np.concatenate([cells, *self._margins(cells)])

    def published(self, counts: Counts, nonnegative: bool) -> Counts:
        full = counts[: self.grid.size].reshape(self.grid.shape).astype(float)
        ends = np.cumsum([self.grid.size, *self.grid.shape])
        margins = [counts[a:b].astype(float) for a, b in pairwise(ends)]
        fitted = fitted_cells(full, margins)
        if nonnegative:
            fitted = without_negative(fitted)
        cells = rounded_in_turn(fitted.ravel())
        return np.concatenate([cells, *self._margins(cells), [cells.sum()]])

    def errors(self, noise: Noise, nonnegative: bool = False) -> list[int]:
        cell, margins, total = margin_variances(self.grid.shape)
        size = self.grid.size
        lonely = size // min(self.grid.shape) if nonnegative else 0
        found = [_reach(cell, noise, 2, lonely)] * size
        for axis, (variance, entries) in enumerate(zip(margins, self.grid.shape, strict=True)):
            runs = math.prod(self.grid.shape[:axis])  # of neighbours; rounding takes from their ends alone
            lonely = entries if nonnegative else 0
            found += [_reach(variance, noise, 2 * runs, lonely)] * entries
        return [*found, _reach(total, noise, 1)]

    def _margins(self, cells: Counts) -> list[Counts]:
        full, axes = cells.reshape(self.grid.shape), range(len(self.grid.shape))
        return [full.sum(axis=tuple(a for a in axes if a != axis)) for axis in axes]


@dataclass(frozen=True)
class Levels:
    """The coarser levels of a column's cells: labels per level, and each entry's parent one level up."""

    labels: tuple[tuple[str, ...], ...]
    parents: tuple[Parents, ...]


class WithLevels(Layout):
    """One column, counted on every level of its hierarchy; every level adds up to the one above."""

    def __init__(self, grid: Grid, levels: Levels) -> None:
        super().__init__(grid)
        self.levels = levels
        self.tables = len(levels.labels)

    @property
    def names(self) -> tuple[str, ...]:
        return (LEVEL, self.grid.columns[0].name)

    def texts(self) -> tuple[list[str], ...]:
        numbers = [str(level) for level, labels in enumerate(self.levels.labels) for _ in labels]
        return numbers, [label for labels in self.levels.labels for label in labels]

    def measured(self, cells: Counts) -> Counts:
        found = [cells]
        for labels, to in zip(self.levels.labels[1:], self.levels.parents, strict=True):
            found.append(np.zeros(len(labels), np.int64))
            np.add.at(found[-1], to, found[-2])
        return np.concatenate(found)

    def published(self, counts: Counts, nonnegative: bool) -> Counts:
        ends = np.cumsum([0, *self._sizes])
        noisy: list[Floats] = [counts[a:b].astype(float) for a, b in pairwise(ends)]
        return np.concatenate(fitted_levels(noisy, self.levels.parents, nonnegative))

    def errors(self, noise: Noise, nonnegative: bool = False) -> list[int]:
        variances = level_variances(self._sizes, self.levels.parents)
        lost = self._given_away(variances, noise) if nonnegative else [one * 0 for one in variances]
        pairs = zip(np.concatenate(variances).tolist(), np.concatenate(lost).tolist(), strict=True)
        return [_reach(variance, noise, 1) + math.ceil(more) for variance, more in pairs]

    def _given_away(self, variances: Sequence[Floats], noise: Noise) -> list[Floats]:
        """What a count may lose to empty ones beside it, and beside those above it."""
        found = [np.zeros(self._sizes[-1])]
        for level in range(len(self.levels.parents) - 1, -1, -1):
            to = self.levels.parents[level]
            beside = [_taken(one) for one in np.bincount(to)[to].tolist()]
            found.insert(0, np.sqrt(variances[level] * noise.variance) * beside + found[0][to])
        return found

    @property
    def _sizes(self) -> Sequence[int]:
        return [len(labels) for labels in self.levels.labels]


def _reach(variance: float, noise: Noise, rounded: float, among: int = 0) -> int:
    """The 95 % half-width of a fitted count that was rounded so often, and that may stand alone among so
    many that have to add up with it and are cut at 0."""
    fitted = math.sqrt(variance * noise.variance)
    deviation = math.sqrt(fitted**2 + rounded / 12)
    reach = LAPLACE_REACH if noise.distribution == "laplace" else NORMAL_REACH
    return math.ceil(deviation * reach + fitted * _taken(among))


@cache
def _taken(among: int) -> float:
    """What a count gives away at most to others that are empty, in standard deviations of their noise.

    Cut at t, noise of scale b leaves b/2·exp(−t/b) in each empty one on average; what is left in all of them
    is missing in the one that is not empty, which then lost t: t/b·exp(t/b) = (among − 1)/2. Noise that was
    added up leaves half as much again.
    """
    low, high = 0.0, math.log(among + 1)
    for _ in range(50):
        middle = (low + high) / 2
        enough = middle * math.exp(middle) >= (among - 1) * POSITIVE_PART
        low, high = (low, middle) if enough else (middle, high)
    return low / math.sqrt(2)
