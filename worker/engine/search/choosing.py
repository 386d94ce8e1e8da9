"""Kernels that choose the next node to visit."""

from __future__ import annotations

from typing import Any

import numpy as np

from worker.engine.arrays import Longs
from worker.engine.kernels.compiled import compiled, inlined, lean
from worker.engine.search.exploring import climb_from, visit
from worker.engine.search.learning import Model, predict
from worker.engine.search.marking import Shape, steps_of
from worker.engine.search.state import (
    ABOVE,
    BEST,
    CLOSING,
    EXAMINED,
    FEASIBLE,
    FETCHED,
    HOPELESS,
    LISTING,
    OPEN,
    SEED,
    STALE,
    VISITS,
    WORK,
    State,
    Task,
    beaten_from,
)

Floats = np.ndarray[Any, np.dtype[np.float64]]
Flags = np.ndarray[Any, np.dtype[np.uint8]]

SAMPLE = 16
"""Of this many open nodes the one nearest to the border is taken."""
PROBES = 3
"""After this many guesses in a row that brought no better node, the search turns to closing."""
DONE, ASK, PAUSE = 0, 1, 2


@inlined
def is_open(flags: int, bound: float, beaten: float, minimal: bool) -> bool:
    """Whether a node may still be the best, or with `minimal`, a minimal one."""
    if flags & (HOPELESS | EXAMINED):
        return False
    return flags & ABOVE == 0 if minimal else bound <= beaten


@compiled
def reopen(state: State, minimal: bool) -> None:
    """List all open nodes, the first last."""
    count, beaten = 0, beaten_from(state)
    flags, bounds, opened = state.flags, state.bounds, state.open
    for node in range(flags.size - 1, -1, -1):
        if is_open(flags[node], bounds[node], beaten, minimal):
            opened[count] = node
            count += 1
    state.numbers[OPEN], state.numbers[LISTING] = count, minimal


@inlined
def draw(numbers: Longs) -> int:
    """A position among the open nodes; a fixed sequence, so that a search repeats itself."""
    numbers[SEED] = (numbers[SEED] * 6364136223846793005 + 1442695040888963407) & 0x7FFFFFFFFFFFFFFF
    return (numbers[SEED] >> 20) % numbers[OPEN]


@inlined
def nearest_open(state: State) -> int:
    """Of some open nodes the one whose prediction is lowest; -1 when none is open."""
    found, least, tried, beaten = -1, np.inf, 0, beaten_from(state)
    numbers, flags, bounds, opened = state.numbers, state.flags, state.bounds, state.open
    shape, model, levels = state.shape, state.forced, state.levels
    while tried < SAMPLE and numbers[OPEN] > 0:
        position = draw(numbers)
        node = opened[position]
        if not is_open(flags[node], bounds[node], beaten, False):
            numbers[OPEN] -= 1
            opened[position] = opened[numbers[OPEN]]
            continue
        tried += 1
        steps_of(shape, node, levels)
        guess = predict(model, levels)
        if guess < least:
            found, least = node, guess
    return found


@inlined
def first_open(state: State) -> int:
    """The first of the nodes that may be minimal; -1 when none is open.

    Nodes that follow each other are alike, so that a few snapshots serve many of them.
    """
    numbers, flags = state.numbers, state.flags
    while numbers[OPEN] > 0:
        node = state.open[numbers[OPEN] - 1]
        if is_open(flags[node], 0.0, 0.0, True):
            return node
        numbers[OPEN] -= 1
    return -1


@compiled
def likely_best(
    shape: Shape, model: Model, border: float, flags: Flags, bounds: Floats, beaten: float
) -> int:
    """The open node of the lowest bound among those predicted to lose no more rows than the border; or -1."""
    last, count = shape.counts.size - 1, 1
    shape.spans[0], shape.parts[0] = 0, model.weights[0] - border
    for column in range(last):
        before, low = count, shape.lowest[column]
        for step in range(shape.counts[column] - 1, -1, -1):
            add = model.weights[column + 1] * model.entropy[column, low + step]
            to = 0 if step == 0 else count
            for i in range(before):
                shape.spans[to + i] = shape.spans[i] + step * shape.strides[column]
                shape.parts[to + i] = shape.parts[i] + add
            count += 0 if step == 0 else before
    found, least = -1, beaten
    for step in range(shape.counts[last]):
        add = model.weights[last + 1] * model.entropy[last, shape.lowest[last] + step]
        for run in range(count):
            if shape.parts[run] + add <= 0.0:
                node = shape.spans[run] + step
                if bounds[node] <= least and not flags[node] & (HOPELESS | EXAMINED):
                    found, least = node, bounds[node]
    return found


@inlined
def promising(task: Task, state: State) -> int:
    """The open node of the lowest bound among those that are probably feasible; -1 if there is none."""
    return likely_best(
        state.shape, state.going, np.log(task.limit + 1.5), state.flags, state.bounds, beaten_from(state)
    )


@inlined
def finer_than_best(state: State) -> int:
    """The open direct specialization of the best node that has the lowest bound; -1 if there is none."""
    best, shape, found, least = state.numbers[BEST], state.shape, -1, beaten_from(state)
    if best < 0:
        return -1
    steps_of(shape, best, state.levels)
    for column in range(state.levels.size):
        node = best - shape.strides[column]
        if state.levels[column] == shape.lowest[column] or state.flags[node] & (HOPELESS | EXAMINED):
            continue
        if state.bounds[node] <= least:
            found, least = node, state.bounds[node]
    return found


@inlined
def next_node(task: Task, state: State, minimal: bool) -> tuple[int, bool]:
    """The next node to visit, and whether that is only to close what is below it; -1 at the end.

    The most general node comes first: without it there may be no answer at all.
    """
    if state.numbers[VISITS] == 0:
        steps_of(state.shape, state.flags.size - 1, state.climbing)
        return state.flags.size - 1, False
    if not minimal and state.numbers[STALE] < PROBES:
        node = promising(task, state)
        if node >= 0:
            steps_of(state.shape, node, state.climbing)
            return node, False
        state.numbers[STALE] = PROBES
    node = -1 if minimal else finer_than_best(state)
    if node >= 0:
        steps_of(state.shape, node, state.climbing)
        return node, False
    seed = first_open(state) if minimal else nearest_open(state)
    if seed < 0:
        return -1, False
    steps_of(state.shape, seed, state.climbing)
    if state.flags[seed] & FEASIBLE:
        return seed, False
    node = climb_from(task, state, seed)
    return node, not minimal and state.bounds[node] > beaten_from(state)


@lean
def explore(task: Task, state: State, minimal: bool, work: int) -> int:
    """Visit nodes until none is open, a verdict is needed, or enough work is done."""
    state.numbers[WORK] = 0
    while state.numbers[WORK] < work:
        node, only_to_close = state.numbers[FETCHED], state.numbers[CLOSING] != 0
        if node >= 0:
            state.numbers[FETCHED] = -1
            steps_of(state.shape, node, state.climbing)
        else:
            node, only_to_close = next_node(task, state, minimal)
        if node < 0:
            return DONE
        before = state.numbers[BEST]
        if not visit(task, state, node, state.climbing, only_to_close):
            return ASK
        state.numbers[STALE] = 0 if state.numbers[BEST] != before else state.numbers[STALE] + 1
        state.numbers[WORK] += 500
    return PAUSE
