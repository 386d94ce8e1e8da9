"""What labels leave open, beside a brute force and by hand."""

import pytest

from tests.engine.measures import loss_oracle
from tests.engine.measures.scenes import COLUMNS, TREE, Case, figures_of, random_case, result_of
from worker.engine.contracts.result import State
from worker.engine.contracts.traces import Trace
from worker.engine.measures.utility.granularity import Granularity

MEASURE = Granularity()
LEFT = ("town", "age", "job", "pay", "born", "same")


@pytest.mark.parametrize("seed", range(40))
def test_is_what_brute_force_finds(seed):
    case = random_case(seed)
    oracle = {
        name: loss_oracle.granularity(case, name, COLUMNS[name]["kind"], {"town": TREE}.get(name))
        for name in LEFT
    }
    expected = {name: one for name, one in oracle.items() if one is not None} | {"gone": 1.0}
    found = figures_of(MEASURE, case)
    assert found["per_column"] == pytest.approx(expected, abs=1e-9)
    assert found["granularity"] == pytest.approx(sum(expected.values()) / len(expected))


def one(before, after, kind="categorical", traces=None, **more):
    part = {"role": "other", "kind": kind, **more}
    return Case({"x": part}, {"x": list(before)}, {"x": list(after)}, traces=traces)


def test_a_label_covers_rows_of_the_hierarchy_also_of_values_nobody_has():
    lines = COLUMNS["town"]["hierarchy"]
    case = one(["v0", "v4"], ["h0", "h1"], hierarchy=lines)
    assert figures_of(MEASURE, case)["granularity"] == pytest.approx(3 / 7)


def test_an_interval_is_as_wide_as_the_range_it_covers():
    case = one(["0", "10", "100"], ["[0, 20[", "[0, 20[", "[90, 200["], "integer")
    assert figures_of(MEASURE, case)["granularity"] == pytest.approx((0.2 + 0.2 + 0.1) / 3)


def test_a_rounded_number_leaves_open_what_was_rounded_to_it():
    case = one(["1", "9", "10", "20"], ["0", "10", "10", "20"], "integer", {"x": Trace.COARSER})
    assert figures_of(MEASURE, case)["granularity"] == pytest.approx(2 * (1 / 19) / 4)


@pytest.mark.parametrize("traces", [None, {"x": Trace.PERTURBED}])
def test_numbers_that_may_have_moved_by_chance_are_passed_over(traces):
    result = result_of(MEASURE, one(["1", "2", "3"], ["1.5", "2", "3"], "decimal", traces))
    assert result.state is State.DOES_NOT_APPLY or result.after["passed_over"]
