from dataclasses import replace
from decimal import Decimal

import pytest

from stewardapp.access.facts import PolicyFacts, RunFacts
from stewardapp.access.thresholds import checklist, meets_policy

POLICY = PolicyFacts(minimum_k=5, maximum_risk=Decimal("0.2"), maximum_epsilon_micro=1_500_000, reviewers=1)
GOOD = RunFacts(
    state="succeeded", goals_hold=True, smallest_class=5, highest_risk=Decimal("0.2"), epsilon_micro=1_500_000
)


def test_a_run_on_the_limits_meets_the_policy() -> None:
    assert meets_policy(GOOD, POLICY)
    assert all(verdict for _, verdict in checklist(GOOD, POLICY))
    assert len(checklist(GOOD, POLICY)) == 5


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
        ({"epsilon_micro": 1_500_001}, "epsilon-too-large", "ε = 1.500001; the policy allows ε = 1.5"),
    ],
)
def test_each_shortfall_has_its_own_reason(change: dict[str, object], code: str, says: str) -> None:
    verdict = meets_policy(replace(GOOD, **change), POLICY)
    assert not verdict
    assert verdict.code == code
    assert says in verdict.reason


def test_tables_of_statistics_have_no_classes() -> None:
    table = RunFacts(state="succeeded", goals_hold=True, epsilon_micro=1, microdata=False)
    assert meets_policy(table, POLICY)
    assert len(checklist(table, POLICY)) == 3


def test_a_third_is_a_third_at_four_places() -> None:
    policy = replace(POLICY, minimum_k=3, maximum_risk=Decimal("0.3333"))
    run = replace(GOOD, smallest_class=3, highest_risk=Decimal(str(1 / 3)))
    assert meets_policy(run, policy)
