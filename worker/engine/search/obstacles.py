"""Why no transformation satisfies the goals: which goal is in the way, and what would come nearest."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from worker.engine.contracts.goal import Goal
from worker.engine.errors import Mend, NoSolution
from worker.engine.search.judging import Judge
from worker.engine.tables.classes import Classes
from worker.engine.wording import thousands

DIGITS = 10_000
LIMIT = "suppression_limit"
VACUOUS = 1  # of rows, values, distance or risk: such a threshold asks for nothing and is not worth offering


def no_solution(judge: Judge, coarsest: Classes, least: int | None) -> NoSolution:
    """The refusal for a search that found nothing.

    `coarsest` are the classes with every quasi-identifier at the highest level allowed, `least` the fewest
    rows that any other combination of levels would have to suppress, as far as known. One of several goals
    is called the obstacle only when coarser classes always help it: else it may hold elsewhere by itself.
    """
    goals, limit = judge.goals, judge.limit
    needs = [_suppressed(judge.of([goal]), coarsest) for goal in goals]
    alone = [
        number
        for number, rows in enumerate(needs)
        if rows > limit and (len(goals) == 1 or _only_helped(goals[number]))
    ]
    at = max(alone or range(len(goals)), key=lambda number: needs[number], default=None)
    if at is None:
        return NoSolution("no-solution", "No allowed combination of levels satisfies the goals.")
    rows, goal = int(coarsest.rows.sum()), goals[at]
    reached = weaker(goal.reachable(coarsest, min(limit, rows - 1)), goal.required)
    if reached is not None and _suppressed(judge.of([_with(goal, reached)]), coarsest) > limit:
        reached = None  # it was told of classes that are compared with rows which would not be released
    words = _alone(goal, limit, needs[at], rows) if alone else _together(goals, at, limit, needs[at], rows)
    if needs[at] > limit and reached is not None:
        words += (
            f" The nearest to the demanded {goal.required:g} that can be reached there is "
            f"{thousands(reached)}."
        )
    fewest = min(one for one in (least, _suppressed(judge, coarsest)) if one is not None)
    sure = all(map(_only_helped, goals)) and not judge.hidden  # then no other node costs fewer rows
    error = NoSolution("no-solution", f"{words} {_way_out(fewest, rows, sure)}", param=f"goals[{at}]")
    error.mends = mends(
        goals, at, reached, fewest, rows, lambda others: _suppressed(judge.of(others), coarsest) <= limit
    )
    return error


def _only_helped(goal: Goal) -> bool:
    """Whether a row that satisfies the goal does so in every coarser class."""
    return goal.monotone and not goal.relative


def _with(goal: Goal, value: Any) -> Goal:
    """The goal with another threshold."""
    name = threshold(goal)
    return goal if name is None else goal.model_copy(update={name: value})


def _suppressed(judge: Judge, classes: Classes) -> int:
    """How many rows the goals cost; more than there are when they cannot be met at all."""
    kept = judge.kept(classes)
    hidden = int(classes.rows[~kept].sum())
    if hidden <= judge.limit and not judge.feasible(classes, kept):
        return int(classes.rows.sum()) + 1
    return hidden


def _alone(goal: Goal, limit: int, need: int, rows: int) -> str:
    """One goal fails even by itself."""
    if _only_helped(goal):
        return (
            f"The obstacle is {goal.title}: even with every quasi-identifier at the highest level allowed, "
            f"{_cost(need, rows)}, where {thousands(limit)} may be suppressed."
        )
    return (
        f"The obstacle is {goal.title}: no allowed combination of levels satisfies it while suppressing at "
        f"most {thousands(limit)} of {thousands(rows)} rows. With every quasi-identifier at the "
        f"highest level allowed, {_cost(need, rows)}."
    )


def _together(goals: Sequence[Goal], at: int, limit: int, need: int, rows: int) -> str:
    """Each goal could be had by itself, or perhaps could."""
    text = (
        "No allowed combination of levels satisfies all goals while suppressing at most "
        f"{thousands(limit)} of {thousands(rows)} rows."
    )
    if len(goals) == 1:
        return text
    asks = f"{goals[at].title} asks most of the coarsest one"
    return f"{text} {asks}: {_cost(need, rows)}." if need > limit else f"{text} {asks}."


def _cost(need: int, rows: int) -> str:
    if need < rows:
        return f"{thousands(need)} of {thousands(rows)} rows would have to be suppressed"
    return f"none of the {thousands(rows)} rows could be kept"


def _way_out(fewest: int, rows: int, sure: bool) -> str:
    if fewest >= rows and sure:
        return "More suppression does not help: weaken the goal, or allow higher levels."
    if fewest >= rows:
        return "Weaken the goal, or allow higher levels; whether more suppression would help is not known."
    return (
        f"Weaken the goal, allow higher levels, or raise the suppression limit: {thousands(fewest)} rows, "
        f"a share of {share_of(fewest, rows):.4f}, would do."
    )


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
