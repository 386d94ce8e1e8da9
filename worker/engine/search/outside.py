"""Nodes that need more than class sizes: their classes are built from a snapshot and shown to the goals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from worker.engine.search.judging import domain_at, sized
from worker.engine.search.lattice import Node
from worker.engine.search.packing import unpack
from worker.engine.search.problem import Problem
from worker.engine.search.state import State
from worker.engine.tables.classes import Classes, Ids
from worker.engine.tables.column import Codes, Mask
from worker.engine.tables.frequency import Domain, FrequencyTable
from worker.engine.tables.keys import pack


@dataclass(frozen=True)
class Verdict:
    """What the goals say of a node; `suppressed` is exact unless more rows are forced out than may be."""

    suppressed: int
    forced: int
    feasible: bool
    exact: bool


class Outside:
    """Judges the grouping that a state holds, and marks its classes."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._by_sizes = problem.judge.by_sizes and problem.table.persons is None
        self._codes: dict[int, list[Codes]] = {}
        self._domains: dict[tuple[int, int], Domain] = {}

    def forget(self) -> None:
        """Snapshots may have changed."""
        self._codes.clear()

    def judge(self, state: State, slot: int, node: Node) -> Verdict:
        """Judge the node that was grouped from a snapshot."""
        judge, room = self._problem.judge, state.room
        classes = self._classes(state, slot, node)
        forced = np.zeros(classes.number, np.int64) if judge.nested else judge.forced(classes)
        least = int(forced.sum())
        if least > judge.limit:
            return Verdict(least, least, False, False)
        kept = judge.kept(classes)
        gone = int(classes.rows[~kept].sum())
        feasible = judge.feasible(classes, kept)
        if feasible and self._by_sizes:
            kept = self._first_labels_gone(state, node, kept)
        room.bad[: classes.number] = ~kept
        room.lasting[: classes.number] = ~kept if judge.nested else (forced > 0) & (forced >= classes.rows)
        return Verdict(gone, gone if judge.monotone else least, feasible, True)

    def _classes(self, state: State, slot: int, node: Node) -> Classes:
        if self._by_sizes:
            return sized(state.groups.rows[: state.groups.number[0]])
        low, high = int(state.pool.low[slot]), int(state.pool.high[slot])
        ids = state.groups.of[: high - low].astype(np.int64)
        table = self._table(state, slot, node)
        number = int(state.groups.number[0])
        if not self._problem.judge.judges_wholes:
            return Classes(table, ids, number)
        return Classes(table, self._in_order(state, table, ids, number), number)

    def _first_labels_gone(self, state: State, node: Node, kept: Mask) -> Mask:
        """Of the classes of one size of which some go, those with the first labels."""
        rows = state.groups.rows[: len(kept)]
        tied = np.flatnonzero(rows == rows[~kept].max(initial=0))
        if not kept[tied].any():
            return kept
        problem, labels = self._problem, []
        codes = unpack(state.groups.keys[:, tied], problem.keys)
        for levels, level, values in zip(problem.levels, node, codes, strict=False):
            labels.append(levels.from_values[level][values])
        sizes = [len(one.labels[level]) for one, level in zip(problem.levels, node, strict=True)]
        order = np.argsort(pack(labels, sizes, len(tied)), kind="stable")
        fixed = kept.copy()
        fixed[tied[order]] = np.arange(len(tied)) >= np.count_nonzero(~kept[tied])
        return fixed

    def _in_order(self, state: State, table: FrequencyTable, ids: Ids, number: int) -> Ids:
        """Classes in the order of their labels: the smallest that are given up must always be the same."""
        first = np.zeros(number, np.int64)
        first[ids] = np.arange(len(ids))
        width = len(self._problem.levels)
        codes, sizes = (
            [one[first] for one in table.codes[:width]],
            [len(one) for one in table.domains[:width]],
        )
        order = np.argsort(pack(codes, sizes, number), kind="stable")
        for part in (state.groups.rows, *state.groups.keys):
            part[:number] = part[:number][order]
        rank = np.empty(number, np.int64)
        rank[order] = np.arange(number)
        return rank[ids]

    def _table(self, state: State, slot: int, node: Node) -> FrequencyTable:
        table, levels = self._problem.table, self._problem.levels
        codes = list(self._slot(state, slot))
        domains = list(table.domains)
        persons = codes.pop() if table.persons is not None else None
        if self._problem.judge.judges_labels:
            for column, level in enumerate(node):
                codes[column] = levels[column].from_values[level][codes[column]]
                domains[column] = self._domain(column, level)
        else:
            codes, domains = codes[len(levels) :], domains[len(levels) :]
        if slot == 0:
            assert isinstance(table, FrequencyTable)
            return FrequencyTable(tuple(domains), tuple(codes), table.counts, persons, table.weights)
        rows = state.pool.table.rows[int(state.pool.low[slot]) : int(state.pool.high[slot])].astype(np.int64)
        return FrequencyTable(tuple(domains), tuple(codes), rows, persons)

    def _slot(self, state: State, slot: int) -> list[Codes]:
        """A code of each column for every key of a snapshot."""
        if slot not in self._codes:
            if slot == 0:
                self._codes[slot] = list(self._problem.columns)
            else:
                low, high = int(state.pool.low[slot]), int(state.pool.high[slot])
                self._codes[slot] = unpack(state.pool.table.keys[:, low:high], self._problem.keys)
        return self._codes[slot]

    def _domain(self, column: int, level: int) -> Domain:
        if (column, level) not in self._domains:
            domain, levels = self._problem.table.domains[column], self._problem.levels[column]
            self._domains[column, level] = domain_at(domain, levels, level)
        return self._domains[column, level]
