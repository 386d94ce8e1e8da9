"""Kernels that bound scores from below: at the start from the columns alone, later from nodes seen.

* Nothing suppressed is the best case of a node, and needs no grouping.
* Rows that go at a node go at every node below it (where goals are nested), so they cost there too.
* Merging classes only makes sums over classes worse, so a node seen bounds every node above it.
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
    DISCERNIBILITY,
    ENTROPY,
    GEOMETRIC,
    HEIGHT,
    LOSS,
    MAX,
    PRECISION,
    RANK,
    STAR,
    SUM,
    Costs,
)
from worker.engine.search.grouping import Groups
from worker.engine.search.marking import ADD, LARGEST, MULTIPLY, Shape, raise_above, raise_below
from worker.engine.search.scoring import ambiguity, covered_at_most, list_bad, loss_of

Floats = np.ndarray[Any, np.dtype[np.float64]]
Ints = np.ndarray[Any, np.dtype[np.int32]]
Mask = np.ndarray[Any, np.dtype[np.bool_]]

MANY_CLASSES = 1000


@compiled
def operation_of(costs: Costs) -> int:
    """How the columns' parts of a bound combine."""
    if costs.objective == LOSS:
        if costs.aggregate == GEOMETRIC:
            return MULTIPLY
        return LARGEST if costs.aggregate == MAX or costs.aggregate == RANK else ADD
    if costs.objective == PRECISION or costs.objective == HEIGHT or costs.objective == ENTROPY:
        return ADD
    return MULTIPLY


@compiled
def loss_part(costs: Costs, loss: float, column: int, columns: int) -> float:
    """A column's loss as a part of the aggregate."""
    weight = costs.weights[column]
    if costs.aggregate == GEOMETRIC:
        return ((loss + 1.0) * weight) ** (1.0 / columns)
    if costs.aggregate == MAX or costs.aggregate == RANK or costs.aggregate == SUM:
        return loss * weight
    return loss * weight / columns


@compiled
def part_of(coding: Coding, costs: Costs, column: int, level: int, columns: int) -> float:
    """What one level of one column contributes to the bound when nothing is suppressed."""
    cost, objective, rows = costs.cost[column, level], costs.objective, max(costs.rows, 1.0)
    if objective == LOSS:
        return loss_part(costs, loss_of(coding, costs, column, level, 0.0, 0.0), column, columns)
    if objective == PRECISION:
        return cost / rows / columns * costs.weights[column]
    if objective in (HEIGHT, ENTROPY):
        return cost * costs.weights[column]
    first = 1.0 if column else costs.rows
    if objective == AMBIGUITY:
        return first * np.exp(cost / rows)
    if objective == AECS:
        return costs.values[column, level]
    return first * first * np.exp2(-costs.entropy[column, level])


@compiled
def start_bounds(
    coding: Coding, costs: Costs, shape: Shape, top: Longs, smallest: int, bounds: Floats
) -> None:
    """Bounds of all nodes before any is seen."""
    table = np.zeros(costs.cost.shape)
    for column in range(top.size):
        for level in range(coding.levels[column]):
            table[column, level] = part_of(coding, costs, column, level, top.size)
    shift = -1.0 if costs.objective == LOSS and costs.aggregate == GEOMETRIC else 0.0
    bounds[:] = -np.inf
    raise_below(shape, top, bounds, table, operation_of(costs), shift)
    if costs.objective == AECS:
        for node in range(bounds.size):
            bounds[node] = costs.rows / (min(bounds[node], costs.rows / max(smallest, 1)) + 1.0)


@compiled
def lift_below(
    coding: Coding,
    costs: Costs,
    shape: Shape,
    levels: Longs,
    groups: Groups,
    lasting: Mask,
    members: Ints,
    bounds: Floats,
) -> None:
    """Every node below suppresses the lasting classes too. Not worth it when they are many."""
    if not (costs.objective == LOSS or costs.objective == PRECISION):
        return
    count, suppressed = list_bad(groups, lasting, members), 0
    if count == 0 or count > MANY_CLASSES:
        return
    for i in range(count):
        suppressed += groups.rows[members[i]]
    table, columns = np.zeros(costs.cost.shape), levels.size
    for column in range(columns):
        for level in range(shape.lowest[column], levels[column] + 1):
            if costs.objective == LOSS:
                most = covered_at_most(
                    coding, groups, members, count, suppressed, column, level, levels[column]
                )
                loss = loss_of(coding, costs, column, level, most, suppressed)
                table[column, level] = loss_part(costs, loss, column, columns)
            else:
                share = costs.cost[column, level] / costs.rows
                lost = (share * (costs.rows - suppressed) + suppressed) / costs.rows / columns
                table[column, level] = lost * costs.weights[column]
    shift = -1.0 if costs.objective == LOSS and costs.aggregate == GEOMETRIC else 0.0
    raise_below(shape, levels, bounds, table, operation_of(costs), shift)


@compiled
def lift_above(
    coding: Coding, costs: Costs, shape: Shape, levels: Longs, groups: Groups, none_bad: Mask, bounds: Floats
) -> None:
    """Every node above has no more classes, and no smaller ones."""
    value = 0.0
    if costs.objective == AECS:
        value = costs.rows / (groups.number[0] + 1.0)
    elif costs.objective == DISCERNIBILITY or costs.objective == STAR:
        for g in range(groups.number[0]):
            value += float(groups.rows[g]) * groups.rows[g]
    elif costs.objective == AMBIGUITY:
        none_bad[: groups.number[0]] = False
        value = ambiguity(coding, levels, groups, none_bad)
    else:
        return
    raise_above(shape, levels, bounds, value)
