"""What a search minimizes, exactly as the documentation of each objective states it.

An objective is a sum over columns of what each level costs, plus what suppressed rows add; some depend on the
sizes of the classes instead. Every objective has a bound that needs no grouping.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from worker.engine.arrays import Longs
from worker.engine.kernels.compiled import compiled
from worker.engine.search.coding import Coding, Keys
from worker.engine.search.snapshots import Table

Ints = np.ndarray[Any, np.dtype[np.int32]]
Floats = np.ndarray[Any, np.dtype[np.float64]]
Words = np.ndarray[Any, np.dtype[np.uint64]]


OBJECTIVES = (
    "loss",
    "aecs",
    "discernibility",
    "discernibility-star",
    "ambiguity",
    "entropy",
    "precision",
    "height",
)
LOSS, AECS, DISCERNIBILITY, STAR, AMBIGUITY, ENTROPY, PRECISION, HEIGHT = range(8)
AGGREGATES = ("arithmetic-mean", "geometric-mean", "max", "sum", "rank")
ARITHMETIC, GEOMETRIC, MAX, SUM, RANK = range(5)

DIGITS = 1e10
"""Losses of columns are rounded to ten decimals, half up, so that equal nodes are equal."""


@dataclass(frozen=True)
class Aim:
    """What a search makes as small as possible.

    *loss*: the share of the hierarchy's rows that a value covers; a suppressed row covers all. *aecs*: rows
    per class, all suppressed rows being one class more. *discernibility*: every row counts the rows it
    cannot be told from, a suppressed row counts all; *discernibility-star*: suppressed or not. *ambiguity*:
    how many original tuples a row could stand for. *entropy*: bits lost per cell. *precision*: mean of
    level ÷ height, a suppressed cell at full height. *height*: the sum of levels.
    """

    objective: str = "loss"
    aggregate: str = "arithmetic-mean"
    weight: float = 0.5
    """Of generalization against suppression: below a half suppression costs less (loss only)."""
    weights: tuple[float, ...] = ()
    """How much each column counts, in the order of the hierarchies; none: all alike."""

    def weights_of(self, columns: int) -> Floats:
        """Relative to the largest; all alike when none is above 0."""
        found = np.asarray(self.weights or (1.0,) * columns, np.float64)
        most = float(found.max(initial=0.0))
        return found / most if most > 0.0 else np.ones(columns)

    @property
    def factors(self) -> tuple[float, float]:
        """What the loss of a kept row is multiplied with, and how much of the rest a suppressed row loses."""
        if self.objective != OBJECTIVES[LOSS]:
            return 1.0, 1.0
        return min(1.0, 2.0 * (1.0 - self.weight)), min(1.0, 2.0 * self.weight)


class Costs(NamedTuple):
    """The objective and what each level of each column costs, for kernels."""

    objective: int
    aggregate: int
    generalization: float
    suppression: float
    rows: float
    cost: Floats
    """`cost[c, l]`: the sum over all rows at that level; loss in rows of the hierarchy."""
    entropy: Floats
    """`entropy[c, l]`: of the column's values, in bits. What the search learns from."""
    values: Floats
    """`values[c, l]`: how many different values occur."""
    weights: Floats
    """How much each column counts where columns are added up, 1 at most."""


@compiled
def code_counts(coding: Coding, keys: Words, rows: Ints, column_at: Longs, counts: Longs) -> None:
    """How many rows hold each code of each column; column c's counts start at `column_at[c]`."""
    for column in range(coding.word.size):
        mask, shift = np.uint64((1 << coding.width[column]) - 1), np.uint64(coding.shift[column])
        own, span = keys[coding.word[column]], 1 << coding.width[column]
        parts = np.zeros((4, span), np.int64)  # so that adding to one value need not wait for itself
        whole = rows.size // 4 * 4
        for i in range(0, whole, 4):
            parts[0, np.int64((own[i] >> shift) & mask)] += rows[i]
            parts[1, np.int64((own[i + 1] >> shift) & mask)] += rows[i + 1]
            parts[2, np.int64((own[i + 2] >> shift) & mask)] += rows[i + 2]
            parts[3, np.int64((own[i + 3] >> shift) & mask)] += rows[i + 3]
        for i in range(whole, rows.size):
            parts[0, np.int64((own[i] >> shift) & mask)] += rows[i]
        for field in range(span):
            found = parts[0, field] + parts[1, field] + parts[2, field] + parts[3, field]
            if found:
                counts[column_at[column] + coding.leaves[coding.leaf_at[column] + field]] += found


@compiled
def level_costs(
    coding: Coding,
    objective: int,
    total: float,
    column_at: Longs,
    counts: Longs,
    cost: Floats,
    entropy: Floats,
    values: Floats,
) -> None:
    """Fill the three tables of `Costs` from the codes' counts."""
    for column in range(coding.word.size):
        size = column_at[column + 1] - column_at[column]
        own = counts[column_at[column] : column_at[column + 1]]
        for level in range(coding.levels[column]):
            at = coding.map_at[column, level]
            held = np.zeros(size, np.int64)
            for code in range(size):
                held[coding.maps[at + code]] += own[code]
            measure_level(coding, objective, total, column, level, own, held, cost, entropy, values)


@compiled
def measure_level(
    coding: Coding,
    objective: int,
    total: float,
    column: int,
    level: int,
    own: Longs,
    held: Longs,
    cost: Floats,
    entropy: Floats,
    values: Floats,
) -> None:
    """One level of one column: what it costs, its entropy, its values."""
    at = coding.map_at[column, level]
    for group in range(held.size):
        if held[group]:
            values[column, level] += 1.0
            entropy[column, level] -= held[group] / total * np.log2(held[group] / total)
    top = max(coding.levels[column] - 1, 1)
    for code in range(own.size):
        if own[code] == 0:
            continue
        if objective == LOSS:
            cost[column, level] += own[code] * coding.covers[at + code]
        elif objective == AMBIGUITY:
            cost[column, level] += own[code] * np.log(coding.covers[at + code])
        elif objective == ENTROPY:
            cost[column, level] -= own[code] * np.log2(own[code] / held[coding.maps[at + code]])
        elif objective == PRECISION:
            cost[column, level] += own[code] * level / top
        elif objective == HEIGHT:
            cost[column, level] = level


def costs_of(aim: Aim, keys: Keys, tables: Iterable[Table]) -> Costs:
    """Prepare an objective for the keys of a table, in one or several pieces."""
    coding = keys.coding
    column_at = np.concatenate([[0], np.cumsum([ladder.size for ladder in keys.ladders])]).astype(np.int64)
    counts = np.zeros(int(column_at[-1]), np.int64)
    total = 0.0
    for packed, rows in tables:
        code_counts(coding, packed, rows, column_at, counts)
        total += float(rows.sum(dtype=np.int64))
    cost, entropy, values = (np.zeros(coding.map_at.shape, np.float64) for _ in range(3))
    objective = OBJECTIVES.index(aim.objective)
    level_costs(coding, objective, total, column_at, counts, cost, entropy, values)
    aggregate, weights = AGGREGATES.index(aim.aggregate), aim.weights_of(len(coding.levels))
    return Costs(objective, aggregate, *aim.factors, total, cost, entropy, values, weights)
