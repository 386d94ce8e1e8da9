"""The search itself, as kernels that can be left and entered again at any node.

Open nodes are those that could still beat the best one found. From an open node the search climbs to the most
general node that is probably hopeless; if it is, everything below is closed at once. When no node is open the
best one is proved optimal.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from worker.engine.arrays import Longs
from worker.engine.kernels.compiled import compiled, inlined
from worker.engine.search.bounding import lift_above, lift_below
from worker.engine.search.grouping import MOST_BITS, Groups, small_rows
from worker.engine.search.learning import learn, predict
from worker.engine.search.marking import mark_above, mark_below, steps_of
from worker.engine.search.scoring import score_groups
from worker.engine.search.snapshots import best_slot, coarsen, group_slot, keep_groups, note_use
from worker.engine.search.state import (
    ABOVE,
    BEST,
    CLOSING,
    EXAMINED,
    FAR,
    FEASIBLE,
    HOPELESS,
    LISTING,
    PENDING,
    SLOT,
    TRIED,
    VISITS,
    WORK,
    Room,
    State,
    Task,
    copy_losses,
    is_better,
)

Ints = np.ndarray[Any, np.dtype[np.int32]]
Floats = np.ndarray[Any, np.dtype[np.float64]]
Flags = np.ndarray[Any, np.dtype[np.uint8]]
Mask = np.ndarray[Any, np.dtype[np.bool_]]

FULL = 8
"""Slots with on average so many keys, and so many times the rows of the smallest class, are never small."""


@inlined
def close_below(state: State, levels: Longs) -> None:
    """A node and everything below it is infeasible."""
    mark_below(state.shape, levels, state.flags, HOPELESS)


@inlined
def accept(task: Task, state: State, node: int, levels: Longs) -> None:
    """A node is feasible: note it, and what follows above it."""
    state.flags[node] |= np.uint8(FEASIBLE)
    before = state.flags[node] & np.uint8(ABOVE)
    if not (task.monotone and before):
        mark_above(state.shape, levels, state.flags, ABOVE | (FEASIBLE if task.monotone else 0))
    if before == 0:
        state.flags[node] &= np.uint8(255 - ABOVE)
    if is_better(task, state, node):
        state.numbers[BEST] = node
        copy_losses(state.room.losses, state.best_losses)


@inlined
def conclude(
    task: Task, state: State, node: int, levels: Longs, suppressed: int, forced: int, feasible: bool
) -> None:
    """Take in the classes of a node: score it when it is feasible, close what is hopeless.

    At least `forced` rows are suppressed at the node and at every node below it.
    """
    room = state.room
    state.flags[node] |= np.uint8(EXAMINED)
    state.suppressed[node] = suppressed
    learn(state.going, levels, suppressed)
    learn(state.forced, levels, forced)
    if forced > task.limit or (task.monotone and not feasible):
        close_below(state, levels)
    elif feasible:
        state.scores[node] = score_groups(
            task.coding, task.costs, levels, state.groups, room.bad, room.order, suppressed, room.losses
        )
        accept(task, state, node, levels)
        if forced > 0 and not state.numbers[LISTING]:
            lift_below(
                task.coding,
                task.costs,
                state.shape,
                levels,
                state.groups,
                room.lasting,
                room.order,
                state.bounds,
            )
    if not state.numbers[LISTING]:
        lift_above(task.coding, task.costs, state.shape, levels, state.groups, room.spare, state.bounds)


@compiled
def judge_sizes(task: Task, groups: Groups, room: Room) -> int:
    """Mark the classes that are too small. Returns their rows."""
    suppressed = 0
    for g in range(groups.number[0]):
        bad = groups.rows[g] < task.smallest
        room.bad[g] = room.lasting[g] = bad
        suppressed += groups.rows[g] if bad else 0
    return suppressed


@inlined
def examine(task: Task, state: State, node: int, levels: Longs) -> bool:
    """Look at a node's classes. False when somebody outside is to judge them."""
    slot = best_slot(state.pool, levels)
    size = state.pool.high[slot] - state.pool.low[slot]
    group_slot(task.coding, task.table, state.pool, slot, levels, False, state.groups)
    state.numbers[WORK] += 3 * size
    if not task.sizes_only:
        state.numbers[PENDING], state.numbers[SLOT] = node, slot
        return False
    suppressed = judge_sizes(task, state.groups, state.room)
    all_gone = 0 < suppressed == np.int64(task.costs.rows)
    feasible = suppressed <= task.limit and (task.together or not all_gone)
    conclude(task, state, node, levels, suppressed, suppressed, feasible)
    if state.numbers[LISTING] or task.coding.fine.any() or state.groups.number[0] * 2 > size:
        note(task, state, slot, levels)
    else:
        keep_groups(state.pool, levels, state.groups)
    return True


@compiled
def resume(task: Task, state: State, suppressed: int, forced: int, feasible: bool) -> None:
    """Finish the node that was judged outside."""
    node, slot = state.numbers[PENDING], state.numbers[SLOT]
    steps_of(state.shape, node, state.climbing)
    conclude(task, state, node, state.climbing, suppressed, forced, feasible)
    state.numbers[PENDING] = -1
    note(task, state, slot, state.climbing)


@inlined
def note(task: Task, state: State, slot: int, levels: Longs) -> None:
    """Count the use of a snapshot, which may make a coarser one."""
    if note_use(state.pool, slot, levels):
        state.numbers[WORK] += 3 * coarsen(task.coding, task.table, state.pool, slot, state.groups)


@inlined
def is_blurred(task: Task, state: State, levels: Longs) -> bool:
    """Whether so many classes share so few slots that every slot is full, whatever the classes are."""
    slots = 1 << MOST_BITS
    if task.costs.rows < FULL * task.smallest * slots:
        return False
    slot = best_slot(state.pool, levels)
    if state.pool.high[slot] - state.pool.low[slot] < FULL * slots:
        return False
    bits = 0.0
    for column in range(levels.size):
        bits += task.costs.entropy[column, levels[column]]
    return bits > MOST_BITS


@inlined
def seems_hopeless(task: Task, state: State, levels: Longs, is_all: bool) -> bool:
    """Prove a node hopeless without comparing keys, if that is possible. Closes what is below it.

    At least so many rows go: that is learned from only where more will not be known.
    """
    slot = best_slot(state.pool, levels)
    low, high = state.pool.low[slot], state.pool.high[slot]
    table = task.table if slot == 0 else state.pool.table
    rows = small_rows(task.coding, levels, table.keys, table.rows, low, high, task.smallest, state.groups)
    state.numbers[WORK] += high - low
    note(task, state, slot, levels)
    if is_all or rows > task.limit:
        learn(state.going, levels, rows)
        learn(state.forced, levels, rows)
    if rows <= task.limit:
        return False
    close_below(state, levels)
    return True


@compiled
def close_node(state: State, node: int, rows: int) -> None:
    """So many rows go at a node and below it, which is too many."""
    steps_of(state.shape, node, state.climbing)
    state.numbers[VISITS] += 1
    learn(state.going, state.climbing, rows)
    learn(state.forced, state.climbing, rows)
    mark_below(state.shape, state.climbing, state.flags, HOPELESS)


@inlined
def visit(task: Task, state: State, node: int, levels: Longs, only_to_close: bool) -> bool:
    """Visit a node. False when somebody outside is to judge it, or to fetch its groups first."""
    if state.pool.high[0] > task.table.rows.size and best_slot(state.pool, levels) == 0:
        state.numbers[PENDING], state.numbers[SLOT], state.numbers[CLOSING] = node, FAR, only_to_close
        return False
    state.numbers[VISITS] += 1
    state.flags[node] |= np.uint8(TRIED)
    tried = task.smallest > 1 and not is_blurred(task, state, levels)
    is_all = tried and only_to_close and task.sizes_only
    if tried and not state.flags[node] & FEASIBLE and seems_hopeless(task, state, levels, is_all):
        return True
    return True if is_all else examine(task, state, node, levels)


@inlined
def climb_from(task: Task, state: State, node: int) -> int:
    """The most general node above an open one that is probably hopeless."""
    least, levels, flags = np.log(task.limit + 1.0), state.climbing, state.flags
    shape, model = state.shape, state.forced
    while True:
        guess, found, most = predict(model, levels), -1, least
        for column in range(levels.size):
            level = levels[column]
            if level - shape.lowest[column] + 1 >= shape.counts[column]:
                continue
            if flags[node + shape.strides[column]] & (FEASIBLE | TRIED):
                continue
            step = model.entropy[column, level + 1] - model.entropy[column, level]
            if guess + model.weights[column + 1] * step > most:
                found, most = column, guess + model.weights[column + 1] * step
        if found < 0:
            return node
        levels[found] += 1
        node += shape.strides[found]
