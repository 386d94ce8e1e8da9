"""Which run a sweep proposes, on invented figures."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Literal

from stewardapp.access.facts import MeasuredFacts, PolicyFacts, RowFacts, RunFacts
from stewardapp.presenters.proposal import Proposal, Tried, proposal
from stewardapp.presenters.utility_map import Way
from worker.engine.contracts.figure import Figure

NO_BREAK = "\u00a0"
LINKED = Way("linkage", Figure("linked", "Linked rows", "", unit="share", better="low"), "risk")
LINKS = RowFacts("linkage", "linked", "Linked rows", Decimal("0.05"), "share")
SMALLEST = RowFacts("sizes", "smallest_class", "Smallest class", Decimal(5), "count", at_least=True)
POLICY = PolicyFacts((LINKS, SMALLEST))


def kept(better: Literal["low", "high"] = "high") -> Way:
    return Way("kept", Figure("kept", "Information kept", "", unit="share", better=better), "utility")


def tried(number: int, linked: float | None, utility: float | None, smallest: int = 6, **facts: Any) -> Tried:
    figure = None if linked is None else Decimal(str(linked))
    measured = {
        "linkage": MeasuredFacts(figures={"linked": figure}),
        "sizes": MeasuredFacts(figures={"smallest_class": Decimal(smallest)}),
    }
    run = RunFacts(**{"state": "succeeded", "goals_hold": True, "measured": measured, **facts})
    return Tried(number, run, linked, utility)


def of(*runs: Tried, utility: Way | None = None) -> Proposal:
    found = proposal(runs, POLICY, LINKED, utility or kept())
    assert found is not None
    return found


def test_the_run_that_keeps_most_inside_the_policy() -> None:
    found = of(tried(5, 0.01, 0.5), tried(7, 0.04, 0.71), tried(9, 0.061, 0.8))
    assert (found.number, found.inside) == (7, True)
    assert found.words == (
        f"Run 7 keeps most: information kept 71{NO_BREAK}%, and meets every demand of the policy; "
        f"run 9 keeps more (80{NO_BREAK}%), but linked rows is 6.1{NO_BREAK}% (policy at most 5{NO_BREAK}%)."
    )


def test_of_those_that_keep_more_the_one_that_misses_least_is_named() -> None:
    words = of(tried(1, 0.01, 0.5), tried(2, 0.5, 0.9), tried(3, 0.06, 0.7), tried(4, 0.055, 0.6, 4)).words
    assert "run 3 keeps more" in words
    assert "run 2" not in words


def test_of_equal_runs_the_one_with_less_risk() -> None:
    found = of(tried(1, 0.04, 0.7), tried(2, 0.02, 0.7), tried(3, 0.03, 0.6))
    assert found.number == 2
    assert "run 1 keeps as much, at no less risk" in found.words


def test_less_is_more_where_the_figure_says_so() -> None:
    assert of(tried(1, 0.01, 0.2), tried(2, 0.01, 0.1), utility=kept("low")).number == 2


def test_when_none_meets_the_policy_the_closest_says_what_it_misses() -> None:
    found = of(tried(1, 0.5, 0.9), tried(2, 0.06, 0.5), tried(3, 0.051, 0.9, smallest=2))
    assert (found.number, found.inside) == (2, False)
    assert found.words.endswith(f"linked rows is 6{NO_BREAK}% (policy at most 5{NO_BREAK}%).")


def test_what_nobody_measured_meets_nothing_and_is_furthest() -> None:
    found = of(tried(1, None, 0.9), tried(2, 0.9, 0.1))
    assert (found.number, found.inside) == (2, False)
    assert "linked rows is not known" in of(tried(1, None, 0.9)).words


def test_a_goal_that_does_not_hold_stands_in_the_way() -> None:
    found = of(tried(1, 0.01, 0.9, goals_hold=False), tried(2, 0.01, 0.5))
    assert found.number == 2
    assert "run 1 keeps more (90" in found.words
    assert "a goal of the recipe does not hold" in found.words


def test_without_the_figure_to_choose_by_nothing_is_proposed() -> None:
    assert proposal([tried(1, 0.01, None)], POLICY, LINKED, kept()) is None
    assert proposal([], POLICY, LINKED, kept()) is None
    assert of(tried(1, 0.01, None), tried(2, 0.01, 0.1)).number == 2
