"""Loops that fit models of a population to the class sizes of a sample, by Newton's method."""

from __future__ import annotations

from typing import Any

import numpy as np

from worker.engine.kernels.compiled import compiled, inlined

Floats = np.ndarray[Any, np.dtype[np.float64]]

PITMAN, SNB = 0, 1
STEPS, HALVINGS = 60, 30
NEAR = 15.0
"""From here on few terms of a series are enough."""
LEAST = 1e-300


@compiled
def psi(x: float) -> tuple[float, float]:
    """Digamma and trigamma of a number above zero: by their series further on, and back."""
    first, second = 0.0, 0.0
    while x < NEAR:
        near = 1.0 / x
        first -= near
        second += near * near
        x += 1.0
    far = 1.0 / x
    square = far * far
    series = square * (1 / 12 - square * (1 / 120 - square * (1 / 252 - square * (1 / 240 - square / 132))))
    slopes = square * (1 / 6 - square * (1 / 30 - square * (1 / 42 - square * (1 / 30 - square * 5 / 66))))
    return first + np.log(x) - 0.5 * far - series, second + (1 + 0.5 * far + slopes) * far


@compiled
def pitman_equations(at: Floats, numbers: Floats, sizes: Floats, counts: Floats, found: Floats) -> None:
    """The derivatives of the log-likelihood by θ and α, and theirs: values 0 and 1, slopes 2 … 5."""
    t, a, n, u = at[0], at[1], numbers[0], numbers[1]
    upper, lower, drawn, start = psi(u + t / a), psi(t / a + 1), psi(n + t), psi(t + 1)
    s0 = (upper[0] - lower[0]) / a  # Σ 1 / (t + i a), i = 1 … u − 1
    q0 = (lower[1] - upper[1]) / (a * a)  # Σ 1 / (t + i a)²
    s1 = (u - 1 - t * s0) / a  # Σ i / (t + i a)
    q1 = (s0 - t * q0) / a  # Σ i / (t + i a)²
    q2 = (s1 - t * q1) / a  # Σ i² / (t + i a)²
    first, d, e = psi(1 - a), 0.0, 0.0
    for i in range(sizes.size):
        if sizes[i] > 1:
            here = psi(sizes[i] - a)
            d += counts[i] * (here[0] - first[0])
            e += counts[i] * (first[1] - here[1])
    found[0], found[1] = s0 - drawn[0] + start[0], s1 - d
    found[2], found[3], found[4], found[5] = start[1] - drawn[1] - q0, -q1, -q1, -q2 - e


@compiled
def snb_gaps(a: float, b: float, numbers: Floats) -> tuple[float, float]:
    """By how much the expected classes of one and of two rows differ from those found, in logarithms."""
    classes, f, once, twice = numbers[0], numbers[1], numbers[2], numbers[3]
    w = (1 - f) * (1 - b)
    base, rest = a * np.log(b), -np.log1p(-w)
    first = np.log(classes * f) + base + a * rest + np.log1p(a * w / (1 - w))
    second = np.log(classes * f * f * a * (1 - b) / 2) + base + (a + 2) * rest + np.log(2 - (1 - a) * w)
    return first - np.log(once), second - np.log(twice)


@compiled
def snb_equations(at: Floats, numbers: Floats, found: Floats) -> None:
    """The gaps, and their slopes by central differences."""
    a, b, found[0:2] = at[0], at[1], np.array(snb_gaps(at[0], at[1], numbers))
    step = 1e-6 * a
    up, down = snb_gaps(a + step, b, numbers), snb_gaps(a - step, b, numbers)
    found[2], found[4] = (up[0] - down[0]) / (2 * step), (up[1] - down[1]) / (2 * step)
    step = 1e-6 * b
    up, down = snb_gaps(a, b + step, numbers), snb_gaps(a, b - step, numbers)
    found[3], found[5] = (up[0] - down[0]) / (2 * step), (up[1] - down[1]) / (2 * step)


@inlined
def allows(model: int, x: float, y: float) -> bool:
    """Whether a model is defined there."""
    if model == PITMAN:
        return 0 < y < 1 and x > -y
    return 1e-12 < x < 1e12 and 1e-12 < y < 1 - 1e-5


@inlined
def equations(model: int, at: Floats, numbers: Floats, sizes: Floats, counts: Floats, found: Floats) -> None:
    """What is to become 0, and the slopes."""
    if model == PITMAN:
        pitman_equations(at, numbers, sizes, counts, found)
    else:
        snb_equations(at, numbers, found)


@compiled
def newton(model: int, x: float, y: float, numbers: Floats, sizes: Floats, counts: Floats) -> Floats:
    """A root by Newton's method with steps halved while they do not help; NaN when there is none near."""
    at, nowhere, fresh = np.array([x, y]), np.full(2, np.nan), np.empty(2)
    found, tried = np.empty(6), np.empty(6)
    if not np.isfinite(at).all() or not allows(model, x, y):
        return nowhere
    equations(model, at, numbers, sizes, counts, found)
    for _ in range(STEPS):
        determinant = found[2] * found[5] - found[3] * found[4]
        if determinant == 0 or not np.isfinite(determinant):
            return nowhere
        dx = (found[5] * found[0] - found[3] * found[1]) / determinant
        dy = (found[2] * found[1] - found[4] * found[0]) / determinant
        if not (np.isfinite(dx) and np.isfinite(dy)):
            return nowhere
        if abs(dx) <= 1e-10 * (abs(at[0]) + 1e-10) and abs(dy) <= 1e-10 * (abs(at[1]) + 1e-10):
            return at
        size, moved = max(abs(found[0]), abs(found[1])), False
        for _ in range(HALVINGS):
            fresh[0], fresh[1] = at[0] - dx, at[1] - dy
            if allows(model, fresh[0], fresh[1]):
                equations(model, fresh, numbers, sizes, counts, tried)
                moved = bool(np.isfinite(tried).all()) and max(abs(tried[0]), abs(tried[1])) < size
                if moved:
                    break
            dx, dy = dx / 2, dy / 2
        if not moved:
            return nowhere
        at[:], found[:] = fresh, tried
    return nowhere


@compiled
def drawn_once(population: float, rows: float, sizes: Floats, counts: Floats) -> float:
    """Over classes of the population, the smallest first: the chances that exactly one of each is drawn.

    The chance of a class of one more is had from the last by a factor, until it no longer counts.
    """
    chance, size, total = rows / population, 1.0, 0.0
    for i in range(sizes.size):
        while size < sizes[i] and chance > 0.0:
            chance *= max(population - rows - size + 1.0, 0.0) / (population - size)
            size += 1.0
        if chance < LEAST or population - sizes[i] < rows - 1:
            return total
        total += counts[i] * size * chance
    return total
