from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from stewardapp.access.facts import LocalFacts, MeasuredFacts, PolicyFacts, RowFacts, RunFacts
from stewardapp.access.thresholds import EXCUSABLE, checklist, meets_policy, row_words
from stewardapp.access.verdict import Verdict
from worker.engine.wording import percent

SMALLEST = RowFacts("sizes", "smallest", "Smallest class", Decimal(5), "count", at_least=True)
HIGHEST = RowFacts("sizes", "highest", "Highest risk", Decimal("0.2"), "share")
ALONE = RowFacts("kept", "alone", "Rows alone", Decimal("0.05"), "share", excusable=True)
POLICY = PolicyFacts((SMALLEST, HIGHEST, ALONE), maximum_epsilon_micro=1_500_000, reviewers=1)


def found(**figures: str | None) -> MeasuredFacts:
    known = {name: None if value is None else Decimal(value) for name, value in figures.items()}
    return MeasuredFacts(figures=known)


def measured(smallest: str | None = "5", highest: str | None = "0.2", alone: str | None = "0.05") -> Any:
    return {"sizes": found(smallest=smallest, highest=highest), "kept": found(alone=alone)}


GOOD = RunFacts(state="succeeded", goals_hold=True, measured=measured(), epsilon_micro=1_500_000)


def row_verdict(row: RowFacts, run: RunFacts) -> Verdict:
    """What one row comes to, beside one that holds."""
    checks = dict(checklist(run, PolicyFacts((row, replace(SMALLEST, title="Other")))))
    return checks[row_words(row)]


@pytest.mark.parametrize("share", ["0", "0.2", "0.3333", "0.05", "1"])
def test_shares_are_written_as_everywhere(share: str) -> None:
    row, run = replace(HIGHEST, bound=Decimal(share)), replace(GOOD, measured=measured(highest="2"))
    assert f"at most {percent(Decimal(share))}." in row_verdict(row, run).reason
    assert row_words(row) == f"Highest risk at most {percent(Decimal(share))}"


def test_a_run_on_the_limits_meets_the_policy() -> None:
    assert meets_policy(GOOD, POLICY)
    assert all(verdict for _, verdict in checklist(GOOD, POLICY))
    assert len(checklist(GOOD, POLICY)) == 6
    assert all(verdict.applies for _, verdict in checklist(GOOD, POLICY))


FAILED = {**measured(), "sizes": MeasuredFacts("failed", "It stopped.")}
TOO_LARGE = {**measured(), "sizes": MeasuredFacts("too-large", "It would take a day.")}


@pytest.mark.parametrize(
    ("change", "code", "says"),
    [
        ({"state": "failed"}, "run-not-succeeded", "failed"),
        ({"goals_hold": None}, "goals-unknown", "not checked"),
        ({"goals_hold": False}, "goals-fail", "does not hold"),
        ({"measured": measured(smallest=None)}, "row-unknown", "Smallest class is not known. There is no"),
        ({"measured": measured(smallest="4")}, "row-missed", "is 4; the policy demands at least 5."),
        (
            {"measured": measured(highest="0.25")},
            "row-missed",
            "25\u00a0%; the policy allows at most 20\u00a0%.",
        ),
        ({"measured": FAILED}, "row-unknown", "Smallest class is not known. It stopped."),
        ({"measured": TOO_LARGE}, "row-unknown", "not known. It would take a day."),
        ({"measured": {}}, "row-unknown", "Nobody measured it in this run"),
        ({"measured": measured(alone=None)}, "row-unknown-excusable", "say why"),
        ({"measured": measured(alone="0.0501")}, "row-missed-excusable", "Rows alone is 5\u00a0%"),
        ({"epsilon_micro": 1_500_001}, "epsilon-too-large", "ε = 1.500001; the policy allows ε = 1.5"),
    ],
)
def test_each_shortfall_has_its_own_reason(change: dict[str, object], code: str, says: str) -> None:
    verdict = meets_policy(replace(GOOD, **change), POLICY)  # type: ignore[arg-type]
    assert not verdict
    assert verdict.code == code
    assert says in verdict.reason


@pytest.mark.parametrize("alone", [None, "0.99"])
def test_a_stated_reason_excuses_the_rows_that_say_so_and_nothing_else(alone: str | None) -> None:
    run = replace(GOOD, measured=measured(alone=alone))
    assert meets_policy(run, POLICY).code in EXCUSABLE
    assert meets_policy(run, POLICY, reason_stated=True)
    both = replace(GOOD, measured=measured(smallest="4", alone=alone))
    assert not meets_policy(both, POLICY, reason_stated=True)


def test_what_no_reason_excuses_is_told_before_what_one_does() -> None:
    both = replace(GOOD, measured=measured(smallest="4", alone="0.99"))
    turned = replace(POLICY, rows=(ALONE, HIGHEST, SMALLEST))
    assert meets_policy(both, turned).code == "row-missed"


@pytest.mark.parametrize(
    ("bound", "at_least", "value", "holds"),
    [
        ("0.3333", False, str(1 / 3), True),
        ("0.3333", False, "0.3334", False),
        ("0", False, "0.00004", False),
        ("0", False, "0", True),
        ("1", True, "0.99996", False),
        ("1", True, "1", True),
        ("0.6667", True, str(2 / 3), True),
        ("5", True, "4", False),
    ],
)
def test_figures_are_compared_at_four_places_and_ends_exactly(
    bound: str, at_least: bool, value: str, holds: bool
) -> None:
    row = replace(HIGHEST, bound=Decimal(bound), at_least=at_least)
    assert bool(row_verdict(row, replace(GOOD, measured=measured(highest=value)))) is holds


@pytest.mark.parametrize(
    ("family", "run_family", "judged"),
    [
        ("any", "perturbed", True),
        ("any", "", True),
        ("truthful", "truthful", True),
        ("truthful", "", True),
        ("truthful", "perturbed", False),
    ],
)
def test_a_row_is_about_the_releases_of_its_family(family: str, run_family: str, judged: bool) -> None:
    row = replace(SMALLEST, bound=Decimal(9), family=family)
    verdict = row_verdict(row, replace(GOOD, family=run_family))
    assert (verdict.applies, bool(verdict)) == (judged, not judged)
    assert ("where rows are" in row_words(row)) is (family != "any")


def test_what_has_nothing_to_measure_does_not_apply_and_is_no_pass() -> None:
    idle = {**measured(), "kept": MeasuredFacts("does-not-apply", "Nothing leaves.")}
    verdict = row_verdict(ALONE, replace(GOOD, measured=idle))
    assert (bool(verdict), verdict.applies, verdict.reason) == (True, False, "Nothing leaves.")
    no_column = {**measured(), "kept": MeasuredFacts(idle=frozenset({"alone"}))}
    assert not row_verdict(ALONE, replace(GOOD, measured=no_column)).applies


def test_a_policy_of_which_nothing_applies_is_not_met() -> None:
    nothing = dict.fromkeys(("sizes", "kept"), MeasuredFacts("does-not-apply", "Nothing leaves."))
    assert meets_policy(replace(GOOD, measured=nothing), POLICY).code == "nothing-judged"
    assert meets_policy(replace(GOOD, measured=nothing), PolicyFacts(maximum_epsilon_micro=1_500_000))


@pytest.mark.parametrize("change", [{"has_goals": False}, {"epsilon_micro": 0}])
def test_what_has_nothing_to_check_is_neither_passed_nor_in_the_way(change: dict[str, Any]) -> None:
    verdicts = [verdict for _, verdict in checklist(replace(GOOD, **change), POLICY)]
    [idle] = [verdict for verdict in verdicts if not verdict.applies]
    assert idle
    assert idle.reason
    assert meets_policy(replace(GOOD, **change), POLICY)


def test_tables_of_statistics_have_no_rows_to_judge() -> None:
    table = RunFacts(state="succeeded", goals_hold=True, epsilon_micro=1, microdata=False)
    assert meets_policy(table, POLICY)
    assert [verdict.applies for _, verdict in checklist(table, POLICY)] == [True] * 3 + [False] * 3


def bounded(*local: LocalFacts, bound: str | None = "3") -> Verdict | None:
    """What the check of local promises says."""
    policy = replace(POLICY, maximum_local_epsilon=None if bound is None else Decimal(bound))
    said = [
        one for title, one in checklist(replace(GOOD, local=local), policy) if title.startswith("Local ε")
    ]
    assert bool(meets_policy(replace(GOOD, local=local), policy)) is all(said)
    return said[0] if said else None


def test_local_promises_are_held_against_their_bound() -> None:
    assert bounded() is None, "no cell was randomized"
    assert bounded(LocalFacts("a", Decimal(3)), LocalFacts("b", Decimal("0.5")))
    over = bounded(LocalFacts("a", Decimal(3)), LocalFacts("b", Decimal("3.0001"), 2))
    assert over is not None
    assert over.code == "local-epsilon-too-large"
    assert "cells of b give away with 2 other releases that are out adds up to ε = 3.0001" in over.reason
    nothing = bounded(LocalFacts("a", None, 1))
    assert nothing is not None
    assert nothing.code == "local-epsilon-unbounded"
    assert "with 1 other release that are out" not in nothing.reason
    assert "with 1 other release that is out" in nothing.reason


def test_a_policy_without_a_bound_has_nothing_to_check_of_local_promises() -> None:
    said = bounded(LocalFacts("a", None), bound=None)
    assert said is not None
    assert not said.applies
