"""The classical scores, beside a brute force, by hand, and beside the objective of the search."""

import pytest

from tests.engine.measures import loss_oracle
from tests.engine.measures.scenes import TREE, Case, figures_of, random_case, result_of
from tests.engine.running import figures_of as figures_in
from tests.engine.running import recipe_of, run, table_of
from worker.engine.contracts.result import State
from worker.engine.measures.utility.class_scores import ClassScores

MEASURE = ClassScores()
KEYS = ("town", "age")


@pytest.mark.parametrize("seed", range(50))
def test_is_what_brute_force_finds(seed):
    case = random_case(seed)
    found = figures_of(MEASURE, case)
    lost = sum(loss_oracle.bits(case, name, {"town": TREE}.get(name)) for name in KEYS)
    most = sum(loss_oracle.most_bits(case, name) for name in KEYS)
    assert found["non_uniform_entropy"] == pytest.approx(lost, abs=1e-9)
    assert found["non_uniform_entropy_kept"] == (pytest.approx(1 - lost / most) if most else None)
    before = [{name: case.before[name][i] for name in KEYS} for i in range(case.rows)]
    worst, rows = case.rows**2, case.rows
    scored, classes = loss_oracle.discernibility(case.released(), KEYS, rows)
    original, single = loss_oracle.discernibility(before, KEYS, rows)
    assert (found["discernibility"], found["aecs"]) == (scored, pytest.approx(rows / classes))
    if worst > original:
        assert found["discernibility_kept"] == pytest.approx((worst - scored) / (worst - original))
        assert found["aecs_kept"] == pytest.approx((rows - rows / classes) / (rows - rows / single))
    stars = sum(label == "*" for name in case.after for _, label in case.pairs(name))
    assert found["suppressed_cells"] == stars
    assert (found["il1s"], found["il1"]) == pytest.approx(loss_oracle.moved(case, ("age", "pay")), abs=1e-9)


@pytest.mark.parametrize("seed", range(20))
def test_levels_are_those_of_the_hierarchy(seed):
    case = random_case(seed)
    case.columns = {**case.columns, "age": {"role": "other", "kind": "integer"}}
    found = figures_of(MEASURE, case)
    expected = loss_oracle.climbed(case, "town", TREE)
    assert found["generalization_intensity"] == pytest.approx(expected)
    assert found["generalization_intensity_kept"] == pytest.approx(1 - expected)


def test_a_reading_off_its_path_has_no_level():
    columns = {"x": {"role": "quasi-identifier", "kind": "categorical"}}
    assert (
        figures_of(MEASURE, Case(columns, {"x": ["a", "b"]}, {"x": ["c", "b"]}))["generalization_intensity"]
        is None
    )


def test_a_key_that_does_not_leave_is_as_good_as_suppressed():
    columns = {"x": {"role": "quasi-identifier", "kind": "integer"}, "y": {"role": "quasi-identifier"}}
    cells = {"x": ["1", "2", "4"], "y": list("aba")}
    gone = figures_of(MEASURE, Case(columns, cells, {"y": cells["y"]}))
    stars = figures_of(MEASURE, Case(columns, cells, {"x": list("***"), "y": cells["y"]}))
    assert gone.pop("suppressed_cells") == 0
    assert stars.pop("suppressed_cells") == 3
    assert gone == stars


def test_without_keys_and_numbers_there_is_nothing_to_score():
    case = Case({"x": {"role": "other"}}, {"x": ["a"]}, {"x": ["a"]})
    assert result_of(MEASURE, case).state is State.DOES_NOT_APPLY


@pytest.mark.parametrize(
    ("objective", "figure", "limit"),
    [("entropy", "non_uniform_entropy", 0), ("discernibility", "discernibility", 0.1), ("aecs", "aecs", 0.1)],
)
def test_is_the_objective_of_the_search(objective, figure, limit):
    """What the search minimized is what is measured of its release. Bits of suppressed rows are counted
    otherwise: a search knows to what they would have been generalized."""
    tree = [";".join(path) for path in TREE.values()]
    columns = {
        "town": {"role": "quasi-identifier", "kind": "categorical", "hierarchy": tree},
        "sex": {"role": "quasi-identifier", "kind": "categorical"},
    }
    rows = [{"town": f"v{(i * i) % 8}", "sex": "fm"[i % 7 == 0]} for i in range(60)]
    rows.append({"town": "v3", "sex": "m"})
    params = {"suppression_limit": limit, "objective": objective}
    recipe = recipe_of(columns, [("k-anonymity", {"k": 4})], [("generalization", params)], ["class-scores"])
    _, report = run(recipe, table_of(rows), nodes=True)
    assert figures_in(report, "class-scores")[figure] == pytest.approx(report["steps"][0]["score"], abs=1e-6)


def test_numbers_that_moved_are_scored_without_quasi_identifiers():
    columns = {"x": {"role": "other", "kind": "integer"}}
    found = figures_of(ClassScores(), Case(columns, {"x": ["10", "20"]}, {"x": ["11", "20"]}))
    assert found["il1"] == pytest.approx(10)
    assert found["il1s"] == pytest.approx(1 / (2**0.5 * 50**0.5))
    assert "aecs" not in found
