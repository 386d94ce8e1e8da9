from dataclasses import replace
from decimal import Decimal

import pytest

from stewardapp.access.facts import PolicyFacts, RunFacts
from stewardapp.access.thresholds import checklist, meets_policy

POLICY = PolicyFacts(
    minimum_k=5,
    maximum_risk=Decimal("0.2"),
    maximum_unique=Decimal("0.05"),
    maximum_epsilon_micro=1_500_000,
    reviewers=1,
)
GOOD = RunFacts(
    state="succeeded",
    goals_hold=True,
    smallest_class=5,
    highest_risk=Decimal("0.2"),
    unique_share=Decimal("0.05"),
    epsilon_micro=1_500_000,
)


def test_a_run_on_the_limits_meets_the_policy() -> None:
    assert meets_policy(GOOD, POLICY)
    assert all(verdict for _, verdict in checklist(GOOD, POLICY))
    assert len(checklist(GOOD, POLICY)) == 6
    assert all(verdict.applies for _, verdict in checklist(GOOD, POLICY))


@pytest.mark.parametrize(
    ("change", "code", "says"),
    [
        ({"state": "failed"}, "run-not-succeeded", "failed"),
        ({"goals_hold": None}, "goals-unknown", "not checked"),
        ({"goals_hold": False}, "goals-fail", "does not hold"),
        ({"smallest_class": None}, "k-unknown", "not known"),
        ({"smallest_class": 4}, "k-too-small", "holds 4; the policy demands at least 5"),
        ({"highest_risk": None}, "risk-unknown", "not known"),
        (
            {"highest_risk": Decimal("0.25")},
            "risk-too-high",
            "25\u00a0%; the policy allows at most 20\u00a0%",
        ),
        ({"unique_share": None}, "unique-unknown", "not known"),
        (
            {"unique_share": Decimal("0.0501")},
            "rows-unique",
            "5\u00a0% of the rows are equal to no other row",
        ),
        ({"epsilon_micro": 1_500_001}, "epsilon-too-large", "ε = 1.500001; the policy allows ε = 1.5"),
    ],
)
def test_each_shortfall_has_its_own_reason(change: dict[str, object], code: str, says: str) -> None:
    verdict = meets_policy(replace(GOOD, **change), POLICY)
    assert not verdict
    assert verdict.code == code
    assert says in verdict.reason


@pytest.mark.parametrize("unique", [None, Decimal("0.99")])
def test_a_stated_reason_excuses_rows_that_stand_alone_and_nothing_else(unique: Decimal | None) -> None:
    alone = replace(GOOD, unique_share=unique)
    assert not meets_policy(alone, POLICY)
    assert meets_policy(alone, POLICY, reason_stated=True)
    assert not meets_policy(replace(alone, smallest_class=4), POLICY, reason_stated=True)


@pytest.mark.parametrize("change", [{"has_goals": False}, {"epsilon_micro": 0}])
def test_what_has_nothing_to_check_is_neither_passed_nor_in_the_way(change: dict[str, object]) -> None:
    found = [verdict for _, verdict in checklist(replace(GOOD, **change), POLICY)]
    [idle] = [verdict for verdict in found if not verdict.applies]
    assert idle
    assert idle.reason
    assert meets_policy(replace(GOOD, **change), POLICY)


def test_tables_of_statistics_have_no_classes() -> None:
    table = RunFacts(state="succeeded", goals_hold=True, epsilon_micro=1, microdata=False)
    assert meets_policy(table, POLICY)
    assert len(checklist(table, POLICY)) == 3


def test_a_third_is_a_third_at_four_places() -> None:
    policy = replace(POLICY, minimum_k=3, maximum_risk=Decimal("0.3333"))
    run = replace(GOOD, smallest_class=3, highest_risk=Decimal(str(1 / 3)))
    assert meets_policy(run, policy)
