"""What the goals say of a node: which classes are suppressed, and whether few enough are."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import replace

import numpy as np

from worker.engine.contracts.goal import Goal, keepable
from worker.engine.hierarchies.hierarchy import Levels
from worker.engine.tables.classes import Classes, suppressed_tuples
from worker.engine.tables.column import SUPPRESSED, Mask
from worker.engine.tables.counting import added_up
from worker.engine.tables.frequency import Counts, Domain, FrequencyTable
from worker.engine.tables.long_table import LongTable, Tuples


class Judge:
    """Decides which classes of a grouping are kept and whether the node is feasible."""

    def __init__(self, goals: Sequence[Goal], limit: int, drop: bool, hidden: Sequence[str] = ()) -> None:
        """`limit` is the most rows that may be suppressed; with `drop` they are not released at all.

        Rows that hold `*` in all columns named `hidden` count as suppressed unless all rows do.
        """
        self.goals = tuple(goals)
        self.limit = limit
        self.drop = drop
        self.hidden = tuple(hidden)
        self.monotone = all(goal.monotone for goal in goals) and not hidden
        self.smallest = max((goal.least_size or 1 for goal in goals), default=1)
        self.judges_wholes = any(type(goal).spared is not Goal.spared for goal in goals)
        self.by_sizes = all(goal.by_sizes for goal in goals) and not hidden
        by_labels = bool(hidden) or any(goal.by_labels for goal in goals)
        self.judges_labels = self.judges_wholes or by_labels
        # Then rows suppressed at a node are suppressed at every finer one.
        self.nested = self.monotone and not self.judges_wholes and not any(goal.relative for goal in goals)

    def sizes_only(self, table: Tuples) -> bool:
        """Whether every class of at least `smallest` rows may be released."""
        by_size = all(goal.least_size is not None for goal in self.goals) and not self.hidden
        return table.persons is None and by_size

    def of(self, goals: Sequence[Goal]) -> Judge:
        """Who decides the same by other goals."""
        return Judge(goals, self.limit, self.drop, self.hidden)

    def kept(self, classes: Classes) -> Mask:
        """Classes that may be released."""
        told = self._told(classes)
        if told.all():
            return keepable(self.goals, classes, self.drop)
        rest = classes.kept(told)
        told[told] = keepable(self.goals, rest.alone() if self.drop else rest, self.drop)
        return told

    def _told(self, classes: Classes) -> Mask:
        """Which classes tell anything, unless none does."""
        told = np.ones(classes.number, bool)
        if self.hidden:
            stars = suppressed_tuples(classes.table, self.hidden)
            told[classes.ids[stars & (classes.ids >= 0)]] = False
        return told if told.any() else ~told

    def feasible(self, classes: Classes, kept: Mask) -> bool:
        """Whether suppressing the others stays within the limit and the release meets the goals."""
        if int(classes.rows[~kept].sum()) > self.limit:
            return False
        if classes.number and not kept.any():
            return self.together(classes.table)
        rest = classes.kept(kept)
        rest = rest.alone() if self.drop else rest
        return all(goal.met(rest) for goal in self.goals)

    def together(self, table: FrequencyTable) -> bool:
        """When every row is suppressed, all rows together are the one class of the release."""
        if self.drop:
            return False
        if self.judges_labels:
            table = starred(table, {name for goal in self.goals for name in goal.sensitive_columns()})
        one = Classes(table, np.zeros(len(table), np.int64), 1)
        return bool(self.kept(one).all()) and all(goal.met(one) for goal in self.goals)

    def forced(self, classes: Classes) -> Counts:
        """At least how many rows of each class are suppressed here and at every finer node."""
        forced = np.zeros(classes.number, np.int64)
        for goal in self.goals:
            if not (self.drop and goal.relative):
                forced = np.maximum(forced, goal.least_dropped(classes))
        return forced


def may_hide(levels: Sequence[Levels], bounds: Sequence[tuple[int, int]]) -> bool:
    """Whether at some node some rows, but not all, are `*` in every column by their hierarchies alone."""
    stars, others = [], []
    for one, (low, high) in zip(levels, bounds, strict=True):
        starred = [labels for labels in one.labels[low : high + 1] if SUPPRESSED in labels]
        stars.append(bool(starred))
        others.append(any(len(labels) > 1 for labels in starred))
    return all(stars) and any(others)


def starred(table: FrequencyTable, kept: Container[str]) -> FrequencyTable:
    """The table with `*` in all columns but those that are kept."""
    told = [one.name in kept for one in table.domains]
    domains = [
        one if told[at] else Domain(one.name, one.kind, (SUPPRESSED,), np.zeros(1, bool))
        for at, one in enumerate(table.domains)
    ]
    codes = [one if told[at] else np.zeros_like(one) for at, one in enumerate(table.codes)]
    return replace(table, domains=tuple(domains), codes=tuple(codes))


def sized(rows: Counts) -> Classes:
    """Classes of so many rows, without what is in them."""
    return Classes(FrequencyTable((), (), rows), np.arange(len(rows)), len(rows))


def lifted(table: Tuples, levels: Sequence[Levels], node: Sequence[int]) -> FrequencyTable:
    """The table at a node, which of a long table is what it has there: every tuple once."""
    if not isinstance(table, LongTable):
        return generalized(table, levels, node)
    return added_up(generalized(piece, levels, node) for piece in table.pieces())


def domain_at(domain: Domain, levels: Levels, level: int) -> Domain:
    """The values of a column at a level."""
    if level == 0:
        return domain
    texts = levels.labels[level]
    return Domain(levels.name, domain.kind, texts, np.zeros(len(texts), bool))


def generalized(table: FrequencyTable, levels: Sequence[Levels], node: Sequence[int]) -> FrequencyTable:
    """The table at a node. Tuples that became equal stay apart."""
    domains, codes = list(table.domains), list(table.codes)
    for column, (one, level) in enumerate(zip(levels, node, strict=True)):
        domains[column] = domain_at(domains[column], one, level)
        codes[column] = one.from_values[level][codes[column]]
    return replace(table, domains=tuple(domains), codes=tuple(codes))
