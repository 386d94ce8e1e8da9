"""Models trained on the release, by known answers and beside tables of shares."""

import random

import numpy as np
import pytest

from tests.engine.measures.scenes import TREE, Case, figures_of, result_of
from worker.engine.contracts.result import State
from worker.engine.measures.utility.models import Models

MEASURE = Models()
COLUMNS = {
    "x": {"role": "quasi-identifier", "kind": "categorical"},
    "y": {"role": "other", "kind": "categorical"},
    "ill": {"role": "sensitive", "kind": "categorical"},
}


def linked(seed, rows=1000, sure=0.8):
    """`ill` follows `x` mostly; `y` says nothing."""
    draw = random.Random(seed)
    x = draw.choices("abc", k=rows)
    ill = [text if draw.random() < sure else draw.choice("abc") for text in x]
    return {"x": x, "y": draw.choices("pq", k=rows), "ill": ill}


def exchanged(cells, name, seed=0):
    return {**cells, name: random.Random(seed).sample(cells[name], len(cells[name]))}


@pytest.mark.parametrize("seed", range(5))
def test_the_same_file_keeps_everything(seed):
    cells = linked(seed)
    result = result_of(MEASURE, Case(COLUMNS, cells, cells))
    assert (result.after["auc_kept"], result.after["accuracy_kept"]) == (1, 1)
    for figure in ("auc", "accuracy", "baseline", "trained_rows", "tested_rows"):
        assert result.after[figure] == result.before[figure]
    assert result.after["trained_rows"] + result.after["tested_rows"] == 1000


@pytest.mark.parametrize("name", ["x", "ill"])
def test_exchanged_values_foretell_nothing(name):
    kept = []
    for seed in range(12):  # chance points one model the right way, another the wrong one
        cells = linked(seed, 300)
        found = figures_of(MEASURE, Case(COLUMNS, cells, exchanged(cells, name, seed)))
        kept.append(found["auc"]["ill"])
    assert np.mean(kept) == pytest.approx(0.5, abs=0.12)


def test_a_little_exchanged_is_between():
    means = []
    for share in (0, 0.4, 1):
        found = []
        for seed in range(4):
            cells, draw = linked(seed, 400, 0.5), random.Random(seed)
            after = {
                **cells,
                "x": [draw.choice("abc") if draw.random() < share else text for text in cells["x"]],
            }
            found.append(figures_of(MEASURE, Case(COLUMNS, cells, after))["accuracy_kept"])
        means.append(np.mean([one for one in found if one is not None]))
    assert means[0] == 1
    assert means[-1] < 0.5 < means[1]


def test_the_original_is_foretold_as_its_shares_foretell():
    """One predictor of three values: the likeliest class of each is its own name."""
    cells = linked(3, 5000)
    found = result_of(Models(predictors=("x",)), Case(COLUMNS, cells, cells))
    right = sum(a == b for a, b in zip(cells["x"], cells["ill"], strict=True)) / 5000
    assert found.before["accuracy"]["ill"] == pytest.approx(right, abs=0.03)
    assert found.before["baseline"]["ill"] == pytest.approx(1 / 3, abs=0.04)


def test_columns_that_do_not_leave_foretell_nothing():
    cells = linked(4)
    after = {name: texts for name, texts in cells.items() if name != "x"}
    result = result_of(MEASURE, Case(COLUMNS, cells, after))
    assert result.before["auc"]["ill"] < 0.6  # both models see the columns of the release


def test_a_hierarchy_maps_the_test_rows():
    lines = [";".join(path) for path in TREE.values()]
    columns = {**COLUMNS, "x": {"role": "quasi-identifier", "kind": "categorical", "hierarchy": lines}}
    draw = random.Random(5)
    x = draw.choices(list(TREE), k=1500)
    ill = [TREE[text][2] if draw.random() < 0.8 else draw.choice(["h0", "h1"]) for text in x]
    cells = {"x": x, "y": ["p"] * 1500, "ill": ill}
    coarser = {**cells, "x": [TREE[text][2] for text in x]}
    assert figures_of(MEASURE, Case(columns, cells, coarser))["auc_kept"] == pytest.approx(1, abs=0.05)
    worse = {**cells, "ill": [TREE[text][1] if draw.random() < 0.8 else "g0" for text in x]}
    found = figures_of(MEASURE, Case(columns, worse, {**worse, "x": coarser["x"]}))
    assert found["auc_kept"] < 0.95


def test_a_suppressed_target_keeps_nothing():
    cells = linked(6)
    cells["ill"] = ["a" if text == "c" else text for text in cells["ill"]]
    found = figures_of(MEASURE, Case(COLUMNS, cells, {**cells, "ill": ["*"] * 1000}))
    assert (found["auc_kept"], found["accuracy_kept"], found["auc"]["ill"]) == (0, 0, 0.5)


def test_numbers_are_above_their_median_or_not():
    columns = {name: {"role": "other", "kind": "integer"} for name in ("n", "m")}
    draw = random.Random(7)
    cells = {"n": [str(draw.randrange(1000)) for _ in range(1000)]}
    cells["m"] = [str(int(text) // 3) for text in cells["n"]]
    intervals = {
        **cells,
        "n": [f"[{int(text) // 100 * 100}, {int(text) // 100 * 100 + 100}[" for text in cells["n"]],
    }
    same = figures_of(Models(targets=("m",)), Case(columns, cells, cells))
    rough = figures_of(Models(targets=("m",)), Case(columns, cells, intervals))
    assert same["auc"]["m"] > 0.99
    assert same["baseline"]["m"] == pytest.approx(0.5, abs=0.06)
    assert rough["auc_kept"] > 0.95


def test_no_model_is_tested_on_rows_it_was_trained_on():
    """A word for each row foretells everything of known rows and nothing of others."""
    rows = 40
    columns = {**COLUMNS, "x": {"role": "quasi-identifier", "kind": "categorical"}}
    draw = random.Random(8)
    cells = {"x": [f"v{i}" for i in range(rows)] * 10, "y": ["p"] * 400, "ill": draw.choices("ab", k=400)}
    found = result_of(Models(predictors=("x",)), Case(columns, cells, cells))
    assert found.before["auc"]["ill"] < 0.7


def test_parts_are_judged_one_by_one():
    one, other = linked(9, 800, 1.0), exchanged(linked(10, 800), "ill")
    cells = {name: one[name] + other[name] for name in one}
    cells["y"] = ["p"] * 800 + ["q"] * 800
    result = result_of(Models(by="y"), Case(COLUMNS, cells, cells))
    found = result.after["accuracy_of_part"]
    assert found["y = p"] > 0.9
    assert found["y = q"] < 0.5
    assert set(found) == set(result.before["auc_of_part"])
    whole = sum(found.values()) / 2
    assert result.after["accuracy"]["ill"] == pytest.approx(whole, abs=0.05)


def test_small_parts_are_not_told():
    cells = linked(11)
    cells["y"] = ["rare"] * 20 + ["q"] * 980
    assert set(figures_of(Models(by="y"), Case(COLUMNS, cells, cells))["auc_of_part"]) == {"y = q"}


def test_the_curve_of_a_sure_model_stands_upright():
    cells = linked(12, sure=1.0)
    (chart,) = result_of(MEASURE, Case(COLUMNS, cells, cells)).charts
    original, release, blind = chart.series
    assert original.y == release.y == (1.0,) * 21
    assert (blind.reference, chart.internal) == (True, True)


def test_rows_of_another_order_are_other_rows():
    cells = linked(13)
    order = random.Random(1).sample(range(1000), 1000)
    after = {name: [texts[at] for at in order] for name, texts in cells.items()}
    found = figures_of(MEASURE, Case(COLUMNS, cells, after, aligned=False))
    assert found["auc_kept"] > 0.9


@pytest.mark.parametrize(
    ("columns", "rows"),
    [
        ({"x": {"role": "other"}, "y": {"role": "other"}}, 100),
        ({"x": {"role": "sensitive"}}, 100),
        ({"x": {"role": "sensitive"}, "y": {"role": "other"}}, 20),
    ],
)
def test_without_targets_predictors_or_rows_it_does_not_apply(columns, rows):
    cells = {name: ["a", "b"] * (rows // 2) for name in columns}
    result = result_of(MEASURE, Case(columns, cells, cells))
    assert result.state is State.DOES_NOT_APPLY
    assert result.reason


def test_what_cannot_be_foretold_cannot_be_kept():
    cells = {"x": ["a"] * 300, "y": ["p"] * 300, "ill": list("ab") * 150}
    found = figures_of(MEASURE, Case(COLUMNS, cells, cells))
    assert (found["auc_kept"], found["accuracy_kept"]) == (None, None)
