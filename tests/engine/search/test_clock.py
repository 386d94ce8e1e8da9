"""What must be compiled or loaded is ready before a search looks at its clock."""

import os
import subprocess
import sys
from pathlib import Path

from tests.engine.search.problems import counted, domain
from worker.engine.goals.k_anonymity import KAnonymity
from worker.engine.goals.l_diversity import LDiversity
from worker.engine.hierarchies.hierarchy import levels_of
from worker.engine.kernels.compiled import Loop
from worker.engine.reporting import Reporter
from worker.engine.search.costs import Aim
from worker.engine.search.judging import Judge
from worker.engine.search.problem import Problem

ROOT = Path(__file__).resolve().parents[3]
GOALS = ([KAnonymity(k=2)], [KAnonymity(k=2), LDiversity(column="s", l=2)])


class Told(Reporter):
    """Remembers the stages."""

    def __init__(self):
        super().__init__()
        self.stages = []

    def show(self, stage, fraction):
        self.stages.append(stage)


def searches():
    """Both searches, asked about sizes alone and about more."""
    from worker.engine.search.best_effort import BestEffort
    from worker.engine.search.optimal import Search
    from worker.engine.tables.long_table import LongTable, Parts
    from worker.engine.tables.scratch import Shelf

    domains = [domain("q", ["a", "b"]), domain("s", ["x", "y"])]
    table = counted(domains, [[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]])
    levels = [levels_of(None, domains[0])]
    parts = Parts(Shelf(0))
    parts.add(table.codes, [2, 2], table.counts)
    problem = Problem.of(
        LongTable(table.domains, (None, None), parts), levels, [(0, 1)], Judge(GOALS[0], 0, False), Aim()
    )
    report = Told()
    report.stage("Planning")
    yield Search(problem, report, 60.0), report
    for goals in GOALS:
        problem = Problem.of(table, levels, [(0, 1)], Judge(goals, 0, False), Aim())
        for kind in (Search, BestEffort):
            report = Told()
            report.stage("Planning")
            yield kind(problem, report, 60.0), report


def run_with_the_compiler_switched_off():
    """In a new process: what is not ready now cannot be used any more."""
    from worker.engine.search import best_effort, fetching, optimal

    for search, report in searches():
        assert report.stages == ["Planning", "Making the compiled search ready", "Planning"]
        modules = (best_effort, fetching, optimal)
        known = [value for module in modules for value in vars(module).values()]
        loops = [one for one in known if isinstance(one, Loop)]
        assert len(loops) >= 7
        for loop in loops:
            loop._obtained = None
        search.run()
        search.list_minimal()
        assert search.outcome().best == (1,) or len(search.outcome().minimal) == 1
        for loop in loops:
            del loop._obtained


def test_nothing_is_compiled_or_loaded_while_the_clock_runs():
    code = f"import {__name__} as here; here.run_with_the_compiler_switched_off()"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, check=True, timeout=240)
