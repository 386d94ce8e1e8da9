"""Counting sets of columns of a table that lies in parts: in cells where a set can make few combinations, and
from a sample of its combinations, each with its full count, where it can make many.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from worker.engine.arrays import Longs
from worker.engine.io.ahead import ahead
from worker.engine.io.sketch import Hashes, Sketch, mixed
from worker.engine.scan.cells import Cells
from worker.engine.scan.rows import Rows
from worker.engine.scan.told_apart import Names, ToldApart
from worker.engine.tables.column import Codes
from worker.engine.tables.frequency import Counts, FrequencyTable
from worker.engine.tables.long_table import LongTable

SKETCHED = 1 << 13
"""So many combinations of a set are held to estimate from."""
MOST_CELLS = 1 << 23
"""So many cells are held; sets that there is no room for are estimated too."""
TOGETHER = 16
"""So many sets are estimated by one thread before another takes over."""


def in_parts(
    table: LongTable, values: Mapping[str, int], sets: Sequence[Names]
) -> Iterator[tuple[Names, ToldApart]]:
    """Each set."""
    cells = Cells(values, sets, MOST_CELLS)
    sampled = _Sampled(table.names, [names for names in sets if names not in cells.sets])
    for piece in table.pieces():
        rows = Rows(dict(zip(piece.names, piece.codes, strict=True)), values, piece.counts)
        deque(ahead(_done, [partial(cells.add, rows), *sampled.adding(piece)]), maxlen=0)
    for names, tally in cells.tallies():
        yield names, ToldApart.of(tally, table.rows)
    yield from sampled.told_apart(table.rows)


@dataclass(frozen=True)
class _Sketched:
    """Where the columns of a set stand, and the sample of its combinations."""

    columns: Longs
    sketch: Sketch = field(default_factory=lambda: Sketch(SKETCHED))


class _Sampled:
    """A sample of the combinations of each set: nothing is more or less likely in it."""

    def __init__(self, columns: Names, sets: Sequence[Names]) -> None:
        places = {name: at for at, name in enumerate(columns)}
        self._sketches = {
            names: _Sketched(np.array([places[name] for name in names], np.int64)) for names in sets
        }

    def adding(self, piece: FrequencyTable) -> Iterator[partial[None]]:
        """What there is to do to add some tuples: each can be done beside the others."""
        sketches = list(self._sketches.values())
        own = np.empty((len(piece.codes), len(piece)), np.uint64)
        for at, codes in enumerate(piece.codes if sketches else ()):  # not all are there twice
            own[at] = _numbers(at, codes)
        for start in range(0, len(sketches), TOGETHER):
            yield partial(_add, own, piece.counts, sketches[start : start + TOGETHER])

    def told_apart(self, rows: int) -> Iterator[tuple[Names, ToldApart]]:
        """What each set tells apart, as far as the sample shows."""
        for names, sketched in self._sketches.items():
            one = sketched.sketch
            yield names, ToldApart(one.unique_share, min(one.distinct / rows, 1.0), None, one.unique_error)


def _done(work: Callable[[], None]) -> None:
    work()


def _add(own: Hashes, counts: Counts, some: Sequence[_Sketched]) -> None:
    for one in some:
        one.sketch.add_sums(own, one.columns, counts)


def _numbers(column: int, codes: Codes) -> Hashes:
    """What each row's value adds to the number of its combination: those of two columns are never alike."""
    return mixed((codes.astype(np.uint64) + np.uint64(1)) | np.uint64((column + 1) << 40))
