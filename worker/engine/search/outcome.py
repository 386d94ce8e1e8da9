"""What a search found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import isnan
from typing import NamedTuple

import numpy as np

from worker.engine.search.lattice import Lattice, Node
from worker.engine.search.state import ABOVE, BEST, EXAMINED, FEASIBLE, HOPELESS, VISITS, State

Score = float | tuple[float, ...]
MOST_EXPLORED = 2_000


class Explored(NamedTuple):
    """What is known of one node: rows to suppress and score are None where nobody had to count them."""

    node: Node
    feasible: bool
    suppressed_rows: int | None
    score: float | None


@dataclass
class Outcome:
    """`best` is None when no node is feasible, or none was found in time."""

    nodes: int
    checked: int = 0
    best: Node | None = None
    score: Score | None = None
    optimal: bool = True
    """Whether it is proven that no node is better."""
    minimal: Sequence[Node] = ()
    minimal_complete: bool = True
    """Whether these are all minimal nodes."""
    least_suppressed: int | None = None
    """The fewest rows that an infeasible node would have to suppress, as far as counted."""
    explored: list[Explored] = field(default_factory=list)


def outcome_of(lattice: Lattice, state: State, ranked: bool, optimal: bool) -> Outcome:
    """Read a finished state, without its lists."""
    best = int(state.numbers[BEST])
    outcome = Outcome(lattice.size, int(state.numbers[VISITS]), optimal=optimal, minimal_complete=False)
    if best >= 0:
        outcome.best = lattice.levels(best)
        score = float(state.scores[best])
        outcome.score = tuple(sorted(state.best_losses.tolist(), reverse=True)) if ranked else score
    counted = state.suppressed[(state.flags & FEASIBLE == 0) & (state.suppressed >= 0)]
    outcome.least_suppressed = int(counted.min()) if len(counted) else None
    return outcome


def minimal_of(lattice: Lattice, state: State) -> list[Node]:
    """The feasible nodes below which none is known to be feasible."""
    flags = state.flags
    looked = (flags & (FEASIBLE | EXAMINED) == FEASIBLE | EXAMINED) & (flags & ABOVE == 0)
    return lattice.nodes(np.flatnonzero(looked))


def explored_of(lattice: Lattice, state: State) -> list[Explored]:
    """What is known of up to so many nodes: first the best scores, then the fewest rows, then the rest."""
    flags, scores, suppressed = state.flags, state.scores, state.suppressed
    known = np.flatnonzero(flags & (FEASIBLE | EXAMINED | HOPELESS))
    rows = np.where(suppressed[known] < 0, np.iinfo(np.int64).max, suppressed[known])
    order = np.lexsort((rows, scores[known]))  # nodes without a score (NaN) come last
    chosen = np.sort(known[order[:MOST_EXPLORED]])
    facts = zip(
        lattice.nodes(chosen),
        (flags[chosen] & FEASIBLE != 0).tolist(),
        suppressed[chosen].tolist(),
        scores[chosen].tolist(),
        strict=True,
    )
    return [
        Explored(node, feasible, None if gone < 0 else gone, None if isnan(score) else score)
        for node, feasible, gone, score in facts
    ]
