"""Synthetic rows: what was measured is bounded, what depends is kept, nothing but noisy counts goes in."""

import io
import json
from collections import Counter
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.running import recipe_of, rows_of, run, table_of
from worker.engine.dp.counting import CellRows
from worker.engine.dp.tree_model import Prices, grown
from worker.engine.errors import EngineError
from worker.engine.methods.dp_synthetic import DpSynthetic

COLUMNS = {
    "a": {"role": "other", "categories": ["x", "y"]},
    "b": {"role": "other", "categories": ["p", "q", "r"]},
    "c": {"role": "other", "categories": ["u", "v"]},
    "pay": {"role": "sensitive", "kind": "decimal", "bounds": [0, 10], "bin_width": 2},
    "age": {"role": "other", "kind": "integer", "bounds": [20, 60], "bin_width": 20},
}
ROWS = [
    {
        "a": "xy"[i % 2],
        "b": "pqr"[i % 3],
        "c": "uv"[i % 2],
        "pay": str(1 + 4 * (i % 2)),
        "age": str(25 + 20 * (i % 2)),
    }
    for i in range(600)
]


def invented(data=ROWS, **params):
    exact = io.BytesIO()
    step = ("dp-synthetic", {"columns": list(COLUMNS), "epsilon": 1000, **params})
    released, report = run(recipe_of(COLUMNS, [], [step], []), table_of(data), exact=exact)
    return rows_of(released), report, rows_of(exact.getvalue())


def test_columns_and_dependent_pairs_are_kept():
    rows, report, _ = invented()
    assert len(rows) == 600
    assert abs(Counter(row["b"] for row in rows)["p"] - 200) < 60
    pairs = {frozenset(pair) for pair in report["steps"][0]["pairs"]}
    assert len(pairs) == 4
    assert all(row["c"] == {"x": "u", "y": "v"}[row["a"]] for row in rows)
    assert all((float(row["pay"]) < 2) == (row["a"] == "x") for row in rows)
    assert {int(row["age"]) // 20 for row in rows} == {1, 2}
    assert len({row["pay"] for row in rows}) > 50


def test_values_stay_within_what_is_declared():
    rows, _, _ = invented(epsilon=0.01, rows=2000)
    assert len(rows) == 2000
    for row in rows:
        assert row["a"] in ("x", "y", "")
        assert row["pay"] == "" or 0 <= float(row["pay"]) <= 10
        assert row["age"] == "" or 20 <= int(row["age"]) <= 60


def test_the_true_counts_stay_inside():
    rows, report, exact = invented(columns=["a"], epsilon=1)
    assert [(line["cell"], line["exact"]) for line in exact] == [("x", "300"), ("y", "300"), ("", "0")]
    assert "300" not in json.dumps(report["public"]["steps"])
    assert set(rows[0]) == {"a"}


def test_nobody_gives_hardly_any_row():
    rows, _, _ = invented(ROWS[:1], columns=["a"], epsilon=1000)
    assert len(rows) == 1


class Recording:
    def __init__(self):
        self.measured = []

    def noisy(self, counts, noise):
        self.measured.append(np.asarray(counts))
        return counts

    def best(self, scores, part):
        self.measured.append(np.asarray(scores))
        return 0


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 2), st.integers(0, 1)), min_size=1, max_size=20))
def test_one_row_changes_what_is_measured_by_at_most_the_sensitivity(rows):
    """With the noisy columns held fixed, as the mechanism sees them when it chooses."""
    prices, sizes = Prices(3, 1, 3_000_000), (2, 3, 2)

    def measured(some):
        codes = tuple(np.array([row[at] for row in some], np.int32) for at in range(3))
        recording = Recording()
        fixed = Recording()
        fixed.noisy = lambda counts, noise: recording.noisy(counts, noise) * 0 + 3
        fixed.best = recording.best
        grown(CellRows(codes, np.ones(len(some), np.int64)), sizes, prices, fixed)
        return recording.measured

    one, other = measured(rows), measured(rows[1:])
    changes = [np.abs(a - b) for a, b in zip(one, other, strict=True)]
    assert changes[0].sum() <= prices.alone.sensitivity == 3
    assert all(change.max() <= prices.edge.sensitivity == 1 for change in changes[1:-1])
    assert changes[-1].sum() <= prices.pairs.sensitivity == 2


def test_the_parts_cost_the_whole():
    for columns in (1, 2, 5):
        prices = Prices(columns, 3, 1_000_000)
        pairs = prices.third + prices.edges * prices.edge.epsilon_micro if prices.edges else 0
        assert 999_990 <= prices.third + pairs <= 1_000_000
        assert prices.alone.epsilon == Decimal(prices.third) / 1_000_000


@pytest.mark.parametrize(
    "params",
    [{"columns": ["a", "a"]}, {"columns": []}, {"columns": ["a", "b", "c"], "epsilon": 0.000001}],
)
def test_parameters_that_do_not_go_together(params):
    with pytest.raises(EngineError):
        DpSynthetic.of(params)


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ({}, "no-cells"),
        ({"kind": "integer", "bounds": [-0.5, 0.5], "bin_width": 0.3}, "bad-cells"),
        ({"kind": "integer", "bounds": [0, 10**30], "bin_width": 10**29}, "bad-cells"),
    ],
)
def test_columns_of_which_too_little_or_too_much_is_declared_are_refused_before_noise(said, code):
    recipe = recipe_of({"free": {"role": "other", **said}}, [], [("dp-synthetic", {"columns": ["free"]})], [])
    with pytest.raises(EngineError) as caught:
        run(recipe, table_of([{"free": "0"}]))
    assert caught.value.code == code
