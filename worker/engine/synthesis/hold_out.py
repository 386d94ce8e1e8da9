"""Rows that a model is not shown, so that it can be asked later whether it remembers those it was shown."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

import numpy as np
from pydantic import Field

from worker.engine.arrays import Longs
from worker.engine.contracts.annotations import Unit
from worker.engine.contracts.facts import Facts, HeldOut
from worker.engine.contracts.scene import FEWEST_HELD_OUT
from worker.engine.randomness import Source
from worker.engine.tables.column import Floats, Mask
from worker.engine.tables.drawing import of_rows
from worker.engine.tables.kinds import Role
from worker.engine.tables.statistics import Statistics

HoldOutShare = Annotated[
    float,
    Unit("of the rows"),
    Field(
        ge=0,
        le=0.5,
        title="Hold-out",
        description="Set aside before anything is learnt, whole households or persons where keys tell them, "
        "so that measures can ask: does the file give away more of rows it was made from than of these? "
        f"0 sets none aside, and none are where they would be fewer than {FEWEST_HELD_OUT}.",
    ),
]
TOGETHER = {Role.HOUSEHOLD_KEY: "household", Role.PERSON_KEY: "person"}


@dataclass(frozen=True)
class SetAside:
    """All that a model may be shown, and which rows of the input it will not have seen."""

    learnt: Statistics
    unit: str = "row"
    ids: Longs = field(default_factory=lambda: np.zeros(0, np.int64))
    """The input's number of each row, in order; none where nothing is set aside."""
    groups: Longs = field(default_factory=lambda: np.zeros(0, np.int64))
    """Which rows are of one household or person."""

    @classmethod
    def of(cls, statistics: Statistics, share: float, source: Source) -> SetAside:
        """A share of the households, persons or rows, drawn at random; of too few none is set aside."""
        ids, draws = _draws(statistics, source) if share else (np.zeros(0, np.int64), np.zeros(0))
        groups = _together(statistics, len(ids))
        held = ids[_drawn(groups, draws, share)]
        if len(held) < FEWEST_HELD_OUT:
            return cls(statistics)
        shown = np.ones(statistics.input_rows, bool)
        shown[held] = False
        unit = next((unit for role, unit in TOGETHER.items() if statistics.schema.named(role)), "row")
        return cls(statistics.among(shown), unit, ids, groups)

    def unseen(self, fitted: Longs) -> Mask | None:
        """The input rows of all those of whom no row is among the fitted: more than were set aside, where
        the model was fitted to a sample of the rest."""
        if not len(self.ids):
            return None
        seen = self.groups[np.searchsorted(self.ids, fitted)]
        marked = np.zeros(self.learnt.input_rows, bool)
        marked[self.ids[~np.isin(self.groups, seen)]] = True
        return marked

    def announced(self, unseen: Mask | None) -> Facts:
        """For the report."""
        return Facts() if unseen is None else Facts(held_out=HeldOut(int(unseen.sum()), self.unit))


def _drawn(groups: Longs, draws: Floats, share: float) -> Mask:
    """The rows whose group has one of the smallest draws."""
    numbers, first = np.unique(groups, return_index=True)
    chosen = np.argsort(draws[first], kind="stable")[: int(share * len(first))]
    return np.isin(groups, numbers[chosen])


def _draws(statistics: Statistics, source: Source) -> tuple[Longs, Floats]:
    """The number of each row and its draw, the same for any cutting of the rows."""
    ids, draws = [np.zeros(0, np.int64)], [np.zeros(0)]
    for chunk in statistics.chunks(()):
        for block, rows in chunk.blocks():
            ids.append(chunk.row_ids[rows])
            draws.append(of_rows(chunk, block, rows, source.stream("\x00hold-out", block).random))
    return np.concatenate(ids), np.concatenate(draws)


def _together(statistics: Statistics, rows: int) -> Longs:
    """The group of each row: rows that a household or a person connects, however many steps away.

    Two rows of one person may stand in two households: then all of both stay together.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    ends, nodes = [np.zeros((2, 0), np.int64)], rows
    for name in statistics.schema.named(*TOGETHER):
        column = statistics.column(name)
        known = np.flatnonzero(~column.missing_rows)
        ends.append(np.array([known, nodes + column.codes[known].astype(np.int64)]))
        nodes += len(column.labels)
    pairs = np.concatenate(ends, axis=1)
    graph = coo_array((np.ones(pairs.shape[1], bool), (pairs[0], pairs[1])), shape=(nodes, nodes))
    found: Longs = connected_components(graph, directed=False)[1][:rows].astype(np.int64)
    return found
