"""Counting rows into declared cells, chunk by chunk, and bounding what one person adds."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from worker.engine.dp.bounding import bounded
from worker.engine.dp.cells import Cells, Grid
from worker.engine.tables.counting import Counter
from worker.engine.tables.dense import Numbers
from worker.engine.tables.frequency import Counts, Domain, FrequencyTable
from worker.engine.tables.kinds import Kind
from worker.engine.tables.numeric import NumberColumn
from worker.engine.tables.table import Chunk, Codes

LEFT_OUT, UNKNOWN = -1, -2
FEW, WORTHWHILE = 256, 1 << 17
AT_ONCE = 1 << 19


@dataclass(frozen=True)
class BoundedCounts:
    """Exact counts to which one person adds at most the bound. Nothing here leaves without noise."""

    cells: Counts
    unknown: Mapping[tuple[str, ...], int]


def bounded_counts(
    chunks: Iterable[Chunk],
    columns: Sequence[Cells],
    person: str | None,
    key: bytes,
    rows: int,
    unknown: bool,
) -> BoundedCounts:
    """Count the cells of some columns; `unknown` keeps tuples with values nobody declared as well.

    Without a person column every row is a person of its own, and there is nothing to bound.
    """
    grid = Grid(tuple(columns))
    if person is None and not unknown:
        return BoundedCounts(_dense(chunks, grid), {})
    names = [cells.name for cells in columns]
    counter = Counter([(name, Kind.TEXT) for name in [*names, *([person] if person else [])]], None, None)
    for chunk in chunks:
        recoded = {c.name: c.recoded(chunk[c.name], unknown) for c in columns}
        counter.add(recoded | ({person: chunk[person]} if person else {}), chunk.rows)
    return _assigned(counter.table(), grid, person, key, rows)


@dataclass(frozen=True)
class CellRows:
    """Distinct combinations of cells with their bounded number of rows; `codes[j]` are those of column j."""

    codes: tuple[Codes, ...]
    counts: Counts

    def marginal(self, sizes: Sequence[int], columns: Sequence[int]) -> Counts:
        """Rows per combination of cells of some columns, the last running fastest."""
        flat, total = np.zeros(len(self.counts), np.int64), 1
        for column in columns:
            flat = flat * sizes[column] + self.codes[column]
            total *= sizes[column]
        found = np.zeros(total, np.int64)
        np.add.at(found, flat, self.counts)
        return found


def bounded_rows(
    chunks: Iterable[Chunk], columns: Sequence[Cells], person: str | None, key: bytes, rows: int
) -> CellRows:
    """The same for several marginals of the same rows: bounded once, over all columns together."""
    names = [cells.name for cells in columns]
    counter = Counter([(name, Kind.TEXT) for name in [*names, *([person] if person else [])]], None, None)
    for chunk in chunks:
        recoded = {c.name: c.recoded(chunk[c.name]) for c in columns}
        counter.add(recoded | ({person: chunk[person]} if person else {}), chunk.rows)
    kept = _inside(counter.table(), columns)
    cells, counts = (kept.codes, kept.counts) if person is None else bounded(kept, person, key, rows)
    codes = tuple(
        _codes(kept.domain(c.name), c)[where] for c, where in zip(columns, cells[: len(columns)], strict=True)
    )
    return CellRows(codes, counts)


def _inside(table: FrequencyTable, columns: Sequence[Cells]) -> FrequencyTable:
    """Without what is in no cell: it would use up a person's bound."""
    inside = np.ones(len(table), bool)
    for cells in columns:
        inside &= _codes(table.domain(cells.name), cells)[table.column(cells.name)] != LEFT_OUT
    return _only(table, inside)


def _dense(chunks: Iterable[Chunk], grid: Grid) -> Counts:
    counts = np.zeros(grid.size + 1, np.int64)
    for chunk in chunks:
        if len(grid.columns) == 1:
            column = chunk[grid.columns[0].name]
            if not isinstance(column, NumberColumn | Numbers):
                np.add.at(counts, grid.columns[0].of_labels(column), tally(column.codes, len(column.labels)))
                continue
        counts += tally(grid.codes([chunk[cells.name] for cells in grid.columns], chunk.rows), grid.size + 1)
    return counts[:-1]


def tally(codes: np.ndarray[Any, np.dtype[Any]], size: int) -> Counts:
    """How often each code occurs; by compiled loops where these are loaded, which takes longer than this."""
    if size > FEW or len(codes) < WORTHWHILE:
        return np.bincount(codes, minlength=size).astype(np.int64, copy=False)
    if "worker.engine.kernels.loading" not in sys.modules:
        return _in_pairs(codes.astype(np.uint8, copy=False), size)
    from worker.engine.kernels.tally import tallied

    return tallied(codes, size)


def _in_pairs(codes: np.ndarray[Any, np.dtype[np.uint8]], size: int) -> Counts:
    """Two rows at a time, as one number of 16 bits."""
    pairs = np.ascontiguousarray(codes[: len(codes) // 2 * 2]).view(np.uint16)
    both = np.zeros(1 << 16, np.int64)
    for first in range(0, len(pairs), AT_ONCE):
        both += np.bincount(pairs[first : first + AT_ONCE], minlength=1 << 16)
    square = both.reshape(256, 256)
    counts = square.sum(axis=0) + square.sum(axis=1)
    if len(codes) % 2:
        counts[codes[-1]] += 1
    return np.asarray(counts[:size], np.int64)


def _assigned(table: FrequencyTable, grid: Grid, person: str | None, key: bytes, rows: int) -> BoundedCounts:
    """Tuples of texts to cells. What is in no cell is left out before bounding: it would use up the bound."""
    codes = [_codes(table.domain(c.name), c) for c in grid.columns]
    kept = _inside(table, grid.columns)
    cells, counts = (kept.codes, kept.counts) if person is None else bounded(kept, person, key, rows)
    return _sorted_out(kept, grid, codes, cells[: len(grid.columns)], counts)


def _only(table: FrequencyTable, mask: Any) -> FrequencyTable:
    return FrequencyTable(table.domains, tuple(codes[mask] for codes in table.codes), table.counts[mask])


def _codes(domain: Domain, cells: Cells) -> Codes:
    """For each text of a column: its cell, or that it is left out, or that nobody declared it."""
    index = {label: code for code, label in enumerate(cells.labels)}
    found = (
        index.get(t, LEFT_OUT if gone else UNKNOWN)
        for t, gone in zip(domain.texts, domain.missing, strict=True)
    )
    return np.fromiter(found, np.int32, len(domain))


def _sorted_out(
    table: FrequencyTable, grid: Grid, codes: list[Codes], cells: Sequence[Codes], counts: Counts
) -> BoundedCounts:
    flat = np.zeros(len(counts), np.int64)
    declared = np.ones(len(counts), bool)
    for one, to, where in zip(grid.columns, codes, cells, strict=True):
        declared &= to[where] != UNKNOWN
        flat = flat * len(one) + to[where]
    known = np.zeros(grid.size, np.int64)
    np.add.at(known, flat[declared], counts[declared])
    unknown: dict[tuple[str, ...], int] = {}
    for row in np.flatnonzero(~declared & (counts > 0)).tolist():
        label = tuple(table.domain(c.name).texts[w[row]] for c, w in zip(grid.columns, cells, strict=True))
        unknown[label] = unknown.get(label, 0) + int(counts[row])
    return BoundedCounts(known, unknown)
