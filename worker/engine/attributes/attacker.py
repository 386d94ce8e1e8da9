"""What an attacker knows of a person, what he wants to learn, and which rows he asks about."""

from __future__ import annotations

from collections.abc import Sequence

from worker.engine.contracts.traces import ReleaseFamily, Trace, Traces
from worker.engine.tables.column import Mask
from worker.engine.tables.statistics import Statistics


def clues(names: Sequence[str], traces: Traces | None) -> tuple[str, ...]:
    """The columns by which somebody may look for a person: those that leave. One that was made up among
    others, such as a pseudonym, is no clue to anybody."""
    if traces is None:
        return tuple(names)
    useless = [Trace.REMOVED]
    if traces.family is not ReleaseFamily.MADE_UP:
        useless.append(Trace.MADE_UP)
    return tuple(name for name in names if traces[name] not in useless)


def leaving(names: Sequence[str], traces: Traces | None) -> tuple[str, ...]:
    """The columns that are in the release at all."""
    return tuple(name for name in names if traces is None or traces[name] is not Trace.REMOVED)


def both_have(names: Sequence[str], before: Statistics, after: Statistics) -> tuple[str, ...]:
    """The columns that are on both sides."""
    return tuple(name for name in names if name in before.schema and name in after.schema)


def parted(whole: Statistics, held_out: Mask | None) -> tuple[Statistics, ...]:
    """The rows that the release was made from and, where there are any, those from which no step learnt."""
    if held_out is None or not held_out.any():
        return (whole,)
    return tuple(whole.among(chosen) for chosen in (~held_out, held_out))
