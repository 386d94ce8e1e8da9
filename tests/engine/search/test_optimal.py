"""The search equals brute force on many small random tables, goals, objectives and limits."""

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.engine.search import brute_force, problems
from tests.sampling import WHOLE
from worker.engine.goals.k_anonymity import KAnonymity
from worker.engine.reporting import NullReporter
from worker.engine.search import ladder
from worker.engine.search.judging import Judge, may_hide
from worker.engine.search.optimal import Search, search
from worker.engine.search.problem import Problem


def examples(number):
    """So many in `make faults`, each of which looks at every node; a third of them in each suite."""
    few = number if WHOLE else number // 3
    return settings(deadline=None, suppress_health_check=list(HealthCheck), max_examples=few)


def first(score):
    return score[0] if isinstance(score, tuple) else score


def check(drawn, goals, aim, limit, drop, bounds, table=None):
    hidden = drawn.quasi_identifiers if may_hide(drawn.levels, bounds) else ()
    judge = Judge(goals, int(limit * drawn.table.rows), drop, hidden)
    problem = Problem.of(table or drawn.table, drawn.levels, bounds, judge, aim)
    outcome = search(problem, NullReporter())
    found = brute_force.look_at_every_node(drawn.table, drawn.levels, bounds, judge, aim)
    assert outcome.nodes == len(found)
    assert outcome.optimal
    assert outcome.minimal_complete
    assert sorted(outcome.minimal) == sorted(brute_force.minimal(found))
    for one in outcome.explored:
        truth = found[one.node]
        assert one.feasible == truth.feasible
        assert one.suppressed_rows in (None, truth.suppressed)
        assert one.score is None or one.score == pytest.approx(first(truth.score), abs=1e-9, rel=1e-12)
    feasible = {node: one.score for node, one in found.items() if one.feasible}
    assert (outcome.best is None) == (not feasible)
    if outcome.best is None:
        return
    assert found[outcome.best].feasible
    assert outcome.score == pytest.approx(feasible[outcome.best], abs=1e-9, rel=1e-12)
    least = min(first(score) for score in feasible.values())
    assert first(outcome.score) == pytest.approx(least, abs=1e-9, rel=1e-12)
    # Ties, rounding aside, go to the lower, then to the lexicographically first node.
    best = min(feasible, key=lambda node: (rounded(feasible[node]), sum(node), node))
    assert rounded(feasible[outcome.best]) == rounded(feasible[best])
    if aim.objective in ("loss", "height", "discernibility", "discernibility-star", "aecs"):
        assert outcome.best == best


def rounded(score):
    return tuple(round(part, 8) for part in score) if isinstance(score, tuple) else round(score, 8)


@examples(400)
@given(st.data(), problems.tables(), problems.aims, problems.LIMITS, st.booleans())
def test_the_search_equals_brute_force_for_every_goal(data, drawn, aim, limit, drop):
    goals = data.draw(problems.asked(drawn))
    check(drawn, goals, aim, limit, drop, data.draw(problems.bounds(drawn.levels)))


WEIGHTS = st.sampled_from([0.0, 0.1, 0.5, 0.7, 1.0, 3.0])


@examples(300)
@given(st.data(), problems.tables(), problems.aims, problems.LIMITS, st.booleans())
def test_columns_count_by_their_weights(data, drawn, aim, limit, drop):
    width = len(drawn.levels)
    weights = data.draw(st.tuples(*[WEIGHTS] * width))
    aim = replace(aim, weights=weights)
    check(
        drawn, data.draw(problems.asked(drawn)), aim, limit, drop, [(0, one.height) for one in drawn.levels]
    )


@examples(200)
@given(st.data(), problems.tables(), problems.aims, problems.LIMITS, st.booleans())
def test_columns_too_deep_for_a_mask_are_generalized_by_a_table(data, drawn, aim, limit, drop):
    goals = data.draw(problems.asked(drawn))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ladder, "MASK_BITS", 0)
        check(drawn, goals, aim, limit, drop, data.draw(problems.bounds(drawn.levels)))


@examples(300)
@given(st.data(), problems.tables(), problems.aims, problems.LIMITS, st.booleans())
def test_class_sizes_alone_are_judged_without_asking_the_goals(data, drawn, aim, limit, drop):
    drawn.table = replace(drawn.table, persons=None)
    goals = [KAnonymity(k=data.draw(st.integers(1, 6)))]
    check(drawn, goals, aim, limit, drop, data.draw(problems.bounds(drawn.levels)))


@examples(300)
@given(
    problems.tables(most_rows=60),
    problems.aims,
    st.sampled_from([0.1, 0.3, 0.5]),
    st.integers(2, 6),
    st.just(()) | st.tuples(*[WEIGHTS] * 4),
)
def test_no_bound_is_above_the_score_it_is_a_bound_of(drawn, aim, limit, k, weights):
    """A node is passed over for its bound: one that is too high can hide the best node."""
    drawn.table = replace(drawn.table, persons=None)
    aim = replace(aim, weights=weights[: len(drawn.levels)])
    judge = Judge([KAnonymity(k=k)], int(limit * drawn.table.rows), False)
    bounds = [(0, one.height) for one in drawn.levels]
    problem = Problem.of(drawn.table, drawn.levels, bounds, judge, aim)
    looking = Search(problem, NullReporter())
    looking.run()
    found = brute_force.look_at_every_node(drawn.table, drawn.levels, bounds, judge, aim)
    for number, bound in enumerate(looking._state.bounds):
        truth = found[problem.lattice.levels(number)]
        assert not truth.feasible or bound <= first(truth.score) + 1e-9
