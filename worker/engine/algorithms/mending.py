"""The nearest changes of a recipe with which a search without a solution would have had one."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from worker.engine.errors import Mend
from worker.engine.goal import Goal

DIGITS = 10_000
LIMIT = "suppression_limit"
VACUOUS = 1  # of rows, values, distance or risk: such a threshold asks for nothing and is not worth offering


def mends(
    goals: Sequence[Goal], at: int, reached: Any, fewest: int, rows: int, enough: Callable[[list[Goal]], bool]
) -> tuple[Mend, ...]:
    """More suppression, and the goal in the way as near as can be reached, each where it is known to do.

    `fewest` of the `rows` must be suppressed; with `reached` goal `at` is satisfied within the limit;
    `enough` says whether other goals would have had a solution.
    """
    found = [Mend("step", None, LIMIT, share_of(fewest, rows))] if fewest < rows else []
    name = threshold(goals[at])
    if name is None or reached in (None, VACUOUS):
        return tuple(found)
    if not type(goals[at]).problems({**goals[at].params(), name: reached}):
        others = list(goals)
        others[at] = goals[at].model_copy(update={name: reached})
        found += [Mend("goal", at, name, reached)] if enough(others) else []
    return tuple(found)


def share_of(part: int, rows: int) -> float:
    """The smallest share of four digits that still lets so many rows go."""
    share = math.ceil(Fraction(part, rows) * DIGITS) / DIGITS
    return share if Fraction(repr(share)) * rows >= part else share + 1 / DIGITS


def threshold(goal: Goal) -> str | None:
    """The parameter that the goal's threshold comes from."""
    fields: Sequence[str] = list(type(goal).model_fields)
    return next((name for name in fields if getattr(goal, name) is goal.required), None)


def weaker(reached: Any, required: Any) -> Any:
    """A threshold with few digits that what was reached satisfies; None when no threshold does."""
    if reached is None or not math.isfinite(reached):
        return None
    if reached == int(reached):
        return int(reached)
    rounded = math.floor if reached < required else math.ceil
    return rounded(reached * DIGITS) / DIGITS
