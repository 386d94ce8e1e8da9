"""Post-processing: counts that add up, whole and not negative. It sees noisy counts only and is free."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from worker.engine.tables.frequency import Counts

Floats = np.ndarray[Any, np.dtype[np.float64]]
Parents = np.ndarray[Any, np.dtype[Any]]
MOST_ROUNDS = 100
NEAR_ENOUGH = 0.5, 1e-4
"""Rows, or the share of all rows, by which a margin may miss in all: less than rounding takes."""


def shared_out(parts: Floats, total: int, nonnegative: bool) -> Counts:
    """Whole numbers that add up to the total: the nearest such point, then largest remainders."""
    if not len(parts):
        return np.zeros(0, np.int64)
    fitted = _on_simplex(parts, max(total, 0)) if nonnegative else parts + (total - parts.sum()) / len(parts)
    whole = np.floor(fitted).astype(np.int64)
    short = (max(total, 0) if nonnegative else total) - int(whole.sum())
    order = np.argsort(whole - fitted, kind="stable")
    whole[order[: max(short, 0)]] += 1
    if short < 0:  # floating point left a hair too much
        whole[np.argmax(whole)] += short
    return whole


def rounded_in_turn(parts: Floats) -> Counts:
    """Whole numbers in place of many parts; what rounding takes from one is carried on to the next.

    Parts of a cross table have remainders in common along a row or column. Rounded each by itself they
    would all lose them, and with them what the margins had told.
    """
    whole = np.floor(parts)
    carried = np.rint(np.cumsum(parts - whole))
    return (whole + np.diff(carried, prepend=0.0)).astype(np.int64)


def _on_simplex(parts: Floats, total: int) -> Floats:
    """The nearest point without negative parts that adds up to the total."""
    descending = np.sort(parts)[::-1]
    excess = (np.cumsum(descending) - total) / np.arange(1, len(parts) + 1)
    last = int(np.flatnonzero(descending > excess)[-1]) if (descending > excess).any() else 0
    return np.asarray(np.maximum(parts - excess[last], 0.0))


def nearest_with_total(parts: Floats, total: float) -> Floats:
    """The nearest point without negative parts that adds up to the total; nothing adds up to nothing."""
    if total <= 0 or not len(parts):
        return np.zeros(len(parts))
    return np.asarray(np.maximum(parts - _thresholds(parts[np.newaxis], np.array([total]))[0], 0.0))


# -- margins of a cross table ------------------------------------------------------------------------


def nearest_with_margins(full: Floats, margins: Sequence[Floats]) -> Floats:
    """The nearest table without negative cells whose one-way margins are these, which are not negative and
    have one total.

    Its cells are those of the table less one amount per entry of each margin, cut at 0 (the conditions of
    Karush, Kuhn and Tucker); each axis in turn finds its amounts given the others'.
    """
    taken = [np.zeros(len(one)) for one in margins]
    for _ in range(MOST_ROUNDS):
        for axis, wanted in enumerate(margins):
            rest = full - _summed_over([t if a != axis else t * 0 for a, t in enumerate(taken)])
            slices = np.moveaxis(rest, axis, 0).reshape(len(wanted), -1)
            taken[axis] = _thresholds(slices, wanted)
        fitted = np.maximum(full - _summed_over(taken), 0.0)
        gaps = [np.abs(own - one).sum() for own, one in zip(one_way(fitted), margins, strict=True)]
        if max(gaps) < max(NEAR_ENOUGH[0], NEAR_ENOUGH[1] * margins[0].sum()):
            break
    return np.asarray(fitted)


def without_negative(full: Floats) -> Floats:
    """The table without negative cells whose grand total stays, and whose margins stay as far as they are
    not negative themselves: cutting cells at 0 alone would add up to far too much."""
    total = max(float(full.sum()), 0.0)
    return nearest_with_margins(full, [nearest_with_total(one, total) for one in one_way(full)])


def one_way(full: Floats) -> list[Floats]:
    """The margin of each axis."""
    axes = range(full.ndim)
    return [full.sum(axis=tuple(a for a in axes if a != axis)) for axis in axes]


def _summed_over(amounts: Sequence[Floats]) -> Floats:
    parts = [_broadcast(one, axis, len(amounts)) for axis, one in enumerate(amounts)]
    return np.asarray(sum(parts[1:], parts[0]))


def _thresholds(slices: Floats, totals: Floats) -> Floats:
    """What to take from every part of a row so that the parts left above 0 add up to the row's total."""
    descending = -np.sort(-slices, axis=1)
    excess = (np.cumsum(descending, axis=1) - totals[:, np.newaxis]) / np.arange(1, slices.shape[1] + 1)
    kept = np.maximum((descending > excess).sum(axis=1), 1) - 1
    return np.asarray(excess[np.arange(len(slices)), kept])


def margin_weights(shape: Sequence[int]) -> tuple[float, ...]:
    """For each column, how many cells one entry of its margin adds up."""
    size = float(np.prod(shape, dtype=float))
    return tuple(size / one for one in shape)


def fitted_cells(full: Floats, margins: Sequence[Floats]) -> Floats:
    """Cells by least squares from the noisy table and its noisy one-way margins, all with equal noise.

    The table splits into orthogonal parts – the mean, what each column explains, the rest – and a margin
    measures two of them with a variance as many times smaller as it adds up cells.
    """
    weights = margin_weights(full.shape)
    spread = [
        _broadcast(m / w, axis, full.ndim) for axis, (m, w) in enumerate(zip(margins, weights, strict=True))
    ]
    means = [full.mean()] + [one.mean() for one in spread]
    mean = np.average(means, weights=[1.0, *weights])
    fitted = full - full.mean() + mean
    for axis, (one, weight) in enumerate(zip(spread, weights, strict=True)):
        others = tuple(a for a in range(full.ndim) if a != axis)
        own = full.mean(axis=others, keepdims=True) - full.mean()
        told = one - one.mean()
        fitted = fitted + (told - own) * (weight / (1 + weight))
    return np.asarray(fitted)


def margin_variances(shape: Sequence[int]) -> tuple[float, tuple[float, ...], float]:
    """Variances of a fitted cell, of each column's margin and of the total, in units of the noise's."""
    size, weights = float(np.prod(shape, dtype=float)), margin_weights(shape)
    mean = 1 / (1 + sum(weights))
    columns = [(one - 1) / (1 + weight) for one, weight in zip(shape, weights, strict=True)]
    rest = size - 1 - sum(one - 1 for one in shape)
    cell = (mean + sum(columns) + rest) / size
    margins = tuple(w**2 * (mean + own) / size for w, own in zip(weights, columns, strict=True))
    return cell, margins, size * mean


def _broadcast(values: Floats, axis: int, dimensions: int) -> Floats:
    return values.reshape([-1 if a == axis else 1 for a in range(dimensions)])


# -- a tree of levels -----------------------------------------------------------------------------------


def fitted_levels(levels: Sequence[Floats], parents: Sequence[Parents], nonnegative: bool) -> list[Counts]:
    """Counts of every level that add up, by least squares from independent noisy counts of every level.

    `parents[l]` gives for each entry of level l its entry in level l + 1. Up: each entry's own count and the
    sum of its children are weighed by their variances. Down: what is missing is shared out.
    """
    estimates, variances = _upwards(levels, parents)
    top = np.rint(estimates[-1]).astype(np.int64)
    found = [np.maximum(top, 0) if nonnegative else top]
    for level in range(len(levels) - 2, -1, -1):
        found.insert(0, _downwards(estimates[level], variances[level], parents[level], found[0], nonnegative))
    return found


def level_variances(sizes: Sequence[int], parents: Sequence[Parents]) -> list[Floats]:
    """The variance of every fitted count, in units of the noise's."""
    _, up = _upwards([np.zeros(size) for size in sizes], parents)
    found = [up[-1]]
    for level in range(len(sizes) - 2, -1, -1):
        own, to = up[level], parents[level]
        whole = np.bincount(to, weights=own, minlength=sizes[level + 1])[to]
        share = own / whole
        found.insert(0, own - own * share + share**2 * found[0][to])
    return found


def _upwards(levels: Sequence[Floats], parents: Sequence[Parents]) -> tuple[list[Floats], list[Floats]]:
    estimates, variances = [levels[0].astype(float)], [np.ones(len(levels[0]))]
    for level in range(1, len(levels)):
        size, to = len(levels[level]), parents[level - 1]
        below = np.bincount(to, weights=estimates[-1], minlength=size)
        spread = np.bincount(to, weights=variances[-1], minlength=size)
        variance = spread / (1 + spread)
        estimates.append(variance * (levels[level] + below / spread))
        variances.append(variance)
    return estimates, variances


def _downwards(own: Floats, variance: Floats, to: Parents, above: Counts, nonnegative: bool) -> Counts:
    found = np.zeros(len(own), np.int64)
    for parent in range(len(above)):
        at = np.flatnonzero(to == parent)
        gap = above[parent] - own[at].sum()
        fitted = own[at] + gap * variance[at] / variance[at].sum()
        found[at] = shared_out(fitted, int(above[parent]), nonnegative)
    return found
