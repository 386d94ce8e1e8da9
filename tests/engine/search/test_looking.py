"""Hardly more nodes are looked at than lie at the border between those that do and those that do not."""

import numpy as np

from worker.engine.goals.k_anonymity import KAnonymity
from worker.engine.hierarchies.hierarchy import levels_of
from worker.engine.reporting import NullReporter
from worker.engine.search.costs import Aim
from worker.engine.search.judging import Judge
from worker.engine.search.optimal import Search
from worker.engine.search.problem import Problem
from worker.engine.search.state import VISITS
from worker.engine.tables.declaration import HierarchySpec
from worker.engine.tables.frequency import Domain, FrequencyTable
from worker.engine.tables.kinds import Kind

TUPLES, ROWS_EACH, K = 600_000, 16, 12
TEXTS = tuple(f"{value:03d}" for value in range(1_000))
NAMES = ("a", "b", "c", "d")


def laid_out():
    """Many tuples, each of some rows, so that no class of a coarser grouping is small by chance."""
    none, draw = np.zeros(len(TEXTS), bool), np.random.default_rng(3)
    domains = tuple(Domain(name, Kind.CATEGORICAL, TEXTS, none) for name in NAMES)
    spec = HierarchySpec(lines=tuple(";".join([text, text[:2], text[:1], "*"]) for text in TEXTS))
    codes = [draw.integers(0, len(TEXTS), TUPLES).astype(np.int32) for _ in NAMES]
    counts = draw.integers(1, 2 * ROWS_EACH, TUPLES)
    return FrequencyTable(domains, tuple(codes), counts), [levels_of(spec, domain) for domain in domains]


def test_most_nodes_that_are_looked_at_lie_at_the_border():
    table, levels = laid_out()
    judge = Judge([KAnonymity(k=K)], table.rows // 100, False)
    problem = Problem.of(table, levels, [(0, one.height) for one in levels], judge, Aim())
    looking = Search(problem, NullReporter())
    looking.run()
    looking.list_minimal()
    feasible = {one.node: one.feasible for one in looking.outcome().explored}
    assert len(feasible) == problem.lattice.size
    border = sum(
        all(feasible.get(other, not holds) != holds for other in neighbours(node, -1 if holds else 1))
        for node, holds in feasible.items()
    )
    assert border > 10
    assert looking._state.numbers[VISITS] < 1.1 * border


def neighbours(node, by):
    return [(*node[:at], level + by, *node[at + 1 :]) for at, level in enumerate(node)]
