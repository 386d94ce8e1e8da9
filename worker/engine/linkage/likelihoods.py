"""How likely a released tuple is: from one original, from any of them, and what that makes one believe."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from worker.engine.linkage.costs import Apart, Cost, Listed, cells
from worker.engine.linkage.tuples import Layout, Tuples
from worker.engine.randomness import Source
from worker.engine.tables.column import Codes, Floats

MOST_CELLS = 1 << 23
"""So many combinations of categories are gone through column by column."""
MOST_PAIRS = 1 << 26
"""So many pairs of an original and a released tuple are looked at; beyond that a sample of originals."""


def mean_likelihoods(costs: Sequence[Cost], originals: Tuples, released: Tuples, source: Source) -> Floats:
    """How likely each released tuple is to come from a row of the original, whichever: over all originals,
    or over a sample of them and the likeliest value there is."""
    rows = max(int(originals.counts.sum()), 1)
    listed = _on_grid(costs)
    if listed is not None:
        grid = np.zeros([len(one) for one in listed])
        grid[tuple(originals.codes.T)] = originals.counts
        for one in listed:
            grid = np.tensordot(grid, np.exp(-one), axes=(0, 0))
        return np.asarray(grid[tuple(released.codes.T)] / rows)
    most = max(MOST_PAIRS // max(len(released), 1), 1)
    if len(originals) <= most:
        likely = _over(costs, originals.codes, originals.counts.astype(np.float64), released, np.inf)
        return np.asarray(likely / rows)
    chosen = np.sort(source.stream("\x00others", 0).permutation(len(originals))[:most])
    weights = originals.counts[chosen].astype(np.float64)
    likeliest = _likeliest(costs, released)
    dearest = float(likeliest[np.isfinite(likeliest)].max(initial=0.0))
    likely = _over(costs, originals.codes[chosen], weights, released, dearest)
    return np.asarray((likely + np.exp(-likeliest)) / (weights.sum() + 1.0))


def highest_belief(costs: Sequence[Cost], targets: Codes, released: Tuples, mean: Floats) -> float | None:
    """The highest probability that one row belongs to a target, for somebody who divides the likelihood of
    each row by its mean: over all targets, or as many as there is time for."""
    weights = np.divide(1.0, mean, out=np.zeros(len(mean)), where=mean > 0)
    if not len(targets) or not len(released):
        return None
    listed = _on_grid(costs)
    if listed is not None:
        total, best = _spread(listed, released, weights)
        totals, bests = (one[tuple(targets.T)] for one in (total, best))
    else:
        totals, bests = _believed(costs, targets[: max(MOST_PAIRS // len(released), 1)], released, weights)
    some = totals > 0
    return float((bests[some] / totals[some]).max()) if some.any() else None


def _on_grid(costs: Sequence[Cost]) -> list[Floats] | None:
    number = cells(costs)
    if number is None or number > MOST_CELLS:
        return None
    return [one.costs for one in costs if isinstance(one, Listed)]


def _believed(costs: Sequence[Cost], targets: Codes, released: Tuples, weights: Floats) -> Floats:
    """For each target the sum over released rows, and the largest of one row."""
    from worker.engine.linkage.ranking_loops import Room, beliefs

    with np.errstate(divide="ignore"):
        offsets = -np.log(weights)
    layout, found = Layout(tuple(costs)), np.zeros((len(targets), 2))
    tree = layout.tree(released, offsets)
    beliefs(layout.rule(), layout.asked(targets), tree, Room.of(tree), found)
    return found.T


def _over(
    costs: Sequence[Cost], originals: Codes, weights: Floats, released: Tuples, beside: float
) -> Floats:
    """How likely each released tuple is, summed over originals; they are going to be added to what costs
    `beside`, so that what costs far more may be left out."""
    from worker.engine.linkage.ranking_loops import NEGLIGIBLE, Room, likelihoods

    layout, found = Layout(tuple(costs)), np.zeros(len(released))
    tree = layout.tree(released, np.zeros(len(released)))
    in_order, most = np.zeros(len(released)), beside + NEGLIGIBLE
    likelihoods(layout.rule(), layout.asked(originals), tree, weights, most, Room.of(tree), in_order)
    found[tree.order] = in_order
    return found


def _likeliest(costs: Sequence[Cost], released: Tuples) -> Floats:
    """What each released tuple costs from the value that it most likely comes from."""
    found = np.zeros(len(released))
    for column, one in enumerate(costs):
        if isinstance(one, Listed):
            found += one.costs.min(axis=0, initial=np.inf)[released.codes[:, column]]
        elif isinstance(one, Apart):
            there = np.isfinite(one.places[released.codes[:, column]])
            found += np.where(there, one.bases.min(initial=np.inf), 0.0)
    return found


def _spread(listed: Sequence[Floats], released: Tuples, weights: Floats) -> tuple[Floats, Floats]:
    """For each combination of original values the sum over released rows, and the largest of one row."""
    total = np.zeros([one.shape[1] for one in listed])
    best = total.copy()
    total[tuple(released.codes.T)] = weights * released.counts
    best[tuple(released.codes.T)] = weights
    for one in listed:
        likely = np.exp(-one)
        total = np.tensordot(total, likely, axes=(0, 1))
        rows = [(best * row.reshape(-1, *[1] * (best.ndim - 1))).max(axis=0) for row in likely]
        best = np.stack(rows, axis=-1)
    return total, best
