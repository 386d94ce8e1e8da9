"""Loops over released tuples, for each target: how many rows cost less than its own, and what all cost.

Tuples lie in a tree: a level for each column of categories, and under its leaves the numbers, in the order
of the first of them. A branch is left out when nothing below it can cost as little as asked for.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from worker.engine.arrays import Longs
from worker.engine.kernels.compiled import compiled, inlined
from worker.engine.linkage.costs import ANYTHING, LINEAR, SQUARE

Floats = np.ndarray[Any, np.dtype[np.float64]]
Ints = np.ndarray[Any, np.dtype[np.int32]]

NEARLY = 1e-9
"""Costs that differ by less, relative to their size, are the same cost computed in another order."""


class Asked(NamedTuple):
    """Original tuples, column by column: where the costs of the value stand (-1 where it is alike or not),
    the value itself, and for numbers centre, scale and base. `least` is what the levels from one on and all
    numbers cost at least."""

    lists: Longs
    values: Ints
    least: Floats
    centres: Floats
    scales: Floats
    bases: Floats


class Rule(NamedTuple):
    """What is common to all tuples: listed costs one after the other, and the parts of the other columns."""

    listed: Floats
    misses: Floats
    shapes: Longs
    gone: Floats


class Tree(NamedTuple):
    """Nodes with the ranges of their children, or of their tuples where they are `deep`; tuples by number."""

    codes: Ints
    level: Longs
    first: Longs
    last: Longs
    best: Floats
    roots: int
    deep: int
    places: Floats
    firsts: Floats
    known: Longs
    counts: Longs
    offsets: Floats


class Own(NamedTuple):
    """What became of each target."""

    codes: Ints
    places: Floats
    offsets: Floats
    there: np.ndarray[Any, np.dtype[np.bool_]]


@inlined
def listed_cost(rule: Rule, asked: Asked, target: int, column: int, code: int) -> float:
    """Of a released category."""
    start = asked.lists[target, column]
    if start >= 0:
        return rule.listed[start + code]
    if code == ANYTHING or code == asked.values[target, column]:
        return 0.0
    return rule.misses[column]


@inlined
def number_cost(rule: Rule, asked: Asked, target: int, column: int, place: float) -> float:
    """Of a released number."""
    centre = asked.centres[target, column]
    if np.isinf(place):
        return 0.0
    if np.isnan(place):
        return 0.0 if np.isnan(centre) else rule.gone[column]
    if np.isnan(centre):
        return rule.gone[column]
    away, scale, base = abs(place - centre), asked.scales[target, column], asked.bases[target, column]
    if rule.shapes[column] == LINEAR:
        return base + away * scale
    if rule.shapes[column] == SQUARE:
        return base + away * away * scale
    return base if away <= scale else np.inf


@compiled
def tuple_cost(rule: Rule, asked: Asked, target: int, codes: Ints, places: Floats) -> float:
    """Of a released tuple in all columns."""
    cost = 0.0
    for column in range(codes.size):
        cost += listed_cost(rule, asked, target, column, codes[column])
        if cost == np.inf:
            return cost
    for column in range(places.size):
        cost += number_cost(rule, asked, target, column, places[column])
    return cost


@compiled
def own_costs(rule: Rule, asked: Asked, own: Own) -> Floats:
    """What each target's own row costs."""
    found = np.full(own.there.size, np.inf)
    for target in range(own.there.size):
        if own.there[target]:
            cost = tuple_cost(rule, asked, target, own.codes[target], own.places[target])
            found[target] = cost + own.offsets[target]
    return found


@compiled
def within_reach(
    rule: Rule, asked: Asked, tree: Tree, target: int, node: int, room: float
) -> tuple[int, int]:
    """The tuples of a leaf whose first number may cost no more than `room`; those without one lie behind."""
    first, known = tree.first[node], tree.known[node]
    centre, scale = asked.centres[target, 0], asked.scales[target, 0]
    if np.isnan(centre):
        return first, known
    reach, room = scale, max(room - asked.bases[target, 0], 0.0)
    if rule.shapes[0] == LINEAR:
        reach = room / scale if scale > 0 else np.inf
    elif rule.shapes[0] == SQUARE:
        reach = np.sqrt(room / scale) if scale > 0 else np.inf
    reach += NEARLY * (reach + abs(centre))
    numbers = tree.firsts[first:known]
    start = first + np.searchsorted(numbers, centre - reach)
    return start, first + np.searchsorted(numbers, centre + reach, side="right")


@compiled
def counted(
    rule: Rule, asked: Asked, tree: Tree, target: int, node: int, cost: float, bounds: tuple[float, float]
) -> tuple[int, int]:
    """The rows under a leaf that cost less than the lower bound, and those between both."""
    level, (below, above) = tree.level[node] + 1, bounds
    start, end = tree.first[node], tree.last[node]
    if asked.centres.shape[1]:
        others = asked.least[target, level] - min(0.0, asked.bases[target, 0])
        room = above - cost - others - tree.best[node]
        start, end = within_reach(rule, asked, tree, target, node, room)
    less, same, behind = 0, 0, tree.last[node] - max(end, tree.known[node])
    for number in range(end - start + behind):
        at = start + number if start + number < end else tree.last[node] - behind + number - (end - start)
        whole = cost
        for column in range(asked.centres.shape[1]):
            whole += number_cost(rule, asked, target, column, tree.places[at, column])
        whole += tree.offsets[at]
        if whole < below:
            less += tree.counts[at]
        elif whole <= above:
            same += tree.counts[at]
    return less, same


@compiled
def standings(rule: Rule, asked: Asked, tree: Tree, own: Own, costs: Floats, most: int) -> Longs:
    """For each target the rows that cost less than its own, counted up to `most`, and those that cost the
    same; the second number means nothing where the first reached `most`."""
    found = np.full((own.there.size, 2), most)
    waiting, so_far = np.empty(tree.codes.size + 1, np.int64), np.empty(tree.codes.size + 1)
    for target in range(own.there.size):
        if not own.there[target]:
            continue
        slack = NEARLY * max(1.0, abs(costs[target])) if np.isfinite(costs[target]) else 0.0
        bounds = (costs[target] - slack, costs[target] + slack)
        less, same, height = 0, 0, tree.roots
        for node in range(tree.roots):
            waiting[node], so_far[node] = node, 0.0
        while height > 0 and less < most:
            height -= 1
            node = waiting[height]
            level = tree.level[node]
            cost = so_far[height] + listed_cost(rule, asked, target, level, tree.codes[node])
            if cost + asked.least[target, level + 1] + tree.best[node] > bounds[1]:
                continue
            if level == tree.deep:
                fewer, alike = counted(rule, asked, tree, target, node, cost, bounds)
                less, same = less + fewer, same + alike
                continue
            for child in range(tree.first[node], tree.last[node]):
                waiting[height], so_far[height] = child, cost
                height += 1
        found[target, 0], found[target, 1] = min(less, most), same
    return found


@compiled
def beliefs(rule: Rule, asked: Asked, codes: Ints, places: Floats, weights: Floats, rows: Longs) -> Floats:
    """For each target Σ rows · weight · e^−cost over all tuples, and the largest weight · e^−cost."""
    found = np.zeros((asked.lists.shape[0], 2))
    for target in range(asked.lists.shape[0]):
        for at in range(weights.size):
            likely = weights[at] * np.exp(-tuple_cost(rule, asked, target, codes[at], places[at]))
            found[target, 0] += rows[at] * likely
            found[target, 1] = max(found[target, 1], likely)
    return found


@compiled
def likelihoods(rule: Rule, asked: Asked, codes: Ints, places: Floats, weights: Floats) -> Floats:
    """For each tuple Σ weight · e^−cost over all original ones."""
    found = np.zeros(codes.shape[0])
    for at in range(codes.shape[0]):
        for one in range(weights.size):
            found[at] += weights[one] * np.exp(-tuple_cost(rule, asked, one, codes[at], places[at]))
    return found
