"""Loops over released tuples, for each target: how many rows cost less than its own, and what all cost.

Tuples lie in a tree: a level for each column of categories, and under its leaves the numbers, neighbours in
boxes. A branch or a box is left out when nothing in it can cost as little as asked for.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from worker.engine.arrays import Longs
from worker.engine.kernels.compiled import inlined, lean
from worker.engine.linkage.costs import ANYTHING, LINEAR, SQUARE

Floats = np.ndarray[Any, np.dtype[np.float64]]
Ints = np.ndarray[Any, np.dtype[np.int32]]

NEARLY = 1e-9
"""Costs that differ by less, relative to their size, are the same cost computed in another order."""
FARTHEST = 745.0
"""What costs more has a likelihood of 0."""
NEGLIGIBLE = 50.0
"""What costs so much more than another tuple adds nothing to it that a number could hold."""
NARROW, WIDE = 32, 1024
"""So many tuples, one after the other, are in a box: many small ones and a few large ones."""


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


class Boxes(NamedTuple):
    """Of so many tuples at a time the least and the greatest number of each column and the least offset. A
    column in which one is missing or `*` reaches from −∞ to ∞."""

    lows: Floats
    highs: Floats
    best: Floats


class Tree(NamedTuple):
    """Nodes with the ranges of their children, or of their tuples at the deepest level. Tuples stand in the
    order of the tree: `order` says where each was."""

    codes: Ints
    level: Longs
    first: Longs
    last: Longs
    best: Floats
    roots: int
    deep: int
    places: Floats
    narrow: Boxes
    wide: Boxes
    counts: Longs
    offsets: Floats
    order: Longs


class Room(NamedTuple):
    """Where nodes wait to be looked at, and where leaves are gathered."""

    waiting: Longs
    costs: Floats
    leaves: Longs
    leaf_costs: Floats

    @classmethod
    def of(cls, tree: Tree) -> Room:
        """Enough for every node."""
        size = tree.codes.size + 1
        return cls(np.empty(size, np.int64), np.empty(size), np.empty(size, np.int64), np.empty(size))


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


@inlined
def numbers_cost(rule: Rule, asked: Asked, target: int, places: Floats, at: int) -> float:
    """Of all numbers of a released tuple."""
    cost = 0.0
    for column in range(places.shape[1]):
        cost += number_cost(rule, asked, target, column, places[at, column])
    return cost


@lean
def own_costs(rule: Rule, asked: Asked, own: Own, found: Floats) -> None:
    """What each target's own row costs; nothing is said of those without one."""
    for target in range(found.size):
        if own.there[target]:
            cost = 0.0
            for column in range(own.codes.shape[1]):
                cost += listed_cost(rule, asked, target, column, own.codes[target, column])
            cost += numbers_cost(rule, asked, target, own.places, target)
            found[target] = cost + own.offsets[target]


@inlined
def box_cost(rule: Rule, asked: Asked, target: int, boxes: Boxes, box: int) -> float:
    """What the numbers and the offset of a tuple in the box cost at least."""
    cost = 0.0
    for column in range(boxes.lows.shape[1]):
        low, centre = boxes.lows[box, column], asked.centres[target, column]
        if np.isinf(low):
            cost += 0.0 if np.isnan(centre) else min(asked.bases[target, column], 0.0)
        else:
            place = low if np.isnan(centre) else min(max(centre, low), boxes.highs[box, column])
            cost += number_cost(rule, asked, target, column, place)
    return cost + boxes.best[box]


@inlined
def reached(rule: Rule, asked: Asked, tree: Tree, target: int, at: int, cost: float, most: float) -> int:
    """The tuple to look at: this one, or the first behind a box in which none costs so little."""
    if at % WIDE == 0 and cost + box_cost(rule, asked, target, tree.wide, at // WIDE) > most:
        return at + WIDE
    if at % NARROW == 0 and cost + box_cost(rule, asked, target, tree.narrow, at // NARROW) > most:
        return at + NARROW
    return at


@inlined
def counted(
    rule: Rule,
    asked: Asked,
    tree: Tree,
    target: int,
    node: int,
    cost: float,
    below: float,
    above: float,
    most: int,
) -> tuple[int, int]:
    """The rows under a leaf that cost less than the lower bound, up to so many, and those between both."""
    less, same, at = 0, 0, tree.first[node]
    while at < tree.last[node] and less < most:
        behind = reached(rule, asked, tree, target, at, cost, above)
        if behind == at:
            whole = cost + (numbers_cost(rule, asked, target, tree.places, at) + tree.offsets[at])
            if whole < below:
                less += tree.counts[at]
            elif whole <= above:
                same += tree.counts[at]
            behind += 1
        at = behind
    return less, same


@lean
def standings(
    rule: Rule, asked: Asked, tree: Tree, own: Own, costs: Floats, most: int, room: Room, found: Longs
) -> None:
    """For each target the rows that cost less than its own, counted up to `most`, and those that cost the
    same; the second number means nothing where the first reached `most`."""
    for target in range(own.there.size):
        if not own.there[target] or not np.isfinite(costs[target]):
            continue  # nobody picks what is gone or impossible
        slack = NEARLY * max(1.0, abs(costs[target]))
        below, above = costs[target] - slack, costs[target] + slack
        less, same, height = 0, 0, tree.roots
        for node in range(tree.roots):
            room.waiting[node], room.costs[node] = node, 0.0
        while height > 0 and less < most:
            height -= 1
            node = room.waiting[height]
            level = tree.level[node]
            cost = room.costs[height] + listed_cost(rule, asked, target, level, tree.codes[node])
            if cost + asked.least[target, level + 1] + tree.best[node] > above:
                continue
            if level == tree.deep:
                fewer, alike = counted(rule, asked, tree, target, node, cost, below, above, most - less)
                less, same = less + fewer, same + alike
                continue
            for child in range(tree.first[node], tree.last[node]):
                room.waiting[height], room.costs[height] = child, cost
                height += 1
        found[target, 0], found[target, 1] = min(less, most), same


@lean
def leaves(rule: Rule, asked: Asked, tree: Tree, target: int, room: Room) -> int:
    """The leaves that are possible at all, with their costs: how many of them stand in the room."""
    number, height = 0, tree.roots
    for node in range(tree.roots):
        room.waiting[node], room.costs[node] = node, 0.0
    while height > 0:
        height -= 1
        node = room.waiting[height]
        level = tree.level[node]
        cost = room.costs[height] + listed_cost(rule, asked, target, level, tree.codes[node])
        if cost + asked.least[target, level + 1] > FARTHEST:
            continue
        if level == tree.deep:
            room.leaves[number], room.leaf_costs[number] = node, cost
            number += 1
            continue
        for child in range(tree.first[node], tree.last[node]):
            room.waiting[height], room.costs[height] = child, cost
            height += 1
    return number


@inlined
def lightest(rule: Rule, asked: Asked, tree: Tree, target: int, number: int, room: Room) -> float:
    """What the tuple costs that costs least, of all under the leaves that stand in the room."""
    least = np.inf
    for leaf in range(number):
        node, cost = room.leaves[leaf], room.leaf_costs[leaf]
        at = tree.first[node]
        while at < tree.last[node]:
            behind = reached(rule, asked, tree, target, at, cost, least)
            if behind == at:
                numbers = numbers_cost(rule, asked, target, tree.places, at) + tree.offsets[at]
                least = min(least, cost + numbers)
                behind += 1
            at = behind
    return least


@lean
def beliefs(rule: Rule, asked: Asked, tree: Tree, room: Room, found: Floats) -> None:
    """For each target Σ rows · e^−cost over all tuples, and the largest e^−cost."""
    for target in range(found.shape[0]):
        number = leaves(rule, asked, tree, target, room)
        most = lightest(rule, asked, tree, target, number, room) + NEGLIGIBLE
        for leaf in range(number):
            node, cost = room.leaves[leaf], room.leaf_costs[leaf]
            at = tree.first[node]
            while at < tree.last[node]:
                behind = reached(rule, asked, tree, target, at, cost, most)
                if behind == at:
                    numbers = numbers_cost(rule, asked, target, tree.places, at) + tree.offsets[at]
                    likely = np.exp(-(cost + numbers))
                    found[target, 0] += tree.counts[at] * likely
                    found[target, 1] = max(found[target, 1], likely)
                    behind += 1
                at = behind


@lean
def likelihoods(
    rule: Rule, asked: Asked, tree: Tree, weights: Floats, most: float, room: Room, found: Floats
) -> None:
    """For each tuple Σ weight · e^−cost over the original ones from which it costs at most `most`."""
    for one in range(weights.size):
        for leaf in range(leaves(rule, asked, tree, one, room)):
            node, cost = room.leaves[leaf], room.leaf_costs[leaf]
            at = tree.first[node]
            while at < tree.last[node]:
                behind = reached(rule, asked, tree, one, at, cost, most)
                if behind == at:
                    whole = cost + numbers_cost(rule, asked, one, tree.places, at)
                    found[at] += weights[one] * np.exp(-whole)
                    behind += 1
                at = behind
