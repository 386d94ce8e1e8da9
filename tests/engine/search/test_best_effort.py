"""A search that ends with its time says what it knows, and never more."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.engine.running import recipe_of, run, table_of
from tests.engine.search import brute_force, problems
from tests.engine.search.test_fetching import long, plain
from worker.engine.errors import EngineError, LimitExceeded
from worker.engine.goals.k_anonymity import KAnonymity
from worker.engine.hierarchies.hierarchy import levels_of
from worker.engine.reporting import NullReporter
from worker.engine.search import best_effort
from worker.engine.search.best_effort import BestEffort
from worker.engine.search.costs import Aim
from worker.engine.search.judging import Judge
from worker.engine.search.problem import Problem
from worker.engine.tables.declaration import HierarchySpec

NAMES = [f"q{i:02d}" for i in range(70)]


def wide_table():
    """Seventy columns of three values: neither nodes nor tuples fit into 64 bits."""
    draw = np.random.default_rng(4)
    return table_of([{name: str(draw.integers(0, 3)) for name in NAMES} for _ in range(40)])


def wide_recipe(**params):
    columns = {name: {"role": "quasi-identifier"} for name in NAMES}
    params = {"suppression_limit": 0.1, **params}
    return recipe_of(columns, [("k-anonymity", {"k": 2})], [("generalization", params)], [])


def test_seventy_columns_get_an_answer_that_holds_and_does_not_claim_to_be_the_best():
    _, report = run(wide_recipe(time_limit=0.3), wide_table())
    (step,) = report["steps"]
    assert step["nodes"] == 2**70
    assert step["optimal"] is False
    assert step["minimal_complete"] is False
    assert step["minimal_nodes"] == []
    assert step["nodes_checked"] > 0
    assert report["goals"][0]["holds"]


def test_seventy_columns_without_a_time_limit_are_refused_with_a_way_out():
    with pytest.raises(EngineError, match="time limit") as caught:
        run(wide_recipe(), wide_table())
    assert caught.value.code == "lattice-too-large"


@settings(deadline=None, max_examples=60, suppress_health_check=list(HealthCheck))
@given(st.data(), problems.tables(), problems.aims, problems.LIMITS, st.booleans())
def test_what_it_proves_is_what_brute_force_finds(data, drawn, aim, limit, drop):
    goals = data.draw(problems.asked(drawn))
    judge = Judge(goals, int(limit * drawn.table.rows), drop)
    bounds = data.draw(problems.bounds(drawn.levels))
    search = BestEffort(Problem.of(drawn.table, drawn.levels, bounds, judge, aim), NullReporter(), 60.0)
    search.run()
    search.list_minimal()
    outcome = search.outcome()
    found = brute_force.look_at_every_node(drawn.table, drawn.levels, bounds, judge, aim)
    assert outcome.optimal
    assert (outcome.best is None) == (not any(one.feasible for one in found.values()))
    if outcome.best is not None:
        least = min(first(one.score) for one in found.values() if one.feasible)
        assert found[outcome.best].feasible
        assert first(outcome.score) == pytest.approx(least, abs=1e-9, rel=1e-12)
    if outcome.minimal_complete:
        assert sorted(outcome.minimal) == sorted(brute_force.minimal(found))


def first(score):
    return score[0] if isinstance(score, tuple) else score


def test_one_node_is_looked_at_however_short_the_time():
    table = problems.counted([problems.domain("q", ["a", "b"])], [[0], [0], [1]])
    levels = [levels_of(None, table.domains[0])]
    judge = Judge([KAnonymity(k=2)], 0, False)
    search = BestEffort(Problem.of(table, levels, [(0, 1)], judge, Aim()), NullReporter(), 1e-9)
    search.run()
    assert search.outcome().best == (1,)
    assert not search.outcome().optimal


def ended(table, levels, judge, aim, most=None):
    bounds = [(0, one.height) for one in levels]
    search = BestEffort(Problem.of(table, levels, bounds, judge, aim, most), NullReporter(), 60.0)
    search.run()
    return search.outcome()


@settings(deadline=None, max_examples=30, suppress_health_check=list(HealthCheck))
@given(problems.tables().map(plain), problems.aims, st.integers(1, 4), problems.LIMITS, st.integers(1, 30))
def test_what_is_not_in_memory_has_the_same_best_node(drawn, aim, k, limit, most):
    judge = Judge([KAnonymity(k=k)], int(limit * drawn.table.rows), False)
    whole = ended(drawn.table, drawn.levels, judge, aim)
    try:
        found = ended(long(drawn.table), drawn.levels, judge, aim, most)
    except LimitExceeded:
        return
    assert (found.best, found.optimal) == (whole.best, True)
    assert found.score == pytest.approx(whole.score)


def test_nodes_of_which_too_many_rows_must_go_are_counted_without_making_room_for_them():
    """Every row its own value: below the root nothing holds, and none of it fits into the room."""
    texts = [f"{number:02d}" for number in range(60)]
    table = problems.counted([problems.domain("q", texts)], [[number] for number in range(60)])
    levels = [
        levels_of(HierarchySpec(lines=tuple(f"{text};{text[0]};*" for text in texts)), table.domains[0])
    ]
    for k, best in ((5, (1,)), (11, (2,))):
        found = ended(long(table), levels, Judge([KAnonymity(k=k)], 0, False), Aim(), most=12)
        assert (found.best, found.optimal) == (best, True)
        assert found.checked == 3 if k == 5 else 2


def test_the_best_node_is_listed_however_many_were_looked_at(monkeypatch):
    monkeypatch.setattr(best_effort, "MOST_EXPLORED", 2)
    table = problems.counted([problems.domain("q", "abcd")], [[0], [1], [2], [3]])
    lines = ("a;x;p;*", "b;x;p;*", "c;y;p;*", "d;y;p;*")
    levels = [levels_of(HierarchySpec(lines=lines), table.domains[0])]
    found = ended(table, levels, Judge([KAnonymity(k=2)], 0, False), Aim())
    assert found.best == (1,)
    assert [one.node for one in found.explored] == [(3,), (1,)]
