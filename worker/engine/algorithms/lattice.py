"""The lattice of generalization levels and the search for its best node.

The search runs on the frequency table. Nodes are visited in lexicographic order, so that every
node comes after all nodes below it, and each grouping is rolled up from a finer one.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from worker.engine.algorithms.hierarchies import Levels
from worker.engine.algorithms.objectives import Grouping, Node, Objective, Score
from worker.engine.classes import Classes
from worker.engine.column import Codes, Mask
from worker.engine.errors import EngineError
from worker.engine.frequency import Domain, FrequencyTable
from worker.engine.goal import Goal, keepable
from worker.engine.keys import group, pack
from worker.engine.reporting import Reporter

MOST_NODES = 200_000
MOST_EXPLORED = 2_000


class Explored(NamedTuple):
    """What is known of one node: rows to suppress and score are None where nobody had to count them."""

    node: Node
    feasible: bool
    suppressed_rows: int | None
    score: Score | None


@dataclass
class Outcome:
    """What a search found. `best` is None when no node is feasible."""

    nodes: int
    bounds: Sequence[tuple[int, int]]
    checked: int = 0
    best: Node | None = None
    score: Score | None = None
    feasible: set[Node] = field(default_factory=set)
    least_suppressed: int | None = None
    explored: list[Explored] = field(default_factory=list)

    def note(self, node: Node, feasible: bool, hidden: int | None = None, score: Score | None = None) -> None:
        """Remember what was found out about a node, for the first so many."""
        if len(self.explored) < MOST_EXPLORED:
            self.explored.append(Explored(node, feasible, hidden, score))

    def minimal(self) -> list[Node]:
        """Feasible nodes with no other feasible node at or below them in every column."""
        found: list[Node] = []
        above: set[Node] = set()
        for node in every_node(self.bounds):
            if any(below in above for below in _below(node)):
                above.add(node)
            elif node in self.feasible:
                above.add(node)
                found.append(node)
        return found


class Judge:
    """Decides which classes of a grouping are kept and whether the node is feasible."""

    def __init__(self, goals: Sequence[Goal], limit: int, drop: bool) -> None:
        self.goals = tuple(goals)
        self.limit = limit
        self._drop = drop
        self.monotone = all(goal.monotone for goal in goals)

    def kept(self, classes: Classes) -> Mask:
        """Classes that may be released."""
        return keepable(self.goals, classes, self._drop)

    def feasible(self, classes: Classes, kept: Mask) -> bool:
        """Whether suppressing the others stays within the limit and the release meets the goals."""
        if int(classes.rows[~kept].sum()) > self.limit:
            return False
        if classes.number and not kept.any():
            return not self._drop and self._everything_is_one_class(classes)
        rest = classes if kept.all() else classes.kept(kept)
        rest = rest.alone() if self._drop else rest
        return all(goal.met(rest) for goal in self.goals)

    def _everything_is_one_class(self, classes: Classes) -> bool:
        """When every row is suppressed, all rows together are the one class of the release."""
        one = Classes(classes.table, np.zeros(len(classes.table), np.int64), 1)
        return bool(self.kept(one).all()) and all(goal.met(one) for goal in self.goals)


def search(
    table: FrequencyTable,
    levels: Sequence[Levels],
    bounds: Sequence[tuple[int, int]],
    judge: Judge,
    objective: Objective,
    report: Reporter,
) -> Outcome:
    """Every feasible node, and the best of them: provably optimal."""
    nodes = math.prod(high - low + 1 for low, high in bounds)
    if nodes > MOST_NODES:
        text = (
            f"These hierarchies span {nodes:,} combinations of levels; the search stops at {MOST_NODES:,}. "
            "Use fewer quasi-identifiers, hierarchies with fewer levels, or bound the levels of some columns."
        )
        raise EngineError("lattice-too-large", text, param="levels")
    outcome = Outcome(nodes, tuple(bounds))
    rollup = RollUp(table, levels, [low for low, _ in bounds])
    for number, node in enumerate(every_node(bounds)):
        if number % 64 == 0:
            report.progress(number / nodes)
        _visit(node, rollup, judge, objective, outcome)
    return outcome


def _visit(node: Node, rollup: RollUp, judge: Judge, objective: Objective, outcome: Outcome) -> None:
    known = judge.monotone and any(below in outcome.feasible for below in _below(node))
    if known:
        outcome.feasible.add(node)
        bound = objective.bound(node)
        if bound is not None and outcome.score is not None and _worse(bound, outcome.score):
            outcome.note(node, feasible=True)
            return
    classes, codes = rollup.classes(node)
    outcome.checked += 1
    kept = judge.kept(classes)
    if not known and not judge.feasible(classes, kept):
        hidden = int(classes.rows[~kept].sum())
        outcome.least_suppressed = min(hidden, outcome.least_suppressed or hidden)
        outcome.note(node, feasible=False, hidden=hidden)
        return
    outcome.feasible.add(node)
    score = objective.score(Grouping(node, codes, classes.rows, kept))
    outcome.note(node, feasible=True, hidden=int(classes.rows[~kept].sum()), score=score)
    if outcome.best is None or _rank(score, node) < _rank(outcome.score, outcome.best):
        outcome.best, outcome.score = node, score


def every_node(bounds: Sequence[tuple[int, int]]) -> Iterator[Node]:
    """All nodes, each after all nodes below it."""
    return itertools.product(*(range(low, high + 1) for low, high in bounds))


def _below(node: Node) -> list[Node]:
    return [(*node[:i], level - 1, *node[i + 1 :]) for i, level in enumerate(node) if level]


def _worse(bound: Score, best: Score) -> bool:
    return bound > best  # type: ignore[operator]  # both come from one objective


def _rank(score: Score | None, node: Node) -> tuple[Score | None, int, Node]:
    """Ties go to the lower, then to the lexicographically first node."""
    return score, sum(node), node


class RollUp:
    """Groupings of nodes, each made from that of a finer node just visited."""

    def __init__(self, table: FrequencyTable, levels: Sequence[Levels], lowest: Sequence[int]) -> None:
        self._levels = tuple(levels)
        start = table
        for column, low in enumerate(lowest):
            start = self._coarser(start, column, 0, low)
        self._lowest = tuple(lowest)
        # tables[d] has the first d columns at the levels of the node, the others at their lowest.
        self._tables = [start] * (len(levels) + 1)
        self._at: list[int] = list(lowest)

    def classes(self, node: Node) -> tuple[Classes, tuple[Codes, ...]]:
        """The classes of a node and the generalized codes of each class."""
        self._move(node)
        table = self._tables[-1]
        columns = table.codes[: len(self._levels)]
        if len(table.codes) == len(self._levels) and table.persons is None:
            return Classes(table, np.arange(len(table), dtype=np.int64), len(table)), columns
        groups = group(pack(columns, [len(d) for d in table.domains[: len(columns)]], len(table)))
        codes = tuple(column[groups.first] for column in columns)
        return Classes(table, groups.ids.astype(np.int64), groups.number), codes

    def _move(self, node: Node) -> None:
        changed = next((i for i, level in enumerate(node) if level != self._at[i]), len(node))
        for column in range(changed, len(node)):
            level, before = node[column], self._at[column]
            if column == changed and level > before:
                self._tables[column + 1] = self._coarser(self._tables[column + 1], column, before, level)
            else:
                self._tables[column + 1] = self._coarser(
                    self._tables[column], column, self._lowest[column], level
                )
            self._at[column] = level

    def _coarser(self, table: FrequencyTable, column: int, low: int, high: int) -> FrequencyTable:
        """The table with one column lifted from level `low` to level `high`."""
        if low == high:
            return table
        levels = self._levels[column]
        codes = table.codes[column]
        for level in range(low + 1, high + 1):
            codes = levels.steps[level][codes]
        lifted = [*table.codes[:column], codes, *table.codes[column + 1 :]]
        texts = levels.labels[high]
        domain = Domain(levels.name, table.domains[column].kind, texts, np.zeros(len(texts), bool))
        domains = (*table.domains[:column], domain, *table.domains[column + 1 :])
        return _added_up(replace(table, domains=domains, codes=tuple(lifted)))


def _added_up(table: FrequencyTable) -> FrequencyTable:
    """Equal tuples joined."""
    columns, sizes = list(table.codes), [len(domain) for domain in table.domains]
    if table.persons is not None:
        columns.append(table.persons)
        sizes.append(int(table.persons.max(initial=0)) + 1)
    groups = group(pack(columns, sizes, len(table)))
    return FrequencyTable(
        table.domains,
        tuple(column[groups.first] for column in table.codes),
        groups.sum(table.counts),
        None if table.persons is None else table.persons[groups.first],
        None if table.weights is None else groups.sum(table.weights),
    )
