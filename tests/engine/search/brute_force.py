"""Every node of a lattice by itself: what the search is held against. Nothing is pruned or rolled up."""

import itertools
from dataclasses import dataclass

import numpy as np

from tests.engine.search.objectives import Grouping, Score, objective_of
from worker.engine.search.judging import Judge, generalized
from worker.engine.tables.classes import classes_of


@dataclass
class Looked:
    """A node, looked at."""

    feasible: bool
    suppressed: int
    score: Score
    forced: int


def look_at_every_node(table, levels, bounds, judge, aim) -> dict[tuple[int, ...], Looked]:
    values = [table.marginal(one.name) for one in levels]
    objective = objective_of(aim.objective, levels, values, aim.aggregate, aim.weight, aim.weights)
    names = [one.name for one in levels]
    found = {}
    for node in itertools.product(*(range(low, high + 1) for low, high in bounds)):
        classes = classes_of(generalized(table, levels, node), names)
        kept = judge.kept(classes)
        first = classes.first()
        codes = tuple(classes.table.column(name)[first] for name in names)
        score = objective.score(Grouping(node, codes, classes.rows, kept))
        suppressed = int(classes.rows[~kept].sum())
        forced = int(judge.forced(classes).sum())
        found[node] = Looked(judge.feasible(classes, kept), suppressed, score, forced)
    return found


def minimal(found) -> list[tuple[int, ...]]:
    """Feasible nodes with no other feasible node at or below them in every column."""
    feasible = [node for node, one in found.items() if one.feasible]
    return [
        node
        for node in feasible
        if not any(other != node and all(np.array(other) <= np.array(node)) for other in feasible)
    ]


__all__ = ["Judge", "Looked", "look_at_every_node", "minimal"]
