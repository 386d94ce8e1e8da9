"""What a search without a solution says of it is true, also of goals that coarser classes do not help."""

import re
from fractions import Fraction

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.engine.algorithms.search import brute_force, problems
from tests.engine.algorithms.search.test_optimal import SETTINGS
from worker.engine.algorithms.obstacles import no_solution
from worker.engine.algorithms.search.judging import Judge, generalized
from worker.engine.algorithms.search.optimal import search
from worker.engine.algorithms.search.problem import Problem
from worker.engine.classes import classes_of
from worker.engine.reporting import NullReporter


@settings(SETTINGS, max_examples=80)
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
