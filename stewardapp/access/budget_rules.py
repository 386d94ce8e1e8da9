"""Rules about privacy budgets: who gives allowances, what can be afforded."""

from __future__ import annotations

from stewardapp.access.amounts import epsilon_words, spend_words
from stewardapp.access.facts import FundFacts, JobFacts, Person, PolicyFacts, PriceFacts
from stewardapp.access.permitted import permitted, stoppable
from stewardapp.access.roles import Permission
from stewardapp.access.verdict import Verdict, first_no, no, yes


def may_allow(person: Person) -> Verdict:
    """Give an analyst a part of the project's allotment."""
    return permitted(person, Permission.MANAGE_BUDGET, "give analysts an allowance")


def may_see_purchases(person: Person) -> Verdict:
    """See what is left of budgets that several share, and what was bought: to an analyst that would tell
    whether a colleague asked the same before."""
    cleared = (Permission.VIEW_DATA, Permission.MANAGE_BUDGET, Permission.VIEW_BUDGETS)
    if any(person.has(one) for one in cleared):
        return yes()
    return no("no-permission", "Only stewards, reviewers, administrators and officers see what was bought.")


def may_replay_attacks(person: Person, busy: bool) -> Verdict:
    """Have a worker attack invented people; asked of the roles held in any project."""
    idle = no("busy", "Attacks are being replayed already; wait or cancel first.") if busy else yes()
    return first_no(_guards_a_budget(person, "have the attacks replayed"), idle)


def may_cancel_replay(person: Person, replay: JobFacts) -> Verdict:
    """Stop a replay of attacks that is queued or running, whoever wanted it."""
    return first_no(_guards_a_budget(person, "stop the attacks"), stoppable("replay", replay))


def _guards_a_budget(person: Person, what: str) -> Verdict:
    if person.has(Permission.MANAGE_BUDGET):
        return yes()
    return no("no-permission", f"Only a steward or an administrator can {what}.")


def may_spend(price: PriceFacts, policy: PolicyFacts) -> Verdict:
    """Whether this may be bought: the policy of the project allows it, and every purse holds enough."""
    return first_no(_within_policy(price, policy), *(_left(price, fund) for fund in price.funds))


def _within_policy(price: PriceFacts, policy: PolicyFacts) -> Verdict:
    if price.epsilon_micro <= policy.maximum_epsilon_micro:
        return yes()
    asked, allowed = epsilon_words(price.epsilon_micro), epsilon_words(policy.maximum_epsilon_micro)
    return no("epsilon-too-large", f"The steps take {asked}; the policy of the project allows {allowed}.")


def _left(price: PriceFacts, fund: FundFacts) -> Verdict:
    if price.epsilon_micro <= fund.epsilon_micro and price.delta_femto <= fund.delta_femto:
        return yes()
    asked = spend_words(price.epsilon_micro, price.delta_femto)
    if not fund.named:
        return no("budget-exhausted", f"This takes {asked}, but {fund.name} has less than that left.")
    left = spend_words(fund.epsilon_micro, fund.delta_femto)
    return no("budget-exhausted", f"This takes {asked}, but {fund.name} has only {left} left.")
