"""A search that ends with its time says what it knows, and never more."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.engine.algorithms.search import brute_force, problems
from tests.engine.running import recipe_of, run, table_of
from worker.engine.algorithms.hierarchies import levels_of
from worker.engine.algorithms.search.best_effort import BestEffort
from worker.engine.algorithms.search.costs import Aim
from worker.engine.algorithms.search.judging import Judge
from worker.engine.algorithms.search.problem import Problem
from worker.engine.errors import EngineError
from worker.engine.goals.k_anonymity import KAnonymity
from worker.engine.reporting import NullReporter

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
