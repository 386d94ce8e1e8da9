"""Of many runs the one with most utility inside the policy, and why that one: in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stewardapp.access.thresholds import checklist, demand_words, judge, meets_policy, row_words
from stewardapp.presenters.demands import in_words, value_of
from stewardapp.presenters.how_to_read import printed
from stewardapp.presenters.results import lowered

if TYPE_CHECKING:
    from stewardapp.access.facts import PolicyFacts, RowFacts, RunFacts
    from stewardapp.presenters.utility_map import Way

FAR = float("inf")
"""What nobody knows is as far from a bound as can be."""


@dataclass(frozen=True)
class Tried:
    """A run that has results, with its two figures on the chosen axes."""

    number: int
    facts: RunFacts
    risk: float | None
    utility: float | None


@dataclass(frozen=True)
class Proposal:
    """A run by its number; `inside` when it meets every demand of the policy."""

    number: int
    inside: bool
    words: str


@dataclass(frozen=True)
class Missed:
    """A demand that a run does not meet, in words, and how far it is from the bound."""

    words: str
    gap: float = FAR


def proposal(tried: Sequence[Tried], policy: PolicyFacts, risk: Way, utility: Way) -> Proposal | None:
    """The run to take; none as long as no run has the figure to choose by."""
    ordered = sorted(tried, key=lambda one: _order(one, risk, utility))
    known = [one for one in ordered if one.utility is not None]
    inside = [one for one in known if meets_policy(one.facts, policy)]
    if inside:
        return _best(inside, known, policy, utility)
    return _closest(known, policy) if known else None


def _order(one: Tried, risk: Way, utility: Way) -> tuple[float, float, int]:
    """Most utility first, of equal ones the least risk, of equal ones the first."""
    return -_goodness(one.utility, utility), -_goodness(one.risk, risk), one.number


def _goodness(value: float | None, way: Way) -> float:
    if value is None:
        return -FAR
    return value if way.figure.better == "high" else -value


def _best(inside: Sequence[Tried], known: Sequence[Tried], policy: PolicyFacts, utility: Way) -> Proposal:
    best = inside[0]
    said = [f"Run {best.number} keeps most: {_kept(best, utility)}, and meets every demand of the policy"]
    more = [one for one in known if _goodness(one.utility, utility) > _goodness(best.utility, utility)]
    if more:
        other = min(more, key=lambda one: _distance(one, policy))
        keeps = f"run {other.number} keeps more ({_value(other, utility)})"
        said.append(f"{keeps}, but {_shortfall(other, policy)}")
    equal = [one.number for one in inside[1:] if one.utility == best.utility]
    if equal:
        said.append(f"run {equal[0]} keeps as much, at no less risk")
    return Proposal(best.number, True, "; ".join(said) + ".")


def _closest(known: Sequence[Tried], policy: PolicyFacts) -> Proposal:
    near = min(known, key=lambda one: _distance(one, policy))
    words = f"Run {near.number} comes closest: {_shortfall(near, policy)}."
    return Proposal(near.number, False, f"No run meets every demand of the policy. {words}")


def _kept(one: Tried, utility: Way) -> str:
    return f"{lowered(utility.figure.title)} {_value(one, utility)}"


def _value(one: Tried, utility: Way) -> str:
    return printed(utility.figure, one.utility)


def _distance(one: Tried, policy: PolicyFacts) -> tuple[int, float]:
    """How many demands it misses, and by how much of a bound at most."""
    missed = list(misses(one.facts, policy))
    return len(missed), max((miss.gap for miss in missed), default=0.0)


def _shortfall(one: Tried, policy: PolicyFacts) -> str:
    """Everything that it misses, in one clause."""
    return " and ".join(miss.words for miss in misses(one.facts, policy))


def misses(run: RunFacts, policy: PolicyFacts) -> Iterator[Missed]:
    """The rows of the policy that a run does not meet, then whatever else stands in its way."""
    for row in policy.rows:
        if not judge(row, run):
            yield _missed(row, run)
    rows = {row_words(row) for row in policy.rows}
    for words, verdict in checklist(run, policy):
        if not verdict and words not in rows:
            yield Missed(lowered(verdict.reason.rstrip(".")))


def _missed(row: RowFacts, run: RunFacts) -> Missed:
    value, demand = value_of(run, row), f"(policy {demand_words(row)})"
    if value is None:
        return Missed(f"{lowered(row.title)} is not known {demand}")
    gap = float(abs(value - row.bound) / (abs(row.bound) or 1))
    return Missed(f"{lowered(row.title)} is {in_words(value, row.unit)} {demand}", gap)
