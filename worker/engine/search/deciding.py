"""What a chosen node does to the table: its classes, and which of them are suppressed.

The table may hold nearly as many tuples as there are rows. So its codes are lifted and packed a piece at a
time, and where only sizes matter, no more than the classes is ever held beside it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from worker.engine.hierarchies.hierarchy import Levels
from worker.engine.search.judging import Judge, lifted, sized
from worker.engine.search.lattice import Node
from worker.engine.search.outcome import Outcome
from worker.engine.tables.classes import Classes, classes_of
from worker.engine.tables.counting import Runs
from worker.engine.tables.keys import LIMIT, Grouped, Keys, Packer, grouped
from worker.engine.tables.long_table import Tuples

MOST_RATED = 200
"""Of so many nodes a list says what their classes are; counting them takes a pass over the tuples each."""
MOST_TUPLES = 20_000_000
Rating = tuple[int, int | None, int]
"""The classes that a node keeps, the smallest of them, and the size of all together."""


@dataclass(frozen=True)
class Decided:
    """`suppressed` are the packed keys of the classes that go, in ascending order."""

    packer: Packer
    suppressed: Keys
    suppressed_rows: int
    classes: int
    smallest: int | None
    size: int


def decided(table: Tuples, levels: Sequence[Levels], node: Node, judge: Judge) -> Decided:
    """Judge the classes of a node."""
    packer = Packer(tuple(len(one.labels[level]) for one, level in zip(levels, node, strict=True)))
    # Wider tuples are ranked among all others, which a piece cannot do.
    if judge.sizes_only(table) and math.prod(packer.sizes) < LIMIT:
        keys, classes = _sizes(table, levels, node, packer)
    else:
        keys, classes = _whole(table, levels, node, packer)
    kept = judge.kept(classes)
    return Decided(
        packer,
        np.sort(keys[~kept]),
        int(classes.rows[~kept].sum()),
        int(kept.sum()),
        int(classes.sizes[kept].min()) if kept.any() else None,
        int(classes.sizes[kept].sum()),
    )


def rated(table: Tuples, levels: Sequence[Levels], outcome: Outcome, judge: Judge) -> dict[Node, Rating]:
    """The classes of the feasible nodes that were listed, the best first, as far as that costs little."""
    feasible = [one for one in outcome.explored if one.feasible]
    feasible.sort(key=lambda one: (one.score is None, one.score or 0.0, one.node))
    most = min(MOST_RATED, MOST_TUPLES // max(len(table), 1))
    found = ((one.node, decided(table, levels, one.node, judge)) for one in feasible[:most])
    return {node: (one.classes, one.smallest, one.size) for node, one in found}


def _sizes(table: Tuples, levels: Sequence[Levels], node: Node, packer: Packer) -> tuple[Keys, Classes]:
    """The classes without what is in them."""
    runs, span = Runs(), math.prod(packer.sizes)
    for piece in table.pieces():
        codes = [one.lifted(piece.column(one.name), level) for one, level in zip(levels, node, strict=True)]
        runs.add(grouped(packer.fit(codes, len(piece)), piece.counts, span))
    found: Grouped = runs.merged()
    return found.keys, sized(found.counts)


def _whole(table: Tuples, levels: Sequence[Levels], node: Node, packer: Packer) -> tuple[Keys, Classes]:
    """The classes with everything in them."""
    names = [one.name for one in levels]
    whole = lifted(table, levels, node)
    classes = classes_of(whole, names)
    first = classes.first()
    return packer.fit([whole.column(name)[first] for name in names], classes.number), classes
