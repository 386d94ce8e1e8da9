"""The attacker who knows how values were moved: −ln of the likelihood of each released value."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from worker.engine.contracts.channels import AddedNoise, RankWindow, Transitions
from worker.engine.contracts.traces import Trace
from worker.engine.linkage.costs import LINEAR, SQUARE, WINDOW, Apart, Cost, Listed, alike, places, stars
from worker.engine.linkage.quasi_identifiers import MOST_LISTED, Key
from worker.engine.tables.column import Floats

Spreading = Callable[[Floats], tuple[Floats, Floats, int]]
SMALLEST = 1e-9
"""Of the original's deviation: numbers that nothing moved still have one."""


def likelihood(key: Key) -> Cost:
    """By the mechanism that was published; without one by what the rows themselves show of it.

    A column that was kept or made coarser says what it holds; `*` follows from every value.
    """
    if key.trace is Trace.KEPT:
        return alike(key.was, key.became, np.inf)
    if key.trace is Trace.COARSER:
        return Listed(np.where(key.cover(), 0.0, np.inf))
    if isinstance(key.channel, Transitions):
        return _by_matrix(key, key.channel)
    if key.is_numeric:
        if isinstance(key.channel, AddedNoise):
            return _by_noise(key, key.channel)
        if isinstance(key.channel, RankWindow):
            return _by_ranks(key, key.channel)
        return _by_noise(key, _residuals(key))
    return _kept_or_drawn(key)


def _by_matrix(key: Key, channel: Transitions) -> Listed:
    """Categories that the matrix does not know stay what they are."""
    index = {text: at for at, text in enumerate(channel.categories)}
    was = np.array([index.get(text, -1) for text in key.was.texts], np.int64)
    became = np.array([index.get(text, -1) for text in key.became.texts], np.int64)
    likely = np.zeros((len(was), len(became)))
    inside = np.ix_(was >= 0, became >= 0)
    likely[inside] = channel.rows[np.ix_(was[was >= 0], became[became >= 0])]
    places_of = key.was.places_of(key.became)
    for label in np.flatnonzero((places_of >= 0) & (became < 0)).tolist():
        likely[places_of[label], label] = 1.0
    likely[:, stars(key.became) & (became < 0)] = 1.0
    return Listed(_costs(likely))


def _by_noise(key: Key, channel: AddedNoise) -> Apart:
    numbers = key.was.numbers
    spread = channel.deviation * (np.abs(numbers) if channel.relative else np.ones(len(numbers)))
    least = max(channel.step / np.sqrt(12), SMALLEST * max(key.spread, SMALLEST))
    spread = np.where(np.isnan(spread), least, np.maximum(spread, least))
    scales, bases, shape = SHAPES[channel.shape](spread)
    if shape == WINDOW:
        scales = scales + channel.step / 2
        scales = scales * (1 + SMALLEST)
    centres = channel.factor * numbers + channel.shift
    return Apart(centres, scales, bases, places(key.became), shape, np.inf)


def _gaussian(spread: Floats) -> tuple[Floats, Floats, int]:
    return 0.5 / spread**2, np.log(spread * np.sqrt(2 * np.pi)), SQUARE


def _laplace(spread: Floats) -> tuple[Floats, Floats, int]:
    return np.sqrt(2) / spread, np.log(np.sqrt(2) * spread), LINEAR


def _uniform(spread: Floats) -> tuple[Floats, Floats, int]:
    return np.sqrt(3) * spread, np.log(2 * np.sqrt(3) * spread), WINDOW


SHAPES: dict[str, Spreading] = {"gaussian": _gaussian, "laplace": _laplace, "uniform": _uniform}


def _by_ranks(key: Key, channel: RankWindow) -> Apart:
    """Any of the values whose ranks are near enough to one of its own, all alike."""
    numbers = key.was.numbers
    order = np.argsort(numbers, kind="stable")
    order = order[~np.isnan(numbers[order])]
    ends = np.cumsum(key.were[order])
    ranks = int(ends[-1]) if len(ends) else 0
    reach = int(channel.share * ranks + SMALLEST)
    low = np.maximum(ends - key.were[order] - reach, 0)
    high = np.minimum(ends - 1 + reach, max(ranks - 1, 0))
    lowest, highest = (numbers[order][np.searchsorted(ends, at, side="right")] for at in (low, high))
    centres, scales, bases = np.full(len(numbers), np.nan), np.zeros(len(numbers)), np.zeros(len(numbers))
    centres[order] = (lowest + highest) / 2
    scales[order] = (highest - lowest) / 2 + SMALLEST * np.maximum(np.abs(lowest), np.abs(highest))
    bases[order] = np.log(high - low + 1)
    return Apart(centres, scales, bases, places(key.became), WINDOW, np.inf)


def _residuals(key: Key) -> AddedNoise:
    """Normal noise as large as the differences that the rows show."""
    if key.pairs is None:
        return AddedNoise(0.0)
    away = key.pairs.domains[1].numbers[key.pairs.codes[1]] - key.pairs.domains[0].numbers[key.pairs.codes[0]]
    known = np.isfinite(away)
    if not known.any():
        return AddedNoise(0.0)
    weights = key.pairs.counts[known]
    shift = float(np.average(away[known], weights=weights))
    deviation = float(np.sqrt(np.average((away[known] - shift) ** 2, weights=weights)))
    return AddedNoise(deviation, shift=shift)


def _kept_or_drawn(key: Key) -> Cost:
    """A value is kept as often as the rows show, and otherwise drawn as the release has them."""
    shown = np.where(stars(key.became), 0, key.are)
    drawn = shown / max(shown.sum(), 1)
    places_of = key.was.places_of(key.became)
    known = places_of >= 0
    by_chance = float((key.were[places_of[known]] / max(key.were.sum(), 1) * drawn[known]).sum())
    stays = max((_unchanged(key) - by_chance) / (1 - by_chance), 0.0) if by_chance < 1 else 1.0
    if len(key.was) * len(key.became) > MOST_LISTED:
        other = (1 - stays) / len(key.became)
        with np.errstate(divide="ignore"):
            return alike(key.was, key.became, float(np.log(stays + other) - np.log(other)))
    likely = np.tile((1 - stays) * drawn, (len(key.was), 1))
    likely[places_of[known], np.flatnonzero(known)] += stays
    likely[:, stars(key.became)] = 1.0
    return Listed(_costs(likely))


def _unchanged(key: Key) -> float:
    """The share of cells that hold what they held; cells with `*` do not count."""
    if key.pairs is None:
        return 0.0
    was, became = key.pairs.domains
    counted = ~stars(became)[key.pairs.codes[1]]
    same = (was.places_of(became)[key.pairs.codes[1]] == key.pairs.codes[0]) & counted
    rows = key.pairs.counts[counted].sum()
    return float(key.pairs.counts[same].sum() / rows) if rows else 0.0


def _costs(likely: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        return np.asarray(-np.log(likely)) + 0.0
