"""Random costs of columns, and what a tuple costs by plain loops."""

import math

import numpy as np

from worker.engine.linkage.costs import ANYTHING, LINEAR, SQUARE, WINDOW, Alike, Apart, Listed
from worker.engine.linkage.tuples import Tuples
from worker.engine.randomness import Source, key_from_seed

SOURCE = Source(key_from_seed(1))
WAS, BECAME = 4, 5
"""Values of a column on either side."""


def random_costs(draw):
    """Columns of all kinds in any order, with impossible values, `*` and missing numbers among them."""
    costs = []
    for _ in range(draw.randrange(1, 5)):
        kind = draw.choice(["listed", "alike", "apart"])
        if kind == "listed":
            cells = [draw.choice([0.0, 0.5, draw.random(), np.inf]) for _ in range(WAS * BECAME)]
            costs.append(Listed(np.array(cells).reshape(WAS, BECAME)))
        elif kind == "alike":
            codes = [draw.choice([0, 1, 2, 3, -1, ANYTHING]) for _ in range(BECAME)]
            miss = draw.choice([1.0, np.inf])
            costs.append(Alike(np.arange(WAS, dtype=np.int32), np.array(codes, np.int32), miss))
        else:
            costs.append(random_numbers(draw))
    return tuple(costs)


def random_numbers(draw):
    centres = np.array([draw.choice([draw.randrange(5), np.nan]) for _ in range(WAS)], float)
    places = np.array(
        [draw.choice([draw.randrange(5), draw.random(), np.nan, np.inf]) for _ in range(BECAME)]
    )
    scales = np.array([draw.choice([0.0, 0.5, 2.0]) for _ in range(WAS)])
    bases = np.array([draw.choice([-1.0, 0.0, 0.7]) for _ in range(WAS)])
    return Apart(
        centres, scales, bases, places, draw.choice([LINEAR, SQUARE, WINDOW]), draw.choice([1.0, np.inf])
    )


def cost_of(one, was, became):
    if isinstance(one, Listed):
        return one.costs[was, became]
    if isinstance(one, Alike):
        return 0.0 if one.became[became] in (ANYTHING, one.was[was]) else one.miss
    centre, place = one.centres[was], one.places[became]
    if math.isinf(place):
        return 0.0
    if math.isnan(place) or math.isnan(centre):
        return 0.0 if math.isnan(place) and math.isnan(centre) else one.gone
    away = abs(place - centre)
    grown = {LINEAR: away * one.scales[was], SQUARE: away * away * one.scales[was]}
    if one.shape == WINDOW:
        return one.bases[was] if away <= one.scales[was] else math.inf
    return one.bases[was] + grown[one.shape]


def random_tuples(draw, columns, values):
    found = {tuple(draw.randrange(values) for _ in range(columns)) for _ in range(draw.choice([1, 4, 30]))}
    counts = [draw.randrange(1, 4) for _ in found]
    return Tuples(np.array(sorted(found), np.int32), np.array(counts, np.int64))


def whole(costs, was, became):
    return sum(cost_of(one, x, y) for one, x, y in zip(costs, was, became, strict=True))
