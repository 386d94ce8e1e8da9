"""A table that is not in memory is searched like one that is."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.engine.search import problems
from tests.engine.search.test_optimal import check
from worker.engine.errors import LimitExceeded
from worker.engine.goals.k_anonymity import KAnonymity
from worker.engine.hierarchies.hierarchy import levels_of
from worker.engine.reporting import NullReporter
from worker.engine.search import fetching, ladder
from worker.engine.search.costs import Aim
from worker.engine.search.judging import Judge
from worker.engine.search.optimal import search
from worker.engine.search.problem import Problem
from worker.engine.tables.declaration import HierarchySpec
from worker.engine.tables.long_table import LongTable, Parts
from worker.engine.tables.scratch import Shelf

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


@settings(SETTINGS, max_examples=25)
@given(problems.tables().map(plain), problems.aims, st.integers(1, 3), st.sampled_from([0.0, 0.2]))
def test_snapshots_that_had_to_make_room_are_shown_again(drawn, aim, k, limit):
    bounds = [(0, one.height) for one in drawn.levels]
    judge = Judge([KAnonymity(k=k)], int(limit * drawn.table.rows), False)
    whole = search(Problem.of(drawn.table, drawn.levels, bounds, judge, aim), NullReporter())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fetching, "SLOTS", 2)
        patch.setattr(fetching, "MOST_KEPT", 1)
        found = search(Problem.of(long(drawn.table), drawn.levels, bounds, judge, aim), NullReporter())
    assert (found.best, found.optimal) == (whole.best, True)
    assert found.best is None or found.score == pytest.approx(whole.score, rel=1e-9)


def column(counts, lines, most):
    """The problem of one column of which each value has so many rows."""
    texts = [line.partition(";")[0] for line in lines]
    rows = [[number] for number, count in enumerate(counts) for _ in range(count)]
    table = problems.counted([problems.domain("q", texts)], rows)
    levels = [levels_of(HierarchySpec(lines=tuple(lines)), table.domains[0])]
    judge = Judge([KAnonymity(k=2)], 0, False)
    return Problem.of(long(table), levels, [(0, levels[0].height)], judge, Aim(), most)


def test_where_more_values_occur_than_their_shares_let_expect_a_coarser_level_is_counted():
    """One value has nearly all rows: what is below the root looks small, and is not."""
    problem = column([1000] + [2] * 60, [f"{value:02d};{value % 2};*" for value in range(61)], 12)
    likely = problem.base._likely
    with pytest.raises(LimitExceeded, match="more than 12 classes"):
        search(problem, NullReporter())
    assert problem.base._likely < likely


def test_classes_that_do_not_fit_and_are_large_enough_cannot_be_weighed():
    lines = [f"{value:02d};*" for value in range(60)]
    with pytest.raises(LimitExceeded, match="raise the lowest levels") as caught:
        search(column([3] * 60, lines, 2), NullReporter())
    assert caught.value.code == "memory"
    assert search(column([3] * 60, lines, 60), NullReporter()).best == (0,)
