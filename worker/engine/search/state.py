"""What a search knows, laid out for loops, and which of two nodes is the better one."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from worker.engine.arrays import Longs
from worker.engine.kernels.compiled import compiled, inlined
from worker.engine.search.coding import Coding
from worker.engine.search.costs import LOSS, RANK, Costs
from worker.engine.search.grouping import Groups
from worker.engine.search.learning import Model
from worker.engine.search.marking import Shape, steps_of
from worker.engine.search.snapshots import Pool, Table

Ints = np.ndarray[Any, np.dtype[np.int32]]
Floats = np.ndarray[Any, np.dtype[np.float64]]
Flags = np.ndarray[Any, np.dtype[np.uint8]]
Mask = np.ndarray[Any, np.dtype[np.bool_]]

HOPELESS, FEASIBLE, ABOVE, EXAMINED, TRIED = 1, 2, 4, 8, 16
"""What is known of a node: it and all below are infeasible; it is feasible; a node below it is feasible; its
classes were looked at; it could not be shown hopeless."""

BEST, VISITS, WORK, OPEN, SEED, STALE, PENDING, SLOT, FETCHED, CLOSING, LISTING = range(11)
"""Places in `State.numbers`."""
FAR = -1
"""In place of a snapshot: the pending node must be grouped from a table that is not in memory."""


class Task(NamedTuple):
    """What is searched, unchanging."""

    coding: Coding
    costs: Costs
    table: Table
    limit: int
    """The most rows that may be suppressed."""
    smallest: int
    """Classes of fewer rows violate the goals."""
    sizes_only: bool
    """No other class does; otherwise somebody outside is asked about every node."""
    together: bool
    """When every row is suppressed, all rows as one class satisfy the goals."""
    monotone: bool
    """Above a feasible node everything is feasible."""


class Room(NamedTuple):
    """Room for examining one node."""

    bad: Mask
    """Classes that are suppressed."""
    lasting: Mask
    """Classes whose rows are suppressed at every node below too."""
    spare: Mask
    order: Ints
    losses: Floats


class State(NamedTuple):
    """What is known so far."""

    shape: Shape
    flags: Flags
    bounds: Floats
    scores: Floats
    suppressed: Longs
    open: Ints
    numbers: Longs
    best_losses: Floats
    levels: Longs
    climbing: Longs
    groups: Groups
    room: Room
    pool: Pool
    going: Model
    forced: Model


@compiled
def slack(value: float) -> float:
    """How much larger a bound must be before it may exclude."""
    return value + 1e-9 * max(abs(value), 1.0)


@inlined
def beaten_from(state: State) -> float:
    """A node whose bound exceeds this cannot be better than the best one."""
    best = state.numbers[BEST]
    return slack(state.scores[best]) if best >= 0 else np.inf


@compiled
def ranks_before(a: Floats, b: Floats) -> int:
    """Compare losses by the largest, then the next: -1, 0 or 1."""
    left, right = np.sort(a), np.sort(b)
    for i in range(a.size - 1, -1, -1):
        if left[i] != right[i]:
            return -1 if left[i] < right[i] else 1
    return 0


@inlined
def is_better(task: Task, state: State, node: int) -> bool:
    """Whether an examined feasible node replaces the best: by score, by height, by the first levels."""
    best = state.numbers[BEST]
    if best < 0:
        return True
    order = 0
    if task.costs.objective == LOSS and task.costs.aggregate == RANK:
        order = ranks_before(state.room.losses, state.best_losses)
    elif state.scores[node] != state.scores[best]:
        order = -1 if state.scores[node] < state.scores[best] else 1
    if order == 0:
        order = height_of(state.shape, node) - height_of(state.shape, best)
    return order < 0 or (order == 0 and node < best)


@compiled
def height_of(shape: Shape, node: int) -> int:
    """The sum of a node's levels."""
    levels = np.zeros(shape.counts.size, np.int64)
    steps_of(shape, node, levels)
    return levels.sum()


@compiled
def copy_losses(losses: Floats, target: Floats) -> None:
    """Keep the losses of the best node, for comparing by rank."""
    target[:] = losses
