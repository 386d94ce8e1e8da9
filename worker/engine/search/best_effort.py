"""A search that ends when its time is over, for lattices too large to keep every node in mind.

It goes down from the most general node, always from the best node known to those one level finer, and claims
that nothing is better only when it has seen everything that could be.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Iterator
from math import inf
from typing import Any

import numpy as np

from worker.engine.arrays import Longs
from worker.engine.kernels.compiled import prepare
from worker.engine.reporting import Reporter
from worker.engine.search.exploring import judge_sizes
from worker.engine.search.lattice import Node
from worker.engine.search.marking import Shape
from worker.engine.search.optimal import PAUSE, is_ranked, new_state
from worker.engine.search.outcome import MOST_EXPLORED, Explored, Outcome, Score
from worker.engine.search.outside import Outside, Verdict
from worker.engine.search.problem import Problem
from worker.engine.search.scoring import score_groups
from worker.engine.search.snapshots import best_slot, group_slot
from worker.engine.search.state import State


class BestEffort:
    """Looks at nodes one after the other until the time is over."""

    def __init__(self, problem: Problem, report: Reporter, seconds: float) -> None:
        self._problem, self._report, self._seconds = problem, report, seconds
        self._state = bare_state(problem)
        self._outside = Outside(problem)
        self._outcome = Outcome(problem.lattice.size, optimal=False, minimal_complete=False)
        self._key: tuple[Score, int, Node] | None = None
        self._feasible: dict[Node, bool] = {}
        with report.meanwhile("Making the compiled search ready"):
            self._prepare()

    def _prepare(self) -> None:
        """Compile or load what runs against the clock."""
        task, state = self._problem.task, self._state
        levels = np.zeros(len(self._problem.levels), np.int64)
        prepare(best_slot, state.pool, levels)
        prepare(group_slot, task.coding, task.table, state.pool, 0, levels, False, state.groups)
        prepare(score_groups, *self._to_score(levels, 0))
        if task.sizes_only:
            prepare(judge_sizes, task, state.groups, state.room)

    def run(self) -> None:
        """Go down until the time is over or nothing is left. The clock begins here."""
        self._began = self._looked = time.monotonic()
        lattice, monotone = self._problem.lattice, self._problem.task.monotone
        frontier, seen = [(inf, lattice.highest)], {lattice.highest}
        while frontier and self._in_time():
            _, node = heapq.heappop(frontier)
            score = self._look(node)
            if score is None and monotone:
                continue
            for finer in _finer(node, lattice.lowest):
                if finer not in seen:
                    seen.add(finer)
                    heapq.heappush(frontier, (inf if score is None else score, finer))
        # Where goals are monotone everything feasible lies below a feasible node.
        self._outcome.optimal = not frontier and (monotone or len(seen) == lattice.size)

    def list_minimal(self) -> None:
        """Where goals are monotone: the feasible nodes below which nothing is."""
        lowest = self._problem.lattice.lowest
        self._outcome.minimal_complete = self._outcome.optimal and self._problem.task.monotone
        if self._outcome.minimal_complete:
            self._outcome.minimal = sorted(
                node
                for node, feasible in self._feasible.items()
                if feasible and not any(self._feasible[finer] for finer in _finer(node, lowest))
            )

    def outcome(self) -> Outcome:
        """What is known so far."""
        return self._outcome

    def _in_time(self) -> bool:
        """Whether there is time left; at least one node is looked at."""
        now = time.monotonic()
        if now - self._looked > PAUSE:
            self._looked = now
            self._report.progress((now - self._began) / self._seconds)
        return not self._feasible or now - self._began < self._seconds

    def _look(self, node: Node) -> float | None:
        """Examine one node; its score when it is feasible."""
        task, state = self._problem.task, self._state
        levels = np.array(node, np.int64)
        slot = best_slot(state.pool, levels)
        if slot == 0 and self._problem.base is not None:
            if self._problem.base.fetch(task, state, levels, self._report.checkpoint) is not None:
                self._outcome.checked += 1
                self._feasible[node] = False
                return None
            self._outside.forget()
            slot = best_slot(state.pool, levels)
        group_slot(task.coding, task.table, state.pool, slot, levels, False, state.groups)
        verdict = self._verdict(node, slot)
        self._outcome.checked += 1
        self._feasible[node] = verdict.feasible
        score = score_groups(*self._to_score(levels, verdict.suppressed)) if verdict.feasible else None
        gone = verdict.suppressed if verdict.exact else None
        if not verdict.feasible and gone is not None:
            self._outcome.least_suppressed = min(gone, self._outcome.least_suppressed or gone)
        if len(self._outcome.explored) < MOST_EXPLORED:
            self._outcome.explored.append(Explored(node, verdict.feasible, gone, score))
        if score is not None:
            self._keep_best(node, score, gone)
        return score

    def _verdict(self, node: Node, slot: int) -> Verdict:
        task, state = self._problem.task, self._state
        if not task.sizes_only:
            return self._outside.judge(state, slot, node)
        gone = judge_sizes(task, state.groups, state.room)
        everything = 0 < gone == int(task.costs.rows)
        feasible = gone <= task.limit and (task.together or not everything)
        return Verdict(gone, gone, feasible, True)

    def _to_score(self, levels: Longs, suppressed: int) -> tuple[Any, ...]:
        task, state = self._problem.task, self._state
        room = state.room
        return task.coding, task.costs, levels, state.groups, room.bad, room.order, suppressed, room.losses

    def _keep_best(self, node: Node, score: float, gone: int | None) -> None:
        losses = self._state.room.losses
        full: Score = tuple(sorted(losses.tolist(), reverse=True)) if is_ranked(self._problem) else score
        key = (full, sum(node), node)
        if self._key is None or key < self._key:
            self._key, self._outcome.best, self._outcome.score = key, node, full
            if len(self._outcome.explored) == MOST_EXPLORED:
                self._outcome.explored[-1] = Explored(node, True, gone, score)


def bare_state(problem: Problem) -> State:
    """Room for one node at a time."""
    columns = len(problem.levels)
    none = np.zeros(columns, np.int64)
    return new_state(problem, Shape(none, none, none, np.zeros(columns), np.empty(1, np.int64), np.empty(1)))


def _finer(levels: Node, lowest: Node) -> Iterator[Node]:
    for column, (level, low) in enumerate(zip(levels, lowest, strict=True)):
        if level > low:
            yield (*levels[:column], level - 1, *levels[column + 1 :])
