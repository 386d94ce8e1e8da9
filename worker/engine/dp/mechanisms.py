"""The samplers: thin on OpenDP, which is imported here and nowhere else, in the engine's process only.

Every function builds OpenDP's measurement, asks its map what it costs, refuses when that is more than was
requested, and draws once. There is no other source of noise: when OpenDP is absent or fails, the run fails.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from worker.engine.dp.accuracy import Noise, shown_alone
from worker.engine.dp.drawing import about_to_draw
from worker.engine.errors import EngineError
from worker.engine.tables.frequency import Counts

SEPARATOR = "\x1f"
STEPS = 64


def noisy(counts: Counts, noise: Noise) -> Counts:
    """Every count with its own draw; sums saturate at the ends of 64 bits instead of wrapping."""
    if not len(counts):
        return np.zeros(0, np.int64)
    with _sampler() as dp:
        drawn = _within(dp, noise)(np.ascontiguousarray(counts, np.int64))
    return np.asarray(drawn, np.int64)


def noisy_above(counts: Mapping[str, int], noise: Noise, threshold: int, rows: int) -> dict[str, int]:
    """Counts of categories that nobody declared: those whose noisy count reaches the threshold."""
    # OpenDP's map takes the threshold as exclusive while its function includes it: δ is checked here too.
    if shown_alone(threshold, noise.scale, rows) > float(noise.delta):
        raise _dearer()
    if not counts:
        return {}
    with _sampler() as dp:
        domain = dp.map_domain(dp.atom_domain(T=dp.String), dp.atom_domain(T=dp.i64))
        metric = dp.l01inf_distance(dp.absolute_distance(T=dp.i64))
        for scale in _scales(noise.scale):
            drawing = dp.m.make_laplace_threshold(domain, metric, scale=scale, threshold=threshold)
            epsilon, delta = drawing.map((rows, rows, rows))
            if _fits(epsilon, noise) and delta <= float(noise.delta):
                return {str(label): int(count) for label, count in drawing(dict(counts)).items()}
    raise _dearer()


def noisy_best(
    scores: Sequence[int], change: int, noise_scale: float, epsilon: Fraction, monotone: bool
) -> int:
    """The position of the best score under the exponential mechanism (report noisy max).

    `change` is by how much one person can change any one score. `monotone` scores all change in the same
    direction; otherwise the factor 2 in exp(ε·u/2Δ) is needed.
    """
    with _sampler() as dp:
        space = (dp.vector_domain(dp.atom_domain(T=dp.i64)), dp.linf_distance(T=dp.i64, monotonic=monotone))
        for scale in _scales(noise_scale):
            choose = dp.m.make_noisy_max(*space, dp.max_divergence(), scale=scale)
            if Fraction(choose.map(change)) <= epsilon:
                return int(choose(np.asarray(scores, np.int64)))
    raise _dearer()


def _within(dp: Any, noise: Noise) -> Any:
    """The measurement whose map stays within what was requested."""
    for scale in _scales(noise.scale):
        drawing = _measurement(dp, replace(noise, scale=scale))
        if noise.distribution == "laplace":
            if _fits(drawing.map(noise.sensitivity), noise):
                return drawing
        elif _fits(_approximate(dp, drawing, noise), noise):
            return drawing
    raise _dearer()


def _measurement(dp: Any, noise: Noise) -> Any:
    domain = dp.vector_domain(dp.atom_domain(T=dp.i64))
    if noise.distribution == "laplace":
        return dp.m.make_laplace(domain, dp.l1_distance(T=dp.i64), scale=noise.scale)
    return dp.m.make_gaussian(domain, dp.l2_distance(T=dp.f64), scale=noise.scale)


def _approximate(dp: Any, drawing: Any, noise: Noise) -> float:
    """The ε that OpenDP finds for a zCDP measurement at the requested δ."""
    distance = float(np.nextafter(np.sqrt(noise.sensitivity), np.inf))
    return float(dp.c.make_zCDP_to_approxDP(drawing).map(distance).epsilon(float(noise.delta)))


def _fits(epsilon: float, noise: Noise) -> bool:
    return Fraction(epsilon) <= Fraction(noise.epsilon)


def _scales(scale: float) -> Iterator[float]:
    """The scale itself, then slightly larger ones: a quotient rounded down would cost more than was asked."""
    yield scale
    for step in range(STEPS):
        yield float(scale * (1 + 2.0 ** (step // 2 - 52)))


@contextmanager
def _sampler() -> Iterator[Any]:
    """OpenDP, or a clear failure; its own words may quote counts, so they stay here."""
    try:
        import opendp.prelude as dp

        dp.enable_features("contrib")
    except Exception:  # noqa: BLE001 - absent, broken or of another version: the same to whoever waits
        raise _failed("is not installed or cannot be loaded") from None
    about_to_draw()
    try:
        yield dp
    except EngineError:
        raise
    except Exception:  # noqa: BLE001 - see above
        raise _failed("could not draw the noise") from None


def _failed(what: str) -> EngineError:
    text = (
        f"The package that draws the noise (opendp) {what}. Nothing was released, and nothing weaker is used."
    )
    return EngineError("no-noise", text + " Please tell the operators.")


def _dearer() -> EngineError:
    text = (
        "The noise would cost more privacy than was requested. Nothing was drawn. Please report this recipe."
    )
    return EngineError("noise-too-small", text)
