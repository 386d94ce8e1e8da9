"""Propensity scores, beside a model of every cell and by hand."""

import random
from collections import Counter

import pytest

from tests.engine.measures.scenes import TREE, Case, figures_of, random_case, result_of
from worker.engine.contracts.result import State
from worker.engine.contracts.traces import Trace
from worker.engine.measures.utility.propensity import Propensity

MEASURE = Propensity()
TWO = {name: {"role": "other", "kind": "categorical"} for name in "xy"}


def saturated(before, after):
    """With two columns, words and pairs fit every cell: a row's score is the share of released rows in it."""
    was, became = Counter(before), Counter(after)
    share = len(after) / (len(before) + len(after))
    cells = {cell: became[cell] / (was[cell] + became[cell]) for cell in was | became}
    mean = sum((cells[cell] - share) ** 2 for cell in [*before, *after]) / (len(before) + len(after))
    below = [
        abs(
            sum(was[one] for one in cells if cells[one] <= at) / len(before)
            - sum(became[one] for one in cells if cells[one] <= at) / len(after)
        )
        for at in cells.values()
    ]
    return mean, max(below)


@pytest.mark.parametrize("seed", range(40))
def test_is_what_a_model_of_every_cell_finds(seed):
    """Where every cell holds many rows, what is held back does not matter."""
    draw = random.Random(seed)
    rows = 600
    before = {"x": draw.choices("abc", k=rows), "y": draw.choices("pq", k=rows)}
    after = {"x": draw.choices("abc", [3, 2, 1], k=rows), "y": draw.choices("pq", k=rows)}
    for at in range(200):
        after["y"][at] = "p" if after["x"][at] == "a" else "q"
    kept = [draw.random() < 0.7 for _ in range(rows)] if seed % 3 == 0 else []
    case = Case(TWO, before, after, kept)
    released = [tuple(row.values()) for row in case.released()]
    mean, distance = saturated(list(zip(*before.values(), strict=True)), released)
    found = figures_of(MEASURE, case)
    assert found["pmse"] == pytest.approx(mean, rel=0.02, abs=1e-4)
    assert found["specks"] == pytest.approx(distance, abs=0.02)
    assert found["rows"] == rows + len(released)
    assert found["ratio_to_null"] is None


@pytest.mark.parametrize("seed", range(10))
def test_nothing_tells_the_same_file_apart(seed):
    case = random_case(seed)
    case.after, case.kept = {name: case.before[name] for name in case.after}, []
    found = figures_of(MEASURE, case)
    assert (found["pmse"], found["specks"]) == (0, 0)


def test_swapped_columns_are_found_by_pairs_alone():
    draw = random.Random(1)
    x = draw.choices("ab", k=400)
    found = figures_of(MEASURE, Case(TWO, {"x": x, "y": x}, {"x": x, "y": draw.sample(x, 400)}))
    assert found["specks"] > 0.3
    assert found["pmse"] > 0.05


def test_a_hierarchy_makes_no_other_values():
    lines = [";".join(path) for path in TREE.values()]
    columns = {**TWO, "x": {"role": "quasi-identifier", "kind": "categorical", "hierarchy": lines}}
    draw = random.Random(2)
    before = {"x": draw.choices(list(TREE), k=300), "y": draw.choices("pq", k=300)}
    after = {**before, "x": [TREE[text][2] for text in before["x"]]}
    assert figures_of(MEASURE, Case(columns, before, after))["pmse"] == 0


def test_files_without_a_value_in_common_are_told_apart_altogether():
    found = figures_of(
        MEASURE, Case(TWO, {"x": ["a"] * 500, "y": ["b"] * 500}, {"x": ["c"] * 500, "y": ["d"] * 500})
    )
    assert found["specks"] == 1
    assert found["pmse"] == pytest.approx(0.25, abs=0.001)


def test_rows_drawn_anew_from_the_original_are_a_correct_synthesis():
    ratios = []
    for seed in range(8):
        draw = random.Random(seed)
        rows = [(a, a if draw.random() < 0.5 else draw.choice("abcd")) for a in draw.choices("abcd", k=1500)]
        again = draw.choices(rows, k=1500)
        before, after = (
            dict(zip("xy", map(list, zip(*side, strict=True)), strict=True)) for side in (rows, again)
        )
        made_up = dict.fromkeys("xy", Trace.MADE_UP)
        ratios.append(figures_of(MEASURE, Case(TWO, before, after, traces=made_up))["ratio_to_null"])
    assert 0.7 < sum(ratios) / len(ratios) < 1.4


def test_suppressed_rows_are_left_out_and_counted():
    columns = {name: {"role": "quasi-identifier", "kind": "categorical"} for name in "xy"}
    before = {"x": list("ab") * 100, "y": list("cd") * 100}
    after = {name: ["*"] * 20 + texts[20:] for name, texts in before.items()}
    found = figures_of(MEASURE, Case(columns, before, after))
    assert (found["suppressed_rows"], found["rows"]) == (20, 380)
    assert found["pmse"] == pytest.approx(0, abs=1e-6)


def test_both_sides_draw_the_same_rows():
    draw = random.Random(3)
    cells = {"x": draw.choices("abc", k=1000), "y": draw.choices("abc", k=1000)}
    found = figures_of(Propensity(rows=100), Case(TWO, cells, cells))
    assert (found["rows"], found["pmse"]) == (200, 0)


def test_one_column_or_no_row_does_not_apply():
    alone = Case({"x": {"role": "other"}}, {"x": ["a"]}, {"x": ["a"]})
    empty = Case(TWO, {"x": [], "y": []}, {"x": [], "y": []})
    gone = Case(TWO, {"x": ["a"], "y": ["b"]}, {"x": ["a"], "y": ["b"]}, [False])
    for case in (alone, empty, gone):
        assert result_of(MEASURE, case).state is State.DOES_NOT_APPLY
