"""Provably optimal full-domain generalization: the best node of the lattice, and every minimal one.

Ties go to the lower, then to the lexicographically first node.
"""

from __future__ import annotations

import time
from contextlib import suppress
from math import inf
from typing import Any

import numpy as np

from worker.engine.errors import LimitExceeded
from worker.engine.kernels.compiled import prepare
from worker.engine.reporting import Reporter
from worker.engine.search.bounding import start_bounds
from worker.engine.search.choosing import ASK, DONE, explore, reopen
from worker.engine.search.costs import LOSS, RANK
from worker.engine.search.exploring import close_node, resume
from worker.engine.search.grouping import room_for_groups
from worker.engine.search.learning import new_model
from worker.engine.search.marking import Shape
from worker.engine.search.outcome import Outcome, explored_of, minimal_of, outcome_of
from worker.engine.search.outside import Outside
from worker.engine.search.problem import Problem
from worker.engine.search.snapshots import PATIENCE, new_pool
from worker.engine.search.state import BEST, FAR, FETCHED, PENDING, SLOT, Room, State

WORK = 4_000_000
"""Keys looked at between two checkpoints: a few hundredths of a second."""
PAUSE = 0.05
"""Seconds between two looks at how far the search is."""
NEVER = 1 << 60
MANY = 1 << 19
"""Keys of snapshots, besides two for each of the table's: memory that is not needed is not touched."""


class Search:
    """One search; `run` finds the best node, `list_minimal` afterwards every minimal one."""

    def __init__(self, problem: Problem, report: Reporter, seconds: float | None = None) -> None:
        """With a limit of seconds the search may end early, and then says so."""
        if not problem.lattice.is_searchable:
            raise problem.lattice.too_large()
        self._problem, self._report, self._seconds = problem, report, seconds
        self._state = new_state(problem, problem.lattice.shape())
        self._outside = Outside(problem)
        self._deadline = inf
        self._optimal = self._complete = self._listed = False
        with report.meanwhile("Making the compiled search ready"):
            self._prepare()

    def _prepare(self) -> None:
        """Compile or load what runs against the clock: on a new machine that can take a minute."""
        task, state = self._problem.task, self._state
        if self._problem.base is not None:
            self._problem.base.prepare(state.levels)
        prepare(start_bounds, *self._to_bound())
        prepare(reopen, state, False)
        prepare(explore, task, state, False, WORK)
        if not task.sizes_only:
            prepare(resume, task, state, 0, 0, False)

    def _to_bound(self) -> tuple[Any, ...]:
        task, state = self._problem.task, self._state
        return task.coding, task.costs, state.shape, self._problem.highest, task.smallest, state.bounds

    def run(self) -> None:
        """Find the best node, proven unless the time is over. The clock begins here."""
        self._looked = time.monotonic()
        if self._seconds is not None:
            self._deadline = self._looked + self._seconds
        start_bounds(*self._to_bound())
        self._optimal = self._explore(minimal=False)

    def list_minimal(self) -> None:
        """Decide the nodes that are not better than the best but may be minimal."""
        self._listed = True
        with suppress(LimitExceeded):  # a node too large for memory leaves the list incomplete
            self._complete = self._optimal and self._explore(minimal=True)

    def outcome(self) -> Outcome:
        """What is known so far; the nodes are listed when the minimal ones were."""
        lattice, state = self._problem.lattice, self._state
        found = outcome_of(lattice, state, is_ranked(self._problem), self._optimal)
        if self._listed:
            found.minimal_complete = self._complete
            found.minimal, found.explored = minimal_of(lattice, state), explored_of(lattice, state)
        return found

    def _explore(self, minimal: bool) -> bool:
        """Explore to the end; False when the time was over before."""
        task, state = self._problem.task, self._state
        reopen(state, minimal)
        while True:
            found = explore(task, state, minimal, WORK)
            if found == DONE:
                return True
            if found == ASK:
                self._answer()
            now = time.monotonic()
            if now - self._looked > PAUSE:
                self._looked = now
                self._report.progress(np.count_nonzero(state.flags) / state.flags.size)
            if now > self._deadline:
                return False

    def _answer(self) -> None:
        """Ask the goals about the pending node, and finish it; or fetch its groups."""
        state = self._state
        node = int(state.numbers[PENDING])
        if state.numbers[SLOT] == FAR:
            self._fetch(node)
            return
        verdict = self._outside.judge(state, int(state.numbers[SLOT]), self._problem.lattice.levels(node))
        resume(self._problem.task, state, verdict.suppressed, verdict.forced, verdict.feasible)
        if not verdict.exact:
            state.suppressed[node] = -1

    def _fetch(self, node: int) -> None:
        task, state, base = self._problem.task, self._state, self._problem.base
        assert base is not None
        levels = np.array(self._problem.lattice.levels(node), np.int64)
        gone = base.fetch(task, state, levels, self._report.checkpoint)
        self._outside.forget()
        if gone is None:
            state.numbers[FETCHED] = node
        else:
            close_node(state, node, gone)


def is_ranked(problem: Problem) -> bool:
    """Whether scores are compared by their largest part, then the next."""
    costs = problem.task.costs
    return costs.objective == LOSS and costs.aggregate == RANK


def search(problem: Problem, report: Reporter, seconds: float | None = None) -> Outcome:
    """The best node and every minimal one."""
    one = Search(problem, report, seconds)
    one.run()
    one.list_minimal()
    return one.outcome()


def new_state(problem: Problem, shape: Shape) -> State:
    """Nothing known yet."""
    task = problem.task
    columns, nodes, base = len(problem.levels), len(shape.spans), problem.base
    words, size = task.table.keys.shape
    # One more, so that whatever is fetched counts as smaller than the table itself.
    size, most = (size, size) if base is None else (base.size + 1, base.most)
    room = 2 * most + (MANY if base is None else 64)
    # Snapshots do not carry weights: a goal that asks for them sees the table itself.
    patience = NEVER if problem.table.weights is not None else PATIENCE
    numbers = np.zeros(11, np.int64)
    numbers[BEST] = numbers[FETCHED] = -1
    return State(
        shape=shape,
        flags=np.zeros(nodes, np.uint8),
        bounds=np.empty(nodes),
        scores=np.full(nodes, np.nan),
        suppressed=np.full(nodes, -1, np.int64),
        open=np.empty(nodes, np.int32),
        numbers=numbers,
        best_losses=np.zeros(columns),
        levels=np.zeros(columns, np.int64),
        climbing=np.zeros(columns, np.int64),
        groups=room_for_groups(words, most),
        room=new_room(most, columns),
        pool=new_pool(words, size, room, columns, patience),
        going=new_model(task.costs.entropy, task.costs.rows),
        forced=new_model(task.costs.entropy, task.costs.rows),
    )


def new_room(size: int, columns: int) -> Room:
    """Room for examining nodes of up to so many classes."""
    return Room(
        np.empty(size, bool),
        np.empty(size, bool),
        np.empty(size, bool),
        np.empty(size, np.int32),
        np.zeros(columns),
    )
