"""Individual risk against the formulas, row by row."""

import math

import numpy as np
import pytest

from tests.engine.measures.class_oracle import (
    KEYS,
    by_member,
    in_classes,
    kept_rows,
    moved,
    random_sample,
    risk,
    risks_by_row,
)
from tests.engine.measures.scenes import Case, figures_of, measured_of, result_of
from worker.engine.contracts.result import State
from worker.engine.contracts.traces import Trace
from worker.engine.measures.risk.individual_risk import IndividualRisk
from worker.engine.uniqueness.individual_risk import individual_risk


@pytest.mark.parametrize("seed", range(60))
def test_as_by_hand(seed):
    case = random_sample(seed)
    found = figures_of(IndividualRisk(), case)
    own, people = risks_by_row(case, KEYS)
    risks, shares = by_member(case, KEYS, own), [1 / one for one in by_member(case, KEYS, people)]
    assert found["rows"] == len(own)
    assert found["suppressed_rows"] == len(kept_rows(case)) - len(own)
    assert found["global_risk"] == pytest.approx(sum(risks) / len(risks), abs=1e-9)
    assert found["expected_reidentifications"] == pytest.approx(sum(risks), abs=1e-7)
    assert found["highest_risk"] == pytest.approx(max(risks), abs=1e-9)
    assert found["journalist_risk"] == pytest.approx(max(shares), abs=1e-9)
    assert found["marketer_risk"] == pytest.approx(sum(shares) / len(shares), abs=1e-9)
    for threshold, share in found["share_above"].items():
        above = sum(one > float(threshold) + 1e-12 for one in risks)
        assert share == pytest.approx(above / len(risks), abs=1e-9)
    assert found["population"].startswith("estimated") == ("w" in case.after)
    assert found["keys"] == "age, sex, place"


@pytest.mark.parametrize("seed", range(40))
def test_row_by_row(seed):
    case = random_sample(seed)
    (by_row,) = measured_of(IndividualRisk(), case).records.values()
    own, _ = risks_by_row(case, KEYS)
    expected = np.array([own.get(i, np.nan) for i in range(case.rows)])
    np.testing.assert_allclose(by_row, expected, atol=1e-9)


def agreeing(case, keys, alpha):
    """Rows that agree with each row where both tell a value, as far as each counts, and their weights."""
    rows = in_classes(case, keys)
    known = {i: {name for name in keys if case.after[name][i] not in ("", "*")} for i in rows}
    weight = {i: float(case.after["w"][i]) if "w" in case.after else 1.0 for i in rows}
    sizes, people = {}, {}
    for i in rows:
        sizes[i] = people[i] = 0.0
        for j in rows:
            if any(case.after[name][i] != case.after[name][j] for name in known[i] & known[j]):
                continue
            counts = alpha
            if known[i] == known[j] or len(known[j]) == len(keys) or not known[i]:
                counts = 1.0
            elif not known[j] and len(known[i]) == len(keys):
                counts = 0.0
            sizes[i] += counts
            people[i] += counts * weight[j]
    return sizes, people


@pytest.mark.parametrize("alpha", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("seed", range(40))
def test_unknown_cells_may_stand_for_any_value(seed, alpha):
    case = random_sample(seed, persons=False)
    found = figures_of(IndividualRisk(alpha=alpha), case)
    sizes, people = agreeing(case, KEYS, alpha)
    weighted = "w" in case.after
    risks = [risk(sizes[i], people[i]) if weighted else 1 / sizes[i] for i in sizes]
    assert found["expected_reidentifications"] == pytest.approx(sum(risks), abs=1e-9)
    assert found["highest_risk"] == pytest.approx(max(risks), abs=1e-9)


def test_the_example_of_the_literature():
    """Eight rows of Capobianchi, Polettini and Lucarelli with the risks they print."""
    keys = [(1, 2, 5, 1), (1, 2, 1, 1), (1, 2, 1, 1), (3, 3, 1, 5)]
    keys += [(4, 3, 1, 4), (4, 3, 1, 1), (6, 2, 1, 5), (1, 2, 5, 1)]
    weights = (18, 45.5, 39, 17, 541, 8, 5, 92)
    names = ("a", "b", "c", "d")
    cells = {name: [str(row[j]) for row in keys] for j, name in enumerate(names)}
    cells["w"] = [str(one) for one in weights]
    columns = {name: {"role": "quasi-identifier", "kind": "text"} for name in names}
    case = Case({**columns, "w": {"role": "weight"}}, cells, cells)
    (by_row,) = measured_of(IndividualRisk(), case).records.values()
    printed = [0.01714426, 0.02204233, 0.02204233, 0.17707583, 0.01165448, 0.29706308, 0.40235948, 0.01714426]
    np.testing.assert_allclose(by_row, printed, atol=1e-8)


@pytest.mark.parametrize("f", [1, 2, 3, 1.5])
@pytest.mark.parametrize("outside", [1e-15, 1e-12, 1e-9, 1e-6, 1e-3, 0.04, 0.06, 0.4])
def test_no_digits_are_lost_where_nearly_everybody_is_in_the_sample(f, outside):
    from fractions import Fraction

    q = Fraction(outside)
    p = 1 - q
    log = sum(q**k / k for k in range(1, 90 if outside > 0.01 else 12))
    exact = {1: p / q * log, 2: p / q - (p / q) ** 2 * log}.get(f, p / (Fraction(f) - q))
    whole = np.array([f / float(p)])
    if outside < 1e-9:
        whole = np.array([f * (1 + outside)])
    assert individual_risk(np.array([float(f)]), whole)[0] == pytest.approx(float(exact), rel=1e-7)


def test_risk_falls_with_the_population_and_with_the_class():
    for f in (1, 1.5, 2, 2.5, 3, 10):
        risks = individual_risk(np.full(60, float(f)), f * np.geomspace(1, 1e6, 60))
        assert (np.diff(risks) <= 1e-15).all()
        assert risks[0] == pytest.approx(1 / f)
        assert (risks > 0).all()
    assert individual_risk(np.array([3.0]), np.array([1.0]))[0] == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("trace", "answers"),
    [
        (Trace.PERTURBED, "record linkage"),
        (Trace.EXCHANGED, "record linkage"),
        (Trace.MADE_UP, "hold-out distances"),
        (Trace.REMOVED, "No quasi-identifier leaves"),
    ],
)
def test_values_that_are_not_true_any_longer_match_nobody(trace, answers):
    result = result_of(IndividualRisk(), moved(random_sample(3), *KEYS, trace=trace))
    assert result.state is State.DOES_NOT_APPLY
    assert answers in result.reason


def test_in_a_mixed_file_the_truthful_keys_answer():
    case = moved(random_sample(7), "place")
    found = figures_of(IndividualRisk(), case)
    own, _ = risks_by_row(case, ("age", "sex"))
    assert found["keys"] == "age, sex"
    assert found["expected_reidentifications"] == pytest.approx(sum(own.values()), abs=1e-9)
    assert result_of(IndividualRisk(), case).before["keys"] == "age, sex, place"


def test_who_knows_nothing_of_the_steps_asks_all_keys():
    case = random_sample(7)
    case.traces = None
    assert figures_of(IndividualRisk(), case)["keys"] == "age, sex, place"


def test_no_row_is_followed_through_a_file_of_its_own_order():
    case = random_sample(7)
    case.aligned = False
    assert measured_of(IndividualRisk(), case).records == {}
    assert math.isfinite(figures_of(IndividualRisk(), case)["global_risk"])
