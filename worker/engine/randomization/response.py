"""Randomized response in whole numbers: probabilities that keep what ε promises exactly."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal, localcontext

from worker.engine.contracts.facts import StepJson
from worker.engine.randomization.estimation import NORMAL95, central_error95, response_share
from worker.engine.randomization.transition import Weights, exactly, identity

COARSE, FINE = 1 << 24, 1 << 40
"""What the weights sum to: the coarse one is drawn with short words, where it is exact enough for ε."""
LOSS = 1e-5


@dataclass(frozen=True)
class Design:
    """Weights of the true answer and of each other one among so many categories."""

    true: int
    other: int
    categories: int

    @property
    def total(self) -> int:
        """What the weights of one answer sum to."""
        return self.true + self.other * (self.categories - 1)

    @property
    def epsilon(self) -> float:
        """ln of the ratio that is implemented."""
        return math.log(self.true / self.other)

    def weights(self, drawn: int, size: int) -> Weights:
        """The matrix; categories beyond those that are drawn from stay as they are."""
        rows = identity(size)
        for i in range(drawn):
            rows[i] = [self.true if i == j else self.other if j < drawn else 0 for j in range(size)]
        return rows

    def facts(self) -> StepJson:
        """What the report says before anything was drawn."""
        keep, other = self.true / self.total, self.other / self.total
        return {"local_epsilon": self.epsilon, "keep_probability": keep, "other_probability": other}

    def estimates(self, released: Sequence[int]) -> StepJson:
        """Original shares with their intervals at 95 %, beside the error of the central model."""
        rows = int(sum(released))
        keep, other = self.true / self.total, self.other / self.total
        found = [response_share(n / rows if rows else 0.0, rows, keep, other) for n in released]
        return {
            "answers": rows,
            "estimated_shares": [share for share, _ in found],
            "standard_errors": [error for _, error in found],
            "intervals95": [[s - NORMAL95 * e, s + NORMAL95 * e] for s, e in found],
            "error95_local": max((NORMAL95 * error for _, error in found), default=0.0),
            "error95_central": central_error95(self.epsilon, rows),
        }


def of_epsilon(epsilon: Decimal, categories: int) -> Design:
    """p = e^ε/(e^ε + m − 1), rounded so that the ratio of probabilities never exceeds e^ε."""
    coarse = _rounded(epsilon, categories, COARSE)
    if coarse.epsilon >= float(epsilon) * (1.0 - LOSS):
        return coarse
    return _rounded(epsilon, categories, FINE)


def _rounded(epsilon: Decimal, categories: int, total: int) -> Design:
    with localcontext() as context:
        context.prec = 60
        share = Decimal(total) / (epsilon.exp() + categories - 1)
        other = max(1, int(share.to_integral_value(ROUND_CEILING)))
    return Design(max(total - other * (categories - 1), other), other, categories)


def of_keep(keep: float | Decimal, categories: int) -> Design:
    """The true answer with exactly this probability."""
    share = exactly(keep)
    leave = share.denominator - share.numerator
    return Design(share.numerator * (categories - 1), leave, categories)
