"""Expected error, beside a brute force and by hand."""

import pytest

from tests.engine.measures import loss_oracle
from tests.engine.measures.scenes import COLUMNS, Case, figures_of, random_answers, random_case
from worker.engine.contracts.traces import Trace
from worker.engine.measures.utility.expected_error import ExpectedError

MEASURE = ExpectedError()
LEFT = ("town", "age", "job", "pay", "born", "same")


@pytest.mark.parametrize("seed", range(60))
def test_is_what_brute_force_finds(seed):
    case = random_answers(seed) if seed % 2 else random_case(seed)
    oracle = {name: loss_oracle.expected_error(case, name, COLUMNS[name]["kind"]) for name in LEFT}
    expected = {name: one for name, one in oracle.items() if one is not None} | {"gone": 1.0}
    found = figures_of(MEASURE, case)
    assert found["per_column"] == pytest.approx(expected, abs=1e-9)
    assert found["expected_error"] == pytest.approx(sum(expected.values()) / len(expected))


def error(before, after, kind="integer", **more):
    columns = {"x": {"role": "other", "kind": kind}, "y": {"role": "other"}}
    same = list(before)
    case = Case(columns, {"x": same, "y": same}, {"x": list(after), "y": same}, **more)
    return figures_of(MEASURE, case)["per_column"].get("x")


def test_a_column_of_stars_costs_exactly_one_and_nothing_costs_more():
    assert error("1259", "****") == 1
    assert error("aab", "***", "categorical") == 1
    assert error(["1", "2", "3"], ["100", "200", "300"]) == 1
    assert error("1259", "1259") == 0


def test_a_label_is_read_as_the_median_of_the_originals_under_it():
    assert error(["1", "3", "10", "20"], ["low", "low", "20", "20"]) == pytest.approx((1 + 1 + 10) / 26 * 1)


def test_columns_that_chance_and_others_changed_are_passed_over():
    changed = {"x": Trace.PERTURBED, "y": Trace.KEPT}
    assert error("1259", "1258", traces=changed, steps={"x": 1}) > 0
    assert error("1259", "1258", traces=changed, steps={"x": 2}) is None
    assert error("1259", "1258", traces={**changed, "x": Trace.MADE_UP}, steps={"x": 1}) is None
