"""Does a run meet the policy of its project? A figure nobody computed meets no threshold.

A check that has nothing to check does not apply: it stands in no way and is not counted as passed.
"""

from __future__ import annotations

from decimal import Decimal

from stewardapp.access.amounts import amount, epsilon_words
from stewardapp.access.facts import ANY_FAMILY, LocalFacts, PolicyFacts, RowFacts, RunFacts
from stewardapp.access.verdict import Verdict, does_not_apply, first_no, no, yes

MISSED, UNKNOWN = "row-missed", "row-unknown"
EXCUSED = "-excusable"
EXCUSABLE = frozenset({MISSED + EXCUSED, UNKNOWN + EXCUSED})
"""Shortfalls with which a run can be submitted all the same, for a reason that the reviewers read."""
PLACES = 4
"""Figures are compared at as many decimal places as a bound is written with."""
RUN, GOALS = "The run succeeded", "Every goal holds on the released bytes"
ENDS = (Decimal(0), Decimal(1))
"""A bound at the end of a share is met by nothing less: of none at all, almost none is too many."""


def checklist(run: RunFacts, policy: PolicyFacts) -> tuple[tuple[str, Verdict], ...]:
    """Every automatic check with its name, for the policy checklist of the pages."""
    checks = [
        (RUN, _succeeded(run)),
        (GOALS, _goals(run)),
        (f"Privacy loss at most {epsilon_words(policy.maximum_epsilon_micro)}", _budget(run, policy)),
    ]
    judged = [(row_words(row), judge(row, run)) for row in policy.rows]
    checks += judged
    if run.microdata and judged and not any(verdict.applies for _, verdict in judged):
        checks.append(("Some demand of the policy applies", _nothing_judged()))
    if run.local:
        checks.append((_local_title(policy), _local(run, policy)))
    return tuple(checks)


def meets_policy(run: RunFacts, policy: PolicyFacts, *, reason_stated: bool = False) -> Verdict:
    """Yes, or the first check that fails: one that no reason excuses before one that a stated reason does."""
    failed = [verdict for _, verdict in checklist(run, policy) if not verdict]
    hard = [verdict for verdict in failed if verdict.code not in EXCUSABLE]
    return first_no(*hard, *([] if reason_stated else failed))


def row_words(row: RowFacts) -> str:
    """What a row demands: Smallest class at least 5."""
    of_family = "" if row.family == ANY_FAMILY else f" where rows are {row.family}"
    return f"{row.title} {demand_words(row)}{of_family}"


def demand_words(row: RowFacts) -> str:
    """The bound of a row: at least 5."""
    return f"at {'least' if row.at_least else 'most'} {figure_words(row.bound, row.unit)}"


def figure_words(value: Decimal, unit: str) -> str:
    """A figure or a bound in its unit."""
    return _percent(value) if unit == "share" else amount(value)


def applies(row: RowFacts, run: RunFacts) -> bool:
    """Whether a release of such rows is what the demand is about; unknown rows may be any."""
    return run.microdata and (row.family == ANY_FAMILY or run.family in ("", row.family))


def judge(row: RowFacts, run: RunFacts) -> Verdict:
    """One demand on one run. What nobody could measure fails it; having nothing to measure does not."""
    if not run.microdata:
        return does_not_apply("A table with noise has no rows of people; its privacy loss is bounded.")
    if not applies(row, run):
        return does_not_apply(f"The rows of this release are {run.family}.")
    found = run.measured.get(row.instance)
    if found is None:
        return _unknown(row, "Nobody measured it in this run: run again.")
    if found.state == "does-not-apply":
        return does_not_apply(found.reason)
    if row.figure in found.idle:
        return does_not_apply("There is no column that it could be measured of.")
    value = found.figures.get(row.figure)
    if value is None:
        return _unknown(row, found.reason or "There is no such figure of this release.")
    return yes() if _within(value, row) else _missed(row, value)


def _within(value: Decimal, row: RowFacts) -> bool:
    near = value if row.bound in ENDS else round(value, PLACES)
    return near >= row.bound if row.at_least else near <= row.bound


def _missed(row: RowFacts, value: Decimal) -> Verdict:
    says = "demands" if row.at_least else "allows"
    text = f"{row.title} is {figure_words(value, row.unit)}; the policy {says} {demand_words(row)}."
    return _shortfall(row, MISSED, text)


def _unknown(row: RowFacts, why: str) -> Verdict:
    return _shortfall(row, UNKNOWN, f"{row.title} is not known. {why}")


def _shortfall(row: RowFacts, code: str, text: str) -> Verdict:
    if row.excusable:
        return no(code + EXCUSED, f"{text} Change the recipe, or say why it may leave all the same.")
    return no(code, text)


def _nothing_judged() -> Verdict:
    return no("nothing-judged", "No demand of the policy applies to this release, so nothing was judged.")


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


def _local_title(policy: PolicyFacts) -> str:
    if policy.maximum_local_epsilon is None:
        return "Local ε of a column"
    return f"Local ε of a column at most {amount(policy.maximum_local_epsilon)}"


def _local(run: RunFacts, policy: PolicyFacts) -> Verdict:
    """Promises of single cells, with all other releases that are out: they add up where draws differ."""
    bound = policy.maximum_local_epsilon
    if bound is None:
        return does_not_apply("The policy sets no bound.")
    return first_no(*(_local_column(one, bound) for one in run.local))


def _local_column(one: LocalFacts, bound: Decimal) -> Verdict:
    many = "1 other release that is out" if one.others == 1 else f"{one.others} other releases that are out"
    beside = f" with {many}" if one.others else ""
    if one.epsilon is None:
        return no(
            "local-epsilon-unbounded",
            f"Nothing bounds what the cells of {one.column} give away{beside}: a step promises nothing of "
            "single cells. Use one matrix for all, without zeros and not made from the data.",
        )
    if round(one.epsilon, 4) > bound:
        found = f"What the cells of {one.column} give away{beside} adds up to ε = {amount(one.epsilon)}"
        return no(
            "local-epsilon-too-large",
            f"{found}; the policy allows {amount(bound)}. Keep less, or use the randomization that is out.",
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
