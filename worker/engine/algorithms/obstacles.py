"""Why no transformation satisfies the goals: which goal is in the way, and what would come nearest."""

from __future__ import annotations

from collections.abc import Sequence

from worker.engine.algorithms.mending import mends
from worker.engine.algorithms.search.judging import Judge
from worker.engine.classes import Classes
from worker.engine.errors import NoSolution
from worker.engine.goal import Goal


def no_solution(judge: Judge, coarsest: Classes, least: int | None) -> NoSolution:
    """The refusal for a search that found nothing.

    `coarsest` are the classes with every quasi-identifier at the highest level allowed, `least` the fewest
    rows that any other combination of levels would have to suppress, as far as known.
    """
    goals, limit, drop = judge.goals, judge.limit, judge.drop
    needs = [_suppressed([goal], coarsest, limit, drop) for goal in goals]
    alone = [number for number, rows in enumerate(needs) if rows > limit]
    at = max(alone or range(len(goals)), key=lambda number: needs[number], default=None)
    if at is None:
        return NoSolution("no-solution", "No allowed combination of levels satisfies the goals.")
    rows = int(coarsest.rows.sum())
    words = (
        _alone(goals[at], coarsest, limit, needs[at], rows) if alone else _together(goals, at, limit, rows)
    )
    fewest = min(one for one in (least, _suppressed(goals, coarsest, limit, drop)) if one is not None)
    error = NoSolution("no-solution", f"{words} {_way_out(fewest, rows)}", param=f"goals[{at}]")
    reached = goals[at].reachable(coarsest, min(limit, rows - 1))
    error.mends = mends(
        goals, at, reached, fewest, rows, lambda others: _suppressed(others, coarsest, limit, drop) <= limit
    )
    return error


def _suppressed(goals: Sequence[Goal], classes: Classes, limit: int, drop: bool) -> int:
    """How many rows these goals cost; more than there are when they cannot be met at all."""
    judge = Judge(goals, limit, drop)
    kept = judge.kept(classes)
    hidden = int(classes.rows[~kept].sum())
    if hidden <= limit and not judge.feasible(classes, kept):
        return int(classes.rows.sum()) + 1
    return hidden


def _alone(goal: Goal, coarsest: Classes, limit: int, need: int, rows: int) -> str:
    """One goal fails even by itself."""
    cost = (
        f"{need:,} of {rows:,} rows would have to be suppressed"
        if need < rows
        else f"none of the {rows:,} rows could be kept"
    )
    text = (
        f"The obstacle is {goal.title}: even with every quasi-identifier at the highest level allowed, "
        f"{cost}, where {limit:,} may be suppressed."
    )
    reached = goal.reachable(coarsest, min(limit, rows - 1))
    if reached is None:
        return text
    number = f"{reached:,}" if isinstance(reached, int) else f"{reached:.4g}"
    return f"{text} The nearest to the demanded {goal.required:g} that can be reached there is {number}."


def _together(goals: Sequence[Goal], at: int, limit: int, rows: int) -> str:
    """Each goal could be had by itself."""
    text = (
        "No allowed combination of levels satisfies all goals while suppressing at most "
        f"{limit:,} of {rows:,} rows."
    )
    return text if len(goals) == 1 else f"{text} {goals[at].title} asks most of the coarsest one."


def _way_out(fewest: int, rows: int) -> str:
    if fewest >= rows:
        return "More suppression does not help: weaken the goal, or allow higher levels."
    return (
        f"Weaken the goal, allow higher levels, or raise the suppression limit: {fewest:,} rows, "
        f"a share of {fewest / rows:.4f}, would do."
    )
