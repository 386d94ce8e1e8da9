"""Information kept, beside a brute force and by hand."""

import pytest

from tests.engine.measures import loss_oracle
from tests.engine.measures.scenes import (
    COLUMNS,
    TREE,
    Case,
    figures_of,
    random_answers,
    random_case,
    result_of,
)
from tests.engine.running import recipe_of, table_of
from worker.engine.contracts.result import State
from worker.engine.contracts.traces import Trace, Traces
from worker.engine.execution.assessing import compare
from worker.engine.measures.utility.information_kept import InformationKept
from worker.engine.tables.table import MemorySource

MEASURE = InformationKept()
LEFT = ("town", "age", "job", "pay", "born", "same")
CHANCE = ("town", "job")


@pytest.mark.parametrize("seed", range(60))
def test_is_what_brute_force_finds(seed):
    case = random_answers(seed) if seed % 2 else random_case(seed)
    chance = CHANCE if seed % 2 else ()
    trees = {"town": TREE}
    oracle = {
        name: loss_oracle.information_kept(case, name, COLUMNS[name]["kind"], name in chance, trees.get(name))
        for name in LEFT
    }
    expected = {name: one for name, one in oracle.items() if not isinstance(one, str)} | {"gone": 0.0}
    found = figures_of(MEASURE, case)
    assert found["per_column"] == pytest.approx(expected, abs=1e-9)
    assert set(found["passed_over"]) == set(LEFT) - set(expected)
    assert found["information_kept"] == pytest.approx(sum(expected.values()) / len(expected), abs=1e-9)


ONE = {"x": {"role": "other", "kind": "categorical"}}


def kept(before, after, columns=ONE, **more):
    return figures_of(MEASURE, Case(columns, {"x": list(before)}, {"x": list(after)}, **more))


def test_nothing_changed_keeps_all_and_one_label_keeps_nothing():
    assert kept("aabb", "aabb")["information_kept"] == 1
    assert kept("aabb", "****")["information_kept"] == 0
    assert kept("aabb", "yyzz")["information_kept"] == 1


def test_a_column_that_does_not_leave_counts_nothing():
    columns = ONE | {"y": {"role": "other"}}
    case = Case(columns, {"x": list("ab"), "y": list("cd")}, {"x": list("ab")}, left_behind=("z", "w"))
    found = figures_of(MEASURE, case)
    assert (found["information_kept"], found["removed"]) == (0.25, 3)


def test_a_row_left_out_is_as_good_as_suppressed():
    assert kept("aabb", "aabb", kept=[True, False, True, False]) == kept("aabb", "a*b*")


def test_exact_numbers_are_no_clue():
    """Every released number is another one, and still tells only the tenth in which it lies."""
    numbers = [str(n) for n in range(100)]
    turned = [str((n + 50) % 100 + 0.5) for n in range(100)]
    columns = {"x": {"role": "other", "kind": "decimal"}}
    shuffled = [numbers[(n * 37) % 100] for n in range(100)]
    assert kept(numbers, turned, columns)["information_kept"] > 0.9
    assert kept(numbers, shuffled, columns)["information_kept"] < 0.7


def test_random_categories_of_many_values_need_a_hierarchy():
    before = [f"v{n % 8}" for n in range(20)]
    case = Case(ONE, {"x": before}, {"x": before[::-1]}, traces={"x": Trace.PERTURBED})
    assert result_of(MEASURE, case).state is State.DOES_NOT_APPLY
    case.columns = {"x": {**ONE["x"], "hierarchy": COLUMNS["town"]["hierarchy"]}}
    assert "x" in figures_of(MEASURE, case)["per_column"]


def test_needs_rows_that_stayed_rows():
    case = Case(ONE, {"x": ["a", "b"]}, {"x": ["b", "a"]}, aligned=False)
    assert "which row" in result_of(MEASURE, case).reason
    made_up = Case(ONE, {"x": ["a", "b"]}, {"x": ["b", "a"]}, traces={"x": Trace.MADE_UP})
    assert "made up" in result_of(MEASURE, made_up).reason


@pytest.mark.parametrize(
    ("rows", "told", "applies"), [(2, {}, True), (1, {}, False), (2, {"aligned": False}, False)]
)
def test_files_of_as_many_rows_are_compared_row_by_row(rows, told, applies):
    recipe = recipe_of({"x": {"role": "other"}}, measures=["information-kept"], **told)
    before, after = ([{"x": text} for text in texts] for texts in ("ab", "ab"[:rows]))
    (result,) = compare(recipe, MemorySource(table_of(before)), MemorySource(table_of(after))).measures
    assert (result.state is State.MEASURED) == applies


def test_traces_count_the_steps_that_changed_a_column():
    columns = {"x": {"role": "other", "kind": "decimal"}, "y": {"role": "other"}}
    recipe = recipe_of(columns, steps=[("rounding", {"column": "x"}), ("noise", {"column": "x"})])
    assert Traces.of(recipe.steps, recipe.schema).steps == {"x": 2, "y": 0}
