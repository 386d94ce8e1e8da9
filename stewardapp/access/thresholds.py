"""Does a run meet the policy of its project? A figure nobody computed meets no threshold.

A check that has nothing to check does not apply: it stands in no way and is not counted as passed.
"""

from __future__ import annotations

from decimal import Decimal

from stewardapp.access.amounts import epsilon_words
from stewardapp.access.facts import PolicyFacts, RunFacts
from stewardapp.access.verdict import Verdict, does_not_apply, first_no, no, yes

EXCUSABLE = frozenset({"rows-unique", "unique-unknown"})
"""Shortfalls with which a run can be submitted all the same, for a reason that the reviewers read."""


def checklist(run: RunFacts, policy: PolicyFacts) -> tuple[tuple[str, Verdict], ...]:
    """Every automatic check with its name, for the policy checklist of the pages."""
    checks = [
        ("The run succeeded", _succeeded(run)),
        ("Every goal holds on the released bytes", _goals(run)),
        (f"Privacy loss at most {epsilon_words(policy.maximum_epsilon_micro)}", _budget(run, policy)),
    ]
    if run.microdata:
        checks += [
            (f"Every class holds at least {policy.minimum_k}", _classes(run, policy)),
            (f"Highest risk at most {_percent(policy.maximum_risk)}", _risk(run, policy)),
            (
                f"Rows that the columns which leave single out: at most {_percent(policy.maximum_unique)}",
                _unique(run, policy),
            ),
        ]
    return tuple(checks)


def meets_policy(run: RunFacts, policy: PolicyFacts, *, reason_stated: bool = False) -> Verdict:
    """The first check that fails, or yes; with a stated reason, those it can excuse are passed over."""
    excused = EXCUSABLE if reason_stated else frozenset()
    found = (verdict for _, verdict in checklist(run, policy))
    return first_no(*(verdict for verdict in found if verdict.code not in excused))


def _succeeded(run: RunFacts) -> Verdict:
    if run.state == "succeeded":
        return yes()
    return no("run-not-succeeded", f"Only a run that succeeded can be submitted; this one is {run.state}.")


def _goals(run: RunFacts) -> Verdict:
    if run.goals_hold and not run.has_goals:
        return does_not_apply("The recipe has no goal that could hold or fail.")
    if run.goals_hold:
        return yes()
    if run.goals_hold is None:
        return no("goals-unknown", "The goals of this run were not checked on the released bytes.")
    return no("goals-fail", "A goal of the recipe does not hold on the released bytes.")


def _classes(run: RunFacts, policy: PolicyFacts) -> Verdict:
    if run.smallest_class is None:
        return no("k-unknown", "The smallest class of this run is not known; measure it.")
    if run.smallest_class < policy.minimum_k:
        found = f"The smallest class holds {run.smallest_class}"
        return no("k-too-small", f"{found}; the policy demands at least {policy.minimum_k}.")
    return yes()


def _risk(run: RunFacts, policy: PolicyFacts) -> Verdict:
    if run.highest_risk is None:
        return no(
            "risk-unknown", "The highest risk of this run is not known; measure re-identification risk."
        )
    if round(run.highest_risk, 4) > policy.maximum_risk:
        found = f"The highest risk is {_percent(run.highest_risk)}"
        return no("risk-too-high", f"{found}; the policy allows at most {_percent(policy.maximum_risk)}.")
    return yes()


def _unique(run: RunFacts, policy: PolicyFacts) -> Verdict:
    if run.unique_share is None:
        return no(
            "unique-unknown",
            "How many rows the columns that leave single out is not known; measure it, or say why it may "
            "stay unknown.",
        )
    if run.unique_share > policy.maximum_unique:
        found = (
            f"{_percent(run.unique_share)} of the rows are equal to no other row in the columns that leave"
        )
        return no(
            "rows-unique",
            f"{found}, tagged and kept ones together; the policy allows {_percent(policy.maximum_unique)}. "
            "Tag what others could know as quasi-identifier, or say why it is safe to keep.",
        )
    return yes()


def _percent(share: Decimal) -> str:
    """As every page writes a share: 20 %, 33.3 %."""
    return f"{share * 100:.1f}".removesuffix(".0") + "\N{NO-BREAK SPACE}%"


def _budget(run: RunFacts, policy: PolicyFacts) -> Verdict:
    if not run.epsilon_micro:
        return does_not_apply("No step takes anything from the privacy budget.")
    if run.epsilon_micro > policy.maximum_epsilon_micro:
        spent, allowed = epsilon_words(run.epsilon_micro), epsilon_words(policy.maximum_epsilon_micro)
        return no("epsilon-too-large", f"The privacy loss is {spent}; the policy allows {allowed}.")
    return yes()
