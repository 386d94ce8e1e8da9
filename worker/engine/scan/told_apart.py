"""How well a set of columns tells rows apart, as whole numbers that were counted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from worker.engine.tables.frequency import Counts

Names = tuple[str, ...]


class Tally(NamedTuple):
    """Of the classes that a set of columns makes: how many there are, how many of them hold one row, and the
    sum of their squared sizes. Tallies of rows that share no class add up."""

    combinations: int
    ones: int
    squares: int

    def plus(self, other: Tally) -> Tally:
        """Of both together."""
        return Tally(*map(sum, zip(self, other, strict=True)))


NOTHING = Tally(0, 0, 0)


def tallied(sizes: Counts) -> Tally:
    """Of classes of these sizes; cells that hold nobody may be among them."""
    occur = sizes[sizes > 0]
    return Tally(len(occur), int(np.count_nonzero(occur == 1)), squared(occur))


def squared(sizes: Counts) -> int:
    """The sum of the squares, exact."""
    wide = sizes.astype(np.int64, copy=False)
    return int(np.dot(wide, wide))


@dataclass(frozen=True)
class ToldApart:
    """What a set of columns tells apart.

    Where it is an estimate, `error` is half the width of a 95 % interval of what is singled out.
    """

    singled_out: float
    distinction: float
    separation: float | None
    error: float = 0.0

    @classmethod
    def of(cls, tally: Tally, rows: int, everybody: int | None = None) -> ToldApart:
        """Counted: the ones are of `everybody`, or of the rows where nobody tells persons apart."""
        pairs = rows * (rows - 1)
        separation = 1 - (tally.squares - rows) / pairs if pairs else None
        return cls(tally.ones / (everybody or rows), tally.combinations / rows, separation)
