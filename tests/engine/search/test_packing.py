"""Plain rows are added up while they are packed, whether their keys are few or many."""

import numpy as np
import pytest

from tests.engine.search import problems
from worker.engine.goals.k_anonymity import KAnonymity
from worker.engine.hierarchies.hierarchy import levels_of
from worker.engine.search.costs import Aim
from worker.engine.search.judging import Judge
from worker.engine.search.packing import MANY, keyed, pack
from worker.engine.search.problem import Problem
from worker.engine.tables.declaration import HierarchySpec
from worker.engine.tables.frequency import FrequencyTable


@pytest.mark.parametrize("distinct", [40, 150_000, 260_000, 700_000])
def test_equal_rows_are_added_up(distinct):
    """Counted in halves, in halves that barely fit together, in halves that do not, and sorted."""
    draw, rows, width = np.random.default_rng(distinct), 2 * MANY + 101, 900
    domains = [problems.domain(f"q{i}", [f"{i}.{v}" for v in range(width)]) for i in range(2)]
    levels = [
        levels_of(HierarchySpec(lines=tuple(f"{text};*" for text in one.texts)), one) for one in domains
    ]
    drawn = draw.integers(0, distinct, rows)
    codes = tuple((part % width).astype(np.int32) for part in (drawn, drawn // width))
    table = FrequencyTable(tuple(domains), codes, np.ones(rows, np.int64))
    problem = Problem.of(table, levels, [(0, 1)] * 2, Judge([KAnonymity(k=2)], 0, False), Aim())
    found = keyed(codes, table.counts, problem.keys, merge=True)
    order = np.argsort(found.keys[0])
    keys, counts = np.unique(pack(codes, problem.keys)[0], return_counts=True)
    assert np.array_equal(found.keys[0][order], keys)
    assert np.array_equal(found.rows[order], counts)
