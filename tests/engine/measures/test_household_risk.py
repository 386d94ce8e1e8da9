"""Household risk against products over members, row by row."""

import math

import numpy as np
import pytest

from tests.engine.measures.class_oracle import KEYS, kept_rows, moved, random_sample, risks_by_row
from tests.engine.measures.scenes import Case, figures_of, measured_of, result_of
from worker.engine.contracts.result import State
from worker.engine.measures.risk.household_risk import HouseholdRisk

THRESHOLDS = (0.05, 0.2, 0.5)


def by_hand(case, keys=KEYS):
    """The risk of each row's household; the rows of one person count once, by the riskiest."""
    own, _ = risks_by_row(case, keys)
    found = {}
    for i, risk in own.items():
        home = case.before["hh"][i]
        if not home:
            found[i] = risk
            continue
        people = {}
        for j, other in own.items():
            if case.before["hh"][j] == home:
                person = case.before["who"][j] if "who" in case.before else j
                people[person] = max(people.get(person, 0), other)
        found[i] = 1 - math.prod(1 - one for one in people.values())
    return found


@pytest.mark.parametrize("seed", range(60))
def test_as_by_hand(seed):
    case = random_sample(seed)
    risks = by_hand(case)
    made = measured_of(HouseholdRisk(), case)
    found, (by_row,) = made.results[0].after, made.records.values()
    expected = np.array([risks.get(i, np.nan) for i in range(case.rows)])
    np.testing.assert_allclose(by_row, expected, atol=1e-9)
    assert found["global_risk"] == pytest.approx(sum(risks.values()) / len(risks), abs=1e-9)
    assert found["highest_risk"] == pytest.approx(max(risks.values()), abs=1e-9)
    assert found["expected_reidentifications"] == pytest.approx(sum(risks.values()), abs=1e-7)
    for threshold in THRESHOLDS:
        above = sum(one > threshold + 1e-12 for one in risks.values())
        below = sum(one > threshold - 1e-12 for one in risks.values())
        assert above <= found["share_above"][str(threshold)] * len(risks) + 1e-9
        assert found["share_above"][str(threshold)] * len(risks) <= below + 1e-9
    homes = [case.before["hh"][i] or f"alone {i}" for i in risks]
    assert found["households"] == len(set(homes))
    assert found["largest_household"] == max(map(homes.count, homes))


def test_two_of_four_by_hand():
    """Two rows equal in their keys live together: 1 − ½·½."""
    columns = {"q": {"role": "quasi-identifier"}, "hh": {"role": "household-key"}}
    before = {"q": ["a", "a", "b", "b"], "hh": ["1", "1", "2", "3"]}
    found = figures_of(HouseholdRisk(), Case(columns, before, {"q": before["q"]}))
    assert found["highest_risk"] == pytest.approx(0.75)
    assert found["global_risk"] == pytest.approx((0.75 + 0.75 + 0.5 + 0.5) / 4)


@pytest.mark.parametrize("seed", range(40))
def test_nobody_is_safer_for_living_with_others(seed):
    case = random_sample(seed)
    own, _ = risks_by_row(case, KEYS)
    (by_row,) = measured_of(HouseholdRisk(), case).records.values()
    assert all(by_row[i] >= risk - 1e-9 for i, risk in own.items())
    assert np.isnan([by_row[i] for i in range(case.rows) if i not in kept_rows(case)]).all()


def test_without_a_key_nobody_knows_who_lives_together():
    case = random_sample(2)
    del case.columns["hh"], case.before["hh"], case.traces["hh"]
    result = result_of(HouseholdRisk(), case)
    assert (result.state, "household key" in result.reason) == (State.DOES_NOT_APPLY, True)


def test_perturbed_keys_are_left_to_others():
    result = result_of(HouseholdRisk(), moved(random_sample(2), *KEYS))
    assert (result.state, "record linkage answers" in result.reason) == (State.DOES_NOT_APPLY, True)


def test_truthful_keys_of_a_mixed_file_answer():
    case = moved(random_sample(11), "age")
    found = figures_of(HouseholdRisk(), case)
    assert found["keys"] == "sex, place"
    risks = by_hand(case, ("sex", "place"))
    assert found["expected_reidentifications"] == pytest.approx(sum(risks.values()), abs=1e-9)


def test_rows_in_an_order_of_their_own_have_no_households():
    case = random_sample(2)
    case.aligned = False
    result = result_of(HouseholdRisk(), case)
    assert (result.state, "stood in the original" in result.reason) == (State.DOES_NOT_APPLY, True)
