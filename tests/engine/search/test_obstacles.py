"""What a search without a solution says of it is true, also of goals that coarser classes do not help."""

import re
from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.engine.running import recipe_of, run, table_of
from tests.engine.search import brute_force, problems
from tests.engine.search.test_optimal import examples
from worker.engine.errors import NoSolution
from worker.engine.reporting import NullReporter
from worker.engine.search.judging import Judge, generalized
from worker.engine.search.obstacles import no_solution
from worker.engine.search.optimal import search
from worker.engine.search.problem import Problem
from worker.engine.tables.classes import classes_of


@examples(300)
@given(st.data(), problems.tables(), problems.aims, st.sampled_from([0.0, 0.1, 0.3]), st.booleans())
def test_what_is_said_of_the_obstacle_is_true(data, drawn, aim, limit, drop):
    goals, bounds = data.draw(problems.asked(drawn)), data.draw(problems.bounds(drawn.levels))
    rows = int(drawn.table.rows)

    def solved(goals, limit):
        judge = Judge(goals, limit, drop)
        found = brute_force.look_at_every_node(drawn.table, drawn.levels, bounds, judge, aim)
        return any(one.feasible for one in found.values())

    judge = Judge(goals, int(limit * rows), drop)
    outcome = search(Problem.of(drawn.table, drawn.levels, bounds, judge, aim), NullReporter())
    assume(outcome.best is None)
    top, names = [high for _, high in bounds], [one.name for one in drawn.levels]
    coarsest = classes_of(generalized(drawn.table, drawn.levels, top), names)
    error = no_solution(judge, coarsest, outcome.least_suppressed)
    at = int(re.search(r"\d+", error.param)[0])
    for mend in error.mends:
        if mend.part == "step":
            assert solved(goals, int(Fraction(repr(mend.value)) * rows)), (str(error), mend)
        else:
            changed = list(goals)
            changed[mend.at] = goals[mend.at].model_copy(update={mend.param: mend.value})
            assert solved(changed, judge.limit), (str(error), mend)
    if "More suppression does not help" in error.message:
        assert not solved(goals, rows - 1), str(error)
    if "The obstacle is" in error.message:
        assert not solved([goals[at]], judge.limit), str(error)
    if said := re.search(r"a share of ([\d.]+), would do", error.message):
        assert solved(goals, int(Fraction(said[1]) * rows)), str(error)


LINES = ["a;A", "b;A", "c;c"]


def refused(*goals):
    groups = {"a": "xx", "b": "xxyy", "c": "xxxxxyyyyy"}
    table = table_of([{"q": q, "s": s} for q, secrets in groups.items() for s in secrets])
    columns = {"q": {"role": "quasi-identifier", "hierarchy": LINES}, "s": {"role": "sensitive"}}
    step = ("generalization", {"suppression_limit": 0.125})
    run(recipe_of(columns, list(goals), [step], []), table)


def test_a_goal_that_could_be_had_with_finer_classes_is_not_called_the_obstacle():
    """Two rows may go: those of class a, which is far from the rest; together with b they are six."""
    close, crowd = ("t-closeness", {"column": "s", "t": 0.08}), ("k-anonymity", {"k": 5})
    refused(close)
    refused(crowd)
    with pytest.raises(NoSolution) as caught:
        refused(close, crowd)
    assert "The obstacle" not in caught.value.message
    assert "t-closeness asks most of the coarsest one: 6 of 16 rows" in caught.value.message
    assert "6 rows, a share of 0.3750, would do" in caught.value.message


def test_more_suppression_is_not_called_useless_where_finer_classes_might_do_with_it():
    """All rows together are too uneven, but class a by itself is not: 30 of 40 rows could go."""
    groups = {"a": "xy" * 5, "b": "x" * 30}
    table = table_of([{"q": q, "s": s} for q, secrets in groups.items() for s in secrets])
    columns = {"q": {"role": "quasi-identifier"}, "s": {"role": "sensitive"}}
    goal = ("l-diversity", {"column": "s", "variant": "recursive", "c": 2})

    def refused(goal, limit):
        run(recipe_of(columns, [goal], [("generalization", {"suppression_limit": limit})], []), table)

    with pytest.raises(NoSolution, match="whether more suppression would help is not known"):
        refused(goal, 0.1)
    refused(goal, 0.75)
    with pytest.raises(NoSolution, match="More suppression does not help"):
        refused(("k-anonymity", {"k": 41}), 0.1)


def test_no_nearest_threshold_is_told_where_none_would_do():
    """Class a holds one value only: its gain is 0.6, and its share of 5/8 allows 0.47 whatever β is."""
    table = table_of([{"q": q, "s": s} for q, secrets in (("a", "xxx"), ("b", "xxyyy")) for s in secrets])
    columns = {"q": {"role": "quasi-identifier"}, "s": {"role": "sensitive"}}
    goal, step = {"column": "s", "beta": 0.5}, ("generalization", {"levels": {"q": [0, 0]}})
    with pytest.raises(NoSolution) as caught:
        run(recipe_of(columns, [("beta-likeness", goal)], [step], []), table)
    assert "can be reached there" not in caught.value.message
    assert not caught.value.mends
    with pytest.raises(NoSolution, match=r"can be reached there is 0\.6"):
        run(recipe_of(columns, [("beta-likeness", goal | {"variant": "basic"})], [step], []), table)


def test_without_goals_rows_that_tell_nothing_may_be_more_than_may_go():
    table = table_of([{"q": q} for q in "abb"])
    columns = {"q": {"role": "quasi-identifier", "hierarchy": ["a;*;*", "b;B;*"]}}
    for limit, refused in ((0.3, True), (0.4, False)):
        step = ("generalization", {"levels": {"q": [1, 1]}, "suppression_limit": limit})
        if not refused:
            run(recipe_of(columns, [], [step], []), table)
            continue
        with pytest.raises(NoSolution, match="No allowed combination of levels") as caught:
            run(recipe_of(columns, [], [step], []), table)
        assert caught.value.param is None
        assert not caught.value.mends
