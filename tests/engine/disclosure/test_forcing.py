"""What a class is said to cost at least is never more than what any finer node suppresses."""

import itertools

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.engine.search import brute_force, problems
from worker.engine.goals.beta_likeness import BetaLikeness
from worker.engine.goals.delta_disclosure import DeltaDisclosure
from worker.engine.goals.k_anonymity import KAnonymity
from worker.engine.goals.l_diversity import LDiversity
from worker.engine.goals.t_closeness import TCloseness
from worker.engine.search.costs import Aim
from worker.engine.search.judging import Judge
from worker.engine.tables.classes import Classes

SETTINGS = settings(deadline=None, suppress_health_check=list(HealthCheck))


@settings(SETTINGS, max_examples=100)
@given(st.data(), problems.tables(), problems.LIMITS, st.booleans())
def test_every_finer_node_suppresses_at_least_so_many_rows(data, drawn, limit, drop):
    goals = data.draw(problems.asked(drawn))
    judge = Judge(goals, int(limit * drawn.table.rows), drop)
    bounds = [(0, one.height) for one in drawn.levels]
    found = brute_force.look_at_every_node(drawn.table, drawn.levels, bounds, judge, Aim("height"))
    for coarse, fine in itertools.product(found, repeat=2):
        if all(a <= b for a, b in zip(fine, coarse, strict=True)):
            assert found[coarse].forced <= found[fine].suppressed


GOALS = [
    *(TCloseness(column="s", t=0.1, distance=d) for d in ("equal", "ordered", "hierarchical")),
    *(TCloseness(column="s", t=0.3, distance=d) for d in ("equal", "ordered", "hierarchical")),
    *(BetaLikeness(column="s", beta=beta, variant=v) for beta in (0.5, 1.0) for v in ("basic", "enhanced")),
    *(LDiversity(column="s", l=2, variant=v, c=1.5) for v in ("distinct", "entropy", "recursive")),
    LDiversity(column="s", l=3, variant="entropy"),
    DeltaDisclosure(column="s", delta=1.0),
    KAnonymity(k=3),
]  # fmt: skip


def partitions(rows):
    """Every way to split a class."""
    if not rows:
        yield []
        return
    for rest in partitions(rows[1:]):
        yield [[rows[0]], *rest]
        for at, part in enumerate(rest):
            yield [*rest[:at], [rows[0], *part], *rest[at + 1 :]]


@pytest.mark.parametrize("goal", GOALS, ids=lambda goal: f"{goal.slug} {goal.describe()}")
@settings(SETTINGS, max_examples=12)
@given(
    st.lists(st.integers(0, 2), min_size=1, max_size=6),
    st.lists(st.integers(0, 2), min_size=0, max_size=8),
)
@example(
    [0], [0, 0, 1, 2]
)  # as far from the table as the ordered distance may be: a rounding error is no row
def test_no_way_to_split_a_class_costs_less(goal, inside, outside):
    table = problems.counted([problems.domain("s", ["x", "y", "z"])], [[v] for v in [*inside, *outside]])
    # One tuple per row, so that a class can be split in every way.
    rows = np.array([*inside, *outside], np.int32)
    table = type(table)(table.domains, (rows,), np.ones(len(rows), np.int64))
    whole = np.full(len(rows), -1)
    whole[: len(inside)] = 0
    least = int(goal.least_dropped(Classes(table, whole, 1))[0])
    costs = []
    for parts in partitions(list(range(len(inside)))):
        ids = np.full(len(rows), -1)
        for number, part in enumerate(parts):
            ids[part] = number
        classes = Classes(table, ids, len(parts))
        costs.append(int(classes.rows[goal.violating(classes)].sum()))
    assert least <= min(costs)


@pytest.mark.parametrize(
    ("goal", "expected"),
    [
        # 6 of x and 2 of y in a table of 8 and 8
        (TCloseness(column="s", t=0.1, distance="equal"), 3),
        (TCloseness(column="s", t=0.1, distance="ordered"), 3),
        (BetaLikeness(column="s", beta=0.2, variant="basic"), 3),
        (LDiversity(column="s", l=2, variant="entropy"), 4),
        (DeltaDisclosure(column="s", delta=0.5), 2),
    ],
)
def test_the_figure_is_worth_having(goal, expected):
    rows = np.array([0] * 6 + [1] * 2 + [0] * 2 + [1] * 6, np.int32)
    ids = np.array([0] * 8 + [-1] * 8)
    table = problems.counted([problems.domain("s", ["x", "y"])], [[v] for v in rows])
    table = type(table)(table.domains, (rows,), np.ones(len(rows), np.int64))
    assert goal.least_dropped(Classes(table, ids, 1)).tolist() == [expected]
