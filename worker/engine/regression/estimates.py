"""Coefficients with confidence intervals: least squares of numbers, logistic regression of yes and no."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from worker.engine.tables.column import Floats, Mask

CONFIDENCE = 0.95
MOST_STEPS = 50
CLOSE = 1e-10
FOLLOWS = 1e-8
"""A column of which so little is its own follows from those before it."""


@dataclass(frozen=True)
class Estimates:
    """One number of each for every column of the design; NaN where a column follows from others, or is
    constant."""

    values: Floats
    errors: Floats
    low: Floats
    high: Floats

    @classmethod
    def of(cls, values: Floats, errors: Floats, width: float, own: Mask) -> Estimates:
        """Of the columns that are their own."""
        return cls(values, errors, values - width * errors, values + width * errors).spread(own)

    @classmethod
    def none(cls, number: int) -> Estimates:
        """Where there are not enough rows."""
        return cls(*np.full((4, number), np.nan))

    def spread(self, columns: Mask) -> Estimates:
        """The same among more columns."""
        whole = np.full((4, len(columns)), np.nan)
        whole[:, columns] = self.values, self.errors, self.low, self.high
        return Estimates(*whole)


def least_squares(design: Floats, outcome: Floats) -> Estimates:
    """Ordinary least squares with Student's t; the first columns stay where some follow from others."""
    from scipy.special import stdtrit

    own = independent(design)
    freedom = len(outcome) - int(own.sum())
    if freedom < 1:
        return Estimates.none(design.shape[1])
    used = design[:, own]
    orthogonal, upper = np.linalg.qr(used)
    values = np.linalg.solve(upper, orthogonal.T @ outcome)
    variance = float(np.square(outcome - used @ values).sum()) / freedom
    inverse = np.linalg.inv(upper)
    errors = np.sqrt(variance * np.square(inverse).sum(axis=1))
    return Estimates.of(values, errors, float(stdtrit(freedom, (1 + CONFIDENCE) / 2)), own)


def logistic(design: Floats, outcome: Mask) -> Estimates:
    """The likeliest coefficients by Newton's method, their errors from the information; none where no finite
    ones are likeliest, because the outcome follows from the columns."""
    from scipy.special import expit, ndtri

    own = independent(design)
    used, values = design[:, own], np.zeros(int(own.sum()))
    if len(outcome) <= len(values) or outcome.all() or not outcome.any():
        return Estimates.none(design.shape[1])
    for _ in range(MOST_STEPS):
        chances = expit(used @ values)
        information = (used * (chances * (1 - chances))[:, None]).T @ used
        try:
            step = np.linalg.solve(information, used.T @ (outcome - chances))
        except np.linalg.LinAlgError:
            return Estimates.none(design.shape[1])
        values = values + step
        if np.abs(step).max(initial=0) < CLOSE * (1 + np.abs(values).max(initial=0)):
            errors = np.sqrt(np.diag(np.linalg.inv(information)))
            return Estimates.of(values, errors, float(ndtri((1 + CONFIDENCE) / 2)), own)
    return Estimates.none(design.shape[1])


def independent(design: Floats) -> Mask:
    """Which columns do not follow from those before them."""
    found = np.zeros(design.shape[1], bool)
    basis: list[Floats] = []
    for at, column in enumerate(design.T):
        size = float(np.linalg.norm(column))
        rest = column.astype(np.float64)
        for _ in range(2):  # once more, because the first leaves what rounding adds
            for one in basis:
                rest = rest - (one @ rest) * one
        left = float(np.linalg.norm(rest))
        if size and left > FOLLOWS * size:
            found[at] = True
            basis.append(rest / left)
    return found


def overlaps(one: Estimates, other: Estimates) -> Floats:
    """The mean part of either interval that the other covers: 1 where they are the same, 0 where they do not
    meet or one of them is not known. NaN where the first is not known."""
    shared = np.minimum(one.high, other.high) - np.maximum(one.low, other.low)
    widths = np.stack([one.high - one.low, other.high - other.low])
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.maximum((shared / widths).mean(axis=0), 0.0)
    points = (widths == 0).any(axis=0)
    found = np.where(points, (one.low == other.low) & (one.high == other.high), found)
    found[np.isnan(other.values)] = 0.0
    found[np.isnan(one.values)] = np.nan
    return np.asarray(found, np.float64)


def standardised(one: Estimates, other: Estimates) -> Floats:
    """How far the coefficients are apart, in standard errors of the first."""
    apart = np.abs(one.values - other.values)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(apart == 0, 0.0, apart / one.errors))
