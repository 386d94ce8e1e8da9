"""A table that is not in memory is searched like one that is."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.engine.algorithms.search import problems
from tests.engine.algorithms.search.test_optimal import check
from worker.engine.algorithms.search import ladder
from worker.engine.algorithms.search.judging import Judge
from worker.engine.algorithms.search.optimal import search
from worker.engine.algorithms.search.problem import Problem
from worker.engine.errors import LimitExceeded
from worker.engine.goals.k_anonymity import KAnonymity
from worker.engine.long_table import LongTable, Parts
from worker.engine.reporting import NullReporter
from worker.engine.scratch import Shelf

SETTINGS = settings(deadline=None, suppress_health_check=list(HealthCheck))


def plain(drawn):
    """Without persons and weights, which long tables do not carry."""
    return replace(drawn, table=replace(drawn.table, persons=None, weights=None))


def long(table):
    """The same tuples in parts, half of them twice, sealed outside memory."""
    parts, sizes = Parts(Shelf(0)), [len(domain) for domain in table.domains]
    parts.add(table.codes, sizes, table.counts - table.counts // 2)
    again = table.counts > 1
    parts.add([column[again] for column in table.codes], sizes, (table.counts // 2)[again])
    return LongTable(table.domains, (None,) * len(table.domains), parts)


@settings(SETTINGS, max_examples=40)
@given(st.data(), problems.tables().map(plain), problems.aims, problems.LIMITS, st.booleans())
def test_it_equals_brute_force_for_every_goal(data, drawn, aim, limit, drop):
    goals = data.draw(problems.asked(drawn))
    check(drawn, goals, aim, limit, drop, data.draw(problems.bounds(drawn.levels)), long(drawn.table))


@settings(SETTINGS, max_examples=40)
@given(st.data(), problems.tables().map(plain), problems.aims, problems.LIMITS)
def test_columns_too_deep_for_a_mask_are_generalized_by_a_table(data, drawn, aim, limit):
    bounds = [(0, one.height) for one in drawn.levels]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ladder, "MASK_BITS", 0)
        check(
            drawn, [KAnonymity(k=data.draw(st.integers(1, 4)))], aim, limit, False, bounds, long(drawn.table)
        )


@settings(SETTINGS, max_examples=60)
@given(
    problems.tables().map(plain),
    problems.aims,
    st.integers(1, 4),
    st.sampled_from([0.0, 0.2]),
    st.integers(1, 8),
)
def test_with_little_room_it_finds_the_same_or_refuses(drawn, aim, k, limit, most):
    bounds = [(0, one.height) for one in drawn.levels]
    judge = Judge([KAnonymity(k=k)], int(limit * drawn.table.rows), False)
    table = long(drawn.table)
    whole = search(Problem.of(drawn.table, drawn.levels, bounds, judge, aim), NullReporter())
    try:
        found = search(Problem.of(table, drawn.levels, bounds, judge, aim, most), NullReporter())
    except LimitExceeded:
        return
    assert (found.best, found.optimal) == (whole.best, True)
    assert found.best is None or found.score == pytest.approx(whole.score, rel=1e-9)
    if found.minimal_complete:
        assert sorted(found.minimal) == sorted(whole.minimal)


def test_parts_hold_every_tuple_once():
    domains = [problems.domain("a", "xyz"), problems.domain("b", "uv")]
    table = problems.counted(domains, [(0, 1)] * 3 + [(1, 1)] * 4 + [(2, 0)] + [(0, 0)] * 2)
    found = long(table)
    for _ in range(2):  # read again and again
        pieces = list(found.pieces())
        assert sum(len(piece) for piece in pieces) == len(table)
        assert found.rows == 10
    whole = found.whole()
    assert np.array_equal(whole.counts, table.counts)
    assert all(map(np.array_equal, whole.codes, table.codes))
