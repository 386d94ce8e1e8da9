"""What can be bought with a budget, and who has attacks on it replayed."""

import uuid

import pytest

from stewardapp.access import rules
from stewardapp.access.amounts import delta_words, epsilon_words, spend_words
from stewardapp.access.facts import (
    FundFacts,
    JobFacts,
    Person,
    PolicyFacts,
    PriceFacts,
    ReleaseFacts,
)
from stewardapp.access.roles import Role
from stewardapp.access.workflow import State
from tests.unit.access.test_rules import refused

STEWARD = Person(id=uuid.uuid4(), roles=frozenset({Role.STEWARD}))
ADMIN = Person(id=uuid.uuid4(), is_admin=True)
ANALYST = Person(id=uuid.uuid4(), roles=frozenset({Role.ANALYST}))
POLICY = PolicyFacts(maximum_epsilon_micro=500_000)
FUNDS = (FundFacts("the allotment", 400_000, 10), FundFacts("the population", 300_000, 5))


def test_attacks_are_replayed_one_after_another_by_who_guards_a_budget() -> None:
    assert rules.may_replay_attacks(STEWARD, False)
    assert rules.may_replay_attacks(ADMIN, False)
    refused(rules.may_replay_attacks(STEWARD, True), "busy")
    refused(rules.may_replay_attacks(ANALYST, False), "no-permission")


def test_a_replay_of_attacks_is_stopped_by_who_could_have_it_begun() -> None:
    waiting = JobFacts(state="queued")
    assert rules.may_cancel_replay(STEWARD, waiting)
    assert rules.may_cancel_replay(ADMIN, JobFacts(state="running"))
    refused(rules.may_cancel_replay(ANALYST, waiting), "no-permission")
    refused(rules.may_cancel_replay(STEWARD, JobFacts(state="failed")), "ended")
    refused(rules.may_cancel_replay(STEWARD, JobFacts(state="running", stop_requested=True)), "stopping")


@pytest.mark.parametrize(
    ("epsilon", "delta", "code", "words"),
    [
        (300_000, 5, "", ""),
        (
            300_001,
            0,
            "budget-exhausted",
            "0.300001, but the population has only ε = 0.3, δ = 5e-15 left.",
        ),
        (1, 6, "budget-exhausted", "ε = 0.000001, δ = 6e-15, but the population"),
        (400_001, 0, "budget-exhausted", "but the allotment"),
        (500_001, 0, "epsilon-too-large", "the policy of the project allows ε = 0.5."),
    ],
)
def test_what_can_be_bought(epsilon: int, delta: int, code: str, words: str) -> None:
    price = PriceFacts(epsilon, delta, FUNDS)
    draft = ReleaseFacts(state=State.DRAFT, price=price, policy=POLICY)
    assert rules.may_try_step(STEWARD, draft), "trying a step that costs nothing is always open"
    for verdict in (rules.may_spend(price, POLICY), rules.may_start_run(STEWARD, draft)):
        assert bool(verdict) is (code == "")
        if code:
            assert words in refused(verdict, code)


def test_what_costs_nothing_needs_no_budget() -> None:
    assert rules.may_spend(PriceFacts(), PolicyFacts(maximum_epsilon_micro=0))


def test_amounts_in_words() -> None:
    assert epsilon_words(1_500_000) == "ε = 1.5"
    assert epsilon_words(0) == "ε = 0"
    assert epsilon_words(1) == "ε = 0.000001"
    assert delta_words(1_000_000) == "δ = 1e-9"
    assert spend_words(2_000_000, 0) == "ε = 2"


def test_what_was_bought_is_seen_by_who_is_cleared_for_data_or_budgets() -> None:
    assert rules.may_see_purchases(STEWARD)
    assert rules.may_see_purchases(ADMIN)
    refused(rules.may_see_purchases(ANALYST), "no-permission")


def test_of_a_purse_without_a_name_it_is_not_told_how_much_it_holds() -> None:
    price = PriceFacts(epsilon_micro=300_000, funds=(FundFacts("a purse", 250_000, named=False),))
    verdict = rules.may_spend(price, POLICY)
    refused(verdict, "budget-exhausted")
    assert epsilon_words(250_000) not in verdict.reason
    told = rules.may_spend(PriceFacts(epsilon_micro=300_000, funds=(FundFacts("a purse", 250_000),)), POLICY)
    assert spend_words(250_000, 0) in told.reason
