"""Kernels that score a node: from what its levels cost and what its suppressed classes add.

Losses are summed as whole numbers (rows times rows of the hierarchy covered), so a node has one score however
its classes were found.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from worker.engine.arrays import Longs
from worker.engine.kernels.compiled import compiled
from worker.engine.search.coding import Coding
from worker.engine.search.costs import (
    AECS,
    AMBIGUITY,
    DIGITS,
    DISCERNIBILITY,
    ENTROPY,
    GEOMETRIC,
    HEIGHT,
    LOSS,
    MAX,
    PRECISION,
    RANK,
    SUM,
    Costs,
)
from worker.engine.search.grouping import Groups

Floats = np.ndarray[Any, np.dtype[np.float64]]
Ints = np.ndarray[Any, np.dtype[np.int32]]
Mask = np.ndarray[Any, np.dtype[np.bool_]]


@compiled
def leaf_of(coding: Coding, groups: Groups, column: int, g: int) -> int:
    """A code that a group's generalized value covers."""
    field = (groups.keys[coding.word[column], g] >> np.uint64(coding.shift[column])) & np.uint64(
        (1 << coding.width[column]) - 1
    )
    return coding.leaves[coding.leaf_at[column] + np.int64(field)]


@compiled
def rounded(value: float) -> float:
    """To ten decimals, never below zero."""
    return np.floor(max(value, 0.0) * DIGITS + 0.5) / DIGITS


@compiled
def loss_of(
    coding: Coding, costs: Costs, column: int, level: int, covered: float, suppressed: float
) -> float:
    """A column's loss when suppressed rows, `suppressed` of them, would have covered `covered` rows."""
    file, rows = coding.rows[column], costs.rows
    kept = (costs.cost[column, level] - covered) / file
    gone = suppressed
    if costs.suppression < 1.0:
        gone = covered / file + costs.suppression * (suppressed - covered / file)
    least = costs.generalization * rows / file
    return rounded((costs.generalization * kept + gone - least) / (rows - least)) if rows > least else 0.0


@compiled
def aggregated(costs: Costs, losses: Floats) -> float:
    """One number for the columns' losses, weighted but for the geometric mean, which takes the weight of
    each factor. Ranked losses compare by their largest first."""
    if losses.size == 0:
        return 0.0
    if costs.aggregate == GEOMETRIC:
        product = 1.0
        for column in range(losses.size):
            product *= ((losses[column] + 1.0) * costs.weights[column]) ** (1.0 / losses.size)
        return product - 1.0
    if costs.aggregate == MAX or costs.aggregate == RANK:
        return losses.max()
    total = 0.0
    for loss in losses:
        total += loss if costs.aggregate == SUM else loss / losses.size
    return total


@compiled
def list_bad(groups: Groups, bad: Mask, members: Ints) -> int:
    """The numbers of the suppressed classes; how many there are."""
    count = 0
    for g in range(groups.number[0]):
        if bad[g]:
            members[count] = g
            count += 1
    return count


@compiled
def covered_rows(
    coding: Coding,
    groups: Groups,
    members: Ints,
    count: int,
    suppressed: float,
    column: int,
    level: int,
) -> float:
    """Rows of suppressed classes times what their value covers at a level."""
    at, covered = coding.map_at[column, level], 0.0
    keys, leaves, leaf_at = groups.keys[coding.word[column]], coding.leaves, coding.leaf_at[column]
    shift, mask = np.uint64(coding.shift[column]), np.uint64((1 << coding.width[column]) - 1)
    if coding.keep_from[column, level] == coding.width[column]:  # one value, which covers every row alike
        return coding.covers[at] * suppressed
    for i in range(count):
        g = members[i]
        leaf = leaves[leaf_at + np.int64((keys[g] >> shift) & mask)]
        covered += groups.rows[g] * coding.covers[at + leaf]
    return covered


@compiled
def covered_at_most(
    coding: Coding,
    groups: Groups,
    members: Ints,
    count: int,
    suppressed: float,
    column: int,
    level: int,
    high: int,
) -> float:
    """The same for a finer level than the classes' own, whatever finer values they fall into."""
    if level == high:
        return covered_rows(coding, groups, members, count, suppressed, column, level)
    fine, own = coding.map_at[column, level], coding.map_at[column, high]
    leaves = coding.map_at[column, 1] - coding.map_at[column, 0]
    largest, covered = np.zeros(leaves), 0.0
    for leaf in range(leaves):
        value = coding.maps[own + leaf]
        largest[value] = max(largest[value], coding.covers[fine + leaf])
    for i in range(count):
        value = coding.maps[own + leaf_of(coding, groups, column, members[i])]
        covered += groups.rows[members[i]] * largest[value]
    return covered


@compiled
def suppressed_entropy(
    coding: Coding,
    levels: Longs,
    groups: Groups,
    members: Ints,
    count: int,
    column: int,
    suppressed: int,
    held: Longs,
) -> float:
    """Bits lost when the generalized values of suppressed rows become `*`."""
    at = coding.map_at[column, levels[column]]
    held[:] = 0
    for i in range(count):
        held[coding.maps[at + leaf_of(coding, groups, column, members[i])]] += groups.rows[members[i]]
    bits = 0.0
    for value in range(held.size):
        if held[value]:
            bits -= held[value] * np.log2(held[value] / suppressed)
    return bits


@compiled
def column_losses(
    coding: Coding,
    costs: Costs,
    levels: Longs,
    groups: Groups,
    members: Ints,
    count: int,
    suppressed: int,
    losses: Floats,
) -> None:
    """The loss, or entropy, of each column, weighted."""
    held = np.zeros(coding.leaves.size if costs.objective == ENTROPY else 1, np.int64)
    for column in range(levels.size):
        level = levels[column]
        if costs.objective == LOSS:
            covered = 0.0
            if suppressed:
                covered = covered_rows(coding, groups, members, count, suppressed, column, level)
            losses[column] = loss_of(coding, costs, column, level, covered, suppressed)
        else:
            bits = 0.0
            if suppressed:
                bits = suppressed_entropy(coding, levels, groups, members, count, column, suppressed, held)
            losses[column] = rounded(costs.cost[column, level] + costs.suppression * bits)
        if costs.objective != LOSS or costs.aggregate != GEOMETRIC:
            losses[column] *= costs.weights[column]


@compiled
def ambiguity(coding: Coding, levels: Longs, groups: Groups, bad: Mask) -> float:
    """Σ rows Π of the values that each column could have been."""
    total = 0.0
    for g in range(groups.number[0]):
        product = float(groups.rows[g])
        for column in range(levels.size):
            if bad[g]:
                product *= coding.rows[column]
            else:
                product *= coding.covers[
                    coding.map_at[column, levels[column]] + leaf_of(coding, groups, column, g)
                ]
        total += product
    return total


@compiled
def from_sizes(costs: Costs, groups: Groups, bad: Mask, suppressed: int) -> float:
    """The objectives that look at class sizes alone."""
    kept, total = 0, 0.0
    for g in range(groups.number[0]):
        rows = groups.rows[g]
        kept += 0 if bad[g] else 1
        total += rows * costs.rows if bad[g] and costs.objective == DISCERNIBILITY else float(rows) * rows
    if costs.objective != AECS:
        return total
    classes = kept + (1 if suppressed else 0)
    return costs.rows / classes if classes else 0.0


@compiled
def from_levels(costs: Costs, levels: Longs, suppressed: int) -> float:
    """Precision and height."""
    total = 0.0
    for column in range(levels.size):
        level = costs.cost[column, levels[column]]
        if costs.objective == PRECISION:
            share = level / costs.rows if costs.rows else 0.0
            level = (share * (costs.rows - suppressed) + suppressed) / max(costs.rows, 1.0) / levels.size
        total += level * costs.weights[column]
    return total


@compiled
def score_groups(
    coding: Coding,
    costs: Costs,
    levels: Longs,
    groups: Groups,
    bad: Mask,
    members: Ints,
    suppressed: int,
    losses: Floats,
) -> float:
    """A node's score; smaller is better. `losses` gets the columns' parts where there are any."""
    if costs.objective == LOSS or costs.objective == ENTROPY:
        count = list_bad(groups, bad, members) if suppressed else 0
        column_losses(coding, costs, levels, groups, members, count, suppressed, losses)
        if costs.objective == ENTROPY:
            return losses.sum()
        return aggregated(costs, losses)
    if costs.objective == AMBIGUITY:
        return ambiguity(coding, levels, groups, bad)
    if costs.objective == PRECISION or costs.objective == HEIGHT:
        return from_levels(costs, levels, suppressed)
    return from_sizes(costs, groups, bad, suppressed)
