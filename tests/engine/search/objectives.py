"""The objectives as plain functions of counts, sharing nothing with the search."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from worker.engine.hierarchies.hierarchy import Levels
from worker.engine.tables.column import Codes, Mask
from worker.engine.tables.frequency import Counts

Score = float | tuple[float, ...]
Node = tuple[int, ...]

OBJECTIVES = (
    "loss",
    "aecs",
    "discernibility",
    "discernibility-star",
    "ambiguity",
    "entropy",
    "precision",
    "height",
)
AGGREGATES = ("arithmetic-mean", "geometric-mean", "max", "sum", "rank")


@dataclass(frozen=True)
class Grouping:
    """A node's classes: the generalized codes of each, its rows, and whether it is kept."""

    node: Node
    codes: tuple[Codes, ...]
    rows: Counts
    kept: Mask


class Objective(ABC):
    """Lower is better."""

    weights: tuple[float, ...]
    """How much each column counts, relative to the largest."""

    def __init__(self, levels: Sequence[Levels], values: Sequence[Counts]) -> None:
        """`values` are the rows per value of each column."""
        self.levels = tuple(levels)
        self.values = tuple(values)
        self.total = int(values[0].sum()) if values else 0

    @abstractmethod
    def score(self, grouping: Grouping) -> Score:
        """The score of a node."""


class Loss(Objective):
    """Share of the hierarchy's rows that a value covers; a suppressed row covers all."""

    def __init__(
        self, levels: Sequence[Levels], values: Sequence[Counts], aggregate: str, generalization_weight: float
    ) -> None:
        super().__init__(levels, values)
        weight = generalization_weight
        self._aggregate, self._geometric = aggregate_of(aggregate), aggregate == "geometric-mean"
        self._general = 1.0 if weight <= 0.5 else 2 * (1 - weight)
        self._suppressed = 2 * weight if weight < 0.5 else 1.0

    def score(self, grouping: Grouping) -> Score:
        losses = []
        factor = self._suppressed
        for column, (levels, level) in enumerate(zip(self.levels, grouping.node, strict=True)):
            covered = grouping.rows * levels.shares[level][grouping.codes[column]]
            hidden = grouping.rows if factor == 1.0 else covered + factor * (grouping.rows - covered)
            loss = np.where(grouping.kept, covered * self._general, hidden).sum()
            losses.append(self._normal(float(loss), column))
        if self._geometric:
            return (
                math.prod(
                    ((v + 1) * w) ** (1 / len(losses)) for v, w in zip(losses, self.weights, strict=True)
                )
                - 1
            )
        return self._aggregate([v * w for v, w in zip(losses, self.weights, strict=True)])

    def _normal(self, loss: float, column: int) -> float:
        least = self._general * self.total / self.levels[column].size
        span = self.total - least
        return rounded(max((loss - least) / span, 0.0)) if span > 0 else 0.0


class AverageClassSize(Objective):
    """Rows per class; all suppressed rows count as one class more."""

    def score(self, grouping: Grouping) -> Score:
        classes = int(grouping.kept.sum()) + (not grouping.kept.all())
        return self.total / classes if classes else 0.0


class Discernibility(Objective):
    """Every row counts the rows it cannot be told from; a suppressed row counts all."""

    def score(self, grouping: Grouping) -> Score:
        kept = grouping.rows[grouping.kept].astype(object)  # squares of large classes exceed 64 bits
        return float((kept * kept).sum() + self.total * int(grouping.rows[~grouping.kept].sum()))


class DiscernibilityStar(Objective):
    """Squares of all class sizes, suppressed or not."""

    def score(self, grouping: Grouping) -> Score:
        rows = grouping.rows.astype(object)
        return float((rows * rows).sum())


class Ambiguity(Objective):
    """How many original tuples a released row could stand for."""

    def score(self, grouping: Grouping) -> Score:
        product = np.ones(len(grouping.rows))
        for levels, level, codes in zip(self.levels, grouping.node, grouping.codes, strict=True):
            product *= np.where(grouping.kept, levels.shares[level][codes], 1.0) * levels.size
        return float((product * grouping.rows).sum())


class Entropy(Objective):
    """Bits lost per cell: −log₂ of a value's share of the label it became."""

    def score(self, grouping: Grouping) -> Score:
        hidden = grouping.rows[~grouping.kept]
        total = int(hidden.sum())
        result = 0.0
        for column, level in enumerate(grouping.node):
            bits = self._generalized(column, level)
            if total:
                codes = grouping.codes[column][~grouping.kept]
                counts = np.bincount(codes, weights=hidden)
                counts = counts[counts > 0]
                bits -= float((counts * np.log2(counts / total)).sum())
            result += rounded(bits) * self.weights[column]
        return result

    def _generalized(self, column: int, level: int) -> float:
        values = self.values[column]
        codes = self.levels[column].from_values[level]
        labels = np.bincount(codes, weights=values) if len(codes) else np.zeros(0)
        present = values > 0
        return -float((values[present] * np.log2(values[present] / labels[codes][present])).sum())


class Precision(Objective):
    """Mean of level ÷ height over all cells; a suppressed cell stands at full height."""

    def score(self, grouping: Grouping) -> Score:
        return self._mean(grouping.node, int(grouping.rows[~grouping.kept].sum()))

    def _mean(self, node: Node, hidden: int) -> float:
        kept = self.total - hidden
        pairs = zip(node, self.levels, strict=True)
        heights = [level / levels.height if levels.height else 0.0 for level, levels in pairs]
        if not heights or not self.total:
            return 0.0
        parts = ((kept * height + hidden) / self.total for height in heights)
        return sum(part * w for part, w in zip(parts, self.weights, strict=True)) / len(heights)


class Height(Objective):
    """The sum of levels."""

    def score(self, grouping: Grouping) -> Score:
        return float(sum(level * w for level, w in zip(grouping.node, self.weights, strict=True)))


def objective_of(
    name: str,
    levels: Sequence[Levels],
    values: Sequence[Counts],
    aggregate: str,
    generalization_weight: float,
    weights: Sequence[float] = (),
) -> Objective:
    """The objective with this name."""
    plain: dict[str, type[Objective]] = {
        "aecs": AverageClassSize,
        "discernibility": Discernibility,
        "discernibility-star": DiscernibilityStar,
        "ambiguity": Ambiguity,
        "entropy": Entropy,
        "precision": Precision,
        "height": Height,
    }
    if name == "loss":
        made: Objective = Loss(levels, values, aggregate, generalization_weight)
    else:
        made = plain[name](levels, values)
    most = max(weights, default=0)
    made.weights = tuple(w / most for w in weights) if most else (1.0,) * len(levels)
    return made


def aggregate_of(name: str) -> Callable[[Sequence[float]], Score]:
    """How the losses of columns become one score."""
    return {
        "arithmetic-mean": lambda losses: sum(losses) / len(losses) if losses else 0.0,
        "geometric-mean": lambda losses: 0.0,  # weighs its factors: see there
        "max": lambda losses: max(losses, default=0.0),
        "sum": sum,
        "rank": lambda losses: tuple(sorted(losses, reverse=True)),
    }[name]


def rounded(value: float) -> float:
    """To ten decimals, half up, so that sums in another order give the same score."""
    return math.floor(value * 1e10 + 0.5) / 1e10
