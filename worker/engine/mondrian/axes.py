"""How each column of a table is cut: along an order, or down a hierarchy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from worker.engine.hierarchies.hierarchy import Levels, levels_of
from worker.engine.hierarchies.value_order import ranks_of
from worker.engine.tables.column import SUPPRESSED, Codes, Floats
from worker.engine.tables.declaration import Declaration
from worker.engine.tables.frequency import Domain
from worker.engine.tables.kinds import NUMERIC, Kind

AS_NUMBERS = ("mean", "median")
"""Summaries of a region that are values of its column."""


@dataclass(frozen=True)
class OrderedAxis:
    """`ranks[code]` is the place of each value, the `missing` ones first; `numbers` and `texts` go by rank.

    `has_distance` is false for values that were only put in an order to cut them: a region is a set of them.
    """

    domain: Domain
    ranks: Codes
    numbers: Floats
    missing: int
    has_distance: bool

    @property
    def height(self) -> int:
        """An order has no levels."""
        return 0

    @property
    def texts(self) -> list[str]:
        """The values by rank."""
        ordered = [""] * len(self.domain)
        for text, rank in zip(self.domain.texts, self.ranks.tolist(), strict=True):
            ordered[rank] = text
        return ordered

    @property
    def codes(self) -> Codes:
        """What stands for each value while regions are cut."""
        return self.ranks

    @property
    def span(self) -> float:
        """How far apart the known values are at most."""
        known = self.numbers[self.missing :]
        return max(float(known[-1] - known[0]), 1e-300) if len(known) else 1.0


@dataclass(frozen=True)
class TreeAxis:
    """`maps[l][code]` is the group of each value at level l, `labels[l]` the groups' names, `losses[l][code]`
    the part of all values that the group covers beyond the value itself. One group holds all at the top."""

    domain: Domain
    maps: tuple[Codes, ...]
    labels: tuple[tuple[str, ...], ...]
    losses: tuple[Floats, ...]

    @property
    def height(self) -> int:
        """The number of the highest level."""
        return len(self.maps) - 1

    @property
    def codes(self) -> Codes:
        """What stands for each value while regions are cut."""
        return np.arange(len(self.domain), dtype=np.int32)


Axis = OrderedAxis | TreeAxis


def kind_after(kind: Kind, summary: str) -> Kind:
    """What a column is once regions stand for its values."""
    return kind if summarized(kind, summary) else Kind.CATEGORICAL


def summarized(kind: Kind, summary: str) -> bool:
    """Whether a value stands for a region, and not a label that holds all of its values."""
    return summary in AS_NUMBERS and kind in NUMERIC | {Kind.DATE, Kind.ORDINAL}


def axis_of(domain: Domain, declared: Declaration) -> Axis:
    """Numbers, dates and ordinals by their order; others down their hierarchy, or by text without one."""
    numbers = _numbers(domain, declared)
    if numbers is None and declared.hierarchy is not None:
        return _tree(levels_of(declared.hierarchy, domain), domain)
    ranks = ranks_of(domain, declared)
    by_rank = np.empty(len(domain))
    by_rank[ranks] = ranks if numbers is None else numbers
    return OrderedAxis(domain, ranks, by_rank, int(domain.missing.sum()), numbers is not None)


def _numbers(domain: Domain, declared: Declaration) -> Floats | None:
    """What distances are measured in; None for values that have none."""
    if domain.kind in (Kind.INTEGER, Kind.DECIMAL):
        return domain.numbers
    if domain.kind is Kind.ORDINAL:
        return ranks_of(domain, declared).astype(np.float64)
    if domain.kind is Kind.DATE:
        days = np.array([day_of(text) for text in domain.texts], np.float64)
        return None if np.isnan(days[~domain.missing]).any() else days
    return None


def day_of(text: str) -> float:
    """Days since 1970 of an ISO date; NaN for anything else."""
    try:
        return float(np.datetime64(text, "D").astype(np.int64)) if text else np.nan
    except ValueError:
        return np.nan


def _tree(levels: Levels, domain: Domain) -> TreeAxis:
    maps, labels, shares = list(levels.from_values), list(levels.labels), list(levels.shares)
    if len(labels[-1]) > 1:
        maps.append(np.zeros(len(domain), np.int32))
        labels.append((SUPPRESSED,))
        shares.append(np.ones(1))
    rest = max(levels.size - 1.0, 1.0)
    losses = [
        np.maximum(share[codes] * levels.size - 1.0, 0.0) / rest
        for share, codes in zip(shares, maps, strict=True)
    ]
    return TreeAxis(domain, tuple(maps), tuple(labels), tuple(losses))


def laid_out(axes: Sequence[Axis]) -> tuple[Any, ...]:
    """All columns end to end, in the order of the fields that the compiled loops take."""
    numbers, maps, number_at, map_at, number_end, map_end = (
        [np.zeros(0)],
        [np.zeros(0, np.int32)],
        [],
        [],
        0,
        0,
    )
    for axis in axes:
        own = [axis.numbers] if isinstance(axis, OrderedAxis) else axis.losses
        groups = () if isinstance(axis, OrderedAxis) else axis.maps
        number_at.append(number_end)
        map_at.append(map_end)
        numbers.extend(own)
        maps.extend(groups)
        number_end += sum(map(len, own))
        map_end += sum(map(len, groups))
    ordered = [axis if isinstance(axis, OrderedAxis) else None for axis in axes]
    return (
        np.array([one is None for one in ordered], np.int64),
        np.array([one.missing if one else 0 for one in ordered], np.int64),
        np.array([one.span if one else 1.0 for one in ordered]),
        np.array([len(axis.domain) for axis in axes], np.int64),
        np.array(number_at, np.int64),
        np.concatenate(numbers),
        np.array(map_at, np.int64),
        np.concatenate(maps),
    )
