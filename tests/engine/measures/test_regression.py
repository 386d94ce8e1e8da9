"""Regression, beside the normal equations over plain rows and by known answers."""

import random

import numpy as np
import pytest
from scipy import stats

from tests.engine.measures.scenes import Case, figures_of, result_of
from worker.engine.contracts.result import State
from worker.engine.measures.utility.regression import Regression

MEASURE = Regression()
OF_Y = {"outcome": "y"}
COLUMNS = {
    "pay": {"role": "sensitive", "kind": "decimal"},
    "age": {"role": "quasi-identifier", "kind": "integer"},
    "job": {"role": "other", "kind": "categorical"},
    "sex": {"role": "other", "kind": "categorical"},
}
FACTOR = {"a": 0, "b": 30, "c": -20}


def people(seed, rows=200):
    draw = random.Random(seed)
    age = [draw.randrange(18, 90) for _ in range(rows)]
    job = draw.choices("abc", [3, 2, 1], k=rows)
    pay = [100 + 2 * x + FACTOR[one] + draw.gauss(0, 15) for x, one in zip(age, job, strict=True)]
    cells = {"pay": [f"{one:.2f}" for one in pay], "age": list(map(str, age)), "job": job}
    return {**cells, "sex": draw.choices("mf", k=rows)}


def noisy(cells, seed, amount=20):
    draw = random.Random(seed)
    pay = [f"{float(text) + draw.gauss(0, amount):.2f}" if text else text for text in cells["pay"]]
    return {**cells, "pay": pay}


def coefficients(cells):
    """From the rows that are known in all columns: {name: (value, low, high)}."""
    rows = [
        row for row in zip(cells["pay"], cells["age"], cells["job"], strict=True) if not {"", "*"} & set(row)
    ]
    y = np.array([float(pay) for pay, _, _ in rows])
    x = np.array([[1, float(age), job == "b", job == "c"] for _, age, job in rows], float)
    inverse = np.linalg.inv(x.T @ x)
    values = inverse @ (x.T @ y)
    free = len(y) - 4
    errors = np.sqrt(np.diag(inverse) * sum((y - x @ values) ** 2) / free)
    width = stats.t.ppf(0.975, free) * errors
    names = ("(intercept)", "age", "job = b", "job = c")
    return {
        name: tuple(one) for name, *one in zip(names, values, values - width, values + width, strict=True)
    }


def overlap(one, other):
    common = min(one[2], other[2]) - max(one[1], other[1])
    return max((common / (one[2] - one[1]) + common / (other[2] - other[1])) / 2, 0)


@pytest.mark.parametrize("seed", range(40))
def test_is_what_the_normal_equations_give(seed):
    draw = random.Random(seed)
    before = people(seed)
    before["age"] = ["" if draw.random() < 0.05 else text for text in before["age"]]
    after = noisy(before, seed)
    after["age"] = ["*" if draw.random() < 0.1 and text else text for text in after["age"]]
    kept = [draw.random() < 0.9 for _ in range(200)] if seed % 2 else []
    case = Case(COLUMNS, before, after, kept)
    result = result_of(Regression(predictors=("age", "job")), case)
    released = {name: [row[name] for row in case.released()] for name in after}
    was, became = coefficients(before), coefficients(released)
    for at, figure in enumerate(("coefficient", "low", "high")):
        assert result.before[figure] == pytest.approx({name: one[at] for name, one in was.items()})
        assert result.after[figure] == pytest.approx({name: one[at] for name, one in became.items()})
    expected = {name: overlap(was[name], became[name]) for name in was}
    assert result.after["overlap_of"] == pytest.approx(expected)
    assert result.after["overlap"] == pytest.approx(sum(expected.values()) / 4)
    assert result.after["smallest_overlap"] == pytest.approx(min(expected.values()))


def test_the_same_file_overlaps_altogether():
    cells = people(1)
    result = result_of(MEASURE, Case(COLUMNS, cells, cells))
    assert (result.after["overlap"], result.after["standardised_difference"]) == (pytest.approx(1), 0)
    assert set(result.after["coefficient"]) > {"(intercept)", "age", "job = b", "job = c"}
    assert len(result.after["coefficient"]) == 5
    assert result.before["coefficient"]["age"] == pytest.approx(2, abs=0.3)
    assert result.after["rows"] == 200


def test_exchanged_values_lose_what_they_explained():
    cells = people(2)
    found = figures_of(
        MEASURE, Case(COLUMNS, cells, {**cells, "age": random.Random(0).sample(cells["age"], 200)})
    )
    assert found["overlap_of"]["age"] == 0
    assert found["difference_of"]["age"] > 5


def test_more_noise_never_overlaps_more_in_the_mean():
    means = []
    for amount in (0, 5, 40, 200):
        cases = (Case(COLUMNS, people(seed), noisy(people(seed), seed, amount)) for seed in range(20))
        means.append(np.mean([figures_of(MEASURE, case)["overlap"] for case in cases]))
    assert means == sorted(means, reverse=True)


def test_two_values_are_explained_by_logistic_regression():
    draw = random.Random(3)
    cells = people(3, 600)
    cells["sex"] = [
        "m" if draw.random() < 1 / (1 + np.exp(-(int(x) - 50) / 10)) else "f" for x in cells["age"]
    ]
    result = result_of(Regression(outcome="sex", predictors=("age",)), Case(COLUMNS, cells, cells))
    assert result.before["coefficient"]["age"] == pytest.approx(0.1, abs=0.03)
    assert result.after["overlap"] == pytest.approx(1)


def test_a_column_that_tells_nothing_costs_its_own_coefficient_alone():
    cells = people(4)
    found = figures_of(MEASURE, Case(COLUMNS, cells, {**cells, "age": ["*"] * 200}))
    assert found["rows"] == 0  # with * in its one quasi-identifier every row is suppressed
    columns = {**COLUMNS, "age": {"role": "other", "kind": "integer"}}
    found = figures_of(MEASURE, Case(columns, cells, {**cells, "age": ["*"] * 200}))
    assert found["rows"] == 200
    assert (found["overlap_of"]["age"], found["coefficient"]["age"]) == (0, None)
    assert found["overlap_of"]["job = b"] > 0.3


def test_an_interval_counts_as_its_middle():
    cells = people(5, 400)
    after = {**cells, "age": [f"[{int(text)}, {int(text) + 2}[" for text in cells["age"]]}
    found = figures_of(MEASURE, Case(COLUMNS, cells, after))
    assert found["overlap_of"]["age"] == pytest.approx(1)


def test_parts_are_compared_one_by_one():
    cells = people(6, 400)
    half = ["m"] * 200 + ["f"] * 200
    cells["sex"] = half
    exchanged = random.Random(0).sample(cells["age"][:200], 200) + cells["age"][200:]
    found = figures_of(Regression(by="sex"), Case(COLUMNS, cells, {**cells, "age": exchanged}))
    assert found["overlap_of_part"]["sex = f"] == pytest.approx(1)
    assert found["overlap_of_part"]["sex = m"] < 0.8


def test_rare_values_have_no_name_of_their_own():
    cells = people(7)
    cells["job"] = ["rare"] * 5 + cells["job"][5:]
    found = figures_of(MEASURE, Case(COLUMNS, cells, cells))
    assert "job = (other)" in found["coefficient"]
    assert not any("rare" in name for name in found["coefficient"])


def test_the_chart_holds_both_intervals():
    cells = people(8)
    (chart,) = result_of(MEASURE, Case(COLUMNS, cells, noisy(cells, 8))).charts
    original, release = chart.series
    assert original.y == pytest.approx((0,) * len(original.x))
    assert len(release.x) == len(release.error) == len(original.x)
    assert chart.internal


@pytest.mark.parametrize(
    ("columns", "params"),
    [
        ({"x": {"role": "other", "kind": "categorical"}, "y": {"role": "other"}}, {}),
        ({"x": {"role": "other", "kind": "integer"}}, {}),
        (
            {"x": {"role": "other", "kind": "integer"}, "y": {"role": "other", "kind": "text"}},
            {"outcome": "y"},
        ),
    ],
)
def test_without_an_outcome_or_predictors_it_does_not_apply(columns, params):
    cells = {name: [str(n) for n in range(60)] for name in columns}
    result = result_of(Regression(**params), Case(columns, cells, cells))
    assert result.state is State.DOES_NOT_APPLY
    assert result.reason


def test_an_outcome_that_does_not_leave_does_not_apply():
    cells = people(9)
    after = {name: texts for name, texts in cells.items() if name != "pay"}
    assert result_of(Regression(outcome="pay"), Case(COLUMNS, cells, after)).state is State.DOES_NOT_APPLY
